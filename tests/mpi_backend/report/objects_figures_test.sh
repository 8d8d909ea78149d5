#!/bin/bash
# Figures of objects for reports, on real ranks: sums of what they did, and each phase with its bounds.
source tests/support/mpirun.sh

figures=$(program objects_figures)
export OMP_NUM_THREADS=1

# told ARGUMENT RANKS VARIABLE=VALUE...: kinds of phases, less their numbers, and what is wrong.
told()
{
    mpi_run "$2" KEEL_REPORT=1 "${@:3}" "$figures" $1 2>&1 |
        sed -E 's/[0-9.e+-]+ (ms|%)/N/g; s/; (another number|[0-9]+ objects in place|one object in place) .*/; advice/' | sort -u
}

known='objects take N and N at most'
for case in $(each_day '2,steal 3,diffuse,2 3,tree' '2,steal 2,diffuse 3,diffuse,2 3,tree'); do
    policy=${case#*,}
    is "$(told moves "${case%%,*}" KEEL_MPI_BALANCE="$policy")" "$(printf 'some moved\n%s: %s; advice' "${policy%,*}" "$known" | sort)" \
        "${case%%,*} ranks, $policy: what was counted, and each phase with bounds"
done
is "$(told moves 2 KEEL_MPI_BALANCE=steal KEEL_MPI_PROGRESS=1)" "$(printf 'some moved\nsteal: %s; advice' "$known")" 'with a thread that answers'
is "$(told '' 2 KEEL_MPI_BALANCE=off)" "$(printf 'none moved\noff: %s; they stay where they are' "$known")" 'objects that stay take what they take'
is "$(told '' 3 KEEL_MPI_BALANCE=shake)" $'shake: no bounds are known\nsome moved' 'objects that move by chance have no bounds'
is "$(told '' 1 KEEL_MPI_BALANCE=steal)" "$(printf 'none moved\nsteal: %s; they stay where they are' "$known")" 'nothing to balance on one rank'
is "$(mpi_run 2 "$figures" 2>&1; echo "left with $?")" 'left with 0' 'nothing is kept where no report is wanted'

done_testing
