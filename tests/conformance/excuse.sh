# Whose fault is a difference? The test's, when it assumes how its loop is split among the threads, which
# only schedule(static) promises. Sourced by try.sh, whose outputs `first` (plain) and `keel` it judges.

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
