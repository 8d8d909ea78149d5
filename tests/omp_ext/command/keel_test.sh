#!/bin/bash
# keel itself, and what it prints of schedules, their chunks, variables and the machine.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

# --- keel itself: help, version, and what is not a subcommand ---

is "$(code "$keel" --help)" 0 '--help succeeds'
for name in run check list chunks env cflags libs model doctor; do
    like "$(output)" "^  $name " "and names $name"
    is "$(code "$keel" "$name" --help; output >"$TEST_TMPDIR/help")" 0 "keel $name --help succeeds"
    like "$(cat "$TEST_TMPDIR/help")" "^Usage: keel $name " "and shows the usage of keel $name"
    "$keel" --help >"$TEST_TMPDIR/output"
done
mapfile -t subcommands < <("$keel" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
mapfile -t actions < <("$keel" model --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/model \1/p')
for name in '' "${subcommands[@]}" "${actions[@]}"; do
    # shellcheck disable=SC2086 # an action has two words
    clear_help "$keel" $name
done
header=$(keel_path include/keel.h)
is "$("$keel" --version)" "keel $(sed -n 's/^#define KEEL_VERSION_MAJOR //p' "$header").$(sed -n 's/^#define KEEL_VERSION_MINOR //p' "$header")" \
    '--version is that of keel.h'

is "$(code "$keel")" 2 'no subcommand: exit code'
like "$(messages)" '^Usage: keel ' 'and usage'
for name in run list chunks env cflags libs model; do
    like "$(messages)" "^  $name +[a-z]" "and a line for $name"
done
is "$(code "$keel" model; messages | grep -c '^  [a-z]* *[a-z]')" '2
3' 'so does keel model'
is "$(code "$keel" foo)" 2 'a word that is near to none: exit code'
is "$(messages)" "keel: 'foo' is not a subcommand; nothing is done (see keel --help)" 'and no nearest'
is "$(code "$keel" chunk ss 3 2)" 2 'an unknown subcommand: exit code'
is "$(messages)" "keel: 'chunk' is not a subcommand, nearest is 'chunks'; nothing is done (see keel --help)" 'and the nearest'
is "$(output)" '' 'and nothing else'
is "$(code "$keel" list --nmaes)" 2 'an unknown option: exit code'
is "$("$keel" list >/dev/full 2>"$TEST_TMPDIR/messages"; echo $?)" 1 'output that cannot be written: exit code'
is "$("$keel" run --help >/dev/full 2>"$TEST_TMPDIR/messages"; echo $?)" 1 'help that cannot be written: exit code'
is "$(messages)" 'keel: standard output cannot be written' 'and message'

# --- keel list: every schedule with formula, parameters and use ---

names=$("$keel" list --names)
for name in static ss css gss tss tfss fac2 fac wf2 awf awf-b awf-c awf-d awf-e af maf aid rate auto afs lds steal ich binlpt lpt fsc mfsc tap bold fiss viss pls rnd; do
    like "$names" "^$name\$" "--names has $name"
    like "$("$keel" list)" "^$name( |\$)" "the table has $name"
    like "$("$keel" list "$name")" "^$name: " "$name is shown in full"
done
is "$(grep -c . <<<"$names")" 33 'and no others'

for width in 40 60 80 120; do
    is "$(COLUMNS=$width "$keel" list | awk -v width=$width 'length > width')" '' "lines fit in $width columns"
    is "$(COLUMNS=$width "$keel" list | grep -c ' $')" 0 "no line of $width columns ends in a blank"
done
table=$(COLUMNS=400 "$keel" list)
like "$table" '^gss .* ceil\(R/P\) .*\(Polychronopoulos & Kuck 1987\)$|^guided .*ceil\(R/P\) .*\(Polychronopoulos & Kuck 1987\)$' \
    'formula and source are in the table'
like "$table" '^ratio +0 \.\. 1 +0\.5 +share of the loop' 'range and default of a number'
like "$("$keel" list aid)" '^ratio +0 \.\. 1 +0\.8 +share of the loop' 'the default of a schedule'
like "$table" '^seed +0 \.\. 2\^64-1 +1 ' 'range of a count'
like "$table" '^mu .* measured +mean time of an iteration, ns$' 'a measured parameter has its unit'

like "$table" '^grain +1 \.\. 2\^64-1 +1 +iterations that are never separated$' 'the grain, which every schedule takes'

one=$("$keel" list TRAPEZOID)
like "$one" '^tss: trapezoid self-scheduling$' 'an alias in capitals shows its schedule'
like "$one" 'also named +trapezoidal trapezoid$' 'its aliases'
like "$one" 'written +tss\[,first\[,last\]\]\[:min=\.\.\.\]$' 'how it is written'
like "$one" '^first +1 ' 'its own parameters'
unlike "$one" '^mu ' 'and no others'

is "$("$keel" list --mpi --names | tr '\n' ' ')" \
    'tree steal diffuse rate  auto rate-local rate random diffusion redistribute gradient tree shake off  steal diffuse tree prema shake off ' \
    '--mpi has the policies of ranks, for loops, for rows and for objects'
table=$(COLUMNS=400 "$keel" list --mpi)
for name in tree steal diffuse rate; do
    like "$table" "^$name +$name\[," "and how $name is written, for loops"
done
for name in auto rate-local rate random diffusion redistribute gradient tree shake; do
    like "$table" "^$name +$name\[:[a-z]+=\.\.\." "and how $name is written, for rows"
done
# under HEADING LAST: which of four names are between these lines of the table.
under()
{
    sed -n "/^$1:\$/,$2s/^\(auto\|off\|steal\|diffuse\) .*/\1/p" <<<"$table" | tr '\n' ' '
}
is "$(under 'Rows .*KEEL_MPI_BALANCE' '/^Objects/')" 'auto off ' 'those of rows are under their heading'
is "$(under 'Objects .*KEEL_MPI_BALANCE' '$')" 'steal diffuse off ' 'and those of objects'
is "$(under 'Loops .*KEEL_MPI_SCHEDULE' '/^Rows/')" 'steal diffuse ' 'those of loops are under theirs'
like "$table" '^gain +a number from 0 to 1 +using 0\.05 +the part of the time' 'what a parameter holds and means'
for width in 40 80; do
    is "$(COLUMNS=$width "$keel" list --mpi | awk -v width=$width 'length > width')" '' "their lines fit in $width columns"
done
is "$(code "$keel" list gss guidde)" 2 'an unknown name: exit code'
is "$(messages)" "keel: unknown schedule 'guidde', nearest is 'guided'; it is not shown" 'and the nearest'
like "$(output)" '^gss: ' 'known names are shown all the same'
is "$(code "$keel" list --mpi tree; output; messages)" '2
keel: --mpi lists all; a name is shown without it' 'names with --mpi are refused'

# --- keel chunks: sequences, which are worked out by hand in tests/schedules/loop, long ones, and bad input ---

# sizes ARGUMENT...: the chunk sizes on one line.
sizes()
{
    "$keel" chunks --csv "$@" | tail -n +2 | cut -d, -f4 | paste -sd' '
}

# ceil(R/2): 1000 500 250 125 62 31 15 7 3 1 are left
is "$(sizes gss 1000 2)" '500 250 125 63 31 16 8 4 2 1' 'gss'
# Halves of batches of 2 ceil(R/4): 50 from 0, 26 from 50.
is "$(sizes wf2 100 2 | cut -d' ' -f1-4)" '25 25 13 13' 'wf2, with equal threads'

# In units of 64: 16 of them, and 40 iterations left; halves of 16, twice each.
is "$(sizes fac2:grain=64 1000 2)" '256 256 128 128 64 64 64 40' 'a grain'
is "$(sizes steal:grain=300 1000 2 | tr ' ' '\n' | sort -n | tr '\n' ' ')" '100 300 300 300 ' 'a grain of blocks'
is "$(sizes gss:grain=5000 1000 2)" 1000 'a grain beyond the loop'
is "$("$keel" chunks css:chunk=1,grain=3 8 2)" 'STEP FIRST  LAST  SIZE
   0     0     2     3
   1     3     5     3
   2     6     7     2
css,1:grain=3, 8 iterations, 2 threads: 3 chunks, smallest 2, largest 3' 'the rest comes by itself'

is "$("$keel" chunks --csv static,2 5 2)" 'step,first,last,size,thread
0,0,1,2,0
1,2,3,2,1
2,4,4,1,0' 'rows with a thread'
is "$("$keel" chunks --csv gss 3 2)" 'step,first,last,size,thread
0,0,1,2,
1,2,2,1,' 'rows that any thread may get'
is "$("$keel" chunks --csv gss 0 2)" 'step,first,last,size,thread' 'no chunks'

is "$("$keel" chunks wf2 6 2)" 'STEP FIRST  LAST  SIZE  THREAD
   0     0     1     2       0
   1     2     3     2       1
   2     4     4     1       0
   3     5     5     1       1
wf2, 6 iterations, 2 threads: 4 chunks, smallest 1, largest 2' 'threads of wf2 take turns'
is "$("$keel" chunks gss 0 4)" 'gss, 0 iterations, 4 threads: no chunks' 'an empty loop'

# Blocks of 9 and 10, 4 at a time, and the last iteration when nothing else is left.
is "$("$keel" chunks --csv steal,4 20 2)" 'step,first,last,size,thread
0,0,3,4,0
1,9,12,4,1
2,4,7,4,0
3,13,16,4,1
4,8,8,1,0
5,17,18,2,1
6,19,19,1,0' 'threads of blocks take chunks of their own'
# each thread has one iteration, and the last one is whose it may
is "$("$keel" chunks steal,1 3 2)" 'STEP FIRST  LAST  SIZE  THREAD
   0     0     0     1       0
   1     1     1     1       1
   2     2     2     1       0
steal,1, 3 iterations, 2 threads: 3 chunks, smallest 1, largest 1
chunks of steal follow from what threads do; these are of equal threads, 1 us an iteration, 0.1 us to get a chunk' \
    'and what others have left; a line says how fast they are'
for spec in af maf aid rate auto afs lds steal ich; do
    is "$(sizes $spec 12345 7 | tr ' ' '\n' | awk '{ sum += $1 } END { print sum }')" 12345 "$spec: all iterations"
    like "$("$keel" chunks $spec 1000 4 | tail -n 1)" "^chunks of $spec follow from what threads do" "$spec: the line"
    is "$(code within_cpu 20 "$keel" chunks $spec 18446744073709551615 4)" 0 "$spec of 2^64 - 1 iterations"
    is "$("$keel" chunks --csv $spec 0 2)" 'step,first,last,size,thread' "$spec: no chunks"
done
unlike "$("$keel" chunks awf 1000 4)" 'follow from' 'weights that are learned begin as equal ones'
is "$(code "$keel" chunks af 100000 513)" 2 'more threads than can be shown: exit code'
is "$(messages)" 'keel: af: chunks that follow from what threads do are shown for 512 threads at most, not for 513; no chunks are shown' \
    'and message'

last=18446744073709551615
like "$(within_cpu 20 "$keel" chunks gss $last 4 | tail -n 1)" '^gss.* 4 threads: [0-9]+ chunks, smallest 1, largest 4611686018427387904$' \
    'gss of as many'
for spec in ss wf2 static fac2 rnd; do
    like "$(within_cpu 20 "$keel" chunks $spec $last 2147483647 | tail -n 1)" "more than 1000000 chunks; the last [0-9]+ iterations are not shown" \
        "$spec of as many for 2^31 - 1 threads ends"
done
is "$(code "$keel" chunks --csv ss $last 4)" 2 'too many rows: exit code'
is "$(messages)" 'keel: ss gives more than 1000000 chunks here; the others are not printed' 'and message'

# refused MESSAGE ARGUMENT...
refused()
{
    local message=$1
    shift
    is "$(code "$keel" chunks "$@")" 2 "$*: exit code"
    like "$(messages)" "^keel: $message" "$*: message"
    is "$(output)" '' "$*: no output"
}
refused "unknown schedule 'foo'; no chunks are shown" foo 10 2
refused "unknown schedule 'gsss', nearest is 'gss'; no chunks are shown" gsss 10 2
refused "N '1e6' is not a whole number from 0 to 18446744073709551615" gss 1e6 2
refused "N '18446744073709551616' is not a whole" gss 18446744073709551616 2
refused "P '0' is not a whole number from 1 to 2147483647" gss 10 0
refused "P '' is not a whole number" gss 10 ''
refused "fac measures .* stated here: 'fac:mu=...,sigma=...'" fac 10 2
refused "bold measures .* 'bold:mu=...,sigma=...,overhead=...'" bold:min=3 10 2
is "$(code "$keel" chunks gss 10)" 2 'a missing number: exit code'
is "$(sizes fac:mu=100,sigma=0 1000 4)" '250 250 250 250' 'measured parameters can be stated'

is "$(code "$keel" chunks gss,0 4 2)" 0 'a wrong parameter: exit code'
is "$(messages)" "keel: 'gss,0': min '0' is not a whole number from 1 to 9223372036854775807; using 1" 'and what is used'
is "$(KEEL_MIN_CHUNK=5 KEEL_WEIGHTS=1,9 sizes wf2 20 2)" '5 5 3 3 1 1 1 1' 'the environment has no influence'

# keel itself, and what it prints of schedules, variables and the machine.

# --- keel env: the variables, what they hold, and whether that is in force ---

# state NAME: what `keel env` says of the variable's value.
state()
{
    "$keel" env 2>"$TEST_TMPDIR/messages" | sed -n "/^$1=/,/^\$/s/^ *now *//p"
}

for name in KEEL_MIN_CHUNK KEEL_SCHEDULE KEEL_OVERRIDE KEEL_WEIGHTS KEEL_SHARE_CORES KEEL_SEEN OMP_SCHEDULE KEEL_MPI_SCHEDULE KEEL_MPI_WEIGHTS KEEL_MPI_POLL \
    KEEL_MPI_PROGRESS KEEL_MPI_WAIT KEEL_MPI_NODE_RANKS KEEL_MPI_BALANCE KEEL_MPI_DEADLINE KEEL_MPI_ON_LATE KEEL_MPI_ON_ERROR KEEL_MPI_COPIES KEEL_MPI_BLOCK; do
    is "$(state $name)" 'not set' "$name is not set"
    like "$("$keel" env --markdown)" "^\| \`$name\` \| [^|]+ \| [^|]+ \| [^|]+ \|\$" "$name has its row"
done
is "$("$keel" env --markdown | head -2)" '| variable | holds | without it | meaning |
| --- | --- | --- | --- |' 'the head of the markdown table'
is "$("$keel" env --markdown | wc -l)" "$(($("$keel" env | grep -c '^[A-Z_]*=') + 2))" 'both forms have the same variables'

is "$(KEEL_SCHEDULE='gss; a.c:3=ss' state KEEL_SCHEDULE)" 'in force' 'a schedule is in force'
like "$(KEEL_SCHEDULE='gss; a.c:3=ss' "$keel" env)" '^KEEL_SCHEDULE=gss; a.c:3=ss$' 'and shown'
is "$(KEEL_SCHEDULE=gsss state KEEL_SCHEDULE)" 'set, not in force' 'an unknown one is not'
like "$(messages)" "^keel: KEEL_SCHEDULE: unknown schedule 'gsss', nearest is 'gss'" 'and is reported'
is "$(KEEL_MIN_CHUNK=1 state KEEL_MIN_CHUNK)" 'in force' 'a default that is stated is in force'
is "$(KEEL_MIN_CHUNK=x state KEEL_MIN_CHUNK)" 'set, not in force' 'a bad number is not'
is "$(KEEL_WEIGHTS=1,1 state KEEL_WEIGHTS)" 'in force' 'weights are in force'
is "$(OMP_SCHEDULE=fac2,16 state OMP_SCHEDULE)" 'in force' 'OMP_SCHEDULE with a schedule of Keel is'
is "$(OMP_SCHEDULE=static state OMP_SCHEDULE)" 'set, not in force' 'with one of libgomp it is not'
is "$(OMP_SCHEDULE=fac2 KEEL_SCHEDULE=gss state OMP_SCHEDULE)" 'set, KEEL_SCHEDULE rules over it' 'nor beside KEEL_SCHEDULE'

is "$(KEEL_MPI_SCHEDULE=tree:gamma=0.5 state KEEL_MPI_SCHEDULE)" 'in force' 'how ranks share loops is in force'
like "$(KEEL_MPI_SCHEDULE=tree:gamma=0.5 "$keel" env)" '^KEEL_MPI_SCHEDULE=tree:gamma=0.5$' 'and shown'
is "$(KEEL_MPI_SCHEDULE=tree:gamma=5 state KEEL_MPI_SCHEDULE)" 'in force' 'with a wrong parameter it is, too'
is "$(messages)" "keel: KEEL_MPI_SCHEDULE: gamma '5' is not a number above 0 and up to 1, or ratio; going by throughput" 'which is reported'
is "$(KEEL_MPI_SCHEDULE=tre state KEEL_MPI_SCHEDULE)" 'set, not in force' 'an unknown one is not'
is "$(messages)" "keel: KEEL_MPI_SCHEDULE: unknown schedule 'tre', nearest is 'tree'; it counts as not set" 'and is reported'
is "$(KEEL_MPI_BALANCE=tree:gain=5 state KEEL_MPI_BALANCE)" 'in force' 'a policy of rows with a wrong parameter is, too'
is "$(messages)" "keel: KEEL_MPI_BALANCE: gain '5' is not a number from 0 to 1; using 0.05" 'which is reported'
is "$(KEEL_MPI_BALANCE=tre state KEEL_MPI_BALANCE)" 'set, not in force' 'an unknown one is not'
is "$(KEEL_MPI_PROGRESS=0 state KEEL_MPI_PROGRESS)" 'in force' 'a default of these that is stated is in force'
is "$(KEEL_MPI_POLL=1 state KEEL_MPI_POLL)" 'set, not in force' 'a number out of range is not'
is "$(KEEL_MPI_WEIGHTS=1,x state KEEL_MPI_WEIGHTS)" 'set, not in force' 'nor is a list with another word'
for width in 40 80; do
    is "$(COLUMNS=$width "$keel" env | awk -v width=$width 'length > width')" '' "lines fit in $width columns"
done

# --- keel topology: what this process may use, what to set, and what libgomp makes of the environment ---

for variable in ${!OMP_@} ${!GOMP_@} ${!HWLOC_@}; do
    unset "$variable"
done
online=$(getconf _NPROCESSORS_ONLN) allowed=$(nproc)
first=$(taskset -pc $$ | sed 's/.*: *//; s/[-,].*//')

# This machine.
is "$(taskset -c "$first" "$keel" topology | grep -E 'affinity|team' | sed 's/no quota/-/; s/quota .*/-/')" "  affinity  $first of $online; -
  team      1 thread, not bound" 'what taskset leaves'
like "$(OMP_NUM_THREADS=3 "$keel" topology)" '^  team      3 threads, not bound \(OMP_NUM_THREADS=3\)$' 'OMP_NUM_THREADS'
like "$(OMP_NUM_THREADS=$((online + 1)) "$keel" topology)" \
    "^  warning   $((online + 1)) threads on $allowed processors? take turns; OMP_NUM_THREADS=" 'more threads than processors'
output=$(OMP_NUM_THREADS=2 OMP_PROC_BIND=spread OMP_PLACES="{$first}" "$keel" topology)
like "$output" '^  team      2 threads, bound, spread \(' 'bound threads'
like "$output" "^  places    thread 0 on $first$" 'the first thread is where its place is'
like "$output" "^            thread 1 on $first$" 'the second thread, too'
like "$output" '2 threads are bound to 1 processor and take turns|2 threads on 1 processor take turns' 'a place that is too small'
like "$(OMP_PLACES=nonsense "$keel" topology 2>&1)" 'libgomp: Invalid value for environment variable OMP_PLACES' \
    "what libgomp says is passed on"
like "$(OMP_NUM_THREADS=2 OMP_STACKSIZE=1000000G "$keel" topology 2>&1)" \
    '^  team      not known: libgomp\.so\.1 is not there, or cannot start it$' 'a team that cannot be started'
is "$(OMP_SCHEDULE=fac2 OMP_DISPLAY_ENV=true "$keel" topology 2>&1)" "$("$keel" topology)" \
    'OMP_SCHEDULE and OMP_DISPLAY_ENV change nothing'
like "$(OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_LOCAL_SIZE=2 "$keel" topology)" \
    '^  job       rank 1 of 3, 2 of them on this machine$' 'a job of Open MPI'

like "$(taskset -c "$first" "$keel" topology)" '^  cores     1 on 1 NUMA node$' 'what is counted'
like "$(taskset -c "$first" "$keel" topology)" '^  threads   export OMP_NUM_THREADS=1$' 'what to set'

is "$(code "$keel" topology word)" 2 'words are usage errors'
is "$("$keel" topology >/dev/full 2>&1; echo $?)" 1 'a full device is an error'

done_testing
