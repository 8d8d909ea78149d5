#!/bin/bash
# What documents say is so: README and guides about variables, schedules and subcommands, the README of bench/ about its
# commands, and PAPERS.md about formulas.
source tests/support/tap.sh

# --- README and guides tell the truth about variables, schedules and subcommands; the README leads to every other
# document. What its commands do is tested by documents_test. ---

keel=$(keel_path keel)
cd "$(keel_root)" || exit
readme=$(cat README.md)

while IFS= read -r line; do
    ok "variables: ${line:0:40}" grep -qxF -- "$line" omp_ext/README.md
done < <("$keel" env --markdown)

schedules=$(cat schedules/README.md)
while IFS= read -r name; do
    # shellcheck disable=SC2016 # the backquote is markdown's
    like "$schedules" '^[|].*`'"$name"'[`[,].*[|].*[|]$' "schedule $name has its row"
done < <("$keel" list --names)

# Every document, from the README on, by links.
while IFS= read -r document; do
    like "$readme" "\]\(${document//./\\.}[)#]" "leads to $document"
done < <(find . \( -name .git -o -name 'bazel-*' \) -prune -o -name '*.md' -not -path ./README.md -printf '%P\n')

ok 'it can be read in one go' test "$(wc -l <<<"$readme")" -le 200

# Every subcommand is described in the guide to the command, and those that are described exist.
guide=$(cat omp_ext/README.md)
while IFS= read -r word; do
    like "$guide$readme" "(\`|\(|\\$ )keel $word\b" "keel $word is described"
done < <("$keel" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
while IFS= read -r word; do
    like "$("$keel" --help)" "^  $word " "keel $word exists"
done < <(grep -ohE '`keel [a-z]+' README.md ./*/*.md | sed 's/.* //' | sort -u)

# --- the README of bench: bench/README.md names every command and every folder of bench/, and none that is not there
# ---

bench_readme=$(<bench/README.md)

# named PATTERN: what the README has in backquotes that matches, each once.
named()
{
    grep -oE "\`$1\`" <<<"$bench_readme" | tr -d '`' | sort -u
}

commands=$(find bench -maxdepth 1 -type f -perm -u+x | sort)
is "$(sed -n 's/^| `\(bench\/[a-z]*\)` |.*/\1/p' bench/README.md | sort)" "$commands" 'each command has its row'
is "$({ named '[a-z_]+/' && sed 's,bench/\(.*\),\1_dir/,' <<<"$commands"; } | sort)" \
    "$(find bench -mindepth 1 -maxdepth 1 -type d -printf '%f/\n' | sort)" 'each folder is named, or is of a command'
for command in $(named 'bench/[a-z]+'); do
    ok "$command is there" test -e "$command"
done
for command in $commands; do
    clear_help "$command"
    messages=$("$command" --fast 2>&1)
    is "$?: ${messages%%$'\n'*}" "2: keel: $command: unrecognized option '--fast'" "$command refuses an unknown option"
    messages=$("$command" fast 2>&1)
    is "$?: ${messages##*; }" '2: nothing is run' "$command refuses a word that it does not know"
done
while read -r folder; do
    if [ -e "$folder/BUILD" ]; then
        like "$(head -n 1 "$folder/BUILD")" '^# .' "$folder: its BUILD begins with a comment"
    else
        name=${folder##*/}
        ok "$folder: its part of the BUILD above begins with a comment" \
            grep -qE "^# --- (bench/)?${name%_dir}: ." "$(dirname "$folder")/BUILD"
    fi
done < <(find bench -type d | sort)

# --- papers: formulas come from schedules/PAPERS.md: every key that a source cites is defined there, and each citation
# says in words what it cites ---

defined()
{
    grep -oE '^\*\*[SKFR][0-9]+,' schedules/PAPERS.md | tr -d '*,'
}

sources()
{
    find . -name .git -prune -o -type f \( -name '*.[ch]' -o -name '*.cc' -o -name '*.f90' -o -name '*.sh' -o -name BUILD \) \
        -not -name readme_test.sh -print
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
