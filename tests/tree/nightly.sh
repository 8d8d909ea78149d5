# Which tests are left for the night: names that match tests/nightly.txt. Sourced by tests/run and tests/mutants, in the
# checkout's root.

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
