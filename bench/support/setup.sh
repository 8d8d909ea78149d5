# What the scripts of bench/ share, sourced from the workspace root: installing, building, talking.
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

# progress TEXT: where it stands; on a terminal in one line, which the next text overwrites.
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

# absolute FILE: as seen from the folder where the script was started.
absolute()
{
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$started_in" "$1" ;;
    esac
}

# build LABEL...: sets `built` to the folder that holds what Bazel built, unless it was given.
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

# The environment of whoever calls must not schedule what is measured.
forget_schedules()
{
    unset "${!KEEL_@}" "${!GOMP_@}" "${!KMP_@}" "${!OMP_@}"
}

machine()
{
    printf '%s, %s processors, %s\n' \
        "$(sed -n 's/^model name[[:blank:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)" \
        "$(gcc --version | head -n 1)"
}
