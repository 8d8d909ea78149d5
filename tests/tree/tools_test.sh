#!/bin/bash
# Every tool that a script calls comes with a minimal Debian, or with a package that .ci/install names for the
# purpose of that script. What only happens to be installed does not count.
source tests/support/tap.sh

commands=$(keel_path tests/tree/commands.pl)

# --- the commands of a script ----------------------------------------------------------------------

cat >"$TEST_TMPDIR/script" <<'SCRIPT'
#!/bin/bash
first 'not one' "not $(second "not $(third)") one" >fourth 2>&1 <fifth # not six
if seventh && ! eighth | ninth; then tenth; elif [[ a && $(eleventh) = (b|c) ]]; then A=1 B=$(twelfth) thirteenth; fi
function_of_it()
{
    local not; cat <<END "${a:-not}"
not one $(not counted)
END
    case $(fourteenth) in
    not | 'not)') fifteenth ;;
    *) for ((i = 0; not < 2; i++)); do sixteenth; done ;;
    esac
    array=(not one) && timeout -k 2 10 env -i C=1 seventeenth not
}
for not in one; do (eighteenth; nineteenth) & done < <(twentieth)
function_of_it; `last` not \
    one; command -v not; "$(of_string)" not; ./path; $variable; ok 'name' of_ok not
SCRIPT
is "$(perl "$commands" "$TEST_TMPDIR/script" | cut -d' ' -f2 | grep -vxF -e command -e timeout -e env -e ok -e local -e cat -e fi -e done | sort | tr '\n' ' ')" \
    'eighteenth eighth eleventh fifteenth first fourteenth function_of_it() last nineteenth ninth of_ok of_string second seventeenth seventh sixteenth tenth third thirteenth twelfth twentieth ' \
    'commands are found wherever they may stand, and nothing else'
printf '%s\n' 'void f(void) { system("first not"); popen("second", "r"); execlp("third", "not", NULL);' \
    'posix_spawnp(&child, "fourth", NULL); posix_spawnp(child, name, NULL); }' >"$TEST_TMPDIR/a.c"
is "$(perl "$commands" "$TEST_TMPDIR/a.c" | cut -d' ' -f2 | tr '\n' ' ')" 'first fourth second third ' 'also those of C'

# --- cmocka ----------------------------------------------------------------------------------------

# Where its header is not there, a build of what needs it says so: the command of that rule, with a compiler that
# finds none.
rule=$(sed -n '/name = "cmocka_is_there"/,/^)/s/^ *\(cmd = \)\?"\(.*\)"[ +,]*$/\2/p' \
    "$(keel_root)/.bazel/repositories.bzl" | tr -d '\n')
mkdir "$TEST_TMPDIR/without"
printf '#!/bin/sh\nexec %s -nostdinc "$@"\n' "$(type -P gcc)" >"$TEST_TMPDIR/without/gcc"
chmod +x "$TEST_TMPDIR/without/gcc"
said=$(PATH=$TEST_TMPDIR/without:$PATH bash -c "${rule//\$@/$TEST_TMPDIR/header}" 2>&1)
is "$?: $said" '1: keel: cmocka.h is not there, which tests need; .ci/install test installs it' 'no cmocka: it is said'
ok 'with cmocka nothing is' bash -c "${rule//\$@/$TEST_TMPDIR/header}"

# --- those of the checkout -------------------------------------------------------------------------

cd "$(keel_root)" || exit
command -v dpkg-query >/dev/null || plan skip_all 'this is no Debian'

# paths_of TOOL: the file that would be run, and the links that lead to it, each also as dpkg may know it:
# by the folder that it had before /bin became /usr/bin. In `paths`.
paths_of()
{
    local path
    paths=()
    path=$(type -P "$1") || return
    while :; do
        paths+=("$path" "${path#/usr}")
        [ -L "$path" ] || return 0
        path=$(cd "${path%/*}" && realpath -s "$(readlink "$path")")
    done
}

