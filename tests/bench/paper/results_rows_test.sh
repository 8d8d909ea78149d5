#!/bin/bash
# Figures of short runs of bench/papers beside those of whole ones.
source tests/support/tap.sh
program=$(keel_path tests/bench/paper/results_rows.pl)
results=$TEST_TMPDIR/results
cat >"$results" <<'END'
bench/papers paper

  Medians and, in brackets, ranges over 3 seeds: 16951
2687 10205.

| hosts | paper | paper's method | Keel's default | best old | Keel's best | inputs |
| --- | --- | --- | --- | --- | --- | --- |
| a row | 2.96 | 3.00 (2.90 to 3.10) | 3.79 | 9.9, `old` | 9.9, `own` | chosen |
| another one | 2.96 | 9.9 | - | - | - | chosen |

A table, seeds 1 2
                   paper  simulated
a row of it         1.00       2.00
END

# judge PAPER'S-METHOD DEFAULT SIMULATED SEEDS [PUBLISHED]: what is said of a short run
judge()
{
    perl "$program" "$results" <<END
| hosts | paper | paper's method | Keel's default | best old | Keel's best | inputs |
| --- | --- | --- | --- | --- | --- | --- |
| a row | ${5:-2.96} | $1 | $2 | 1.0, \`old\` | 1.0, \`own\` | chosen |
  Medians and, in brackets, ranges over 2 seeds: $4.

A table, seeds 1 2
                   paper  simulated
a row of it         1.00      $3

Another table, seeds 1
a row of it         7.00      7.00
END
}
is "$(judge '2.95 (2.90 to 3.00)' 3.79 2.00 '16951 2687')" '3 compared' 'the same figures'
is "$(judge '3.00 (2.90 to 3.11)' 3.79 2.00 '16951 2687')" 'a row: 3.00 (2.90 to 3.11), not within 3.00 (2.90 to 3.10)
3 compared' 'a range that is wider'
is "$(judge 2.89 3.78 2.00 '16951 2687')" 'a row: 2.89, not within 3.00 (2.90 to 3.10)
a row: 3.78, not within 3.79
3 compared' 'single figures'
is "$(judge 3.00 - 2.01 '16951 2687')" 'A table, seeds 1 2: a row of it: 1.00 2.01, not 1.00 2.00
2 compared' 'a figure of another table'
is "$(judge 3.00 3.79 2.00 '16951 2687' 2.97)" 'a row: of 2.97, chosen, not 2.96, chosen
3 compared' 'another published figure'
is "$(judge 3.00 3.79 2.00 '16951 7')" '0 compared: the whole run does not name the seeds of this one' 'other seeds'
like "$(perl "$program" "$results.none" 2>&1 <<<'')" 'results.none: No such file' 'no whole run'
done_testing
