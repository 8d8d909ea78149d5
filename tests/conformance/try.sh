#!/bin/bash
# Builds one test in every variant, runs it without Keel and then under Keel, and prints one TAP line
# with what differs. Called by run; the outcomes go to table.pl.
#
# Usage: try.sh SETTINGS 'NUMBER<tab>RECIPE' (see recipes.pl)
source "$1"
IFS=$'\t' read -r number test language action expected flags sources environment <<< "$2"
for list in flags sources environment; do
    [ "${!list}" = - ] && printf -v $list ''
done

# Seconds; the slowest test needs two of a processor's, which may be busy with other things.
build_limit=600
plain_limit=300
keel_limit=300
# More threads than this machine may have, so waiting threads must not spin.
team='OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive GOMP_SPINCOUNT=0'
# How many schedules a variant is run under in the short run.
declare -A picks=([plain]=2 [override]=1 [plugin]=1 [explicit]=2)

differences=()
remarks=()

record()    # VARIANT SCHEDULE OUTCOME
{
    printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$test" >> "$work/outcomes"
}

# Prints the test's TAP line and remarks in one piece, as others print at the same time.
conclude()  # ok|not-ok [DIRECTIVE]
{
    local text="${1/-/ } - $test${2:+ # SKIP $2}"
    local line
    for line in "${differences[@]}" "${remarks[@]}"; do
        text+=$'\n'"#   $line"
    done
    printf '%s\n' "$text"
    cd /
    [ -n "$keep" ] || rm -rf "$place"
    exit 0
}

# --- whose fault a difference is: the test's, when it assumes how its loop is split among the threads, which only
# schedule(static) promises; outputs are `first` (plain) and `keel` ---

# Prints the outcome for table.pl and the reason; fails when the difference is Keel's.
excuse()        # VARIANT
{
    local schedule
    is_inexcusable keel && return 1
    if [ -z "$libgomp" ] && schedule=$(libgomp_schedule_alike "$1"); then
        echo "libgomp the same without Keel under OMP_SCHEDULE=$schedule"
    elif plain_is_unsteady; then
        echo "unsteady plain runs differ as well"
    else
        return 1
    fi
}

# No assumption about the split explains a crash or a complaint of Keel.
is_inexcusable() # OUTPUT
{
    local status
    read -r status < "$1.status"
    case $status in
    132 | 135 | 136 | 139) return 0 ;;
    esac
    grep -q '^keel: ' "$1.err"
}

# Prints a schedule of libgomp's own under which the same binary differs in the same way. A split that
# breaks the test comes by chance, hence several attempts.
libgomp_schedule_alike() # VARIANT
{
    local binary schedule
    binary=$(binary_of "$1")
    # libgomp has nothing like KEEL_OVERRIDE; the plugin brings the same loops under OMP_SCHEDULE.
    if [ "$1" = override ]; then
        binary=explicit
        [ -e explicit ] || { [ -n "$plugin" ] && build explicit; } || return 1
    fi
    for schedule in dynamic static guided dynamic,3 dynamic static; do
        observe alone "$keel_limit" "$binary" "OMP_SCHEDULE=$schedule"
        if [ -n "$(difference alone)" ] && cmp -s alone.status keel.status; then
            echo "$schedule"
            return 0
        fi
    done
    return 1
}

plain_is_unsteady()
{
    local i
    for i in 1 2 3 4; do
        observe again "$plain_limit" plain
        [ -n "$(difference again)" ] && return 0
    done
    return 1
}

# --- builds and runs ---

compiler()
{
    case $language in
    c) echo gcc -x c ;;
    c++) echo g++ -x c++ ;;
    fortran) echo gfortran ;;
    esac
}

plugin_flags()  # VARIANT
{
    case $1 in
    plugin | explicit) echo "-fplugin=$plugin" ;;
    esac
    [ "$1" = explicit ] &&
        echo "-fplugin-arg-$(basename "$plugin" .so)-explicit=static,dynamic,guided"
}

