#!/bin/bash
# Formulas come from schedules/PAPERS.md: every key that a source cites is defined there, and each citation says in
# words what it cites.
source tests/support/tap.sh

cd "$(keel_root)" || exit

defined()
{
    grep -oE '^\*\*[SKFR][0-9]+,' schedules/PAPERS.md | tr -d '*,'
}

sources()
{
    find . -name .git -prune -o -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.f90' -o -name '*.sh' -o -name BUILD \) \
        -not -name papers_test.sh -print
}

# Keys in comments, which stand in /* */ or behind #, FILE KEY a line; a range names all keys from its first to its last.
cited()
{
    sources | xargs perl -0777 -ne '
        my $comments = $ARGV =~ /\.(c|h|cc)$/ ? join("\n", m{/\*.*?\*/}sg) : join("\n", /^\s*#.*$/mg);
        while ($comments =~ /\b([SKFR])(\d{1,2})(?:(?:-| to )\1(\d{1,2}))?\b/g) {
            print "$ARGV $1$_\n" for $2 .. ($3 // $2);
        }' | sort -u
}

# A comment that is nothing but keys and where they are defined.
wordless()
{
    grep -nE '(/\*|#|^ \*) *\(?(schedules/)?PAPERS\.md [SKFR][0-9]+( *\*/|\)?\.?$)' $(sources)
}

keys=$(defined)
is "$(wc -l <<<"$keys")" 46 'S1 to S17, K1 to K9, F1 to F10 and R1 to R10 are defined'
is "$(sort <<<"$keys" | uniq -d)" '' 'each of them once'

citations=$(cited)
ok 'citations are found' test "$(wc -l <<<"$citations")" -ge 100
# Letters with numbers that are no keys: registers, formats and names in sources about something else.
is "$(grep -vwFf <(printf '%s\n' $keys) <<<"$citations")" '' 'every key that is cited is defined'
is "$(wordless)" '' 'citations say what they cite'
is "$(sources | xargs grep -lF papers/README.md)" '' 'nothing is cited that is not in the tree'
done_testing
