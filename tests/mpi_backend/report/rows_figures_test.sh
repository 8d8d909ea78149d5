#!/bin/bash
# Figures of rows for reports, on real ranks: each decision with its reason.
source tests/support/mpirun.sh

figures=$(program rows_figures)

# told RANKS HOOKS POLICY: the kinds of reasons, less their numbers, and what is wrong.
told()
{
    mpi_run "$1" KEEL_REPORT=1 KEEL_MPI_BALANCE="$3" "$figures" "$2" 2>&1 |
        sed -E 's/; follows [a-z0-9-]+: .* where [a-z0-9-]+ takes .*//; s/[0-9.e+-]+ (%|s|ms|us)/N/g; s/[0-9]+ rows?/N rows/' | sort -u
}

# reasons OUTPUT POLICY: lines that are not `POLICY: reason`.
strange()
{
    local known='too early: N since the last figures and rates want N|no rate is known yet|no other shares are better'
    known+='|gain N is under the threshold of N|N rows by chance|moving costs N and would save N'
    known+='|staying has lost least so far|what should move is less than a row'
    known+='|N rows even out: costs N and saves N|N rows even out whatever it costs'
    grep -vxE "($2): ($known)" <<<"$1"
}

is "$(told 3 70 shake)" 'shake: N rows by chance' 'rows that move by chance'
all=
for policy in $(each_day 'rate-local tree auto' 'rate-local rate tree diffusion auto'); do
    output=$(told 3 300 "$policy:period=0.001,quantum=0.0001")
    is "$(strange "$output" 'rate|tree|diffusion')" '' "$policy: each decision has a reason"
    all+=$output
done
like "$all" 'N rows even out' 'also those that move rows'
is "$(told 2 50 off)" '' 'without balancing nothing is decided'
is "$(told 1 50 auto)" '' 'nor on a single rank'
is "$(mpi_run 2 "$figures" 10 2>&1; echo "left with $?")" 'left with 0' 'nothing is kept where no report is wanted'

done_testing
