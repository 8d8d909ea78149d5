#!/bin/bash
# README and guides tell the truth about variables, schedules and subcommands; the README leads to every other
# document.
# What its commands do is tested by documents_test.
source tests/support/tap.sh

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
done_testing
