#!/bin/bash
# Jobs that are drawn (drawn_job.c) compute the same, and end, where waits of MPI sleep and where ranks share cores,
# under Open MPI, and every fifth under MPICH as well: some each day, 100 at night.
source tests/support/mpirun.sh

source=$(keel_path tests/mpi_backend/calls/drawn_job.c)
preload=$(keel_path omp_ext/libkeel.so):$(keel_path mpi_backend/calls/libkeel_mpi_calls.so)
out=$TEST_TMPDIR
export OMPI_MCA_osc=sm,pt2pt # windows, without the transports that mpirun.sh leaves out
export OMP_SCHEDULE=dynamic,2

for name in openmpi mpich; do
    if command -v "mpicc.$name" "mpirun.$name" >/dev/null; then
        # MPICH declares statuses that may be ignored as arrays
        build=("mpicc.$name" -std=gnu11 -O1 -g -fopenmp -Wno-stringop-overflow -I"${source%/tests/*}" "$source")
        "${build[@]}" -o "$out/job.$name"
        "${build[@]}" -DBLIND -o "$out/blind.$name"
    fi
done

# job MPI SEED [NAME=VALUE...]: what it says. One in three cannot tell how large its teams are, one in seven leaves
# that to the runtime; of every second one, ranks are bound to cores, of which each has several.
job()
{
    local name=$1 seed=$2 program=job binding=() variables=()

    ((seed % 3 != 1)) || program=blind
    ((seed % 7 != 3)) || variables=(OMP_DYNAMIC=true)
    if ((seed % 2 == 1)); then
        [ "$name" = openmpi ] && binding=(--bind-to core:overload-allowed) || binding=(-bind-to core)
    fi
    KEEL_TEST_MPIRUN=${mpi_given:-mpirun.$name} mpi_launch "${binding[@]}" -n "$("$out/$program.$name" "$seed" shape)" \
        env "${variables[@]}" "${@:3}" "$out/$program.$name" "$seed" 2>&1 || echo "ended $?"
}

# every SEED: with and without Keel
every()
{
    local seed=$1 plain name with

    plain=$(job openmpi "$seed")
    # of 580 such runs without Keel two have hung, which computed the same as ever when they ran again
    [[ $plain != *'ended 124'* ]] || plain=$(job openmpi "$seed")
    like "$plain" "^seed $seed: [2-8] ranks, 0 failures, sum [0-9a-f]{16}\$" "seed $seed: what it computes is right"
    for name in openmpi mpich; do
        if [ -x "$out/job.$name" ] && { [ $name = openmpi ] || ((seed % 5 == 0)); }; then
            with=(LD_PRELOAD="$preload" KEEL_SCHEDULE=fac2)
            same "$(job $name "$seed" "${with[@]}" KEEL_MPI_WAIT=sleep)" "$plain" "seed $seed, $name: waits that sleep"
            same "$(job $name "$seed" "${with[@]}" KEEL_SHARE_CORES=1 GOMP_SPINCOUNT=1000)" "$plain" \
                "seed $seed, $name: cores that ranks share"
        fi
    done
}

first=${KEEL_TEST_SEED:-1}
for seed in $(each_day '1 3 5 10 14 22' "$(seq "$first" $((first + 99)))"); do
    every "$seed"
done
done_testing
