# Tables of a paper's figures beside Keel's. Sourced by bench/papers and by tests.

# What every paper's tables draw with: the first fifteen of bash's RANDOM=20261127, drawn before any of
# them was run.
PAPER_SEEDS='16951 2687 10205 4643 22560 17434 29582 19442 22314 22360 12685 21188 24602 4966 32266'

# paper_seeds COUNT: the first so many of them.
paper_seeds()
{
    cut -d ' ' -f "1-$1" <<<"$PAPER_SEEDS"
}

# paper_seeds_note SEED...: how many, and which.
paper_seeds_note()
{
    paper_note "Medians and, in brackets, ranges over $# seeds: $*."
}

# paper_table TITLE: begins a table.
paper_table()
{
    printf '\n%s\n' "$1"
}

# paper_head [UNIT]: names of the columns. The last two are differences in percent, of the model from
# the simulation and of the simulation from the paper.
paper_head()
{
    printf '%-37s %9s %9s %9s %9s %7s %7s\n' "${1:-}" paper model simulated best 'model%' 'paper%'
}

# paper_difference FIGURE REFERENCE: in percent of the reference; "-" where one of them is none.
paper_difference()
{
    awk -v figure="$1" -v reference="$2" 'BEGIN {
        if (figure == "-" || reference == "-" || reference + 0 == 0) print "-"
        else printf "%+.1f", 100 * (figure / reference - 1)
    }'
}

# paper_row NAME PAPER MODEL SIMULATED BEST: one line; "-" where there is no such figure.
paper_row()
{
    printf '%-37s %9s %9s %9s %9s %7s %7s\n' "$1" "$2" "$3" "$4" "$5" \
        "$(paper_difference "$3" "$4")" "$(paper_difference "$4" "$2")"
}

# paper_bar TEXT VALUE LIMIT: whether a figure that has to be LIMIT or less is.
paper_bar()
{
    awk -v text="$1" -v value="$2" -v limit="$3" 'BEGIN {
        verdict = value + 0 == value && value + 0 <= limit ? "met" : "missed"
        printf "  %s: %s, at most %s: %s\n", text, value, limit, verdict
    }'
}

# --- comparisons of methods ---
#
# A file of runs has lines "METHOD SEED FIGURE..."; less is better. A spread is "MEDIAN:LOWEST:HIGHEST"
# over seeds, or "-".

# paper_spread FILE METHOD [FIELD]: its spread, of another field than the third.
paper_spread()
{
    awk -v method="$2" -v field="${3:-3}" '$1 == method { print $field }' "$1" | sort -g | awk '
        { figure[NR] = $1 }
        END {
            if (NR == 0) { print "-"; exit }
            middle = (figure[int((NR + 1) / 2)] + figure[int(NR / 2) + 1]) / 2
            printf "%.6g:%.6g:%.6g\n", middle, figure[1], figure[NR]
        }'
}

# paper_over FILE METHOD OTHER: the spread of the one's figures over the other's, seed by seed.
paper_over()
{
    paper_spread <(awk -v a="$2" -v b="$3" '
        $1 == a { one[$2] = $3 }
        $1 == b { other[$2] = $3 }
        END { for (seed in one) if (other[seed] > 0) print "over", seed, one[seed] / other[seed] }' "$1") over
}

# paper_first SORT FILE METHOD...: "SPREAD METHOD" of the one whose median comes first by that option of sort.
paper_first()
{
    local sort=$1 file=$2 method
    shift 2
    for method; do
        echo "$(paper_spread "$file" "$method") $method"
    done | awk '$1 != "-"' | sort -s -t: "$sort" -k1,1 | head -n 1
}

# paper_best FILE METHOD...: that of the least median.
paper_best()
{
    paper_first -g "$@"
}

# paper_most FILE METHOD...: that of the largest one, where more is better.
paper_most()
{
    paper_first -gr "$@"
}

# paper_median SPREAD
paper_median()
{
    echo "${1%%:*}"
}

# paper_cell SPREAD DIGITS: "MEDIAN", and below it "LOWEST-HIGHEST" where they differ.
paper_cell()
{
    awk -F: -v digits="$2" '{
        if ($0 == "-") { print "- -"; exit }
        low = sprintf("%.*f", digits, $2)
        high = sprintf("%.*f", digits, $3)
        printf "%.*f %s\n", digits, $1, low == high ? "-" : low "-" high
    }' <<<"$1"
}

# paper_shown SPREAD DIGITS: "MEDIAN (LOWEST to HIGHEST)", without these where they do not differ.
paper_shown()
{
    awk -F: -v digits="$2" '{
        if ($0 == "-") { print; exit }
        low = sprintf("%.*f", digits, $2)
        high = sprintf("%.*f", digits, $3)
        printf "%.*f%s\n", digits, $1, low == high ? "" : " (" low " to " high ")"
    }' <<<"$1"
}

# A comparison is a table in Markdown, which RESULTS.md has as it is printed.

# paper_compare_head [UNIT]: columns of a comparison.
paper_compare_head()
{
    printf '| %s | paper | paper'"'"'s method | Keel'"'"'s default | best old | Keel'"'"'s best | inputs |\n' "${1:-}"
    printf '| --- | --- | --- | --- | --- | --- | --- |\n'
}

# paper_compare NAME DIGITS PAPER METHOD DEFAULT OLD OLD_NAME BEST BEST_NAME INPUTS: a row. METHOD,
# DEFAULT, OLD and BEST are spreads; the names are of the methods that are best.
paper_compare()
{
    local old best
    old=$(paper_shown "$6" "$2")${7:+, \`$7\`}
    best=$(paper_shown "$8" "$2")${9:+, \`$9\`}
    printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$1" "$3" "$(paper_shown "$4" "$2")" \
        "$(paper_shown "$5" "$2")" "$old" "$best" "${10}"
}

# paper_labels FILE: of the comparisons in a file, what does not depend on runs: "NAME | PAPER | INPUTS".
paper_labels()
{
    awk -F ' *[|] *' 'NF == 9 && $2 !~ /^-/ && $3 != "paper" { print $2 " | " $3 " | " $8 }' "$1"
}

# paper_compare_note METHOD DEFAULT OLD OWN: what the columns of a comparison are, in the variables by
# which the methods were run. OLD, OWN: names of the methods that the best ones are of.
paper_compare_note()
{
    paper_note "Paper's method: $1. Keel's default: $2. Best old: of $3. Keel's best: of $4. Both are" \
        'picked afterwards, for each row.'
}

# paper_conclusion CONDITION TEXT WHY: what a paper concludes, whether it came out, as awk says of
# CONDITION, and if not, why. Without CONDITION: not tested.
paper_conclusion()
{
    local verdict='not tested'
    if [ -n "$1" ]; then
        verdict=$(awk "BEGIN { print ($1) ? \"came out\" : \"did not come out\" }")
    fi
    if [ "$verdict" = 'came out' ]; then
        paper_note "$verdict: $2."
    else
        paper_note "$verdict: $2. $3"
    fi
}

# paper_note TEXT...: what stands below a table.
paper_note()
{
    printf '  %s\n' "$*" | fold -s -w 100 | sed '2,$s/^/  /; s/ *$//'
}
