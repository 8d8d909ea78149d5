#!/bin/bash
# keel run: which schedule a program gets, what is said of its loops, its exit code, and signals.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

build_loop || exit
loop=$TEST_TMPDIR/loop plain=$TEST_TMPDIR/plain

is "$(code "$keel" run -s gss "$loop" 7)" 7 'the exit code is the program'"'"'s'
is "$(output)" 499500 'so is the output'
is "$(messages)" '' 'nothing is said of a loop that came to Keel'
is "$(KEEL_SCHEDULE=fac2 code "$keel" run "$loop"; messages)" 0 'KEEL_SCHEDULE holds without -s'
is "$(OMP_SCHEDULE=fac2 code "$keel" run "$loop"; messages)" 0 'so does OMP_SCHEDULE'
is "$(left_behind)" '' 'no file is left'

env_of() { "$keel" run "$@" env; }
like "$(env_of -s 'gss; mandel.c:42=fac2,8' 2>&1)" '^KEEL_SCHEDULE=gss; mandel.c:42=fac2,8$' '-s may hold rules'
like "$(env_of -t 3 -s gss 2>&1)" '^OMP_NUM_THREADS=3$' '-t sets the number of threads'
is "$("$keel" run -s gss printf '%s|' a 'b c' -s -- x 2>/dev/null)" 'a|b c|-s|--|x|' 'arguments of the program are its own'
is "$("$keel" run -s gss -- echo x 2>/dev/null)" x '-- before the program'

gcc -xc - -o "$TEST_TMPDIR/asks" -ldl <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    return dlerror() != NULL;
}
END
is "$(code "$keel" run -s gss "$TEST_TMPDIR/asks")" 0 'no error of the dynamic linker is left to the program'

# Exit codes of what does not run, as env(1) has them.
is "$(code "$keel" run -s gss "$TEST_TMPDIR/none")" 127 'no such program: exit code'
is "$(messages)" "keel: '$TEST_TMPDIR/none' cannot be run: No such file or directory" 'and message'
code "$keel" run -s gss "$TEST_TMPDIR$(printf '/%0.99d' {1..9})" >"$TEST_TMPDIR/code"
like "$(messages)" "^keel: '$TEST_TMPDIR/0+.*\.\.\..*09' cannot be run: No such file or directory\$" 'a long name: message'
touch "$TEST_TMPDIR/text"
is "$(code "$keel" run -s gss "$TEST_TMPDIR/text")" 126 'not executable: exit code'
is "$(messages)" "keel: '$TEST_TMPDIR/text' cannot be run: Permission denied" 'and message'
is "$(code "$keel" run)" 2 'no program: exit code'
is "$(code "$keel" run -t 0 true)" 2 'no threads: exit code'
is "$(left_behind)" '' 'no file is left'

# refused SPEC MESSAGE
refused()
{
    is "$(code "$keel" run -s "$1" touch "$TEST_TMPDIR/ran")" 2 "$1: exit code"
    is "$(messages)" "keel: -s '$1': $2; 'touch' is not run" "$1: message"
    ok "$1: the program does not run" test ! -e "$TEST_TMPDIR/ran"
}
refused gsss "unknown schedule 'gsss', nearest is 'gss'"
refused 'gss; a.c:3=fack2' "unknown schedule 'fack2', nearest is 'fac2'"
refused 'gss; a b=ss' "rule 'a b=ss' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE"
refused foo "unknown schedule 'foo'"
refused gss,4,5,6 'gss takes at most 1 value by position'
refused gss:foo=4 "gss has no parameter 'foo'"
refused 'gss; render=css,0' "chunk '0' is not a whole number from 1 to 9223372036854775807"
is "$(code "$keel" run --mpi tree:gamma=5 touch "$TEST_TMPDIR/ran")" 2 '--mpi with a wrong parameter: exit code'
is "$(messages)" "keel: --mpi 'tree:gamma=5': gamma '5' is not a number above 0 and up to 1, or ratio; 'touch' is not run" 'and message'

