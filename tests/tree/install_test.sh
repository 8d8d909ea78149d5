#!/bin/bash
# .ci/install: silent when nothing is missing, installs only what is missing, and says what to run where it may not.
source tests/support/tap.sh

fake=$TEST_TMPDIR/bin
mkdir "$fake"

# fake_command NAME BODY: a command that .ci/install finds first.
fake_command()
{
    printf '#!/bin/bash\n%s\n' "$2" >"$fake/$1"
    chmod +x "$fake/$1"
}

# Each case: which packages dpkg calls installed, who runs, and whether package lists and sudo work.
run_install()
{
    : >"$TEST_TMPDIR/apt"
    output=$(PATH=$fake:$PATH CALLS=$TEST_TMPDIR/apt "$(keel_path .ci/install)" "$@" 2>&1 </dev/null)
    status=$?
    calls=$(<"$TEST_TMPDIR/apt")
}

fake_command dpkg-query 'for name; do case $name in
    libcmocka-dev) echo "$CMOCKA_STATE $name";; -*) ;; *) echo "installed $name";;
esac; done'
fake_command id 'echo "$FAKE_UID"'
fake_command sudo 'exit 1'
fake_command apt-get 'case " $* " in
    *" --simulate "*) exec test "$LISTS" = fresh;;
    *) printf "%s\n" "$*" >>"$CALLS"; exit "${APT_STATUS:-0}";;
esac'
export CMOCKA_STATE=installed FAKE_UID=0 LISTS=fresh

run_install build test
is "$status:$output:$calls" '0::' 'nothing is said or done when nothing is missing'

CMOCKA_STATE=not-installed run_install build test
is "$status" 0 'root installs'
like "$output" '^keel: installing what is missing .*: libcmocka-dev$' 'what is installed is named'
like "$calls" ' --no-remove install libcmocka-dev$' 'only the missing package is installed, and none removed'
unlike "$calls" ' update$' 'lists that know the package are not fetched again'

CMOCKA_STATE=config-files run_install test
like "$calls" ' install libcmocka-dev$' 'a removed package with configuration files left is missing'

CMOCKA_STATE=not-installed run_install --dry-run test
is "$status:$output:$calls" '0:keel: these Debian packages would be installed to test it: libcmocka-dev:' 'a dry run only says what is missing'

LISTS=none CMOCKA_STATE=not-installed run_install test
like "$calls" ' update$' 'missing lists are fetched'

APT_STATUS=100 CMOCKA_STATE=not-installed run_install test
is "$status" 1 'a failed installation fails'
like "$output" 'as root, try: apt-get update && apt-get install .* --no-remove libcmocka-dev$' 'and gives the line to try'

FAKE_UID=1000 CMOCKA_STATE=not-installed run_install test
is "$status:$calls" '1:' 'without root and sudo nothing is tried'
like "$output" 'as root, run: apt-get update && apt-get install .* --no-remove libcmocka-dev$' 'and the line to run is printed'

fake_command sudo 'test "$1" = -n && shift; exec "$@"'
FAKE_UID=1000 CMOCKA_STATE=not-installed run_install test
is "$status" 0 'without root but with sudo it installs'
like "$calls" ' install libcmocka-dev$' 'through sudo'

run_install tset
is "$status" 2 'an unknown purpose fails'
like "$output" "'tset' is not a purpose; expected one of build" 'and the known ones are named'

done_testing
