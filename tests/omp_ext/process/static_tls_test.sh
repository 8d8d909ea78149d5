#!/bin/bash
# libkeel.so that is loaded late, when no thread-local storage is left for it, is refused in words, and the program goes on.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
gcc -shared -fPIC -ftls-model=initial-exec -xc - -o "$work/taker" <<<'
__thread char taken[64] = "x";
char *take(void) { return taken; }'
takers=()
for i in {1..100}; do
    cp "$work/taker" "$work/taker$i.so"
    takers+=("$work/taker$i.so")
done

said=$(checked "$(program static_tls)" "$library" "${takers[@]}" 2>&1)
is "$?" 0 'loops are right'
is "$(sed 's/.*\(libkeel.so: cannot\)/\1/' <<<"$said")" 'libkeel.so: cannot allocate memory in static TLS block' 'the reason is told, in one line'
done_testing
