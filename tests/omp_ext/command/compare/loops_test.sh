#!/bin/bash
# keel compare and loops: their times come from the reports of runs, and where schedules of their own pay, the line for
# the job script has them, once that was tried.
source tests/support/tap.sh
source tests/omp_ext/command/compare/compare.sh

# loop PLACE SECONDS: the member of a report.
# Under a schedule, solve and flux take tenths of a second by its name.
write_script two_loops <<'END'
loop()
{
    printf '{"kind": "loop", "place": "%s", "function": "%s", "instances": 1, "threads": 2, "elapsed_s": %s,
        "thread": [{"busy_s": 0}, {"busy_s": 0}]}' "$1" "$1" "$2"
}
case $KEEL_SCHEDULE in
libgomp | '') solve=0.4 flux=0.4 ;;
fac2) solve=0.1 flux=0.3 ;;
gss) solve=0.5 flux=0.1 ;;
'fac2; flux=gss') solve=0.1 flux=${1:-0.1} ;;
*) echo "no schedule like '$KEEL_SCHEDULE' is known here" >&2; exit 1 ;;
esac
sleep $solve
sleep $flux
[ -z "$KEEL_REPORT" ] ||
    echo "{\"keel_report\": 1, \"processes\": [{\"program\": \"two_loops\", \"ranks\": 1, \"threads\": 2,
        \"elapsed_s\": 1, \"loop\": [$(loop solve $solve), $(loop flux $flux)]}]}" >"$KEEL_REPORT"
END

cd "$TEST_TMPDIR" || exit
number='[0-9]+(\.[0-9]+)?'
compare --libgomp static -s 'fac2 gss' --rounds 10-10 --json all.json --csv all.csv -- "$two_loops"
is "$status" 0 'exit code'
like "$said" "^solve \(solve\): $number % of the time; best fac2, 0\.1 s\$" 'a loop that has its best schedule'
like "$said" "^flux \(flux\): $number % of the time; best gss, 0\.1 s, 67 % \(67 to 67\) faster than fac2; gss there would bring 0\.2 s\$" \
    'one that has not'
like "$said" '^libgomp static +300\.0  at (solve|flux)$' 'regret of the reference over loops'
like "$said" '^fac2 +200\.0  at flux  \(the smallest\)$' 'of the schedule with the smallest'
like "$said" '^gss +400\.0  at solve$' 'of another'
like "$said" "^a schedule of its own for 1 loop should bring 0\.2 s more: 'fac2; flux=gss'\$" 'what is to be tried'
like "$said" "^fac2 as a job script would run it, in [0-9]+ rounds beside libgomp static: $number % .*faster:\$" 'the best for all was run by itself'
like "$said" "^  tried in [0-9]+ rounds beside fac2 alone: $number % \($number to $number\) faster\$" 'it was'
is "$(tail -n 1 <<<"$said")" "export LD_PRELOAD=$library KEEL_SCHEDULE=\"fac2; flux=gss\"" 'and is advised'
is "$(from_json all.json 'join " ", map { $_->{place} } @{$d->{loops}}' | tr ' ' '\n' | sort | tr '\n' ' ')" 'flux solve ' 'JSON: loops'
is "$(from_json all.json '$d->{advice}{per_loop}{KEEL_SCHEDULE}, $d->{advice}{per_loop}{pays} ? " pays" : ""')" 'fac2; flux=gss pays' 'JSON: the line'
is "$(awk -F, '$1 == "flux" && $2 == "gss" { print $5 }' all.csv | sort -u)" 0.100000000 'CSV: times of loops'

# What loops promise may not come true for the program.
compare --libgomp static -s 'fac2 gss' --rounds 10-10 -- "$two_loops" 0.6
like "$said" '^  tried in [0-9]+ rounds beside fac2 alone: .* slower; that is not enough$' 'a line that does not pay'
is "$(tail -n 1 <<<"$said")" "export LD_PRELOAD=$library KEEL_SCHEDULE=fac2" 'is not advised'

# Reports that are none.
write_script odd_report <<'END'
case $KEEL_SCHEDULE in
libgomp) echo 'nonsense' >"$KEEL_REPORT" ;;
fac2) echo '{"keel_report": 1, "processes": [{"loop": [{"kind": "loop", "place": 7}]}]}' >"$KEEL_REPORT" ;;
esac
END
compare --libgomp static -s 'fac2 gss' --rounds 2-2 -- "$odd_report"
is "$status" 0 'damaged reports: exit code'
like "$said" '^gss +2 ' 'the whole program is compared'
unlike "$said" 'of the time' 'and no loop'
done_testing
