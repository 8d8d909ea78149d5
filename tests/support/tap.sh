# TAP for tests in bash, sourced from the workspace root; tests/run and `bazel test` read what it prints and how it ends.
# A script ends with done_testing: without it, or with a failed check, the script exits non-zero.

# By hand there is no scratch folder yet: what is written to $TEST_TMPDIR/bin must never come into /bin.
tap_scratch=
if [ -z "${TEST_TMPDIR:-}" ]; then
    tap_scratch=$(mktemp -d) || exit 1
    export TEST_TMPDIR=$tap_scratch
fi

tap_run=0
tap_failed=0
tap_planned=
tap_finished=
tap_missing=${TEST_TMPDIR:-/tmp}/tap_missing.$$ # there when a file was missing; subshells have the same $$

# keel_path PATH: absolute path of a built or source file, PATH as seen from the root. Built files lie beside
# the sources in a test's runfiles, and in bazel-bin when the script is run by hand from the root. A script that asks
# for a file that is missing fails at its end, for most of them ask in $(...).
keel_path()
{
    local folder
    for folder in "${TEST_SRCDIR:+$TEST_SRCDIR/$TEST_WORKSPACE}" "$PWD/bazel-bin" "$PWD"; do
        if [ -n "$folder" ] && [ -e "$folder/$1" ]; then
            printf '%s\n' "$folder/$1"
            return
        fi
    done
    diag "$1: no such file; is it in the data of this test?"
    : >"$tap_missing"
    return 1
}