binary_of()     # VARIANT
{
    case $1 in
    override) echo plain ;;
    *) echo "$1" ;;
    esac
}

build()         # VARIANT
{
    local output=(-o "$1") level=$optimize
    [ "$action" = compile ] && output=(-S -o "$1")
    # Loops are made parallel automatically from -O1 on.
    [[ $flags == *-ftree-parallelize-loops* ]] && level=-O2
    timeout -k 2 $build_limit $(compiler) -pipe -w -fopenmp -foffload=disable "$level" \
        -I"$suite/.." -I"$suite/../../include" $flags $(plugin_flags "$1") \
        $(printf "$suite/%s " $sources) "${output[@]}" -lm > "$1.log" 2>&1 < /dev/null
}

observe()       # OUTPUT LIMIT BINARY [VARIABLE=VALUE]...
{
    local output=$1 limit=$2 binary=$3
    shift 3
    # The outer redirection is for this shell, which would announce a program that aborts.
    {
        timeout -k 2 "$limit" env $team $environment "$@" "./$binary" \
            > "$output.out" 2> "$output.err" < /dev/null
        echo $? > "$output.status"
    } 2> /dev/null
}

passes()        # OUTPUT
{
    local status
    read -r status < "$1.status"
    if [ "$expected" = pass ]; then
        [ "$status" = 0 ]
    else
        [ "$status" != 0 ]
    fi
}

# Runs the plain binary twice. What both print alike must be printed under Keel too.
observe_plain()
{
    observe first $plain_limit plain
    observe second $plain_limit plain
    steady=
    cmp -s first.out second.out && steady=yes
    passes first && passes second
}

under()         # OUTPUT VARIANT SCHEDULE
{
    local setting=("LD_PRELOAD=$library" "KEEL_SCHEDULE=$3")
    [ "$2" = override ] && setting+=(KEEL_OVERRIDE=static,dynamic,guided)
    [[ $3 == check:* ]] && setting[1]="KEEL_CHECK=seed=${3#check:}"
    [ -n "$libgomp" ] && setting=("OMP_SCHEDULE=$3")
    observe "$1" $keel_limit "$(binary_of "$2")" "${setting[@]}"
}

# Says what is different about OUTPUT; says nothing when it is like the plain run.
difference()    # OUTPUT
{
    local status plain_status
    read -r status < "$1.status"
    read -r plain_status < first.status
    if [ "$status" != "$plain_status" ]; then
        echo "exit status $(describe_status "$status") instead of $plain_status"
    elif [ -n "$steady" ] && ! cmp -s first.out "$1.out"; then
        echo "prints '$(diff first.out "$1.out" | sed -n '2p')'"
    elif grep -q '^keel: ' "$1.err"; then
        echo "says '$(grep -m1 '^keel: ' "$1.err")'"
    fi
}

describe_status()
{
    case $1 in
    124 | 137) echo "$1 (no end after $keel_limit s)" ;;
    129 | 1[3-5]?) echo "$1 ($(kill -l "$1"))" ;;
    *) echo "$1" ;;
    esac
}

# How the binary comes to Keel: `taken` where it calls an entry point that hands Keel a loop, `passed` where Keel
# hands all of them on to libgomp (doacross), `idle` where there is none.
reach()         # VARIANT
{
    local wanted='GOMP_(parallel_)?loop_[a-z_]*runtime|GOMP_loop(_ull)?(_ordered)?_start|keel_worksharing_' calls
    [ "$1" = override ] && wanted='GOMP_(parallel_)?loop_[a-z_]*(dynamic|guided)'
    calls=$(nm -D --undefined-only "$(binary_of "$1")" | grep -oE 'GOMP_.*loop.*|keel_worksharing_.*')
    if grep -v doacross <<< "$calls" | grep -qE "^($wanted)"; then
        echo taken
    elif grep -q doacross <<< "$calls"; then
        echo passed
    else
        echo idle
    fi
}

