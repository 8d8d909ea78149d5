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
    printf '%-30s %9s %9s %9s %9s %7s %7s\n' "${1:-}" paper model simulated best 'model%' 'paper%'
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
    printf '%-30s %9s %9s %9s %9s %7s %7s\n' "$1" "$2" "$3" "$4" "$5" \
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
