# What the tests of the command share. Sourced after tests/support/tap.sh.

for variable in ${!KEEL_@} ${!OMPI_@} ${!SLURM_@} ${!PMIX_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
unset OMP_SCHEDULE LD_PRELOAD COLUMNS NO_COLOR
keel=$(keel_path keel)
mkdir -p "$TEST_TMPDIR/tmp"
export TMPDIR=$TEST_TMPDIR/tmp

# code COMMAND...: its exit code; its output goes to $TEST_TMPDIR/output, messages to $TEST_TMPDIR/messages.
code()
{
    "$@" >"$TEST_TMPDIR/output" 2>"$TEST_TMPDIR/messages"
    printf '%s\n' $?
}

output()
{
    cat "$TEST_TMPDIR/output"
}

messages()
{
    cat "$TEST_TMPDIR/messages"
}

# compiles: the test compiles programs of this folder.
compiles()
{
    local variable
    here=tests/omp_ext/command
    for variable in ${!OMP_@} ${!GOMP_@}; do
        unset "$variable"
    done
    export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2
}

# compile NAME: builds the program of that name, $NAME.
compile()
{
    gcc -g -O2 -Wall -fopenmp "$here/$1.c" -o "$TEST_TMPDIR/$1" && printf -v "$1" %s "$TEST_TMPDIR/$1"
}

# short_tmpdir: mpirun makes sockets in TMPDIR, for which the name of Bazel's is too long.
short_tmpdir()
{
    export TMPDIR=/tmp/keel-ranks.$$
    mkdir -p "$TMPDIR"
    trap 'status=$?; rm -rf "$TMPDIR"; (exit "$status"); tap_at_exit' EXIT
}

# left_behind: what is in TMPDIR.
left_behind()
{
    ls -A "$TMPDIR"
}

# build_loop: compiles the program with a bare loop, with and without the plugin.
build_loop()
{
    local source
    source=$(keel_path tests/omp_ext/command/bare_loop.c)
    gcc -fopenmp -O1 "$source" -o "$TEST_TMPDIR/plain" &&
        eval "gcc -O1 -g $("$keel" cflags 2>/dev/null) '$source' -o '$TEST_TMPDIR/loop'"
}

# install_to FOLDER: a copy of Keel in bin, lib, lib/keel and include, for whatever compiler it was built with. Folders
# may have names that the script of //:install refuses.
install_to()
{
    local plugin
    plugin=$(gcc -dumpversion | cut -d. -f1)
    plugin=gcc-${plugin}/keel_plugin.so
    mkdir -p "$1/bin" "$1/lib/keel/${plugin%/*}" "$1/include" &&
        cp "$keel" "$1/bin/" &&
        cp "$(keel_path libkeel.so.1)" "$1/lib/" &&
        ln -sf libkeel.so.1 "$1/lib/libkeel.so" &&
        cp "$(keel_path libkeel_early.so)" "$(keel_path libkeel_source.so)" "$1/lib/keel/" &&
        cp "$(keel_path "$plugin")" "$1/lib/keel/$plugin" &&
        cp "$(keel_path include/keel.h)" "$1/include/"
}

# --- keel check ---

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

# --- keel compare ---

# write_script NAME: a program of that name, $NAME, from standard input. It pretends that a loop comes to Keel.
write_script()
{
    printf -v "$1" %s "$TEST_TMPDIR/$1"
    { printf '%s\n' '#!/bin/bash' '[ -z "$KEEL_SEEN" ] || echo 1 >"$KEEL_SEEN"' && cat; } >"$TEST_TMPDIR/$1"
    chmod +x "$TEST_TMPDIR/$1"
}

# compare [OPTION...] PROGRAM...: sets $status, $said and $messages. However busy the machine is, time is no reason to stop.
compare()
{
    said=$("$keel" compare --budget 100000 --seed 1 "$@" 2>"$TEST_TMPDIR/messages")
    status=$?
    messages=$(messages)
}

# from_json FILE EXPRESSION: what a Perl expression says of the document, $d.
from_json()
{
    perl -MJSON::PP -e 'local $/; open my $in, "<", $ARGV[0] or die; my $d = decode_json(<$in>); my @said = eval $ARGV[1]; die $@ if $@; print @said' "$@"
}

# gone PROCESS: it has ended, or does so soon; its status may not have been read yet.
gone()
{
    local state
    for _ in $(seq 600); do
        state=$(ps -o stat= -p "$1")
        [[ -n $state && $state != Z* ]] || return 0
        sleep 0.05
    done
    return 1
}
