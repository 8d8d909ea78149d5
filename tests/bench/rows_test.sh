#!/bin/bash
# bench/rows runs applications under every policy and beside competing loads, and prints what it
# says. What comes out depends on what else the machine does; that it comes out does not.
source tests/support/tap.sh

[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/rows binds two ranks to two processors'
rows=$(keel_path bench/rows)
built=$(keel_path bench/apps/sor)
built=${built%/bench/*}

run_rows()
{
    TMPDIR=$TEST_TMPDIR timeout "$((3 * tap_patience_s))" "$rows" --built "$built" --quick --scale 0.01 "$@"
}

# row TABLE HEADING NAME: the row of that name under the first heading that matches.
row()
{
    awk -v heading="$2" -v name="$3" '
        $0 == "" { inside = 0 }
        index($0, heading) == 1 { inside = 1 }
        inside && index($0, name " ") == 1 { print; exit }' <<<"$1"
}

number='-?[0-9]+(\.[0-9]+)?'
bar='-?[0-9.]+ (held|missed)'
small='matmul:50 heat_f:50 sor:50 quadrature'
table=$(run_rows --parts 'apps hook' --apps "$small" --policies 'off rate-local tree' 2>"$TEST_TMPDIR/messages")
is $? 0 'the benchmark succeeds'
messages=$(<"$TEST_TMPDIR/messages")
like "$table" '^command: bench/rows .*--quick' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: heat_f:50, tree$' 'away from a terminal, progress comes in lines'
like "$table" '^policy +time, s +efficiency +movements +rows moved +deciding, % +moving, %$' 'policies have their heading'
for app in $small; do
    for policy in off rate-local tree; do
        like "$(row "$table" "$app, two ranks" "$policy")" "^$policy( +$number){6}$" "$app under $policy has its row"
    done
    is "$(row "$table" "$app, two ranks" off | awk '{ print $4 + $5 }')" 0 "$app: nothing moves without balancing"
    like "$(row "$table" 'The hook' "$app")" "^$app( +$number){6} +$bar$" "$app: the hook has its row"
done
like "$table" '^[0-9]+ of 4 bars are held\.$' 'bars are counted'

table=$(run_rows --parts load --apps 'sor:100' 2>"$TEST_TMPDIR/messages")
is $? 0 'so does it beside a load'
like "$(row "$table" 'A constant competing load' sor:100)" "^sor:100( +$number){5} +$bar$" 'a load that stays has its row'

table=$(run_rows --parts simulated 2>/dev/null)
is "$(grep -cE '^(sor|mm) [0-9]+ ' <<<"$table")" 96 'simulated cases have their rows'
unlike "$table" 'WRONG' 'with all of their rows'

rows_csv=$(KEEL_MPI_BALANCE=tree run_rows --parts apps --apps sor:50 --policies 'off random:w=1,alpha=0.5' --csv 2>/dev/null)
is "$(head -n 1 <<<"$rows_csv")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
like "$rows_csv" '^rows,apps; sor:50,serial,time,[0-9.e+-]+,s$' 'the serial run is a row'
like "$rows_csv" '^rows,apps; sor:50,"random:w=1,alpha=0.5",efficiency,[0-9.e+-]+,1$' 'a policy with parameters is one, too'
unlike "$(tail -n +2 <<<"$rows_csv")" ',(nan|inf)[^,]*,[^,]*$' 'every value is a number'

# refuses MESSAGE OPTION...
refuses()
{
    local messages
    messages=$(run_rows "${@:2}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    like "$messages" "^keel: $1" "${*:2}: the message says why"
}

refuses "--policies: .*unknown policy 'trree', nearest is 'tree'" --policies 'off trree'
refuses "--parts 'full' is not one of apps hook load simulated" --parts 'apps full'
refuses "--apps 'sor2' is not one of matmul heat_f" --apps 'sor sor2'
refuses "--apps 'sor:0' is not one of matmul heat_f" --apps 'sor:0'
refuses "--scale '0' is not a number such as 0.5" --scale 0
done_testing
