# The competing load beside what a command measures. Sourced from the workspace root, after
# bench/support/setup.sh and once `built` is set. Whoever sources it ends the load also at its own end.

load=''

# begin_load CORE FILE OPTION...: begins to compete on a core; its rows go to the file.
begin_load()
{
    "$built/bench/competing_load/program" --core "$1" "${@:3}" --with-parent >"$2" </dev/null &
    load=$!
}

# end_load: if there is one.
end_load()
{
    local ended=$load
    [ -n "$ended" ] || return 0
    load=''
    kill "$ended" 2>/dev/null || die 'the competing load has ended too early'
    wait "$ended" 2>/dev/null || true
}