# purposes_of FILE TOOL: what has to bring it, in `purposes`. A script that looks whether a tool is there
# may have it from any; programs say themselves what they do without.
purposes_of()
{
    if [[ $1 = *.@(c|cc|h) || ${looked_for[$1 $2]:-} ]]; then
        purposes=$all
    elif [ "$1" = .ci/root ]; then
        purposes=fresh
    elif [ "$1" = .packaging/debian.sh ]; then
        purposes='build package'
    elif [[ $1 = tests/* ]]; then
        purposes='build test'
    else
        purposes=build
    fi
}

# brought TOOL PURPOSE...: by a minimal Debian, or by a package for one of the purposes.
brought()
{
    local purpose owner
    for purpose in minimal "${@:2}"; do
        for owner in ${owners_of[$1]}; do
            [ -z "${named[$purpose $owner]:-}" ] || return 0
        done
    done
    return 1
}

# find_missing FILE TOOL...: tells of the tools that nothing brings, in `missing`.
find_missing()
{
    local tool purposes
    missing=
    for tool in "${@:2}"; do
        [ -n "${owners_of[$tool]+known}" ] || continue
        purposes_of "$1" "$tool"
        brought "$tool" $purposes ||
            missing+="$tool is of ${owners_of[$tool]}, which .ci/install does not name for: $purposes"$'\n'
    done
}

declare -A named owners_of package_of calls looked_for
all=$(.ci/install --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')
# What debootstrap's minbase has.
while read -r package; do
    named[minimal $package]=1
done < <(dpkg-query -W -f '${Essential} ${Priority} ${Package}\n' |
    awk '$1 == "yes" || $2 == "required" || $NF == "apt" { print $NF }')
while IFS=: read -r purpose packages; do
    for package in $packages; do
        named[$purpose $package]=1
    done
done < <(.ci/install --help | sed -n 's/^  \([a-z]*\) *[^:]*: /\1:/p')

mapfile -t scripts < <(
    find . -name .git -prune -o -type f \( -name '*.sh' -o -name '*.p[lm]' -o -name '*.c' -o -name '*.cc' -o -name '*.h' \) -print
    find bench tests .ci -type f ! -name '*.*' -exec grep -laEm 1 '^#!.*sh$' {} +
)
scripts=("${scripts[@]#./}")
called=$(perl "$commands" "${scripts[@]}")
functions=$(sed -n 's/.* \(.*\)()$/\1/p' <<<"$called" | sort -u)
while read -r file tool; do
    [[ $tool = *')' ]] || calls[$file]+=" $tool"
done <<<"$called"
while IFS=: read -r file text; do
    looked_for[$file ${text##* }]=1
done < <(grep -oHE '(command -v|type -P) [A-Za-z0-9.+-]+' "${scripts[@]}")

# sudo is whose who administers the machine; without it, scripts say what to do.
mapfile -t tools < <(awk '!/\)$/ { print $2 }' <<<"$called" | sort -u | grep -vxF -e sudo -e "$functions")
all_paths=()
for tool in "${tools[@]}"; do
    case $(type -t "$tool") in
    builtin | keyword) owners_of[$tool]=bash ;;
    *) paths_of "$tool" && all_paths+=("${paths[@]}") && owners_of[$tool]=${paths[*]} || owners_of[$tool]= ;;
    esac
done
while IFS=: read -r package path; do
    package_of[${path# }]=${package//,/}
done < <(dpkg-query -S "${all_paths[@]}" 2>/dev/null | sed 's/:[a-z0-9]*\([,:]\)/\1/g')
for tool in "${tools[@]}"; do
    owners=
    for path in ${owners_of[$tool]}; do
        [ "$path" = bash ] && owners+=' bash' || owners+=" ${package_of[$path]:-}"
    done
    [ "$tool" != awk ] || owners=' base-files' # which depends on any of several
    # Of what is not installed, nothing is known but that packages are often named like their tool, and those of
    # cross compilers after the system that they are for: aarch64-linux-gnu-gcc is of gcc-aarch64-linux-gnu.
    owners_of[$tool]=${owners# }
    [ -n "${owners// /}" ] || owners_of[$tool]="$tool ${tool##*-}-${tool%-*}"
done

for file in "${scripts[@]}"; do
    find_missing "$file" ${calls[$file]:-}
    is "$missing" '' "$file"
done
done_testing
