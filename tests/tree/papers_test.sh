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

# Comment text of a file: what stands in /* */ or behind #.
comments()
{
    perl -0777 -ne 'print $ARGV =~ /\.(c|h|cc)$/ ? join("\n", m{/\*.*?\*/}sg) : join("\n", /^\s*#.*$/mg)' "$1"
}

# Keys in comments, FILE KEY a line; a range names all keys from its first to its last one.
cited()
{
    local file
    while IFS= read -r file; do
        comments "$file" | grep -oE '\b([SKFR])[0-9]{1,2}((-| to )\1[0-9]{1,2})?\b' | sed "s,^,$file ,"
    done < <(sources) | perl -ne '
        my ($file, $letter, $first, $last) = /^(\S+) ([SKFR])(\d+)(?:(?:-| to )[SKFR](\d+))?$/ or next;
        print "$file $letter$_\n" for $first .. ($last // $first);' | sort -u
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
