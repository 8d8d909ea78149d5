#!/bin/bash
# Hard cases of objects that move, on 2 and 3 ranks, nightly on 1 to 6.
source tests/support/mpirun.sh

cases=$(program hard_cases)
export OMP_NUM_THREADS=1

for ranks in $(each_day 3 '1 2 5'); do
    mpi_passes "$ranks ranks: few objects, messages to nobody, many objects" "$ranks" \
        "$cases" few nobody storm times
done
if nightly; then
    for ranks in 2 6; do
        mpi_passes "$ranks ranks: all objects on one rank at first" "$ranks" "$cases" one_rank
        mpi_passes "$ranks ranks: one object at a time" "$ranks" "$cases" one_at_a_time
    done
else
    mpi_passes '2 ranks: all objects on one rank at first; one object at a time' 2 "$cases" one_rank one_at_a_time
fi
mpi_passes 'objects move by chance in a storm' 3 KEEL_MPI_BALANCE=shake "$cases" storm nobody few
mpi_passes 'a thread answers' 3 KEEL_MPI_PROGRESS=1 "$cases" one_rank
for schedule in $(each_day fac2 'static dynamic,1 fac2'); do
    mpi_passes "teams by $schedule" 2 OMP_NUM_THREADS=3 KEEL_SCHEDULE=$schedule "$cases" team one_rank storm times
    mpi_passes "handlers by teams, $schedule" 2 OMP_NUM_THREADS=3 KEEL_SCHEDULE=$schedule "$cases" wait_team
done
mpi_passes 'a team and a thread that answers' 2 OMP_NUM_THREADS=2 KEEL_SCHEDULE=gss \
    KEEL_MPI_PROGRESS=1 "$cases" one_rank

# Each mistake of the program has a message, and the program goes on. What all find is said once.
output=$(mpi_run 3 "$cases" mistakes 2>&1)
[ $? = 0 ] && ! grep -q '^line' <<<"$output" &&
    grep -qF 'struct_size is 5' <<<"$output" &&
    grep -qF 'there is an object with index 0' <<<"$output" &&
    grep -qF "'gradient' is none of steal, diffuse, tree, prema, shake and off" <<<"$output" &&
    grep -qF 'some ranks came to keel_mpi_objects_each()' <<<"$output" &&
    [ "$(grep -c 'with different handlers' <<<"$output")" = 1 ]
tap_result $? 'mistakes of programs' || diag "$output"

done_testing
