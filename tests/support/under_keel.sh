# For tests of libkeel.so: programs run with it preloaded. Sourced from the workspace root.
source tests/support/tap.sh

for variable in ${!KEEL_@} ${!OMP_@} ${!GOMP_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_WAIT_POLICY=passive # teams are larger than the machine

library=$(keel_path omp_ext/libkeel.so)

# under_keel [NAME=VALUE...] COMMAND...: with libkeel.so preloaded.
under_keel()
{
    timeout "$tap_patience_s" env LD_PRELOAD="$library" "$@"
}

# passes NAME [ARGUMENT...]: the program says that its checks passed, and there are no messages but that costs are missing,
# or that the rule `nosuch` means no loop.
passes()
{
    prints "$*" '' without_remarks checked under_keel "$(program "$1")" "${@:2}"
}
without_remarks()
(
    set -o pipefail
    "$@" 2>&1 | sed "/^keel: [a-z]*: no costs for a loop of /d; /^keel: KEEL_SCHEDULE: rule 'nosuch' means no loop /d"
)

# unbroken: a report, on standard input, with the notes below loops made whole where they are broken.
unbroken()
{
    sed ':join; N; $! b join; s/\n            */ /g'
}

# other_gccs COMMAND...: "-VERSION" for each version of GCC beside the system's that has all these, from 11 on.
other_gccs()
{
    local version command
    for version in {11..19}; do
        [ "$version" != "$(gcc -dumpversion)" ] || continue
        for command; do
            command -v "$command-$version" >/dev/null || continue 2
        done
        printf '%s\n' "-$version"
    done
}
