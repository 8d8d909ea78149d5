#!/bin/bash
# keel plot: pictures of traces, what they show, and what is in their way.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

write_trace=$(keel_path tests/omp_ext/command/write_trace.pl)
cd "$TEST_TMPDIR" || exit
ok 'a trace' "$write_trace" run.json ranks=2 threads=3 loops=3 chunks=2000
command -v gnuplot >/dev/null || plan skip_all 'gnuplot is not installed (.ci/install plot)'

is_png()
{
    [ "$(head -c 8 "$1" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] && [ "$(stat -c %s "$1")" -gt 3000 ]
}

is_svg()
{
    perl -0777 -ne 'exit !(/^<\?xml/ && /<\/svg>\s*$/ && length > 3000)' "$1"
}

for kind in owners profile rates shares mpi; do
    is "$(code "$keel" plot --kind "$kind" run.json)" 0 "$kind: exit code"
    is "$(output)" "$(printf 'run-%s.svg\nrun-%s.png' "$kind" "$kind")" "$kind: an SVG and a PNG by the trace's name"
    is "$(messages)" '' "$kind: nothing else is said"
    ok "$kind: an SVG" is_svg "run-$kind.svg"
    ok "$kind: a PNG" is_png "run-$kind.png"
done
rm run-*
is "$(code "$keel" plot -o own.svg run.json)" 0 'owners is the default: exit code'
is "$(output):$(ls -- *.svg *.png 2>/dev/null)" own.svg:own.svg '-o: only that file'
like "$(cat own.svg)" 'rank 1, thread 2' 'threads of ranks are named'

# What gnuplot gets shows what is drawn; a gnuplot that keeps it takes its place.
mkdir spy
printf '#!/bin/sh\ncat >"%s/script"\n' "$PWD" >spy/gnuplot
chmod +x spy/gnuplot
script()
{
    PATH=$PWD/spy:$PATH "$keel" plot -o spied.svg "$@" >/dev/null && cat script
}
# block NAME: a block of data of the last script, without its last line, which holds no point.
block()
{
    sed -n "/^\$$1 << END/,/^END/p" script | sed '1d;$d'
}

loop=$(grep '"cat":"chunk"' run.json | head -n 1 | sed 's/.*"name":"src.\([^"]*\)".*/\1/')
script --kind owners --loop "$loop" --instances 0 run.json >/dev/null
like "$(cat script)" "set title 'src/$loop'" 'a loop is found by the end of its name'
# Each rank runs all of the loop: a row of cells for each.
is "$(block owners | wc -l)" 2 'owners: one instance on two ranks has two rows'
owner()
{
    block owners | awk -v row="$1" -v column="$2" 'NR == row { print $column }'
}
# Thread of the chunk that has the loop's middle, as the trace says.
middle=$(grep '"cat":"chunk"' run.json | grep -F "$loop\"" | grep '"pid":1,' | grep '"instance":0,' |
    sed 's/.*"tid":\([0-9]*\).*"first":\([0-9]*\),"last":\([0-9]*\).*/\1 \2 \3/' |
    awk '{ tid[NR] = $1; first[NR] = $2; last[NR] = $3; if ($3 > all) all = $3 }
        END { for (i = 1; i <= NR; i++) if (first[i] <= all / 2 && all / 2 < last[i]) print 3 + tid[i] }')
columns=$(block owners | head -n 1 | wc -w)
is "$(owner 2 $((columns / 2 + 1)))" "$middle" 'and the thread of each iteration'

# The mean of the profile, over all of the loop, is what an iteration cost.
script --kind profile --loop "$loop" run.json >/dev/null
got=$(block profile | awk 'NF == 5 { if (NR % 2 == 1) { x = $1; y = $2 } else { sum += y * ($1 - x); all = $1 } } END { print sum / all }')
wanted=$(grep '"cat":"chunk"' run.json | grep -F "$loop\"" | sed 's/.*"dur":\([0-9.]*\).*"first":\([0-9]*\),"last":\([0-9]*\).*/\1 \2 \3/' |
    awk '{ time += $1; all += $3 - $2 } END { print time * 1e3 / all }')
ok "profile: the mean is what an iteration cost ($got of $wanted ns)" \
    awk -v got="$got" -v wanted="$wanted" 'BEGIN { exit !(got > wanted * 0.99 && got < wanted * 1.01) }'

# Shares of chunks are parts of a whole.
script --kind shares --loop "$loop" run.json >/dev/null
is "$(sed -n '/^\$series[0-9]* << END/{n;p}' script | awk '{ sum += $2 } END { printf "%.3f", sum }')" 100.000 \
    'shares: threads have all of the first instance'
script --kind rates --loop "$loop" --from 0.0001 --to 0.0002 run.json >/dev/null
is "$(grep xrange script)" 'set xrange [100:200]' 'a part of the time'

# Calls of MPI: of each thread that makes some, what the trace says, over all of the time.
script --kind mpi run.json >/dev/null
is "$(grep -o "title 'rank [01], thread [0-9]'" script | tr '\n' ' ')" "title 'rank 0, thread 0' title 'rank 1, thread 0' " \
    'mpi: a line for each thread that calls'
is "$(block series1 | wc -l)" 200 'in 200 periods'
us=$(awk '/xrange/ { gsub(/.*:|\]/, ""); print $0 * ('"$(grep -c "xlabel.*ms'" script)"' ? 1000 : 1) }' script)
got=$(block series1 | awk -v us="$us" '{ sum += $2 } END { print sum / 100 * us / 200 }')
wanted=$(grep '"cat":"mpi"' run.json | grep '"pid":1,' | sed 's/.*"dur":\([0-9.]*\).*/\1/' | awk '{ sum += $1 } END { print sum }')
ok "of which the parts are the calls' time ($got of $wanted us)" \
    awk -v got="$got" -v wanted="$wanted" 'BEGIN { exit !(wanted > 0 && got > wanted * 0.999 && got < wanted * 1.001) }'
script --kind mpi --from "$(awk -v us="$us" 'BEGIN { print us / 2e6 }')" run.json >/dev/null
is "$(block series0 | wc -l)" 200 'of a part of the time, too'
half=$(sed -n 's/^set xrange \[\(.*\):.*/\1/p' script)
is "$(block series0 | awk -v half="$half" '$1 < half * 0.999 || $2 > 100.001 { wrong++ } END { print (half > 0), wrong + 0 }')" '1 0' 'and no more of it'
grep -v '"cat":"mpi"' run.json >plain.json
is "$(code "$keel" plot --kind mpi -o plain.svg plain.json)" 1 'no calls: exit code'
is "$(messages)" 'keel: no calls of MPI are in that part of the trace; nothing is drawn' 'and message'

# A job that moves rows and has no loops.
grep -v '"cat":"\(chunk\|loop\|region\)"' run.json | sed 's/"loop":"[^"]*",//' >rows.json
is "$(code "$keel" plot rows.json)" 0 'no loops: exit code'
is "$(output)" "$(printf 'rows-shares.svg\nrows-shares.png')" 'shares are the default'
is "$(code "$keel" plot --kind shares -o rows.svg rows.json)" 0 'no loops, shares: exit code'
is "$(messages)" '' 'and no message'
is "$(code "$keel" plot --kind rates -o rows.svg rows.json)" 1 'neither loops nor rates: exit code'
is "$(messages)" 'keel: the trace has neither loops nor rates; nothing is drawn' 'and message'
sed 's/"name":"share"/"name":"rate"/' rows.json >rates.json
script --kind rates rates.json >/dev/null
is "$(grep ylabel script)" "set ylabel 'rate, iterations or rows (by weight) per s'" 'rates of ranks say their unit'
script --kind rates run.json >/dev/null
is "$(grep ylabel script)" "set ylabel 'rate, iterations per s'" 'so do those of chunks'
for kind in owners profile; do
    is "$(code "$keel" plot --kind $kind -o rows.svg rows.json)" 1 "no loops, $kind: exit code"
    is "$(messages)" 'keel: the trace has no loops; nothing is drawn' 'and message'
done

# A million chunks are drawn with few bars.
ok 'a trace of a million chunks' "$write_trace" many.json threads=8 loops=9 chunks=1000000 counters=no
ok 'is drawn within a minute of computing' within_cpu 60 "$keel" plot -o many.png many.json
ok 'as a PNG' is_png many.png
for kind in owners rates; do
    script --kind $kind many.json >/dev/null
    ok "$kind: few points" test "$(wc -l <script)" -lt 20000
done

# Names stay names.
ok 'a trace with names that gnuplot would run' "$write_trace" hostile.json names=hostile loops=4 chunks=2000
for kind in owners profile; do
    is "$(code "$keel" plot --kind $kind hostile.json)" 0 "$kind of it: exit code"
    is "$(messages)" '' "$kind of it: no message"
done
ok 'nothing of them was run' test ! -e broken

# Chunks, each a line "LOOP INSTANCE THREAD FIRST LAST NS".
chunks()
{
    awk 'BEGIN { print "[" }
        { printf "{\"name\":\"%s\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%d,\"dur\":%.3f,", $1, $3, NR, $6 / 1000
          printf "\"args\":{\"instance\":%d,\"first\":%d,\"last\":%d}},\n", $2, $4, $5 }'
}
chunks <<<'a.c:1 0 0 0 10 500
a.c:1 0 1 10 30 900
a.c:1 1 1 0 30 900
a.c:1 2 1 0 20 900' >three.json
script three.json >/dev/null
# Ten cells each of a thread; -1: none.
is "$(block owners)" "$(for row in '0 1 1' '1 1 1' '1 1 -1'; do
    for thread in $row; do
        for _ in {1..10}; do printf '%s ' "$thread"; done
    done
    echo
done)" 'which thread had which iterations, and which no thread'

