# What the tests of `keel model` share. Sourced after command.sh.

models='loop balance objects pipeline'

# result MODEL NAME [ARGUMENT...]: one result.
result()
{
    local model=$1 name=$2
    shift 2
    "$keel" model predict --csv "$model" "$@" | sed -n "s/^$name,\([^,]*\),.*/\1/p"
}

# near GOT WANTED NAME: equal to 6 digits.
near()
{
    awk -v got="$1" -v wanted="$2" 'BEGIN { d = got - wanted; d = d < 0 ? -d : d; w = wanted < 0 ? -wanted : wanted
        exit !(got != "" && d <= 1e-6 * w) }'
    tap_result $? "$3" && return
    diag "got: $1"
    diag "wanted: $2"
    return 1
}

# refused MESSAGE ARGUMENT...: exit code 2, one line, no output.
refused()
{
    local message=$1 status said
    shift
    "$keel" model "$@" >"$TEST_TMPDIR/output" 2>"$TEST_TMPDIR/messages"
    status=$?
    mapfile -t said <"$TEST_TMPDIR/messages"
    is "$status" 2 "$*: exit code"
    [[ ${said[0]:-} =~ ^"keel: "$message ]]
    tap_result $? "$*: message" || diag "got: ${said[*]}" "wanted: keel: $message"
    is "${#said[@]}" 1 "$*: of one line"
    [ ! -s "$TEST_TMPDIR/output" ]
    tap_result $? "$*: no output"
}