# The short run goes round the schedules: neighbouring tests and variants get other ones.
schedules_for() # VARIANT
{
    local all=($schedules) offset i
    if [ -n "$every" ]; then
        printf '%s\n' "${all[@]}"
        return
    fi
    [[ $variants =~ (.*)"$1" ]] && offset=${#BASH_REMATCH[1]}
    for ((i = 0; i < picks[$1]; i++)); do
        echo "${all[(number * picks[$1] + offset + seed + i) % ${#all[@]}]}"
    done
}

try_variant()   # VARIANT
{
    local schedule binary how chosen
    binary=$(binary_of "$1")
    if [ "$binary" != plain ]; then
        try_build "$1" || return
    elif [ "$1" = override ]; then
        record override - built
    fi
    mapfile -t chosen < <(schedules_for "$1")
    how=$(reach "$1")
    record "$1" - "$how"
    # One run shows that what is not Keel's stays as it is.
    case $how in
    passed) chosen=("${chosen[0]}") ;;
    idle) chosen=(${whole:+"${chosen[0]}"}) ;;
    esac
    for schedule in "${chosen[@]}"; do
        try_schedule "$1" "$schedule"
    done
}

# A test that is only compiled or linked.
try_build()     # VARIANT
{
    if build "$1"; then
        record "$1" - built
    else
        differences+=("$1: $(build_error "$1")")
        record "$1" - broken
        return 1
    fi
}

build_error()   # VARIANT
{
    echo "does not build: $(grep -m1 -i error "$1.log" | cut -c1-200)"
}

try_schedule()  # VARIANT SCHEDULE
{
    local what outcome why
    if [ -z "$excluded" ] && why=$(exclusion "$1" "$2"); then
        record "$1" "$2" excluded
        remarks+=("$1, $2: excluded, $why")
        return
    fi
    under keel "$1" "$2"
    what=$(difference keel)
    if [ -z "$what" ]; then
        record "$1" "$2" same
    elif read -r outcome why < <(excuse "$1"); then
        record "$1" "$2" "$outcome"
        remarks+=("$1, $2: $what; $why")
    else
        record "$1" "$2" differ
        differences+=("$1, $2: $what; $(how_often "$1" "$2")")
    fi
}

# The file `excluded` holds TEST, VARIANT, SCHEDULE, each a pattern, and the reason.
exclusion()     # VARIANT SCHEDULE
{
    local test_pattern variant_pattern schedule_pattern reason
    while read -r test_pattern variant_pattern schedule_pattern reason; do
        if [[ $test == $test_pattern && $1 == $variant_pattern && $2 == $schedule_pattern ]]; then
            echo "$reason"
            return 0
        fi
    done < <(grep -v "^#" "$here/excluded")
    return 1
}

how_often()     # VARIANT SCHEDULE
{
    local i times=0
    for i in 1 2 3; do
        under again "$1" "$2"
        [ -n "$(difference again)" ] && times=$((times + 1))
    done
    echo "again in $times of 3 runs more"
}

place=$work/$number
mkdir -p "$place" && cd "$place" || exit 255
ulimit -c 0

if ! build plain; then
    record plain - unbuilt
    conclude ok "does not build without Keel: $(grep -m1 -i error plain.log | sed 's/^[^ ]* //')"
fi
record plain - built
if [ "$action" = run ] && ! observe_plain; then
    record plain - fails
    conclude ok "fails without Keel, exit status $(cat first.status second.status | tr '\n' ' ')"
fi
for variant in $variants; do
    if [ "$action" = run ]; then
        try_variant "$variant"
    elif [ "$variant" != override ] && [ "$variant" != plain ]; then
        try_build "$variant"
    fi
done
if [ ${#differences[@]} = 0 ]; then
    conclude ok
else
    conclude not-ok
fi
