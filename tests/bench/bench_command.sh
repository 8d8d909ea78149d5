# What the tests of bench/ share: running its commands, and simulated jobs.
source tests/support/tap.sh

# holds EXPRESSION: of awk.
holds()
{
    awk "BEGIN { exit !($1) }"
}

# --- commands ---

number='-?[0-9]+(\.[0-9]+)?'

# bench NAME PROGRAM: the command that is tested, and something built of its folder. It runs with the `usual` options of the test.
bench()
{
    name=$1
    command=$(keel_path "bench/$1")
    program=$(keel_path "bench/$2")
    built=${program%/bench/*}
}

run()
{
    TMPDIR=$TEST_TMPDIR timeout "$((3 * tap_patience_s))" "$command" --built "$built" "${usual[@]}" "$@"
}

# succeeds OPTION...: sets `table` to what it prints, and `messages`.
succeeds()
{
    table=$(run "$@" 2>"$TEST_TMPDIR/messages")
    is $? 0 "$name $*: it succeeds" || diag "$(<"$TEST_TMPDIR/messages")"
    messages=$(<"$TEST_TMPDIR/messages")
}

# row HEADING NAME: the row of that name below the first line of the table that has HEADING.
row()
{
    awk -v heading="$1" -v name="$2" '
        $0 == "" { inside = 0 }
        index($0, heading) { inside = 1 }
        inside && index($0, name " ") == 1 { print; exit }' <<<"$table"
}

# refuses MESSAGE OPTION...
refuses()
{
    local said
    said=$(run "${@:2}" 2>&1)
    is $? 2 "$name ${*:2}: it is refused"
    like "$said" "^keel: $1" "$name ${*:2}: the message says why"
}

# --- simulated jobs ---

# simulations: sets `folder`, for their platforms, and has what bench/sim/smpirun.sh has.
simulations()
{
    source bench/sim/smpirun.sh
    folder=$TEST_TMPDIR/simulated
    mkdir -p "$folder"
}
