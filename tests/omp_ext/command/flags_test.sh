#!/bin/bash
# keel cflags and keel libs, and the Fortran module keel.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

# --- flags that compile and link, also from other folders ---

ok 'a program builds with keel cflags' build_loop
like "$(nm -u "$TEST_TMPDIR/loop")" ' w keel_worksharing_begin' 'its bare loop asks for Keel'
unlike "$(nm -u "$TEST_TMPDIR/plain")" keel_ 'which it does not otherwise'
like "$("$keel" cflags --nowait)" ' -fplugin-arg-keel_plugin-nowait ' 'nowait loops'
unlike "$("$keel" cflags)" nowait 'only if asked for'
like "$("$keel" cflags --explicit=static,guided)" ' -fplugin-arg-keel_plugin-explicit=static,guided ' 'explicit clauses'

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
code "$keel" cflags >"$TEST_TMPDIR/code"
like "$(messages)" "^keel: these paths lead into Bazel's cache, .*; \`bazel run //:install -- --prefix=DIR\` installs what stays\$" 'flags that lead into the cache of Bazel say so'
code "$keel" libs >"$TEST_TMPDIR/code"
like "$(messages)" "^keel: these paths lead into Bazel's cache, " 'also those for the linker'
ok 'a program that calls keel.h builds' builds_calls "$keel"
is "$("$TEST_TMPDIR/calls")" '0 fac2,16' 'and finds libkeel.so by itself'

for prefix in "$TEST_TMPDIR/usr" "$TEST_TMPDIR/my \$own 'Keel'"; do
    ok "an installation in ${prefix##*/}" install_to "$prefix"
    ok 'its flags build a program' builds_calls "$prefix/bin/keel"
    is "$("$TEST_TMPDIR/calls")" '0 fac2,16' 'which runs'
    like "$(eval "printf '%s\n' $("$prefix/bin/keel" libs)")" "^-L$(sed 's/[$]/[$]/' <<<"$prefix")/lib\$" 'from there'
done

# A library and a header in place of those of shared loops; the real ones are tests/mpi_backend's.
prefix="$TEST_TMPDIR/my \$own 'Keel'"
rm -f "$prefix/lib/libkeel_mpi.so" "$prefix/include/keel_mpi.h"
is "$(code "$prefix/bin/keel" libs --mpi)" 1 'without libkeel_mpi.so: exit code'
is "$(messages)" "keel: libkeel_mpi.so is not there; looked for ./libkeel_mpi.so, ../lib/libkeel_mpi.so, ../lib64/libkeel_mpi.so, ../lib/$(gcc -print-multiarch)/libkeel_mpi.so, seen from $prefix/bin" \
    'and where it was looked for'
is "$(output)" '' 'and no flags'
echo 'int keel_mpi_probe(void) { return 5; }' | gcc -shared -fPIC -xc - -o "$prefix/lib/libkeel_mpi.so" -Wl,-soname,libkeel_mpi.so
is "$(code "$prefix/bin/keel" libs --mpi; code "$prefix/bin/keel" cflags --mpi; output)" '1
1' 'without keel_mpi.h: exit codes, and no flags'
echo 'int keel_mpi_probe(void);' >"$prefix/include/keel_mpi.h"
cat >"$TEST_TMPDIR/shares.c" <<'END'
#include <keel_mpi.h>
int main(void)
{
    int sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 10; i++)
        sum += i;
    return sum == 45 ? keel_mpi_probe() : 1;
}
END
builds_shares()
{
    eval "gcc $1 '$TEST_TMPDIR/shares.c' $("$prefix/bin/keel" libs --mpi) -o '$TEST_TMPDIR/shares'"
}
ok 'a program that calls keel_mpi.h builds with keel libs --mpi alone' builds_shares -fopenmp
is "$(code "$TEST_TMPDIR/shares")" 5 'and runs'
like "$(ldd "$TEST_TMPDIR/shares")" 'libkeel\.so\.1 => .*/lib/libkeel\.so\.1' 'with libkeel.so'
like "$(ldd "$TEST_TMPDIR/shares" | grep -o 'lib[a-z_]*\.so' | tr '\n' ' ')" 'libkeel\.so .*libgomp\.so' 'before libgomp'
ok 'with keel cflags --mpi, too' builds_shares "$("$prefix/bin/keel" cflags --mpi)"
is "$(code "$TEST_TMPDIR/shares")" 5 'and runs so'

prefix=$TEST_TMPDIR/usr
rm "$prefix"/lib/keel/gcc-*/keel_plugin.so
is "$(code "$prefix/bin/keel" cflags)" 1 'without the plugin: exit code'
like "$(messages)" "^keel: '.*' is GCC [0-9]+, and Keel has no plugin for it; no flags are printed: \`keel doctor' says what would help\$" 'and message'
rm "$prefix/lib/libkeel.so" "$prefix/lib/libkeel.so.1"
is "$(code "$prefix/bin/keel" libs)" 1 'without the library: exit code'
is "$(output)" '' 'and no flags'
is "$(code "$prefix/bin/keel" run true)" 125 'keel run without the library: exit code'
like "$(messages)" "^keel: 'true' is not run" 'and message'

# --- the Fortran module, under a linked and under a preloaded library ---

module=$(keel_path include/keel.f90)
source=$(keel_path tests/omp_ext/command/module.f90)

# build FOLDER SOURCE...
build()
{
    local folder=$1
    shift
    mkdir -p "$folder" && (cd "$folder" && eval "gfortran -Wall -Wextra -Werror -std=f2008 $("$keel" cflags) $* $("$keel" libs) -o program")
}

version=$("$keel" --version | cut -d' ' -f2)
wanted="$version
$version T T
first libgomp.
set 0 fac2,16 . fac.
500500
no problem: .
wrong T unknown schedule 'gsss', nearest is 'gss'
taken back 0 libgomp.
costs 0 .
wrong T cost '-6' of iteration 2, counted from 0, is not a finite number of at least 0
no costs 0
taken back 0"
message="keel: keel_set_schedule: unknown schedule 'gsss', nearest is 'gss'; the schedule stays as it was
keel: keel_set_costs: cost '-6' of iteration 2, counted from 0, is not a finite number of at least 0; the costs stay as they were"

ok 'the module compiles without warnings' build "$TEST_TMPDIR/module" "'$module'" "'$source'"
program=$TEST_TMPDIR/module/program
is "$(code "$program")" 0 'the program runs'
is "$(output)" "$wanted" 'with the library linked'
is "$(messages)" "$message" 'what is unusable without ierr is reported'

{
    echo "include 'keel.f90'"
    cat "$source"
} >"$TEST_TMPDIR/included.f90"
ok 'the module can be included' build "$TEST_TMPDIR/include" "'$TEST_TMPDIR/included.f90'"
is "$("$TEST_TMPDIR/include/program" 2>/dev/null)" "$wanted" 'and works'

is "$(code "$keel" run "$program")" 0 'the program runs under keel run'
is "$(output)" "$wanted" 'with the library preloaded'
is "$(messages | grep -v '^keel: no schedule is asked for: ')" "$message" 'its loop came to Keel'
like "$(KEEL_SCHEDULE=ss "$program" 2>/dev/null)" '^set 2 ss ' 'KEEL_SCHEDULE rules, and ierr says so'

done_testing
