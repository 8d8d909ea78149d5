#!/bin/bash
# bench/demo runs every schedule, and prints and draws what it says.
source tests/support/tap.sh

demo=$(keel_path bench/demo)
built=$(keel_path bench/demo_dir/program)
built=${built%/bench/*}
picture=$TEST_TMPDIR/folder/rows.png

run_demo()
{
    "$demo" --built "$built" --threads 2 --repeat 1 --pictures 1 --size 60 --output "$picture" "$@"
}

# size_of PNG: signature, width and height, as its first bytes tell.
size_of()
{
    local bytes
    read -ra bytes <<<"$(od -An -v -tu1 -N24 "$1" | tr '\n' ' ')"
    printf '%s %d %d\n' "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" \
        $((bytes[18] * 256 + bytes[19])) $((bytes[22] * 256 + bytes[23]))
}

# cell TABLE LABEL COLUMN: from the right, 1 is the last column.
cell()
{
    awk -v label="$2" -v column="$3" 'index($0, label " ") == 1 { print $(NF + 1 - column) }' <<<"$1"
}

table=$(run_demo 2>"$TEST_TMPDIR/messages")
is $? 0 'the demo succeeds'
messages=$(<"$TEST_TMPDIR/messages")
like "$table" '^schedule +time \[ms\] +/ libgomp static +/ libgomp dynamic +imbalance \[%\] +chunks$' 'the table has its heading'
like "$table" '\(max / mean - 1\) x 100' 'imbalance is defined'
is "$(grep -c '^keel: run' <<<"$messages")" 1 'away from a terminal, progress is a line a run'
like "$table" '^Divided equally \(libgomp static\), rows keep the busiest thread busy [0-9]+ % longer than the mean;$' \
    'a sentence says what is shown'
for schedule in $("$(keel_path keel)" list --names); do
    like "$table" "^$schedule +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+\$" "$schedule has its row"
done
is "$(cell "$table" 'libgomp static' 1)" 2 "libgomp's static has a chunk per thread"
is "$(cell "$table" 'libgomp dynamic' 1)" 60 "libgomp's dynamic has a chunk per row"
is "$(cell "$table" ss 1)" 60 'ss has a chunk per row'
is "$(cell "$table" gss 1)" 6 'gss takes 60 rows in chunks of 30, 15, 8, 4, 2 and 1'
is "$(cell "$table" 'libgomp static' 4)" 1.000 "libgomp's static is compared with itself"
is "$(size_of "$picture")" '89504e470d0a1a0a 136 60' 'the picture is a PNG of two panels'

rows=$(KEEL_SCHEDULE=css,7 run_demo --schedules 'ss css,30' --csv 2>/dev/null)
is "$(head -n 1 <<<"$rows")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
is "$(grep -c . <<<"$rows")" 26 'CSV has five metrics for each of the five schedules'
like "$rows" '^demo,mandelbrot; threads=2,"css,30",chunks,2,1$' 'a variant with a comma is quoted'
like "$rows" '^demo,mandelbrot; threads=2,libgomp static,ratio to libgomp static,1,1$' 'ratios are rows'
is "$(grep -cE ',[0-9.]+(e[+-][0-9]+)?,(ms|%|1)$' <<<"$rows")" 25 'every value is a number'

messages=$(run_demo --dry-run --output "$TEST_TMPDIR/none.png" 2>&1)
like "$messages" 'runs 1 times under each schedule with 2 threads, .*; nothing is done$' '--dry-run says what would be done'
ok 'and does nothing' test ! -e "$TEST_TMPDIR/none.png"

messages=$(run_demo --threads none 2>&1)
is $? 2 'a wrong number ends the demo'
like "$messages" "^keel: --threads 'none' is not a whole number" 'and is named'
messages=$("$demo" --built "$TEST_TMPDIR" 2>&1)
is $? 2 'so does a folder without programs'
like "$messages" "^keel: --built '$TEST_TMPDIR' has no folder bench" 'which is named'
done_testing
