#!/bin/bash
# keel compare tells schedules apart that differ, says by how much, and what to put into a job script.
source tests/support/tap.sh
source tests/omp_ext/command/compare/compare.sh
compile uneven || exit

number='[0-9]+(\.[0-9]+)?'
cd "$TEST_TMPDIR" || exit
compare --libgomp static -s 'fac2 static' --rounds 10-1000 --timeout 1000 --csv runs.csv --json all.json --plot all.svg -- "$uneven"
is "$status" 0 'exit code'
like "$said" "^'$uneven': [0-9]+ rounds of 3 schedules in random order, seed 1; all differences that matter are told apart\$" \
    'rounds and seed'
like "$said" "^the fastest in these rounds is fac2: $number % \($number to $number\) faster than libgomp static\$" 'the faster one'
like "$said" "^than fac2: libgomp static $number % \($number to $number\) slower, static $number % \($number to $number\) slower\$" \
    'the slower ones'
like "$said" "^fac2 +[0-9]+ +$number +$number +0\.[0-9]+ \(0\.[0-9]+ to 0\.[0-9]+\) +0\.0\$" 'its row'
like "$said" '^libgomp static +[0-9]+ .* 1\.000 \(1\.000 to 1\.000\)' "the reference's row"
like "$said" "^fac2 as a job script would run it, in [0-9]+ rounds beside libgomp static: $number % .*faster:\$" 'which was run as it is printed'
is "$(tail -n 1 <<<"$said")" "export LD_PRELOAD=$library KEEL_SCHEDULE=fac2" 'the line for a job script'
like "$messages" '^keel: a run takes about [0-9.e+]+ s: warming up and 8 rounds of 3 schedules, the fewest that tell them apart, take about [0-9]+ s$' \
    'at the start: how long it takes'
like "$messages" "^keel: a smaller comparison, of two: --libgomp 'static' -s 'static': 7 rounds, about [0-9]+ s\$" 'and what a smaller one would'
is "$(sed -n '/^schedule/,/^$/p' <<<"$said" | awk 'NR > 1 && NF { print $(NF - 4) }' | sort -n)" \
    "$(sed -n '/^schedule/,/^$/p' <<<"$said" | awk 'NR > 1 && NF { print $(NF - 4) }')" 'rows stand in the order of the ratios'
is "$(sed -n '/^schedule/{n;p}' <<<"$said" | cut -d ' ' -f 1)" fac2 'the first one is the fastest'
like "$messages" '^keel: warming up, each schedule once; at most [0-9]+ s are left$' 'progress: warming up'
like "$messages" '^keel: round 10; at most [0-9]+ s are left$' 'progress: rounds'
like "$messages" "^keel: these paths lead into Bazel's cache, .*; \`bazel run //:install -- --prefix=DIR\` installs what stays\$" \
    'and that it does not hold for ever'
is "$(left_behind)" '' 'no file is left'

# That line does what it says.
like "$(eval "$(tail -n 1 <<<"$said")"; KEEL_TRACE=/dev/stdout "$uneven")" '^loop,instance' 'the line brings the loop to Keel'

# --- files ---
rounds=$(from_json all.json '$d->{rounds}')
is "$(head -n 1 runs.csv)" 'place,schedule,round,order,wall_s,user_s,system_s,resident_kib' 'CSV: columns'
is "$(awk -F, '$1 == "" && NF != 8' runs.csv)" '' 'all lines have them'
is "$(awk -F, '$1 == "" && $2 == "fac2" && $3 > 0' runs.csv | wc -l)" "$rounds" 'a line for each run'
is "$(awk -F, '$1 == "" && $3 > 0 { seen[$3 " " $4]++ } END { for (s in seen) n += seen[s] == 1; print n }' runs.csv)" "$((3 * rounds))" \
    'each place in each round is taken once'
like "$(awk -F, '$1 == "" && $3 > 0 && $4 == 1 { print $2 }' runs.csv | sort -u | tr '\n' ' ')" '^fac2 libgomp static static $' \
    'each schedule comes first in some round'
