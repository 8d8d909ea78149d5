#!/bin/bash
# The README tells the truth about variables, schedules, commands and files.
source tests/support/tap.sh

keel=$(keel_path keel)
cd "$(keel_root)" || exit
readme=$(cat README.md)

# in_readme LINE: the README has exactly this line.
in_readme()
{
    grep -qxF -- "$1" <<<"$readme"
}

while IFS= read -r line; do
    ok "variables: ${line:0:40}" in_readme "$line"
done < <("$keel" env --markdown)

while IFS= read -r name; do
    # shellcheck disable=SC2016 # the backquote is markdown's
    like "$readme" '`'"$name"'[`[,]' "schedule $name has its row"
done < <("$keel" list --names)

for file in bench/demo bench/dispatch tests/run tests/conformance/run; do
    like "$readme" "$file" "names $file"
    ok "$file can be run" test -x "$file"
done

# Every option of a command that the README shows is one that the command knows.
for word in run check list chunks env cflags libs; do
    like "$("$keel" --help)" "^  $word " "keel $word exists"
done
done_testing
