# Compiles pieces of source from standard input with and without the plugin and looks at the calls into libgomp.
# Sourced after tests/support/tap.sh; works in $TEST_TMPDIR under fixed file names, so that equal code gives equal object files.

plugin=$(keel_path omp_ext/plugin/keel_plugin.so)
option=-fplugin-arg-keel_plugin
declare -A compiler_of=([c]=gcc [cc]=g++ [f90]=gfortran)

# compile_to OBJECT LANGUAGE OPTION...: compiles loop.LANGUAGE; messages go to OBJECT.log.
compile_to()
{
    local object=$1 language=$2
    shift 2
    (cd "$TEST_TMPDIR" && LC_ALL=C "${compiler_of[$language]}" -fopenmp -O1 -fdiagnostics-plain-output "$@" \
        -c "loop.$language" -o "$object") >"$TEST_TMPDIR/$object.log" 2>&1
}

# compile_keel LANGUAGE OPTION...: source on standard input; makes keel.o, with the plugin.
compile_keel()
{
    cat >"$TEST_TMPDIR/loop.$1"
    rm -f "$TEST_TMPDIR/keel.o"
    compile_to keel.o "$1" -fplugin="$plugin" "$option-verbose" "${@:2}" && return
    diag "$(cat "$TEST_TMPDIR/keel.o.log")"
    return 1
}

# compile_plain LANGUAGE OPTION...: the same source without the plugin and its options; makes plain.o.
compile_plain()
{
    local word plain=()
    for word in "${@:2}"; do
        [[ $word == "$option"* ]] || plain+=("$word")
    done
    rm -f "$TEST_TMPDIR/plain.o"
    compile_to plain.o "$1" "${plain[@]}" && return
    diag "$(cat "$TEST_TMPDIR/plain.o.log")"
    return 1
}

# undefined FILE: what `nm -u` prints, in two columns. That would load the plugins of all linkers that are installed, which
# takes longer than compiling.
undefined()
{
    readelf -sW "$1" | awk '$7 == "UND" && NF > 7 { print " " ($5 == "WEAK" ? "w" : "U") " " $8 }'
}

# The calls of an object that start loops or go on with them, Keel's and libgomp's, one per line.
loop_calls()
{
    undefined "$TEST_TMPDIR/$1" | grep -oE '(GOMP_(parallel_)?loop|keel_worksharing)_.*' | grep -vE '_end(_nowait|_cancel)?$'
}

notes()
{
    grep -oE 'keel: .*' "$TEST_TMPDIR/keel.o.log"
}

# takes NAME BEGIN LANGUAGE [OPTION...]: with the plugin the source's loops call keel_worksharing_BEGIN and the
# `next` that belongs to it, both weakly, and no runtime schedule; without, which is looked at nightly, neither.
takes()
{
    local name=$1 begin=$2 with without=
    shift 2
    compile_keel "$@" || { tap_result 1 "$name"; return; }
    with=$(loop_calls keel.o)
    if nightly; then
        compile_plain "$@" || { tap_result 1 "$name"; return; }
        without=$(loop_calls plain.o)
    fi
    grep -qx "keel_worksharing_$begin" <<<"$with" && grep -qx "keel_worksharing_${begin/begin/next}" <<<"$with" &&
        ! undefined "$TEST_TMPDIR/keel.o" | grep keel_ | grep -qv ' w ' && ! grep -q runtime <<<"$with" &&
        ! grep -q keel <<<"$without"
    tap_result $? "$name" && return
    diag "with the plugin: ${with//$'\n'/ }" "without: ${without//$'\n'/ }" "wanted: $begin"
    diag "$(cat "$TEST_TMPDIR/keel.o.log")"
}

# same_code: the objects are equal but for what GCC streams out for offload compilers, which names its options.
same_code()
{
    local object
    for object in plain keel; do
        objcopy -R '.gnu.offload_lto_*' "$TEST_TMPDIR/$object.o" "$TEST_TMPDIR/$object.code" || return
    done
    cmp -s "$TEST_TMPDIR/plain.code" "$TEST_TMPDIR/keel.code"
}

# leaves NAME REASON LANGUAGE [OPTION...]: the plugin changes no byte of the object and gives the reason; an empty
# reason means that it does not look at the construct at all.
leaves()
{
    local name=$1 reason=$2 notes
    shift 2
    compile_keel "$@" && compile_plain "$@" || { tap_result 1 "$name"; return; }
    notes=$(notes)
    same_code &&
        if [ -n "$reason" ]; then
            grep -qE "^keel: loop left alone: .*$reason" <<<"$notes" && ! grep -q 'loop taken' <<<"$notes"
        else
            [ -z "$notes" ]
        fi
    tap_result $? "$name" && return
    diag "notes: $notes" "wanted: ${reason:-none}" "calls: $(loop_calls keel.o | tr '\n' ' ')"
}

# simple_loop CONSTRUCT [HEADER [BODY]]: source in C of one loop.
simple_loop()
{
    printf 'void f(int *a, int n, int k) {\n#pragma omp %s\n    for (%s) %s\n}\n' "$1" "${2:-int i = 0; i < n; i++}" "${3:-a[i]++;}"
}

# Bodies of loops, for the clauses of these names.
ordered=$'{\n#pragma omp ordered\na[i] += k;\n}'
doacross=$'{\n#pragma omp ordered depend(sink: i - 1)\na[i] += a[i - 1];\n#pragma omp ordered depend(source)\n}'
