#!/bin/bash
# keel compare and loops: their times come from the reports of runs.
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
compare --libgomp static -s 'fac2 gss' --rounds 10-10 --json all.json -- "$two_loops"
is "$status" 0 'exit code'
like "$said" "^solve \(solve\): $number % of the time; best fac2, 0\.1 s\$" 'a loop that has its best schedule'
like "$said" "^flux \(flux\): $number % of the time; best gss, 0\.1 s, 67 % \(67 to 67\) faster than fac2\$" \
    'one that has not'
is "$(from_json all.json 'join " ", map { $_->{place} } @{$d->{loops}}' | tr ' ' '\n' | sort | tr '\n' ' ')" 'flux solve ' 'JSON: loops'

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
