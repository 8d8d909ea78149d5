#!/bin/bash
# Every tool that a script calls comes with a minimal Debian, or with a package that .ci/install names for the
# purpose of that script. What only happens to be installed does not count.
source tests/tap.sh

commands=$(keel_path tests/commands.pl)

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

# --- those of the checkout -------------------------------------------------------------------------

cd "$(keel_root)" || exit
command -v dpkg-query >/dev/null || plan skip_all 'this is no Debian'

# owners TOOL: the packages of the file that would be run and of the links that lead to it. dpkg knows
# files by the folder that they had before /bin became /usr/bin.
owners()
{
    local path
    [ "$1" != awk ] || echo base-files # which depends on any of several
    path=$(type -P "$1") || return
    while :; do
        dpkg-query -S "$path" "${path#/usr}" 2>/dev/null | sed 's/: .*//; s/:[^,]*//g; s/, /\n/g'
        [ -L "$path" ] || return 0
        path=$(cd "$(dirname "$path")" && realpath -s "$(readlink "$path")")
    done
}

# purposes_of FILE TOOL: what has to bring it. A script that looks whether a tool is there may have it
# from any; programs say themselves what they do without.
purposes_of()
{
    if [[ $1 = *.@(c|cc|h) ]] || grep -qF -e "command -v $2 " -e "type -P $2 " "$1"; then
        echo "$all"
    elif [ "$1" = .ci/root ]; then
        echo fresh
    elif [[ $1 = tests/* ]]; then
        echo build test
    else
        echo build
    fi
}

# brought TOOL PURPOSE...: by a minimal Debian, or by a package for one of the purposes.
brought()
{
    local purpose owners=${owners_of[$1]:-}
    for purpose in minimal "${@:2}"; do
        grep -qxF -e "${owners:-none}" <<<"${packages[$purpose]}" && return
    done
    diag "$1 is of ${owners:-a package that is not installed}; .ci/install names none such for: ${*:2}"
    return 1
}

all=$(.ci/install --help | sed -n 's/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')
declare -A packages owners_of
# What debootstrap's minbase has.
packages[minimal]=$(dpkg-query -W -f '${Essential} ${Priority} ${Package}\n' |
    awk '$1 == "yes" || $2 == "required" || $NF == "apt" { print $NF }')
for purpose in $all; do
    packages[$purpose]=$(.ci/install --help | sed -n "s/^  $purpose .*: //p" | tr ' ' '\n')
done
mapfile -t files < <(find . -name .git -prune -o -type f \( -path './bench/*' -o -path './tests/*' -o -path './.ci/*' \
    -o -name '*.c' -o -name '*.cc' \) -print | sed 's,^\./,,' | sort)
mapfile -t scripts < <(
    for file in "${files[@]}"; do
        case $file in
        *.sh | *.pl | *.pm | *.c | *.cc | *.h) echo "$file" ;;
        *) head -n 1 "$file" | grep -qa '^#!.*sh$' && echo "$file" ;;
        esac
    done
)
called=$(perl "$commands" "${scripts[@]}")
functions=$(sed -n 's/.* \(.*\)()$/\1/p' <<<"$called" | sort -u)

# sudo is whose who administers the machine; without it, scripts say what to do.
while read -r tool; do
    case $(type -t "$tool") in
    builtin | keyword) owners_of[$tool]=bash ;;
    *) owners_of[$tool]=$(owners "$tool") ;;
    esac
done < <(awk '!/\)$/ { print $2 }' <<<"$called" | sort -u | grep -vxF -e sudo -e "$functions")

while read -r file tool; do
    [ -z "${owners_of[$tool]+known}" ] || ok "$file may call $tool" brought "$tool" $(purposes_of "$file" "$tool")
done < <(grep -v ')$' <<<"$called")
done_testing
