#!/bin/bash
# .ci/root: commands run in a copy of a cached system, which is removed however the run ends; where no
# system can be made, it says why. apt, debootstrap and chroot are replaced by what writes down calls.
source tests/support/tap.sh

fake=$TEST_TMPDIR/bin
mkdir "$fake"

# fake_command NAME BODY: a command that .ci/root finds first.
fake_command()
{
    printf '#!/bin/bash\n%s\n' "$2" >"$fake/$1"
    chmod +x "$fake/$1"
}

fake_command id 'echo "${FAKE_UID:-0}"'
fake_command sudo 'echo "sudo: no" >&2; exit 1'
fake_command dpkg-query 'for name; do echo "installed $name"; done'
fake_command df 'printf "Avail\n%s\n" "${FREE:-9000}"'
fake_command apt-config ':'
fake_command apt-get 'case " $* " in
    *" indextargets "*)
        file=$DEBIAN all=$* parts=${all##*sourceparts=}
        [ "$parts" = "$all" ] || file=${parts%% *}/debian.sources
        for suite in ${SUITE:-bullseye bookworm trixie}; do
            printf "%s\n" "Debian|$file:1|$suite|http://a/" "Other|$OTHER:1|$suite|http://b/"
        done;;
    *) exit "${APT_STATUS:-0}";;
esac'
fake_command debootstrap 'folder=${@: -2:1}
echo "$*" >>"$CALLS"
mkdir -p "$folder"/{dev,root,home/user,etc/apt/apt.conf.d,etc/sudoers.d,var/cache/apt/archives}
exit "${DEBOOTSTRAP_STATUS:-0}"'
fake_command git '[ "$1" != clone ] || mkdir -p "${@: -1}"'
fake_command mount '[[ $* != *tmpfs*/dev ]] || rm -rf "${@: -1}"/*'
fake_command unshare 'while [[ $1 = --* ]]; do shift; done; [ -z "${NO_NAMESPACES:-}" ] && exec "$@"'
fake_command chroot 'root=$1; shift
case $1 in
useradd | chown) exit ;;
runuser) shift 4; echo as user >>"$CALLS" ;;
esac
exec "${@/#HOME=/HOME=$root}"'

export DEBIAN=$TEST_TMPDIR/debian.sources OTHER=$TEST_TMPDIR/other.sources CALLS=$TEST_TMPDIR/calls
export XDG_CACHE_HOME=$TEST_TMPDIR/cache
touch "$OTHER"
echo "Suites: bullseye bookworm trixie" >"$DEBIAN"
cache=$XDG_CACHE_HOME/keel/root

run_root()
{
    : >"$CALLS"
    output=$(PATH=$fake:$PATH "$(keel_path .ci/root)" "$@" 2>&1 </dev/null)
    status=$?
    calls=$(<"$CALLS")
}

# What is in the cache beside the base and its lock.
left_behind()
{
    (cd "$cache" && ls -d run.* 2>/dev/null)
}

run_root debian-12 'root echo first; pwd' 'user echo second; pwd'
is "$status" 0 'commands that succeed'
like "$output" "^$cache/run\.[^/]*/root/root/keel\$" 'root is in a clone'
like "$output" "^$cache/run\.[^/]*/root/home/user/keel\$" 'the user in another'
is "$(grep -n -x -e first -e second <<<"$output" | cut -d: -f2 | tr '\n' ' ')" 'first second ' 'in their order'
like "$calls" 'bookworm .*/base http://a/$' "the system comes from Debian's source"
is "$(grep -c 'as user' <<<"$calls")" 1 'only what the user does is done as user'
is "$(left_behind)" '' 'nothing is left but the base'

for system in 'debian-11 bullseye' 'debian-12 bookworm' 'debian-13 trixie'; do
    run_root "${system% *}" 'root cd ../../etc/apt/sources.list.d && ls && cat debian.sources'
    like "$output" '^debian\.sources$' "${system% *} has Debian's sources"
    like "$output" "^Suites: .*\b${system#* }\b" 'with its own suite'
    unlike "$output" '^other\.sources$' 'but none of a third party'
done

run_root debian-12 'root echo first; exit 7' 'root echo second'
is "$status" 7 'a command that fails ends it'
unlike "$output" '^second$' 'the next one is not run'
is "$(left_behind)" '' 'and nothing is left'
is "$calls" '' 'the base is kept'

