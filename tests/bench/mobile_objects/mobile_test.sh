#!/bin/bash
# bench/mobile runs its programs under every variant, verifies them and prints what it says. What comes out depends on what else the
# machine does; that it comes out does not.
source tests/support/tap.sh

[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/mobile binds two ranks to two processors'
mobile=$(keel_path bench/mobile)
built=$(keel_path bench/apps/pcdt)
built=${built%/bench/*}

run_mobile()
{
    TMPDIR=$TEST_TMPDIR timeout "$((3 * tap_patience_s))" "$mobile" --built "$built" --quick --scale 0.01 "$@"
}

# row TABLE HEADING NAME: the row of that name under the first heading that begins so.
row()
{
    awk -v heading="$2" -v name="$3" '
        $0 == "" { inside = 0 }
        index($0, heading) == 1 { inside = 1 }
        inside && $1 == name { print; exit }' <<<"$1"
}

number='[0-9]+(\.[0-9]+)?'
table=$(run_mobile --parts equal 2>"$TEST_TMPDIR/messages")
is $? 0 'the benchmark succeeds, so that results are right'
like "$table" '^command: bench/mobile .*--parts equal' 'the command line is printed'
like "$(<"$TEST_TMPDIR/messages")" '^keel: round 1 of 1: pcdt, equal, told$' 'away from a terminal, progress comes in lines'
like "$table" '^variant +time, s +of one rank +of off +of rows +moved +MB moved$' 'variants have their heading'
for app in pcdt quadrature; do
    for variant in off steal diffuse tree told rows rows-told rows-off; do
        like "$(row "$table" "$app, two ranks" "$variant")" "^$variant( +$number){6}$" "$app, $variant: it has its row"
    done
    like "$(row "$table" "$app, two ranks" off)" "^off +$number +$number +1\.000 +$number +0 +0\.00$" "$app, off: nothing moves"
    like "$(row "$table" "$app, two ranks" rows)" "^rows( +$number){3} +1\.000 " "$app: rows are compared with themselves"
done

table=$(run_mobile --parts loaded --apps quadrature --variants 'rows-told off' --rounds 2 2>/dev/null)
is $? 0 'so does it beside a load'
like "$(row "$table" 'quadrature, two ranks on two cores, a load' rows-told)" "^rows-told( +$number){5}$" \
    'what was not run is not compared with'
like "$(row "$table" 'quadrature, two ranks on two cores, a load' one)" "^one( +$number){5}$" 'one rank is measured beside the load, too'
for part in last periodic; do
    table=$(run_mobile --parts "$part" --apps quadrature --variants off 2>/dev/null)
    is $? 0 "$part: so does it beside other loads"
    like "$table" '^quadrature, two ranks on two cores, a load on that of rank [01]' "$part: the table says which"
done

mobile_csv=$(KEEL_MPI_BALANCE=off run_mobile --parts equal --apps quadrature --variants 'off steal' --csv 2>/dev/null)
is "$(head -n 1 <<<"$mobile_csv")" 'bench,case,variant,metric,value,unit' 'CSV has its heading'
like "$mobile_csv" "^mobile,quadrature; equal,serial,time,$number,s\$" 'the serial run is a row'
like "$mobile_csv" "^mobile,quadrature; equal,steal,of off,$number,1\$" 'and a ratio'
unlike "$(tail -n +2 <<<"$mobile_csv")" ',(nan|inf)?,[^,]*$' 'every value is a number'
like "$("$mobile" --help)" '^usage: bench/mobile' '--help prints the usage'

# refuses MESSAGE OPTION...
refuses()
{
    local messages
    messages=$(run_mobile "${@:2}" 2>&1)
    is $? 2 "${*:2}: it is refused"
    like "$messages" "^keel: $1" "${*:2}: the message says why"
}

refuses "--apps 'sor' is not one of pcdt quadrature" --apps 'pcdt sor'
refuses "--variants 'fast' is not one of off steal" --variants fast
refuses "--rounds '0' is not a whole number from 1" --rounds 0
refuses "bench/mobile: 'fast' is not an option" fast
done_testing
