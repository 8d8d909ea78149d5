#!/bin/bash
# bench/demo runs every schedule, and prints and draws what it says.
name=demo program=demo_dir/program
source tests/bench/command.sh
picture=$TEST_TMPDIR/folder/rows.png
usual=(--threads 2 --repeat 1 --pictures 1 --size 60 --output "$picture")

# size_of PNG: signature, width and height, as its first bytes tell.
size_of()
{
    local bytes
    read -ra bytes <<<"$(od -An -v -tu1 -N24 "$1" | tr '\n' ' ')"
    printf '%s %d %d\n' "$(head -c 8 "$1" | od -An -tx1 | tr -d ' ')" \
        $((bytes[18] * 256 + bytes[19])) $((bytes[22] * 256 + bytes[23]))
}

# cell LABEL COLUMN: from the right, 1 is the last column.
cell()
{
    awk -v label="$1" -v column="$2" 'index($0, label " ") == 1 { print $(NF + 1 - column) }' <<<"$table"
}

succeeds
like "$table" '^schedule +time \[ms\] +/ libgomp static +/ libgomp dynamic +imbalance \[%\] +chunks$' 'the table has its heading'
is "$(grep -c '^keel: run' <<<"$messages")" 1 'away from a terminal, progress is a line a run'
like "$table" '^Divided equally \(libgomp static\), rows keep the busiest thread busy [0-9]+ % longer than the mean;$' \
    'a sentence says what is shown'
for schedule in $("$(keel_path keel)" list --names); do
    like "$table" "^$schedule( +$number){4} +[0-9]+\$" "$schedule has its row"
done
for expected in 'libgomp static:2' 'libgomp dynamic:60' ss:60 gss:6; do # gss: 30, 15, 8, 4, 2 and 1
    is "$(cell "${expected%:*}" 1)" "${expected#*:}" "${expected%:*}: its chunks of 60 rows"
done
is "$(cell 'libgomp static' 4)" 1.000 "libgomp's static is compared with itself"
is "$(size_of "$picture")" '89504e470d0a1a0a 136 60' 'the picture is a PNG of two panels'

KEEL_SCHEDULE=css,7 prints_csv --schedules 'ss css,30'
is "$(grep -cE ',[0-9.]+(e[+-][0-9]+)?,(ms|%|1)$' <<<"$table")" 25 'CSV has five metrics for each of the five schedules'
like "$table" '^demo,mandelbrot; threads=2,"css,30",chunks,2,1$' 'a variant with a comma is quoted'

succeeds --dry-run --output "$TEST_TMPDIR/none.png"
like "$messages" 'runs 1 times under each schedule with 2 threads, .*; nothing is done$' '--dry-run says what would be done'
ok 'and does nothing' test ! -e "$TEST_TMPDIR/none.png"

refuses "--threads 'none' is not a whole number" --threads none
refuses "--built '$TEST_TMPDIR' has no folder bench" --built "$TEST_TMPDIR"
done_testing