# One instance, one iteration.
chunks <<<'a.c:1 0 0 0 1 500' >one.json
is "$(code "$keel" plot -o one.png one.json)" 0 'one cell: exit code'
is "$(messages)" '' 'and no message'
script one.json >/dev/null
is "$(block owners)" "$(printf '0 0 \n0 0 ')" 'it is as large as an image has to be'

# What can't be done.
is "$(code "$keel" plot --loop nowhere.c:1 run.json)" 1 'no such loop: exit code'
like "$(messages)" "^keel: no loop of the trace is called 'nowhere.c:1'; there are src/.*, .*, src/" 'and message, with the loops that there are'
is "$(code "$keel" plot --instances 5000-6000 --kind owners run.json)" 1 'no such instances: exit code'
like "$(messages)" "^keel: no chunks of '.*' are in that part of the trace; nothing is drawn" 'and message'
is "$(code "$keel" plot --from 5000 run.json)" 1 'after the end: exit code'
like "$(messages)" '^keel: --from: the trace ends at [0-9.e-]* s; nothing is drawn' 'and message'
for words in '--kind pie' '--instances 5-2' '--instances x' '--from -1' '--from 2 --to 1' '-o picture.gif'; do
    # shellcheck disable=SC2086
    is "$(code "$keel" plot $words run.json)" 2 "$words: exit code"
done
ln -s /dev/full full.svg
is "$(code "$keel" plot -o full.svg run.json)" 1 'a full device: exit code'
is "$(output)$(messages)" "keel: 'full.svg' cannot be written: No space left on device" 'and message'
ok 'which is still there' test -c full.svg
mkdir small
if mount -t tmpfs -o size=8k tmpfs small 2>/dev/null; then
    echo old >small/full.svg
    is "$(code "$keel" plot -o small/full.svg run.json)" 1 'a full disk: exit code'
    is "$(output)$(messages)" "keel: 'small/full.svg' cannot be written: No space left on device" 'and message'
    is "$(ls small):$(cat small/full.svg)" full.svg:old 'what was there stays, and no cut file'
    umount small
else
    skip 'a full disk' 'no small disk can be mounted'
fi
mkdir empty
is "$(PATH=$PWD/empty code "$keel" plot -o none.svg run.json)" 1 'no gnuplot: exit code'
is "$(messages)" "keel: gnuplot is not installed (Debian: gnuplot-nox); 'none.svg' is not drawn" 'and message'
ok 'and no file' test ! -e none.svg
done_testing
