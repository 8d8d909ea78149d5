#!/bin/bash
# keel chunks: sequences, which are worked out by hand in tests/schedules/loop, long ones, and bad input.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

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
    'and what others have left; a line tells how fast they are'
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
done_testing
