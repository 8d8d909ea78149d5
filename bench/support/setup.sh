# Shared by the scripts of bench/, which source it from the workspace root: installing, building, messages.
# They set started_in to the folder where they were started.

say()
{
    printf 'keel: %s\n' "$*" >&2
}

die()
{
    say "$*"
    exit 2
}

# progress TEXT: prints the progress; on a terminal in one line, which the next text overwrites.
progress()
{
    if [ -t 2 ]; then
        printf '\r\033[Kkeel: %s' "$*" >&2
    else
        say "$*"
    fi
}

progress_end()
{
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

# whole_number OPTION VALUE: dies unless the value is a whole number from 1.
whole_number()
{
    [[ $2 =~ ^[1-9][0-9]{0,8}$ ]] || die "$1 '$2' is not a whole number from 1; nothing is run"
}

# drawn_seed: prints one that whole_number accepts.
drawn_seed()
{
    echo $((1 + SRANDOM % 999999999))
}

# positive_number OPTION VALUE: dies unless the value is a number above 0, as 2 or 0.5.
positive_number()
{
    [[ $2 =~ ^[0-9]*\.?[0-9]+$ && $2 =~ [1-9] ]] ||
        die "$1 '$2' is not a number such as 0.5; nothing is run"
}

# only_from OPTION LIST KNOWN: dies unless every word of LIST is one of KNOWN.
only_from()
{
    local word
    for word in $2; do
        [[ " $3 " == *" $word "* ]] || die "$1 '$word' is not one of $3; nothing is run"
    done
}

# absolute FILE: prints it as a path from the folder where the script was started.
absolute()
{
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$started_in" "$1" ;;
    esac
}

# read_options OPTIONS ARGUMENT...: sets a variable of the same name for each option that is
# given. OPTIONS: names and the form of their values: "repeat#" a whole number from 1,
# "scale." a number above 0, "trace/" a file, "parts=" any text, "case+" the same, which may be
# repeated; without a mark an option takes none, and its variable becomes "--NAME". All commands have built/ and help. For --quick, the
# function `quick` sets other defaults. If takes_words is set, other words may follow: they are in `words`.
read_options()
{
    local known=" built/ help $1 " command=bench/${0##*/} long options name
    shift
    long=$(tr -s ' ' ',' <<<"$known" | sed 's,[#./=+],:,g; s/^,//; s/,$//')
    options=$(getopt -n "keel: $command" -o h -l "$long" -- "$@") || die "see $command --help; nothing is run"
    eval "set -- $options"
    [[ " $* " != *' --quick '* ]] || quick
    while [ "$1" != -- ]; do
        name=${1#--}
        case $1,$known in
        -h,* | --help,*) usage && exit ;;
        --quick,*) ;;
        *" $name# "*) whole_number "$1" "$2" && printf -v "$name" %s "$2" && shift ;;
        *" $name. "*) positive_number "$1" "$2" && printf -v "$name" %s "$2" && shift ;;
        *" $name/ "*) printf -v "$name" %s "$(absolute "$2")" && shift ;;
        *" $name= "*) printf -v "$name" %s "$2" && shift ;;
        *" $name+ "*) printf -v "$name" '%s %s' "${!name}" "$2" && shift ;;
        *) printf -v "${name//-/_}" %s "$1" ;;
        esac
        shift
    done
    words=("${@:2}")
    [ $# = 1 ] || [ -n "${takes_words:-}" ] || die "$command: '$2' is not an option; nothing is run"
}

# build LABEL...: sets `built` to Bazel's output folder, unless it was given.
build()
{
    if [ -n "${built:-}" ]; then
        [ -d "$built/bench" ] || die "--built '$built' has no folder bench; nothing is run"
        return
    fi
    local show=--noshow_progress
    [ ! -t 2 ] || show=--show_progress
    : "${HOME:=$(getent passwd "$(id -u)" | cut -d: -f6)}"
    export HOME
    .ci/install build </dev/null || exit
    say 'building with Bazel'
    bazel build --ui_event_filters=-info --show_result=0 $show "$@" </dev/null ||
        die 'the build failed; nothing is run'
    built=$(bazel info bazel-bin 2>/dev/null </dev/null)
}

# forget_schedules: the caller's environment must not schedule what is measured.
forget_schedules()
{
    unset "${!KEEL_@}" "${!GOMP_@}" "${!KMP_@}" "${!OMP_@}"
}

# forget_jobs: lets mpirun start jobs on this machine alone, also as root in a container, and
# in any job. KEEL_ and OMP_ are set for each job.
forget_jobs()
{
    forget_schedules
    unset "${!OMPI_@}" "${!PMIX_@}" "${!PRTE_@}" "${!SLURM_@}"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo
    export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
}

# two_processors: sets `processors` to their number; dies unless there are at least two.
two_processors()
{
    processors=$(nproc)
    [ "$processors" -ge 2 ] || die "this machine has $processors processor, expected 2; nothing is run"
}

# A function of awk: median("3 1 2") is 2, that of an even number the mean of the two in the middle.
awk_median='
    function median(text,    value, n, i, j, next_one) {
        n = split(text, value, " ")
        for (i = 2; i <= n; i++) {
            next_one = value[i]
            for (j = i - 1; j > 0 && value[j] + 0 > next_one + 0; j--)
                value[j + 1] = value[j]
            value[j + 1] = next_one
        }
        return (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2
    }'

# print_head COMMAND [MACHINE]: prints the lines above the measurements.
print_head()
{
    printf 'command: %s\nmachine: %s, load average %s\n' "$1" "${2:-$(machine)}" \
        "$(cut -d' ' -f1 /proc/loadavg)"
}

machine()
{
    printf '%s, %s processors, %s\n' \
        "$(sed -n 's/^model name[[:blank:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" \
        "$(gcc --version | head -n 1)"
}

# --- a competing load during measurements, once `built` is set. A script that begins one also ends
# it at its own end ---

load=''

# begin_load CORE FILE PERIOD ON [EVERY]: begins to compete on a core, in seconds; its rows go to the file.
begin_load()
{
    "$built/bench/support/competing_load" "$1" "$3" "$4" "${5:--1}" >"$2" </dev/null &
    load=$!
}

# end_load: ends it, if there is one.
end_load()
{
    local ended=$load
    [ -n "$ended" ] || return 0
    load=''
    kill "$ended" 2>/dev/null || die 'the competing load has ended too early'
    wait "$ended" 2>/dev/null || true
}
