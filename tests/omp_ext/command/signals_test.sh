#!/bin/bash
# keel run and signals: they reach the program, and its end by one is keel's.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

for name in TERM SEGV KILL INT; do
    is "$("$keel" run -s gss sh -c "kill -$name \$\$" 2>/dev/null; kill -l $?)" "$name" "ended by SIG$name"
done
# The shell's own exit code cannot tell a signal from exit(143), Perl can.
is "$(perl -e 'system(@ARGV); print $? & 127' "$keel" run -s gss sh -c 'kill -TERM $$')" 15 'by the signal itself'
is "$("$keel" run -s gss sh -c 'kill -TERM $$' 2>&1)" '' 'nothing is said then'
(ulimit -c unlimited 2>/dev/null; cd "$TMPDIR" && "$keel" run sh -c 'kill -SEGV $$' 2>/dev/null)
is "$(left_behind | grep -v '^core')" '' 'no mark is left'
rm -f "$TMPDIR"/core*

# start COMMAND...: in the background; returns when the program has said that it is ready. $started is keel's number.
start()
{
    rm -f "$TEST_TMPDIR/ready"
    "$keel" run -s gss "$@" >"$TEST_TMPDIR/output" 2>"$TEST_TMPDIR/messages" &
    started=$!
    for _ in $(seq 6000); do
        [ -e "$TEST_TMPDIR/ready" ] && return
        sleep 0.05
    done
    diag 'the program did not start'
}
waiting="touch '$TEST_TMPDIR/ready'; while :; do sleep 0.05; done"

# Jobs of a shell without job control have SIGINT and SIGQUIT ignored, and cannot trap them: not tested here.
for name in TERM HUP USR1 USR2 ALRM; do
    start sh -c "trap 'echo caught $name; exit 9' $name; $waiting"
    kill -$name $started
    wait $started
    is "$?" 9 "SIG$name to keel reaches the program"
    is "$(output)" "caught $name" 'which handles it'
done
is "$(left_behind)" '' 'no mark is left'

start sh -c "$waiting"
is "$(left_behind | wc -l)" 1 'while it runs there is a mark'
kill -TERM $started
wait $started 2>/dev/null
is "$?" 143 'a program that does not handle SIGTERM ends'
is "$(left_behind)" '' 'and leaves no mark'

start sh -c "echo \$\$; $waiting"
kill -KILL $started
wait $started 2>/dev/null
program=$(output)
for _ in $(seq 6000); do
    kill -0 "$program" 2>/dev/null || break
    sleep 0.05
done
ok 'a program does not outlive a killed keel' test ! -d "/proc/$program"

perl -e '$SIG{INT} = "DEFAULT"; $SIG{CHLD} = "IGNORE"; exec @ARGV' "$keel" run sh -c 'exit 6' 2>/dev/null
is "$?" 6 'an ignored SIGCHLD does no harm'
is "$(perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$keel" run -s gss sh -c 'trap "echo caught; exit 8" INT; kill -INT $PPID; for i in $(seq 6000); do sleep 0.05; done' 2>/dev/null; echo $?)" \
    'caught
8' 'SIGINT to keel reaches the program'
is "$(perl -e '$SIG{HUP} = "IGNORE"; exec @ARGV' "$keel" run sh -c 'kill -HUP $PPID; kill -HUP $$; echo alive' 2>/dev/null)" \
    alive 'an ignored SIGHUP stays ignored, as nohup wants it'

# --- what a program leaves that SIGINT ends: what has been learned, traced and recorded by then ---

cat >"$TEST_TMPDIR/endless.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    (void)argc;
    for (int n = 0;; n++) {
#pragma omp parallel for schedule(runtime)
        for (int i = 0; i < 100; i++)
            usleep(10);
        if (n == 100)
            close(open(argv[1], O_CREAT | O_WRONLY, 0600));
    }
}
END
rm -rf "${TMPDIR:?}"/* # the mark of the keel that was killed
gcc -fopenmp -O1 -g "$TEST_TMPDIR/endless.c" -o "$TEST_TMPDIR/endless"

# interrupted VARIABLE=VALUE [FILE]: SIGINT ends the program when it has run some loops, and the file holds something of them.
interrupted()
{
    rm -f "$TEST_TMPDIR/ready"
    env OMP_NUM_THREADS=2 "$1" perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' \
        "$keel" run -s rate "$TEST_TMPDIR/endless" "$TEST_TMPDIR/ready" >"$TEST_TMPDIR/output" 2>"$TEST_TMPDIR/messages" &
    started=$!
    for _ in $(seq 6000); do
        [ -e "$TEST_TMPDIR/ready" ] && { [ $# = 1 ] || grep -qsE $'endless|\trate\t' "$2"; } && break
        sleep 0.05
    done
    kill -INT $started
    wait $started 2>/dev/null
    is "$?" 130 "${1%%=*}: SIGINT ends the program"
}
interrupted KEEL_MEMORY="$TEST_TMPDIR/memory" "$TEST_TMPDIR/memory"
like "$(cat "$TEST_TMPDIR/memory")" $'\trate\t' 'what was learned is kept'
interrupted KEEL_TRACE="$TEST_TMPDIR/trace.csv" "$TEST_TMPDIR/trace.csv"
like "$(sed -n 1,2p "$TEST_TMPDIR/trace.csv" | tr '\n' ' ')" '^loop,instance,thread,first,last,time_ns endless\.c:[78] \(main\),1,[01],[0-9]+,[0-9]+,[0-9]+ ' \
    'there is a trace'
is "$(messages)" '' 'nothing is said'
interrupted KEEL_EXPLAIN=1
like "$(messages)" '^interrupted by signal 2 \(Interrupt\); this is what was recorded until then$' 'keel shows what was recorded'
like "$(messages)" ' endless\.c:[78]$' 'of the loop'
is "$(left_behind)" '' 'and leaves nothing'
done_testing
