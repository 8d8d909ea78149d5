#!/bin/bash
# Each rank of a job writes a trace in JSON to a file of its own, with its number; it contains the events of the MPI layer.
source tests/support/mpirun.sh

facts=$(program trace_facts.pl)
ranks=$(program ranks)
trace=$TEST_TMPDIR/trace.json
export OMP_NUM_THREADS=2

# what PATTERN: lines of the trace's facts that match, and all that is wrong.
what()
{
    for rank in 0 1 2 3; do
        "$facts" "$trace.$rank" 2>&1 | grep -E "^wrong|$1"
    done | sort | uniq -c | sed 's/^ *//'
}

# lines PATTERN: how many lines of the trace match.
lines()
{
    cat "$trace".? | grep -cE "$1"
}

is "$(mpi_shows 4 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_TRACE="$trace" KEEL_SCHEDULE=ss "$ranks" 2>&1; what '^instances')" \
    '4 instances 20x200' 'the loops of all ranks are there, without a message'
is "$(lines '"name":"keel_trace"')" 4 'each file begins once'
for rank in 0 1 2 3; do
    is "$(lines "\"name\":\"process_name\",\"ph\":\"M\",\"pid\":$rank,.*\"rank $rank on [^:]+: ranks\"")" 1 "rank $rank has its name"
    ok "rank $rank has its chunks" test "$(lines "\"cat\":\"chunk\",.*\"pid\":$rank,")" -ge 4000
done
is "$(lines '"cat":"move","ph":"X","args":\{"what":"rows","name":"grid","from":[0-3],"to":[0-3],"first":100,"last":200,"bytes":800\},"ts":')" 4 \
    'moves'
is "$(lines '"name":"wait","cat":"wait","ph":"X","args":\{"at":"rank","loop":"solve.c:12"\},"ts":')" 4 'waits for ranks'
is "$(lines '"name":"MPI_Send","cat":"mpi","ph":"X","ts":[0-9.]+,"dur":[0-9.]+,"pid":[0-3],"tid":0,"args":\{"place":"[^"]+"\}')" 4 \
    'calls of MPI'
is "$(lines '"name":"rows move","cat":"decision","ph":"i","s":"t","args":\{"rows":"grid","reason":"rank 0 is\\u0009slow: \\ufffd","gain":0.25,"ratio \\"x\\"":null\}')" \
    4 'decisions with their numbers and reasons'
is "$(lines '"name":"rate","ph":"C","args":\{"rate":1234.5\}')$(lines '"name":"share","ph":"C","args":\{"share":100\}')" 44 'counters'

# first_us RANK: when its first chunk began.
first_us()
{
    grep "\"cat\":\"chunk\",.*\"pid\":$1," "$trace.$1" | sed 's/.*"ts":\([0-9]*\).*/\1/' | sort -n | sed -n 1p
}
ok 'ranks of one node are on one clock' test "$(($(first_us 3) - $(first_us 0)))" -lt 60000000
is "$(mpi_shows 4 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_TRACE="$trace" KEEL_SCHEDULE=ss "$ranks" 100000000000 2>&1; what '^instances')" \
    '4 instances 20x200' 'with clocks that are 100 s off: the traces of the job before are replaced, without a message'
seconds=$((($(first_us 3) - $(first_us 0)) / 1000000))
ok 'the offset of the clock of a rank is added' test "$seconds" -ge 240 -a "$seconds" -lt 360
is "$(mpi_shows 4 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_SCHEDULE=ss "$ranks" 2>&1 | sort | uniq -c | sed 's/^ *//')" '4 nothing is traced' 'without KEEL_TRACE no events are wanted'
is "$(mpi_shows 4 LD_PRELOAD="$(keel_path omp_ext/libkeel.so)" KEEL_TRACE="$trace,2000" KEEL_SCHEDULE=ss "$ranks" 2>&1 | grep chunks | sort | uniq -c | sed 's/^ *//')" \
    '4 keel: KEEL_TRACE: limit of 375 chunks reached; later ones are left out, loops and waits are not' 'ranks share the bound'
lines=$(cat "$trace".? | wc -l)
ok 'so the file is bounded' test "$lines" -gt 1500 -a "$lines" -le 2045

done_testing
