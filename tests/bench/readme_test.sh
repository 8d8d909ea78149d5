#!/bin/bash
# bench/README.md names every command and every folder of bench/, and none that is not there.
source tests/support/tap.sh

cd "$(keel_root)" || exit
readme=$(<bench/README.md)

# named PATTERN: what the README has in backquotes that matches, each once.
named()
{
    grep -oE "\`$1\`" <<<"$readme" | tr -d '`' | sort -u
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
done_testing
