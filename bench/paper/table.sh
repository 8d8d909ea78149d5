# Tables of a paper's figures beside Keel's. Sourced by bench/papers and by tests.

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
# A file of runs has lines "METHOD SEED FIGURE"; less is better. A spread is "MEDIAN:LOWEST:HIGHEST"
# over seeds, or "-".

# paper_spread FILE METHOD: its spread.
paper_spread()
{
    awk -v method="$2" '$1 == method { print $3 }' "$1" | sort -g | awk '
        { figure[NR] = $1 }
        END {
            if (NR == 0) { print "-"; exit }
            middle = (figure[int((NR + 1) / 2)] + figure[int(NR / 2) + 1]) / 2
            printf "%.6g:%.6g:%.6g\n", middle, figure[1], figure[NR]
        }'
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

# paper_compare_head [UNIT]: columns of a comparison. The last words of a row say which methods the
# two best ones are, and where inputs come from.
paper_compare_head()
{
    printf '%-37s %8s %15s %15s %15s %15s  %s\n' "${1:-}" paper "paper's method" \
        "Keel's default" 'best old' "Keel's best" 'which; inputs'
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

# paper_compare NAME DIGITS PAPER METHOD DEFAULT OLD BEST WORDS...: a row and, below it, the range
# over seeds where there is one. METHOD to BEST are spreads.
paper_compare()
{
    local name=$1 digits=$2 paper=$3 spread middle range medians=() ranges=()
    for spread in "${@:4:4}"; do
        read -r middle range < <(paper_cell "$spread" "$digits")
        medians+=("$middle")
        ranges+=("$range")
    done
    printf '%-37s %8s %15s %15s %15s %15s  %s\n' "$name" "$paper" "${medians[@]}" "${*:8}"
    [ "${ranges[*]}" = '- - - -' ] ||
        printf '%-37s %8s %15s %15s %15s %15s\n' '  lowest-highest of seeds' '' "${ranges[@]}"
}

# paper_compare_note: what the columns of comparisons are.
paper_compare_note()
{
    paper_note "Paper's method: as Keel runs it, to the letter. Keel's default: nothing is set. Best" \
        "old: the best published method that Keel has, plain self-scheduling (1986) among them;" \
        "Keel's best: the best of Keel's own; both are picked afterwards, for each row."
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

# paper_draw ARGUMENT...: of gnuplot. Tables need no pictures: without gnuplot there are none.
paper_draw()
{
    ! command -v gnuplot >/dev/null || gnuplot "$@"
}

# paper_note TEXT...: what stands below a table.
paper_note()
{
    printf '  %s\n' "$*" | fold -s -w 100 | sed '2,$s/^/  /; s/ *$//'
}