touch -d '8 days ago' "$cache"/*.sha256
run_root debian-12 'root true'
like "$calls" bookworm 'an old base is made anew'
truncate -s -1 "$cache"/*.tar
run_root debian-12 'root true'
like "$calls" bookworm 'a damaged one, too'
is "$status" 0 'and used'

mkdir "$cache/run.killed" "$cache/run.running"
exec 5<"$cache/run.running"
flock 5
run_root debian-12 'root true'
is "$(left_behind)" run.running 'what a killed run left is removed, what a running one has is not'
exec 5<&-
rmdir "$cache/run.running"

# refused STATUS PATTERN NAME ARGUMENT...
refused()
{
    local wanted=$1 pattern=$2 name=$3
    shift 3
    run_root "$@"
    is "$status" "$wanted" "$name: fails"
    like "$output" "$pattern" "$name: says why"
    is "$(left_behind)" '' "$name: leaves nothing"
}
FREE=100 refused 1 'has 100 MiB of space where .*XDG_CACHE_HOME' 'a full disk' debian-12 'root true'
FAKE_UID=1000 refused 1 'only root .* sudo says no' 'no root' debian-12 'root true'
NO_NAMESPACES=1 refused 1 'allows no namespaces' 'no namespaces' debian-12 'root true'
SUITE=trixie refused 1 "no source of Debian's bookworm" 'apt of another system' debian-12 'root true'
APT_STATUS=100 refused 1 'apt-get update fails' 'no archive' debian-12 'root true'
rm "$cache"/*.sha256
DEBOOTSTRAP_STATUS=1 refused 1 'debootstrap fails' 'a system that is not to be had' debian-12 'root true'
refused 1 "'nobody true' does not begin with root or user" 'somebody else' debian-12 'nobody true'
refused 2 '^usage:' 'an unknown system' debian-10 'root true'
refused 1 "^keel: .ci/root: --give '/none' is no file; nothing is run" 'nothing to give' --give /none debian-12 'root true'

echo given >"$TEST_TMPDIR/file"
run_root --give "$TEST_TMPDIR/file" debian-12 'root cat ../../given/file'
like "$output" '^given$' 'a file that is given is there'
run_root --give "$TEST_TMPDIR/file" debian-12 'root echo written >>../../given/file'
is "$(<"$TEST_TMPDIR/file")" given 'what is written to it there is not written here'
run_root --keep "$TEST_TMPDIR/file" debian-12 'root echo written >>../../given/file; exit 7' 'root echo second'
is "$status" 7 'a command that fails fails, whatever is kept'
is "$(tr '\n' ' ' <"$TEST_TMPDIR/file")" 'given written ' 'and what it wrote to a file that is kept comes back'

# .ci/nightly: what its drawn jobs leave comes back, and can be gone on with. Nothing else of the tree is there.
nightly=$(keel_path .ci/nightly)
fake_command git 'bench=${@: -1}/bench
[ "$1" != clone ] || { mkdir -p "$bench" && echo "echo \"\$*\" >>\"\$6\"" >"$bench/follow" && chmod +x "$bench/follow"; }'
echo before >"$TEST_TMPDIR/runs of jobs"
PATH=$fake:$PATH "$nightly" --for 7 --keep "$TEST_TMPDIR/runs of jobs" >/dev/null 2>&1 </dev/null
like "$(tr '\n' ' ' <"$TEST_TMPDIR/runs of jobs")" \
    '^before --cases 500 --jobs [0-9]+ --keep \.\./\.\./given/runs of jobs --for 7 $' 'drawn jobs are bounded, and kept'
output=$("$nightly" --for soon 2>&1 </dev/null)
is "$?: $output" "1: keel: .ci/nightly: --for 'soon' is not a whole number from 1; nothing is run" 'how long is checked'
output=$("$nightly" --keep /none/runs 2>&1 </dev/null)
is "$?: $output" "1: keel: .ci/nightly: --keep '/none/runs' can't be written; nothing is run" 'where to keep, too'

# The real namespaces: a signal ends all that was started.
rm "$fake/unshare"
if [ "$(id -u)" = 0 ] && unshare --mount --pid --fork true 2>/dev/null; then
    mkfifo "$TEST_TMPDIR/begun"
    for signal in TERM KILL; do
        PATH=$fake:$PATH "$(keel_path .ci/root)" debian-12 \
            "root flock '$TEST_TMPDIR/held' sh -c 'echo >$TEST_TMPDIR/begun; sleep 1000 & sleep 1000'" \
            >/dev/null 2>&1 </dev/null &
        root=$!
        read -r _ <"$TEST_TMPDIR/begun"
        kill -"$signal" "$root"
        wait "$root" 2>/dev/null
        status=$?
        is "$status" $((128 + $(kill -l "$signal"))) "$signal ends it"
        ok 'and everything that it started' flock --timeout 60 "$TEST_TMPDIR/held" true
        [ "$signal" = KILL ] || is "$(left_behind)" '' 'and nothing is left'
    done
else
    skip 'signals' 'this machine allows no namespaces'
fi
done_testing
