# What the tests of `keel check` share. Sourced after tests/support/tap.sh.
source tests/omp_ext/command/command.sh
compiles

# check [OPTION...] PROGRAM...: sets $status and $said. However busy the machine is, time is no reason to stop.
check()
{
    said=$("$keel" check --budget 100000 "$@" 2>&1)
    status=$?
}

# place COMMENT [BEFORE]: the line of the program that holds it, or so many lines before.
place()
{
    echo "unsafe.c:$(($(grep -nF "/* $1 */" $here/unsafe.c | cut -d: -f1) - ${2:-0}))"
}