# What is said of loops; why none came is unseen_test.sh's.
is "$(code "$keel" run "$loop"; messages)" "0
keel: no schedule is asked for: unless '$loop' asks for one itself, its loops stay libgomp's; use -s SPEC, see \`keel list\`" 'no schedule was asked for'
is "$("$keel" run sh -c 'echo run >&2' 2>&1 | tail -n 1)" run 'which is said before the run'
is "$(KEEL_REPORT="$TEST_TMPDIR/report" code "$keel" run "$loop"; messages)" 0 'unless something else is'
is "$(code "$keel" run -s libgomp "$loop"; messages)" 0 'libgomp was asked for'
is "$(code "$keel" run -s 'nowhere.c:1=gss; main=ss' "$loop"; messages)" "0
keel: KEEL_SCHEDULE: rule 'nowhere.c:1' means no loop that has come; there is bare_loop.c:9 (main)" 'no loop fits a rule: those that there are'
is "$(code "$keel" run -s 'nowhere.c:1=gss' "$loop"; messages | wc -l)" $'0\n1' 'nothing else is said where no rule fits'
like "$(code "$keel" run -s 'nowhere.c:1=gss' "$plain"; messages)" "no rule of 'nowhere.c:1=gss' means a loop" 'nor a loop has come'
gcc -static -xc - -o "$TEST_TMPDIR/static" <<<'int main(void) { return 4; }'
is "$(code "$keel" run -s gss "$TEST_TMPDIR/static")" 4 'a static program runs'
is "$(messages)" "keel: no loop of '$TEST_TMPDIR/static' came to Keel: it is linked statically, so that nothing can be preloaded into it; link it dynamically, or with \`keel libs\`" 'and is told of'
is "$(code "$keel" run -s gss sh -c 'kill -ABRT $$')" 134 'a program that dies early'
is "$(messages)" "keel: no loop of 'sh' came to Keel before signal 6 (Aborted) ended it" 'is reported'
is "$(code "$keel" run -s gss sh -c 'kill -TERM $$'; messages)" 143 'but not one that somebody ends'
is "$(code "$keel" run -s gss sh -c "$loop; kill -ABRT \$\$"; messages)" 134 'nor one whose loops have come'
is "$(code "$keel" run -s gss sh -c "$loop; $plain"; messages)" 0 'a loop in a child process counts'

is "$(code "$keel" run -s gss "$keel" run -s ss "$loop"; messages)" 0 'keel run in keel run'
is "$(code "$keel" run -s gss "$keel" run -s ss "$plain"; messages | wc -l)" '0
1' 'reports once'
is "$(left_behind)" '' 'no file is left'

