#!/bin/bash
# Every command in every document does what the document says: it is run, each day where a text has changed within a day
# and at night everywhere, or stands in documents_rules.txt with the reason why it can't be. Programs are compiled, settings
# are understood, and links lead somewhere.
source tests/support/tap.sh

for variable in ${!KEEL_@} ${!OMP_@} ${!GOMP_@} ${!OMPI_@} ${!PMIX_@} ${!PRTE_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done
export OMP_WAIT_POLICY=passive # ranks and threads are more than processors
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none

extract=$(realpath "$(keel_path tests/tree/documents.pl)")
rules=$(realpath "$(keel_path tests/tree/documents_rules.txt)")
root=$(keel_root)
cd "$root" || exit
root=$PWD
built=$root/bazel-bin
installed=$built # the folder of the command keel and what it needs
export root built installed PATH=$installed:$PATH

# mpirun makes sockets in TMPDIR, for which the name of Bazel's is too long.
work=$(mktemp -d /tmp/keel_documents.XXXXXX)
trap 'status=$?; rm -rf "$work"; (exit "$status"); tap_at_exit' EXIT
export TMPDIR=$work

documents()
{
    find . \( -name .git -o -name 'bazel-*' \) -prune -o -name '*.md' -print | sed 's,^\./,,' |
        awk '{ print ($0 != "README.md") + ($0 ~ /^(bench|schedules)/), $0 }' | sort | cut -d' ' -f2
}

# The rules in their order: what to do, for which commands, and by which command or for which reason.
rule_names=() patterns=() actions=()
while IFS= read -r line; do
    [[ $line =~ ^([a-z]+)\ +::\ (.*[^ ])\ *$ ]] || continue
    rule_names+=("${BASH_REMATCH[1]}") line=${BASH_REMATCH[2]} pattern=${line%% :: *}
    patterns+=("${pattern%"${pattern##*[! ]}"}") actions+=("")
    [ "$pattern" = "$line" ] || actions[-1]=${line##* :: }
done <"$rules"

# rule_for TEXT: sets rule and action to those of the first rule that fits, or fails.
rule_for()
{
    local i k
    for i in "${!patterns[@]}"; do
        [[ $1 =~ ^(${patterns[i]})$ ]] || continue
        rule=${rule_names[i]} action=${actions[i]}
        for ((k = 2; k < ${#BASH_REMATCH[@]}; k++)); do
            action=${action//"@$((k - 1))"/"${BASH_REMATCH[k]}"}
        done
        action=${action//@[0-9]/}
        return 0
    done
    return 1
}

# here COMMAND: as it can be run on this machine, beside other tests.
here()
{
    sed "s,/path/to/libkeel.so,$installed/libkeel.so,g; s,--bind-to core ,--bind-to none ,g" <<<"$1"
}

# run_in_work COMMAND: standard output and messages go to files; the same command runs once.
declare -A already=()
run_in_work()
{
    if [ -n "$2" ] || [ -z "${already[$1]:-}" ]; then
        (cd "$work" && timeout --kill-after=10 "$tap_patience_s" bash -c "$1") </dev/null \
            >"$work/.output" 2>"$work/.messages"
        already[$1]=$?
    fi
    return "${already[$1]}"
}

# form TEXT: numbers as N, without blanks before them; lines sorted.
form()
{
    sed -E 's/ *[0-9]+(\.[0-9]+)?/ N/g' <<<"$1" | sort
}

# shown COMMAND OUTPUT: the command's output is what the document shows; nothing shown: nothing to compare.
shown()
{
    [ -n "$2" ] || return 0
    case $1 in
    exact) [ "$(<"$work/.output")" = "$2" ] ;;
    form) [ "$(form "$(<"$work/.output")")" = "$(form "$2")" ] ;;
    check) ;;
    as) [ "${command%% *}" = bench/demo ] && table_shown "$2" ;;
    *) false ;;
    esac
}

# table_shown OUTPUT: bench/demo's output has the shown heading, and lines for the shown schedules.
table_shown()
{
    local name heading
    heading=$(grep '^schedule ' <<<"$1") || return
    [ "$(grep '^schedule ' "$work/.output")" = "$heading" ] || return
    while read -r name; do
        grep -q "^$name  " "$work/.output" || return
    done < <(sed -n '/^schedule /,/^$/p' <<<"$1" | sed '1d; /^$/d; s/  .*//')
}

check_command()
{
    local name="$1:$2: ${command:0:60}" rule action run
    if ! rule_for "$command"; then
        tap_result 1 "$name"
        diag "documents_rules.txt has no rule for: $command"
        return
    fi
    if [ "$rule" = never ]; then
        skip "$name" "$action"
        return
    fi
    run=$(here "${action:-$command}")
    if ! run_in_work "$run" "$output"; then
        tap_result 1 "$name"
        diag "command: $run" "$(tail -n 20 "$work/.output" "$work/.messages")"
    elif ! shown "$rule" "$output"; then
        tap_result 1 "$name: output"
        diag "got: $(<"$work/.output")"
        diag "the document shows ($rule): $output"
    else
        tap_result 0 "$name"
    fi
}

# A setting is one that Keel has nothing to say about; FILE and PATH stand for a file.
check_setting()
{
    local messages
    messages=$(cd "$work" && eval "env $3 keel env" 2>&1 >/dev/null)
    is "$messages" '' "$1:$2: $3"
}

check_script()
{
    local rule action name="$1:$2: job script"
    if ! rule_for "$(tr '\n' ' ' <<<"$3" | sed 's/ *$//')"; then
        tap_result 1 "$name"
        diag "documents_rules.txt has no rule for the script: $3"
        return
    fi
    printf '%s' "$3" >"$work/.script"
    ok "$name ($action)" bash -n "$work/.script"
}

# A program with #include <mpi.h> or the like is compiled by the commands behind it; others, that no command
# compiles, are compiled here.
save_program()
{
    if [ -e "$work/$3" ]; then
        is "$(<"$work/$3")" "${4%$'\n'}" "$1:$2: $3 is the same wherever it is shown"
    fi
    printf '%s' "$4" >"$work/$3"
    programs+=("$3")
}

compiled_somewhere()
{
    local name
    for name in "${programs[@]}"; do
        if grep -qE "(gcc|gfortran|mpicc|mpifort) .*\b${name//./\\.}\b" <<<"${all_commands}"; then
            ok "$name is compiled by a command" test -s "$work/$name"
        else
            ok "$name compiles" gcc -std=gnu11 -fopenmp -Wall -Wextra -Werror -iquote "$root" -c -o "$work/.object" "$work/$name"
        fi
    done
}

# anchors FILE: the headings, as links name them.
anchors()
{
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# exists NAME: a function, type or constant of the public headers or modules, a variable of the environment, a file of
# the installation, or a member of a file that Keel writes.
exists()
{
    grep -qrw -- "$1" omp_ext/include mpi_backend/include || [[ $newline$variables = *"$newline| \`$1\` |"* ]] ||
        [ -n "$(find -L "$installed" -maxdepth 2 \( -name "$1" -o -name "$1.so" \) -print -quit)" ] || grep -qw -- "$1" tests/run ||
        grep -qE -- "\\([a-z]+, $1\\)|\"$1\"" omp_ext/report/report_fields.def omp_ext/report/report_json.c
}

# leads_somewhere FILE LINK KIND: a link that begins with a slash is seen from the root, others from the document's
# folder. Of the kind `path`, which names a file but is no link: from either.
leads_somewhere()
{
    local path=${2%%#*} anchor=
    [[ $2 != *'#'* ]] || anchor=${2#*#}
    case $path in
    '') path=$1 ;;
    /*) path=${path#/} ;;
    *) [ "$3" = path ] && [ -e "$path" ] || path=$(dirname "$1")/$path ;;
    esac
    [ -e "$path" ] || return
    [ -z "$anchor" ] || anchors "$path" | grep -qxF -- "$anchor"
}

# Commands that the documents show in blocks run in their order; all programs are there before.
mapfile -t files < <(documents)
records=$(perl "$extract" "${files[@]}") || exit
programs=() all_commands=$(awk -F'\037' '$3 == "command" { print $5 }' <<<"$records")
newline=$'\n'

ok 'there are documents' test "${#files[@]}" -ge 5
ok 'which show commands' test "$(wc -l <<<"$all_commands")" -ge 50

while IFS=$'\x1f' read -r file line kind name text output; do
    [ "$kind" != program ] || save_program "$file" "$line" "$name" "${text//$'\x1e'/$newline}"
done <<<"$records"

# runs FILE: whether its commands are run. What README.md builds others need.
changed=$(git diff --name-only "$(git rev-list -n 1 --before='1 day ago' HEAD)" -- '*.md' 2>/dev/null)
runs()
{
    nightly || grep -qxF -- "$1" <<<"$changed" || { [ "$1" = README.md ] && [ -n "$changed" ]; }
}

# Blocks before what single lines mention, which may need what blocks have built.
for where in run span; do
    while IFS=$'\x1f' read -r -u 4 file line kind name command output; do
        output=${output//$'\x1e'/$newline}
        output=${output%"$newline"}
        [ "$kind $name" != "command $where" ] || ! runs "$file" || check_command "$file" "$line"
    done 4<<<"$records"
done

declare -A names=()
while IFS=$'\x1f' read -r -u 4 file line kind name text output; do
    text=${text//$'\x1e'/$newline}
    case $kind in
    setting) check_setting "$file" "$line" "$text" ;;
    script) check_script "$file" "$line" "$text" ;;
    link) ok "$file:$line: $text leads somewhere" leads_somewhere "$file" "$text" "$name" ;;
    name) names[$text]="$file:$line" ;;
    problem) tap_result 1 "$file:$line: $text" ;;
    esac
done 4<<<"$records"
compiled_somewhere
variables=$("$installed/keel" env --markdown)
for name in "${!names[@]}"; do
    ok "${names[$name]}: $name exists" exists "$name"
done

# A rule that nothing needs any more would hide a command that was lost.
for pattern in "${patterns[@]}"; do
    used=
    while IFS=$'\x1f' read -r -u 4 file line kind name text output; do
        text=${text%$'\x1e'}
        [[ $kind != command && $kind != script ]] || ! [[ ${text//$'\x1e'/ } =~ ^($pattern)$ ]] || { used=1 && break; }
    done 4<<<"$records"
    ok "the rule '${pattern:0:60}' is needed" test -n "$used"
done
done_testing
