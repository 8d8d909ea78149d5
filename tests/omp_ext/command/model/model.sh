# What the tests of `keel model` share. Sourced after command.sh.

# Costs of the machine are those of the table, whatever has been measured here.
export XDG_CACHE_HOME=$TEST_TMPDIR/cache
models='loop balance objects pipeline oscillation round-robin migration'

# result MODEL NAME [ARGUMENT...]: one result.
result()
{
    local model=$1 name=$2
    shift 2
    "$keel" model predict --csv --result "$name" "$model" "$@" | sed -n '2s/^[^,]*,\([^,]*\),.*/\1/p'
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
    local message=$1
    shift
    is "$(code "$keel" model "$@")" 2 "$*: exit code"
    like "$(messages)" "^keel: $message" "$*: message"
    is "$(messages | wc -l)" 1 "$*: of one line"
    is "$(output)" '' "$*: no output"
}