# Ranks of a job: each has its schedules, and one of a node speaks for all.
like "$(env_of --mpi tree:gamma=0.5 2>&1)" '^KEEL_MPI_SCHEDULE=tree:gamma=0.5$' '--mpi sets how ranks share loops'
is "$(code "$keel" run --mpi tre touch "$TEST_TMPDIR/ran")" 2 'an unknown way: exit code'
is "$(messages)" "keel: --mpi 'tre': unknown schedule 'tre', nearest is 'tree'; 'touch' is not run" 'and message'
ok 'and the program does not run' test ! -e "$TEST_TMPDIR/ran"
is "$(code env OMPI_COMM_WORLD_LOCAL_RANK=0 "$keel" run -s gss "$plain"; messages)" "0
keel: no loop of '$plain' came to Keel in the first rank of this node; the compiler has divided its loops, if it has any: compile them with schedule(runtime) clauses or with the flags of \`keel cflags\`, or try KEEL_OVERRIDE=static" 'the first rank of a node says what it saw'
is "$(code env OMPI_COMM_WORLD_LOCAL_RANK=1 "$keel" run -s gss "$plain"; messages)" 0 'the others say nothing'
is "$(code env SLURM_LOCALID=3 "$keel" run -s gss "$plain"; messages)" 0 'nor do those of srun'
if command -v mpirun >/dev/null; then
    under_mpirun() # makes sockets with long names in TMPDIR
    (
        folder=$(mktemp -d /tmp/keel_run.XXXXXX)
        trap 'rm -rf "$folder"' EXIT
        TMPDIR=$folder OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo \
            timeout --kill-after=10 "$tap_patience_s" mpirun --oversubscribe -n 3 "$keel" run -s gss --mpi tree "$@" </dev/null
    )
    is "$(code under_mpirun "$loop"; output; messages)" '0
499500
499500
499500' 'keel run in a line of mpirun'
    is "$(code under_mpirun "$plain"; messages | grep -c 'no loop of')" '0
1' 'where one message is about loops that did not come'
    is "$(under_mpirun sh -c 'echo $KEEL_SCHEDULE $KEEL_MPI_SCHEDULE' 2>/dev/null)" 'gss tree
gss tree
gss tree' 'ranks have both schedules'
else
    skip 'keel run in a line of mpirun' 'there is no mpirun'
fi

# The surroundings: other preloaded libraries, folders with blanks, no folder for the mark.
gcc -shared -fPIC -xc - -o "$TEST_TMPDIR/other.so" <<<'#include <unistd.h>
__attribute__((constructor)) static void f(void) { (void)!write(1, "other\n", 6); }'
cat >"$TEST_TMPDIR/wrapped" <<END
#!/bin/bash
LD_PRELOAD=$TEST_TMPDIR/other.so exec "$keel" run -s gss "$loop"
END
chmod +x "$TEST_TMPDIR/wrapped"
is "$(code "$TEST_TMPDIR/wrapped"; output)" '0
other
other
499500' 'another preloaded library is kept'
is "$(messages)" '' 'and Keel is there too'
mkdir "$TEST_TMPDIR/my tmp"
cp "$loop" "$TEST_TMPDIR/my tmp/loop"
is "$(TMPDIR="$TEST_TMPDIR/my tmp" code "$keel" run -s gss "$TEST_TMPDIR/my tmp/loop"; output; messages)" '0
499500' 'a program and a TMPDIR in folders with blanks'
install_to "$TEST_TMPDIR/my keel"
is "$(code "$TEST_TMPDIR/my keel/bin/keel" run -s gss "$loop")" 125 'Keel itself in one: exit code'
like "$(messages)" "^keel: '$TEST_TMPDIR/my keel/lib': the dynamic linker cannot preload from a folder with a blank or a colon in its name" 'and message'
is "$(cd "$TMPDIR" && mkdir rel && TMPDIR=rel code "$keel" run -s gss sh -c "cd / && exec '$loop'"; messages)" 0 \
    'a relative TMPDIR, and a program that goes elsewhere'
is "$(TMPDIR=/nonexistent code "$keel" run -s gss "$plain")" 0 'without a folder for the mark the program runs'
like "$(messages)" "^keel: no file can be made in '/nonexistent' \(TMPDIR\)" 'and that is said'
is "$(messages | wc -l)" 1 'but nothing about loops'

# --- signals reach the program, and its end by one is keel's ---

rm -rf "${TMPDIR:?}"/*
for name in TERM SEGV KILL INT; do
    is "$("$keel" run -s gss sh -c "kill -$name \$\$" 2>/dev/null; kill -l $?)" "$name" "ended by SIG$name"
done
# The shell's own exit code cannot distinguish a signal from exit(143), Perl can.
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
mkdir "$TMPDIR/job[1]" # as batch systems call the jobs of an array
TMPDIR="$TMPDIR/job[1]" interrupted KEEL_EXPLAIN=1
rmdir "$TMPDIR/job[1]"
like "$(messages)" '^interrupted by signal 2 \(Interrupt\); this is what was recorded until then$' 'keel shows what was recorded'
like "$(messages)" ' endless\.c:[78]$' 'of the loop'
is "$(left_behind)" '' 'and leaves nothing'

done_testing
