# What the tests of `keel compare` share. Sourced after tests/support/tap.sh.
source tests/omp_ext/command/command.sh
compiles
library=$(dirname "$(readlink -f "$keel")")/libkeel.so.1 # as the command finds it

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

# gone PROCESS: it has ended, or does so soon; nobody may have asked yet how.
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
