# What the tests of the papers share. Sourced with `paper` set, after tap.sh: runs the paper's short form, whose tables
# go to $tables, and has what they are looked at by.
source bench/sim/smpirun.sh
source bench/sim/experiments.sh
source bench/sim/oscillation.sh
source bench/papers_dir/table.sh
source "bench/papers_dir/$paper/$paper.sh"

export SIM_SECONDS=${SIM_SECONDS:-3000} # as bench/papers does: other tests may have the processors
built=$(keel_path "bench/papers_dir/$paper/${paper_program:-model}")
built=${built%/bench/papers_dir/*}
results=$(keel_path bench/RESULTS.md)
folder=${TEST_TMPDIR:?}/$paper
tables=$folder/tables
mkdir "$folder"

# holds EXPRESSION: of awk.
holds()
{
    awk "BEGIN { exit !($1) }"
}

# figures ROW: of the first such row, what follows its name.
figures()
{
    awk -v row="$1 " 'index($0, row) == 1 { print substr($0, length(row)); exit }' "$tables" | tr -s ' ' | sed 's/^ //'
}

# cell ROW COLUMN: of a comparison: 1 paper, 2 paper's method, 3 default, 4 best old, 5 best own.
cell()
{
    awk -F ' *[|] *' -v row="$1" -v column="$2" '$2 == row { print $(column + 2); exit }' "$tables"
}

# within PERCENT FIGURE OTHER
within()
{
    holds "\"$2\" != \"\" && $3 + 0 != 0 && ($2 / $3 - 1) ^ 2 <= ($1 / 100) ^ 2"
}

# labels FILE: of comparisons; but for the seeds of pipelined sweeps, which are fewer in the short form.
labels()
{
    paper_labels "$1" | sed 's/; seeds .*//' | sort
}

# compared METHOD: below the comparison stand the method that was run, and the seeds; RESULTS.md has the same rows.
compared()
{
    like "$(tr -s ' \n' ' ' <"$tables")" "Paper's method: $1.* over 2 seeds: $(paper_seeds 2)\. " \
        'below the comparison stand the method that was run, and the seeds'
    is "$(comm -23 <(labels "$tables") <(labels "$results"))" '' \
        'RESULTS.md has rows of the same names, published figures and inputs'
}

(set -eu -o pipefail && "${paper}_run" "$folder" 1) >"$tables" 2>"$folder/complaints" </dev/null
is "$? $(<"$folder/complaints")" '0 ' 'all of it runs, without complaints'
