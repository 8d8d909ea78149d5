#!/bin/bash
# Texts of all kinds do no harm to the reader of memories: made-up ones everywhere, libFuzzer's where clang has it.
source tests/tap.sh

driver=$(keel_path tests/omp_ext/memory/format_fuzz_driver)
fuzzer=$TEST_TMPDIR/format_fuzz

ok 'texts made from the seeds' timeout 50 "$driver" run 10000

# The first clang that can link a fuzzer.
clang_with_fuzzer()
{
    local clang
    for clang in clang clang-{19..14}; do
        if command -v "$clang" >/dev/null &&
            printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return d && n > 9; }\n' |
            "$clang" -fsanitize=fuzzer,address,undefined -x c - -o "$TEST_TMPDIR/try" 2>/dev/null; then
            printf '%s\n' "$clang"
            return
        fi
    done
    return 1
}

build_fuzzer()
{
    "$1" -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -iquote . \
        tests/omp_ext/memory/format_fuzz.c omp_ext/memory/{format,reason,sum,table}.c schedules/loop/number.c -l:libjansson.a -o "$fuzzer"
}

# In the folder of the test, where libFuzzer leaves the text that it found.
fuzz()
{
    local status=0
    cd "$TEST_TMPDIR" || return
    "$fuzzer" -runs=100000 -max_total_time=10 -max_len=4096 -seed=1 -verbosity=1 corpus seeds 2>log || status=$?
    [ "$status" = 0 ] || { tail -n 40 log; head -c 4096 crash-* | od -c; }
    return "$status"
}

if clang=$(clang_with_fuzzer); then
    mkdir "$TEST_TMPDIR/corpus" "$TEST_TMPDIR/seeds"
    ok 'the seeds are written' "$driver" seeds "$TEST_TMPDIR/seeds"
    ok 'the fuzz target builds' build_fuzzer "$clang"
    ok "what libFuzzer ($clang) comes up with" fuzz
    diag "$(grep -E '^Done|DONE' "$TEST_TMPDIR/log" | tail -n 1)"
else
    diag 'no clang with a fuzzer runtime (.ci/install fuzz): only the texts made from the seeds were tried'
    skip 'what libFuzzer comes up with' 'no clang here has a fuzzer runtime'
fi
done_testing
