#!/bin/bash
# Ranks of a node share its cores: what a program sees of it, ranks that die, stop or end early, and programs with which
# nothing can be shared. Under Open MPI and MPICH, each rank on a core of its own.
source tests/support/mpirun.sh

sources=$(dirname "$(keel_path tests/mpi_backend/calls/sharing_ranks.c)")
preload=$(keel_path omp_ext/libkeel.so):$(keel_path mpi_backend/calls/libkeel_mpi_calls.so)
out=$TEST_TMPDIR
unset OMPI_MCA_mpi_yield_when_idle

read -r -d '' first second < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
    while IFS=- read -r from to; do seq "$from" "${to:-$from}"; done | head -n 2)
[ -n "$second" ] || plan skip_all 'there is but one processor'

# The program of a rank, a script: rank 0 on one core, rank 1 on another one, after a program without MPI.
cat >"$out/bound" <<END
#!/bin/bash
true
if [ "\${OMPI_COMM_WORLD_LOCAL_RANK:-\$MPI_LOCALRANKID}" = 0 ]; then cpu=\${CPU:-$first}; else cpu=\${CPU:-$second}; fi
taskset -c "\$cpu" "\$@"
END
chmod +x "$out/bound"

# shares [NAME=VALUE...] PROGRAM ARGUMENT...: what two ranks say
shares()
{
    mpi_shows 2 LD_PRELOAD="$preload" KEEL_SCHEDULE=fac2 KEEL_SHARE_CORES=1 GOMP_SPINCOUNT=1000 "${with[@]}" \
        "$out/bound" "$@" 2>&1
}
with=()

# of_each TEXT: two ranks say so
of_each()
{
    printf '%s\n%s' "$1" "$1"
}

# files: of meetings. Those of other jobs go within seconds.
files()
{
    (cd /dev/shm && ls -d keel-cores-* 2>/dev/null)
}

of_mpi()
{
    local name=$1 text others both since

    both=$(of_each '2 threads, 2 cores, right')
    export KEEL_TEST_MPIRUN=${mpi_given:-mpirun.$name}
    if ! command -v "mpicc.$name" "$KEEL_TEST_MPIRUN" >/dev/null; then
        skip "$name" 'it is not installed'
        return
    fi
    "mpicc.$name" -O1 -fopenmp -o "$out/teams" "$sources/sharing_ranks.c"
    "mpicc.$name" -O1 -fopenmp -DBLIND -o "$out/blind" "$sources/sharing_ranks.c"
    is "$(mpi_shows 2 "$out/bound" "$out/teams" teams)" "$(of_each '1 threads, 1 cores, right')" \
        "$name: without Keel each has its core"
    for program in teams blind; do
        for what in teams stops; do
            is "$(shares "$out/$program" $what)" "$both" "$name: the cores of both, $program, $what"
        done
        is "$(shares "$out/$program" early)" '2 threads, 2 cores, right' "$name: and of one that has ended, $program"
    done
    is "$(shares "$out/blind" joins)" joined "$name: regions have the core of a rank that waits"
    with=(KEEL_SCHEDULE=ss)
    is "$(shares "$out/blind" guest)" guest "$name: in a loop, a thread comes to the core of a rank that begins to wait"
    with+=(KEEL_REPORT="$out/report.json" KEEL_TRACE="$out/trace.json")
    is "$(shares "$out/blind" guest)" guest "$name: also where it is recorded"
    with=()
    is "$(shares "$out/teams" one)" "$both" "$name: a program that sets one thread has one"
    with=(OMP_NUM_THREADS=1,1 OMP_MAX_ACTIVE_LEVELS=2 KEEL_SCHEDULE=libgomp)
    is "$(shares "$out/blind" teams)" "$both" "$name: regions in regions stay as they are"
    with=(OMP_DYNAMIC=true)
    is "$(shares "$out/blind" teams)" "$both" "$name: teams that are left to the runtime"

    with=()
    since=$SECONDS
    text=$(shares "$out/teams" dies; echo "ended $?")
    like "$text" '^ended [1-9][0-9]*$' "$name: where a rank dies, the job ends"
    is "$(grep -c '^ended [1-9]' <<<"$text") $(grep -c right <<<"$text") $((SECONDS - since < tap_patience_s))" '1 0 1' \
        "$name: and without a result, and soon"

    for binding in OMP_PROC_BIND=true OMP_PLACES=cores; do
        with=("$binding")
        text=$(shares "$out/teams" teams)
        is "$(grep -c "^keel: KEEL_SHARE_CORES: threads are bound by .*; they stay where they are\$" <<<"$text")" 1 \
            "$name: threads that are bound stay, and it is said once, $binding"
        like "$text" '^1 threads, [12] cores, right$' "$name: their ranks keep their teams, $binding"
    done
    with=()

    # programs without OpenMP, and with MPI that comes later
    "mpicc.$name" -o "$out/plain" -x c - <<<'#include <mpi.h>
        #include <unistd.h>
        int main(void) { MPI_Init(0, 0); MPI_Barrier(MPI_COMM_WORLD); return write(1, "met\n", 4) != 4 || MPI_Finalize(); }'
    is "$(shares "$out/plain"; echo $?)" "$(of_each met)"$'\n0' "$name: a program without OpenMP goes as ever"
    "mpicc.$name" -DPLUG -shared -fPIC -o "$out/plug.so" "$sources/plug.c"
    gcc -o "$out/plug" "$sources/plug.c" -ldl
    is "$(shares "$out/plug" "$out/plug.so"; echo $?)" \
        'keel: KEEL_SHARE_CORES: MPI has come after the program had begun; each rank keeps to its own cores'$'\n0' \
        "$name: MPI that comes with dlopen()"

    # Two jobs at once, each on one core
    CPU=$first shares "$out/teams" teams >"$out/others" &
    text=$(CPU=$second shares "$out/teams" teams)
    wait $!
    others=$(<"$out/others")
    is "$text" "$(of_each '1 threads, 1 cores, right')" "$name: another job on the node is not seen"
    is "$others" "$(of_each '1 threads, 1 cores, right')" "$name: nor this one by that one"
}

began=$(files)
of_mpi openmpi
of_mpi mpich
export KEEL_TEST_MPIRUN=$mpi_given

# A rank whose other one never comes
alone()
{
    env LD_PRELOAD="$preload" KEEL_SHARE_CORES=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 \
        PMIX_NAMESPACE="alone-$$" OMP_NUM_THREADS=1 "$out/teams" begins 2>&1
}
is "$(alone)" 'keel: KEEL_SHARE_CORES: not all ranks of this node have begun with it; each keeps to its own cores
1 threads' 'a rank that comes alone begins without the others'

# What is still there was there before, or is of a job that begins just now.
sleep 1
stayed=$(comm -12 <(files) <(sleep 15; files) | comm -23 - <(sort <<<"$began"))
is "$stayed" '' 'no file stays in memory'
done_testing
