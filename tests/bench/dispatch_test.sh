#!/bin/bash
# bench/dispatch times every schedule beside its baselines, and prints what it says.
name=dispatch program=dispatch_dir/sampler
source tests/bench/command.sh
usual=(--repeat 1 --sweeps 2)

succeeds --threads 2
like "$table" '^command: bench/dispatch .*--sweeps 2' 'the command line is printed'
like "$table" '^variant +as +chunks +ns/chunk +1st quartile +3rd quartile +/ dynamic,1 +/ guided +/ fetch-add$' 'chunks have their heading'
like "$table" '^variant +as +chunks +ns/loop +1st quartile +3rd quartile +/ dynamic +/ static$' 'starts have their heading'
like "$table" '^bare fetch-add +N = 2000 +2000 .* 1\.000$' 'the bare counter gives a chunk per iteration'
like "$table" '^libgomp dynamic,1 +N = 2000 +2000 .* 1\.000 +[0-9.]+ +[0-9.]+$' "libgomp's dynamic does too"
like "$table" '^ss +ss, N = 2000 +2000 ' 'so does ss'
like "$table" '^gss +gss, N = 2\^60 +61 ' 'gss halves what is left, and has one chunk more'
like "$table" '^static +static,500, N = 1000000 +2000 ' 'static has chunks of 500'
like "$messages" '^keel: 2 thread\(s\): round 1 of 1$' 'away from a terminal, progress comes in lines'

KEEL_SCHEDULE=tss prints_csv --threads 1,2
for schedule in static ss css gss tss tfss fac2 fac wf2 fsc mfsc tap bold fiss viss pls rnd; do
    is "$(grep -cE "^dispatch,(chunk|parallel for|for nowait|for); threads=[12],$schedule,median," <<<"$table")" 8 \
        "$schedule, one and two threads: a chunk and three kinds of start are timed"
done
like "$table" '^dispatch,"idle chunk, schedule\(runtime\); threads=2",loaded,ratio to not loaded,[0-9.e+-]+,1$' 'a library that nothing is asked of is compared with none'
unlike "$(tail -n +2 <<<"$table")" ',(-[0-9.]+|0),[^,]*$' 'every value is positive'

refuses "--threads '1,two' is not a list" --threads 1,two
done_testing
