# What the tests of `keel check` share. Sourced after tests/support/tap.sh.
source tests/omp_ext/command/command.sh

for variable in ${!OMP_@} ${!GOMP_@}; do
    unset "$variable"
done
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
here=tests/omp_ext/command/check

# compile NAME: builds the program of that name, $NAME.
compile()
{
    gcc -g -O2 -Wall -fopenmp "$here/$1.c" -o "$TEST_TMPDIR/$1" && printf -v "$1" %s "$TEST_TMPDIR/$1"
}

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
