#!/bin/bash
# bench/fine runs each program plainly, with the plugin and under schedules, and prints what it says.
source tests/bench/command.sh

bench fine fine_dir/drawn
usual=(--repeat 2 --threads 2)

KEEL_SCHEDULE=ss succeeds --programs 'loops hydro' --schedules 'static fac2'
like "$messages" '^keel: hydro, round 2 of 2$' 'away from a terminal, progress comes in lines'
for what in loops hydro; do
    like "$table" "^$what +time, us +of plain$" "$what has its table"
done
for variant in 'plugin, no Keel' 'plugin, Keel, nothing asked for' static fac2; do
    is "$(grep -cE "^$variant( +$number){2}$" <<<"$table")" 2 "$variant has a row in each"
done
is "$(grep -cE "^plain +$number +1\.000$" <<<"$table")" 2 'the plain build is compared with itself'

rows=$(run --programs loops --schedules gss --csv 2>/dev/null)
is "$(grep -c . <<<"$rows")" 8 'CSV has a time and a ratio of each variant'
like "$rows" '^fine,loops,plain,ratio,1\.0000,$' 'ratios are rows'
like "$rows" '^fine,loops,gss,time,[0-9.]+,us$' 'so are times'

succeeds --programs 'late start rows34_runtime' --schedules rate
like "$table" "^rate, uneven at once( +$number){2}$" 'a loop that becomes uneven stands beside one that is from the beginning'
like "$table" "^start +time, us +of plain$" 'processes have their table'
like "$table" "^runtime, no Keel( +$number){2}$" 'schedule(runtime) has its rows'
drawn()
{
    run --programs drawn --draws 2 --repeat 1 --schedules static --seed "$1" "${@:2}" 2>/dev/null
}
shapes='^(region|orphaned|lasting|nested|hosts)( +[0-9]+){3}'
table=$(drawn 7)
like "$table" '^drawn, seed 7$' 'the seed is printed'
is "$(grep -cE "$shapes( +$number){3}$" <<<"$table")" 2 'each drawn program has a line'
for line in mean worst; do
    like "$table" "^$line( +$number){3}$" "and there is their $line"
done
is "$(drawn 7 | grep -oE "$shapes")" "$(grep -oE "$shapes" <<<"$table")" 'a seed draws the same programs again'
ok 'another one draws others' [ "$(drawn 8 | grep -oE "$shapes")" != "$(grep -oE "$shapes" <<<"$table")" ]
like "$(drawn 9 --csv)" '^fine,drawn,static,worst,[0-9.]+,$' 'and CSV has the worst'

# The median of an odd and of an even number of rounds, with a time that is longer as a text.
source bench/support/setup.sh
is "$(awk "$awk_median"'BEGIN { print median("9 100 10"), median(" 9 100 10 20"), median("7") }')" '10 15 7' \
    'the median is the one in the middle, or the mean of the two'

refuses "--programs 'lops' is not one of loops short .* drawn; nothing is run" --programs lops
done_testing
