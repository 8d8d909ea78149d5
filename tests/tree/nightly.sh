# Which tests are left for the night, and which of them a commit draws. Sourced by tests/run, tests/mutants and
# hollow_test, in the checkout's root.

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

# Tests that tests/run leaves for the night, a regular expression of their names on each line. Before a change is
# taken, tests/run --ci runs a tenth of them, and of scripts that try more at night (each_day, nightly).
nightly_patterns()
{
    sed '/^#/ d; /^$/ d' <<'END'
# Benchmarks, the experiments of papers, and real programs with them. Each day: help texts, and a table of each paper.
^tests/bench/sim/
^tests/bench/(apps|commands|follow|imbalance|kernels|ranks)_test$
^tests/bench/paper/(fg95|kp96|prema05|ss97)_test$

# Fuzzers, models, conformance, other processors and other MPIs.
_fuzz_test$
^tests/models/
^tests/conformance/
/aarch64_test$
_mpich$
/job/mix_test$

# Many faults, many programs, much memory. Each day: one of each fault.
/job/namespaces_test$

# Whole comparisons, packages, long runs that learn, what is held against a run without Keel for long.
/command/(check_findings|compare_whole|plot)_test$
/source/source_lines_test$
/plugin/left_alone_test$
^tests/(adding|packaging)/
^tests/tree/(hollow|mutants|root)_test$
END
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