# The folder of the script, as seen from the root: tests/omp_ext/loop, whoever runs it from where.
room=tests/${0##*tests/}
room=${room%/*}

# program NAME: path of a program of that folder, or, as ../loop/NAME, of another one. Where KEEL_TEST_HOLLOW is set, it is
# a program that does nothing and succeeds, with which no check may pass that says that something ran.
program()
{
    if [ -n "${KEEL_TEST_HOLLOW:-}" ] && [[ $1 != *.so ]]; then
        type -P true
    else
        keel_path "$room/$1"
    fi
}

# The checkout, for tests about the checkout itself (tagged `manual`: Bazel's sandbox has no checkout).
keel_root()
{
    printf '%s\n' "${KEEL_TEST_ROOT:-$PWD}"
}

# diag TEXT...: remarks that prove shows whether or not the test fails.
diag()
{
    printf '%s\n' "$*" | sed 's/^/# /' >&2
}

# plan COUNT announces the number of checks; plan skip_all REASON ends the script.
plan()
{
    if [ "$1" = skip_all ]; then
        printf '1..0 # SKIP %s\n' "$2"
        tap_finished=1
        exit 0
    fi
    tap_planned=$1
    printf '1..%s\n' "$1"
}

# tap_result STATUS NAME: one line of TAP; a status of 0 is success.
tap_result()
{
    tap_run=$((tap_run + 1))
    if [ "$1" = 0 ]; then
        printf 'ok %d - %s\n' "$tap_run" "$2"
        return 0
    fi
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_run" "$2"
    diag "failed: $2"
    return 1
}

# ok NAME COMMAND...: the command succeeds; what it printed is shown when it does not.
ok()
{
    local name=$1 output status
    shift
    output=$("$@" 2>&1)
    status=$?
    tap_result "$status" "$name" && return
    diag "command: $*"
    diag "exit status: $status"
    [ -z "$output" ] || diag "$output"
    return 1
}

# prints NAME TEXT COMMAND...: it succeeds and prints just these lines, in any order.
prints()
{
    local output status
    output=$("${@:3}" 2>&1)
    status=$?
    is "$status $(sort <<<"$output")" "0 $(sort <<<"$2")" "$1"
}

# is GOT WANTED NAME: the texts are the same.
is()
{
    [ "$1" = "$2" ]
    tap_result $? "$3" && return
    diag "got: $1"
    diag "wanted: $2"
    return 1
}

# same GOT WANTED NAME: there is a text, and it is that one. For what two runs say.
same()
{
    is "$1" "${2:-a text to compare with}" "$3"
}

# like GOT PATTERN NAME: the extended regular expression matches some line of the text.
like()
{
    grep -qE -e "$2" <<<"$1"
    tap_result $? "$3" && return
    diag "got: $1"
    diag "wanted a match of: $2"
    return 1
}

# unlike GOT PATTERN NAME: there is a text, and the extended regular expression matches no line of it.
unlike()
{
    [ -n "$1" ] && ! grep -qE -e "$2" <<<"$1"
    tap_result $? "$3" && return
    diag "got: $1"
    diag "wanted no match of: $2"
    return 1
}

# clear_help COMMAND...: its --help has no words that were not understood.
clear_help()
{
    unlike "$("$@" --help | tr -s ' \n' ' ')" 'become one data|hangs, seconds' "$* --help: words that were not understood"
}

tap_beside=()

# beside COMMAND...: makes checks in a subshell, beside what follows; the eighth waits for those before it. For commands
# that mostly wait.
beside()
{
    [ ${#tap_beside[@]} -lt 7 ] || together
    local results=$TEST_TMPDIR/beside.${#tap_beside[@]}
    ("$@" >"$results" 2>"$results.remarks"; printf 'ended\n' >>"$results") &
    tap_beside+=("$results $!")
}

# together: waits for these, and takes over their checks and remarks in the order in which they began.
together()
{
    local entry line last status checks
    for entry in "${tap_beside[@]}"; do
        wait "${entry##* }"
        last='' checks=0
        while IFS= read -r line; do
            last=$line
            [[ $line =~ ^(not )?ok\ [0-9]+\ -\ (.*) ]] || continue
            status=0
            [ -z "${BASH_REMATCH[1]}" ] || status=1
            tap_result $status "${BASH_REMATCH[2]}"
            ((++checks))
        done <"${entry% *}"
        cat "${entry% *}.remarks" >&2
        [ "$last" = ended ] && [ $checks != 0 ] || tap_result 1 'what runs beside others makes its checks'
    done
    tap_beside=()
}

# How long a command may take before it counts as one that never ends, in seconds. What a test asserts
# holds beside any other work, which may make everything twenty times slower.
tap_patience_s=${KEEL_TEST_PATIENCE:-300}

# nightly: whether all that there is to try is to be tried, however long it takes (tests/run --nightly).
nightly()
{
    [ -n "${KEEL_TEST_NIGHTLY:-}" ]
}

# each_day LIST ALL: what a day's run goes through, LIST, and what a nightly one does, ALL.
each_day()
{
    if nightly; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

# within_cpu SECONDS COMMAND...: ends the command when it has computed for longer. Other work does not
# count.
within_cpu()
(
    ulimit -t "$1"
    shift
    exec "$@"
)

# Programs of checks say in a file when they have passed, so that none is taken to have passed that never
# ran. passed_file makes one.
passed_file()
{
    mktemp "$TEST_TMPDIR/passed.XXXXXX"
}

# all_passed FILE COUNT: so many processes have said it, and there was something to check.
all_passed()
{
    local said
    said=$(grep -c '^passed .* checks=[0-9]' "$1")
    [ "$said" = "$2" ] && grep -q ' checks=[1-9]' "$1" && return
    printf 'line 0: wrong: %s of %s processes have said that their checks passed\n' "$said" "$2"
    cat "$1"
    return 1
}

# said_passed COUNT COMMAND...: programs of checks, so many processes, which succeed only if each says that its checks passed.
said_passed()
{
    local passed status=0
    passed=$(passed_file)
    KEEL_TEST_PASSED=$passed "${@:2}" || status=$?
    [ "$status" != 0 ] || all_passed "$passed" "$1" || status=97
    rm -f "$passed"
    return "$status"
}

# checked COMMAND...: the same, one process.
checked()
{
    said_passed 1 "$@"
}

# make_locale NAME CHARSET: LC_ALL=NAME.CHARSET works in this script. Its definition comes with Debian's package `locales`.
make_locale()
{
    local output
    export LOCPATH=$TEST_TMPDIR/locales
    mkdir -p "$LOCPATH"
    output=$(localedef -c -i "$1" -f "$2" "$LOCPATH/$1.$2" 2>&1)
    [ -d "$LOCPATH/$1.$2" ] || diag "$output"
}

# skip NAME REASON: a check that cannot be made here.
skip()
{
    tap_run=$((tap_run + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_run" "$1" "$2"
}

done_testing()
{
    tap_finished=1
    [ -n "$tap_planned" ] || printf '1..%d\n' "$tap_run"
    if [ "${tap_planned:-$tap_run}" != "$tap_run" ]; then
        diag "planned $tap_planned checks, made $tap_run"
        exit 1
    fi
    if [ ${#tap_beside[@]} != 0 ]; then
        diag 'checks beside others were not waited for'
        exit 1
    fi
    if [ "$tap_run" = 0 ]; then
        diag 'no check was made'
        exit 1
    fi
    if [ -e "$tap_missing" ]; then
        rm "$tap_missing"
        exit 1
    fi
    exit $((tap_failed > 0))
}

# Runs at every exit: a script that stops early must not pass for its exit status.
tap_at_exit()
{
    local status=$?
    [ -z "$tap_scratch" ] || [ "$BASHPID" != $$ ] || rm -rf "$tap_scratch"
    if [ -z "$tap_finished" ]; then
        diag 'the script ended before done_testing'
        exit 1
    fi
    exit "$status"
}

trap tap_at_exit EXIT
