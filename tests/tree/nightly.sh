# Which tests are left for the night: names that match tests/nightly.txt; and which of them a commit draws. Sourced by
# tests/run, tests/mutants and hollow_test, in the checkout's root.

# Of the names on standard input, those of nightly tests.
nightly()
{
    grep -E -f <(nightly_patterns)
}

# Those of the others.
of_a_day()
{
    grep -vE -f <(nightly_patterns)
}

nightly_patterns()
{
    sed '/^#/ d; /^$/ d' tests/nightly.txt
}

# Orders the names on standard input as the commit's hash decides.
drawn_by_commit()
{
    local commit name
    commit=$(git rev-parse HEAD)
    while read -r name; do
        printf '%s %s\n' "$(sha256sum <<<"$commit $name")" "$name"
    done | sort | sed 's/.* //'
}
