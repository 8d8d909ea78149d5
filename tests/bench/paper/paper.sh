# What the tests of the papers share. Sourced with `paper` set, after bench_command.sh: runs the paper's short form, whose tables
# are $tables, and has what they are looked at by.
export SIM_SECONDS=${SIM_SECONDS:-3000} # other tests may have the processors
papers=$(keel_path bench/papers)
built=$(keel_path "bench/papers_dir/$paper/${paper_program:-${paper}_model}")
built=${built%/bench/papers_dir/*}

# part FOLDER PART ARGUMENT...: one table alone.
part()
{
    mkdir -p "$1"
    perl "bench/papers_dir/$paper/$paper.pl" "$built" "$1" 1 "${@:2}"
}

# figures ROW [TITLE]: of the first such row, in the first table whose title has that, what follows its name.
figures()
{
    awk -v row="$1 " -v title="${2:-}" '
        /^$/ { inside = 0 }
        title == "" || index($0, title) { inside = 1 }
        inside && index($0, row) == 1 { print substr($0, length(row)); exit }' <<<"$tables" | tr -s ' ' | sed 's/^ //'
}

# cell ROW COLUMN: of a comparison: 1 paper, 2 paper's method, 3 default, 4 best old, 5 best own.
cell()
{
    awk -F ' *[|] *' -v row="$1" -v column="$2" '$2 == row { print $(column + 2); exit }' <<<"$tables"
}

# within PERCENT FIGURE OTHER
within()
{
    holds "\"$2\" != \"\" && $3 + 0 != 0 && ($2 / $3 - 1) ^ 2 <= ($1 / 100) ^ 2"
}

# agree PERCENT ROW [TITLE]: the model and the simulation, in columns 2 and 3.
agree()
{
    local model simulated
    read -r _ model simulated _ < <(figures "$2" "${3:-}")
    ok "$2: $model by the model, $simulated simulated: within $1 %" within "$1" "$model" "$simulated"
}

# compared METHOD: below the comparison are the method that was run, and the seeds; the whole run, which is kept beside
# the paper's script, has the same rows, and its figures have those of this short run among them.
compared()
{
    local whole=$(keel_path "bench/papers_dir/$paper/output.txt")
    like "$(tr -s ' \n' ' ' <<<"$tables")" "Paper's method: $1.* over 2 seeds: 16951 2687\. " \
        'below the comparison are the method that was run, and the seeds'
    local said=$(perl "$(keel_path tests/bench/paper/results_rows.pl)" "$whole" <<<"$tables")
    if [[ $said == '0 compared: '* ]]; then
        skip 'its figures fit' "${said#*: }"
    else
        is "$(grep -v '^[1-9][0-9]* compared$' <<<"$said")" '' "its figures fit: ${said##*$'\n'}"
    fi
}

if [ -z "${parts_only:-}" ]; then
    tables=$("$papers" --built "$built" --short "$paper" 2>"$TEST_TMPDIR/messages")
    is "$? $(grep -v ' simulating \| that took ' "$TEST_TMPDIR/messages")" '0 ' 'all of it runs, without complaints'
fi
