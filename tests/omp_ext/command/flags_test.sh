#!/bin/bash
# keel cflags and keel libs: flags that compile and link, also from other folders.
source tests/tap.sh
source tests/omp_ext/command/command.sh

ok 'a program builds with keel cflags' build_loop
like "$(nm -u "$TEST_TMPDIR/loop")" 'GOMP_loop_.*runtime_next|GOMP_parallel_loop_.*runtime' 'its bare loop calls the runtime entry point'
unlike "$(nm -u "$TEST_TMPDIR/plain")" runtime 'which it does not otherwise'
like "$("$keel" cflags --explicit=static,guided)" ' -fplugin-arg-keel_plugin-explicit=static,guided ' 'explicit clauses'
is "$(code "$keel" cflags --explicit=gided)" 2 'an unknown clause: exit code'
like "$(messages)" "^keel: --explicit: 'gided' is not .*, nearest is 'guided'; no flags are printed" 'and the nearest'
is "$(output)" '' 'and no flags'

cat >"$TEST_TMPDIR/calls.c" <<'END'
#include <keel.h>
#include <stdio.h>
int main(void)
{
    char schedule[64];
    int code = keel_set_schedule("fac2,16");
    keel_get_schedule(schedule, sizeof schedule);
    printf("%d %s\n", code, schedule);
}
END
# builds_calls KEEL: a program that calls keel.h.
builds_calls()
{
    eval "gcc $("$1" cflags) '$TEST_TMPDIR/calls.c' $("$1" libs) -o '$TEST_TMPDIR/calls'"
}
ok 'a program that calls keel.h builds' builds_calls "$keel"
is "$("$TEST_TMPDIR/calls")" '0 fac2,16' 'and finds libkeel.so by itself'

for prefix in "$TEST_TMPDIR/usr" "$TEST_TMPDIR/my \$own 'Keel'"; do
    ok "an installation in ${prefix##*/}" install_to "$prefix"
    ok 'its flags build a program' builds_calls "$prefix/bin/keel"
    is "$("$TEST_TMPDIR/calls")" '0 fac2,16' 'which runs'
    like "$(eval "printf '%s\n' $("$prefix/bin/keel" libs)")" "^-L$(sed 's/[$]/[$]/' <<<"$prefix")/lib/keel\$" 'from there'
done

prefix=$TEST_TMPDIR/usr
rm "$prefix/lib/keel/keel_plugin.so"
is "$(code "$prefix/bin/keel" cflags)" 1 'without the plugin: exit code'
is "$(messages)" "keel: keel_plugin.so is not there; looked for ./keel_plugin.so, plugin/keel_plugin.so, ../lib/keel/keel_plugin.so, seen from $prefix/bin" \
    'and where it was looked for'
rm "$prefix/lib/keel/libkeel.so"
is "$(code "$prefix/bin/keel" libs)" 1 'without the library: exit code'
is "$(output)" '' 'and no flags'
is "$(code "$prefix/bin/keel" run true)" 125 'keel run without the library: exit code'
like "$(messages)" "^keel: 'true' is not run" 'and message'
done_testing