is "$(from_json all.json '$d->{keel_compare}')" 1 'JSON: version'
is "$(from_json all.json 'join ",", map { $_->{name} } @{$d->{schedules}}')" 'libgomp static,fac2,static' 'schedules'
is "$(from_json all.json 'join ",", map { scalar grep { defined } @{$_->{times_s}} } @{$d->{schedules}}')" "$rounds,$rounds,$rounds" 'their times'
is "$(from_json all.json '$d->{schedules}[0]{verdict}')" slower 'verdict'
is "$(from_json all.json '$d->{schedules}[1]{environment}{KEEL_SCHEDULE}')" fac2 'environment'
is "$(from_json all.json '$d->{advice}{kind}, " ", $d->{advice}{schedule}')" 'told apart fac2' 'advice'
is "$(from_json all.json 'my $r = $d->{schedules}[1]{ratio}; $r->{low} <= $r->{median} && $r->{median} <= $r->{high} && $r->{high} < 1 ? "in" : "out"')" in \
    'the median lies in its interval'
like "$(from_json all.json 'my @t = sort { $a <=> $b } map { $d->{schedules}[1]{times_s}[$_] / $d->{schedules}[0]{times_s}[$_] } 0 .. $d->{rounds} - 1;
    abs(($t[$#t / 2] + $t[@t / 2]) / 2 - $d->{schedules}[1]{ratio}{median}) < 1e-9 ? "same" : "other"')" '^same$' 'it is the median of ratios by round'
like "$(head -c 300 all.svg)" '<svg ' 'a picture'

# --- nothing to gain ---
compare --libgomp 'static dynamic' -s fac2 --matters 50 --rounds 9-9 --plot all.png -- "$uneven" 0
is "$status" 0 'an empty loop: exit code'
like "$said" '^(nothing is to gain|no gain) over libgomp static|^not certain: ' 'nothing is claimed'
is "$(head -c 8 all.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a 'a picture as PNG'

# libgomp's own may be the best: its line needs no Keel.
compare --libgomp 'static dynamic,1' -s static --rounds 9-1000 --timeout 1000 -- "$uneven"
is "$(tail -n 1 <<<"$said")" 'export OMP_SCHEDULE=dynamic,1' "libgomp's own is advised"

# --- too little time ---
said=$("$keel" compare --libgomp static -s fac2 --budget 0.001 --json none.json -- "$uneven" 2>/dev/null)
is "$?" 4 'no budget: exit code'
like "$said" "^'$uneven': the budget is used up before a round of 2 schedules was over; nothing can be said of them\$" 'it is said'
like "$said" "^0 rounds can't tell schedules apart, 7 are wanted: about --budget [0-9]+\$" 'and what it would take'
unlike "$said" 'than fac2|faster|slower|gain|export' 'nothing is claimed'
is "$(from_json none.json '$d->{advice}{kind}')" 'nothing is known' 'JSON: neither'

# --- schedules that do the same ---
sed 's/schedule(runtime)//' "$OLDPWD/$here/uneven.c" >bare.c
eval "gcc -g -O1 $("$keel" cflags 2>/dev/null) bare.c -o bare" || exit
compare --libgomp 'static dynamic guided' -s fac2 --rounds 2-2 --json same.json -- "$TEST_TMPDIR/bare" 5
is "$(grep -cE '^(libgomp|fac2).* [0-9]+\.[0-9]$' <<<"$said")" 2 'bare loops, for which OMP_SCHEDULE means nothing: one row for all of libgomp'
like "$said" ': 2 rounds of 2 schedules ' 'and one schedule less to be compared'
like "$said" '^libgomp dynamic, libgomp guided do what libgomp static does: no loop runs otherwise; they are run once for all$' 'it is said'
is "$(from_json same.json '$d->{schedules}[1]{same_as}')" 'libgomp static' 'JSON'
gcc -O1 -fopenmp bare.c -o plain || exit
compare --rounds 2-2 -- "$TEST_TMPDIR/plain" 5
is "$status" 3 'nothing changes anything: exit code'
like "$said" "^'$TEST_TMPDIR/plain': nothing that is compared here changes anything: all of it is libgomp static over again\$" 'it is said'
unlike "$messages" 'round 1' 'after warming up'
done_testing
