#!/bin/bash
# Manual pages and completions say what the command, its tables and the headers say, and are well-formed.
source tests/support/tap.sh
source tests/packaging/packaging.sh

at=$work/keel
ok 'Keel is installed' install_keel --prefix="$at"
keel=$at/bin/keel
man=$at/share/man
export GROFF_NO_SGR=1 MANWIDTH=200 LC_ALL=C.UTF-8 MANPAGER=cat MAN_KEEP_FORMATTING=

# shown PAGE: as a person sees it.
shown()
{
    man -E UTF-8 -l "$man/man${1##*.}/$1" | sed 's/.\x08//g'
}

# --- form ---

while IFS= read -r page; do
    is "$(man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" '' "${page##*/}: man has nothing to say"
    if command -v mandoc >/dev/null; then
        is "$(mandoc -Tlint "$page" | grep -v 'missing date')" '' 'nor mandoc'
    fi
done < <(find "$man" -type f | sort)

# --- the command ---

mapfile -t subcommands < <("$keel" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
ok 'there are subcommands' test ${#subcommands[@]} -ge 13
is "$(cd "$man/man1" && ls)" "$(printf 'keel%s.1\n' '' "${subcommands[@]/#/-}" | LC_ALL=C sort)" 'a page for each subcommand'
overview=$(shown keel.1)
for name in "${subcommands[@]}"; do
    summary=$("$keel" --help | sed -n "s/^  $name  *//p")
    like "$overview" "^ +keel-$name\(1\)" "keel(1) leads to keel-$name(1)"
    page=$(shown "keel-$name.1")
    is "$(grep -A1 '^NAME' <<<"$page" | sed -n '2s/^ *//p')" "keel-$name - $summary" 'which has its summary'
    while IFS= read -r option; do
        like "$page" "^ +(-., )?$option(=[^ ]+)?( |\$)" "and $option"
    done < <("$keel" "$name" --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -e '--[a-z-]+')
done
page=$(shown keel-model.1)
while IFS= read -r action; do
    like "$page" "^   keel model $action" "keel model $action has its part"
done < <("$keel" model --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p')

# --- tables ---

page=$(shown keel_schedules.7)
while IFS= read -r name; do
    like "$page" "^   $name: " "schedule $name"
    written=$("$keel" list "$name" | sed -n 's/^  written  *//p')
    like "$page" "^ +$(sed 's/[]*+().[]/\\&/g' <<<"$written")" "written $written"
done < <("$keel" list --names)
while IFS= read -r row; do
    name=$(sed 's/^| `\([A-Z_]*\)`.*/\1/' <<<"$row")
    meaning=$(cut -d'|' -f5 <<<"$row" | sed 's/^ //; s/[^a-z 0-9].*//; s/ $//')
    like "$(shown keel_environment.7 | grep -A6 "^ *$name=" | tr -s ' ')" "$(cut -c1-60 <<<"$meaning")" "$name and what it means"
done < <("$keel" env --markdown | tail -n +3)

# --- headers ---

for pair in keel.h:keel.h keel_mpi.h:keel_mpi keel_mpi_objects.h:keel_mpi_objects keel_mpi_recovery.h:keel_mpi_recovery; do
    page=$(shown "${pair#*:}.3")
    while IFS= read -r function; do
        like "$page" "[ *]$function\(" "${pair%:*}: $function()"
        is "$(readlink "$man/man3/$function.3")" "${pair#*:}.3" 'has a page'
    done < <(gcc -fpreprocessed -dD -E -P "$at/include/${pair%:*}" | grep -oE '^[a-z][A-Za-z_ *]*\bkeel_[a-z_]+\(' | grep -oE 'keel_[a-z_]+')
    while IFS= read -r word; do
        like "$page" "\b$word\b" "and $word"
    done < <(grep -oE '^    KEEL_[A-Z_]+ = [0-9]+' "$at/include/${pair%:*}" | grep -oE '[A-Z_]+' | sort -u)
done
is "$(man -M "$man" -w keel_set_schedule)" "$man/man3/keel.h.3" 'man finds a function'

# --- completion ---

completion=$at/share/bash-completion/completions/keel
ok 'bash reads the completion' bash -n "$completion"

# completed WORD...: what bash offers for the last word.
completed()
{
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _keel; printf "%s\n" "${COMPREPLY[@]}"' - "$completion" "$@" | sort
}

is "$(completed keel '')" "$(printf '%s\n' "${subcommands[@]}" --help --usage --version | LC_ALL=C sort | sort)" 'subcommands'
is "$(completed keel top)" topology 'one of them'
for name in "${subcommands[@]}"; do
    [ "$name" != model ] || continue
    is "$(completed keel "$name" -- | sed 's/=$//')" "$("$keel" "$name" --help | grep -oE '^  (-., |    )--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort)" "options of keel $name"
done
is "$(completed keel model '')" "$("$keel" model --help | sed -n '/^Actions:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)" 'actions of keel model'
is "$(completed keel run -s fa)" "$("$keel" list --names | grep ^fa | sort)" 'schedules behind -s'
is "$(completed keel run --schedule = fa)" "$("$keel" list --names | grep ^fa | sort)" 'and behind --schedule='
is "$(cd "$at" && completed keel plot sha)" share 'files'
is "$(cd "$at" && completed keel run ./program sha)" share 'arguments of a program that is run'
if command -v zsh >/dev/null; then
    ok 'zsh reads its own' zsh -n "$at/share/zsh/site-functions/_keel"
    # What it hands to zsh's own functions.
    offered()
    {
        zsh -f -c 'functions[_describe]="print -rl -- \${(P)2}" functions[_arguments]="print -rl -- \$@" functions[compadd]="print -rl -- \$@"
            file=$1; shift; words=("$@") CURRENT=$#; set --; source $file' - "$at/share/zsh/site-functions/_keel" "$@"
    }
    is "$(offered keel to | cut -d: -f1 | sort)" "$(printf '%s\n' "${subcommands[@]}" | sort)" 'it offers subcommands'
    like "$(offered keel run -)" '^--schedule=\[.*\]:SPEC:_keel_schedules$' 'and what options want'
    like "$(offered keel model '')" '^1:action:\(list optimise predict\)$' 'and actions'
fi
done_testing
