# Bytes of all kinds do no harm to a reader: texts of the driver everywhere, libFuzzer's where a clang has it. Sourced with TARGET
# RUNS OPTIONS SOURCE-OR-LIBRARY..., where TARGET.c is for libFuzzer and TARGET_driver makes texts. Sources may be patterns.
source tests/support/tap.sh

# The first clang that can link a fuzzer.
clang_with_fuzzer()
{
    local clang
    for clang in clang clang-{21..14}; do
        if command -v "$clang" >/dev/null &&
            printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return d && n > 9; }\n' |
            "$clang" -fsanitize=fuzzer,address,undefined -x c - -o "$TEST_TMPDIR/try" 2>/dev/null; then
            printf '%s\n' "$clang"
            return
        fi
    done
    return 1
}

# build_fuzzer CLANG SOURCE-OR-LIBRARY...
build_fuzzer()
{
    "$1" -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -iquote . \
        "${@:2}" -o "$TEST_TMPDIR/fuzzer"
}

# run_fuzzer OPTION...: in the folder of the test, where libFuzzer leaves the text that it found.
run_fuzzer()
{
    local status=0
    cd "$TEST_TMPDIR" || return
    ./fuzzer -max_total_time=10 -seed="${KEEL_TEST_SEED:-1}" -verbosity=1 "$@" corpus seeds 2>log || status=$?
    [ "$status" = 0 ] || { tail -n 40 log; head -c 4096 crash-* | od -c; }
    return "$status"
}

# fuzz DRIVER RUNS 'OPTION...' SOURCE-OR-LIBRARY...: RUNS texts of the driver; and libFuzzer with the
# options, of a target that is built from the sources.
fuzz()
{
    local driver=$1 runs=$2 options=$3 clang
    shift 3
    ok 'texts made from the seeds' within_cpu 50 "$driver" run "$runs"
    if clang=$(clang_with_fuzzer); then
        mkdir "$TEST_TMPDIR/corpus" "$TEST_TMPDIR/seeds"
        ok 'the seeds are written' "$driver" seeds "$TEST_TMPDIR/seeds"
        ok 'the fuzz target builds' build_fuzzer "$clang" "$@"
        ok "what libFuzzer ($clang) comes up with" run_fuzzer $options
        diag "$(grep -E '^Done|DONE' "$TEST_TMPDIR/log" | tail -n 1)"
    else
        diag 'no clang with a fuzzer runtime (.ci/install fuzz): only the texts made from the seeds were tried'
        skip 'what libFuzzer comes up with' 'no clang here has a fuzzer runtime'
    fi
}

target=$1 runs=$2 options=$3
shift 3
# shellcheck disable=SC2068
fuzz "$(keel_path "${target}_driver")" "$runs" "$options" "$target.c" $@
done_testing
