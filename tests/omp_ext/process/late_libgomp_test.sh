#!/bin/bash
# Processes in which libgomp arrives late, twice or never, and ways to load libkeel.so other than LD_PRELOAD.
source tests/support/under_keel.sh

host=$(program host)
work=$TEST_TMPDIR
extension=$work/tail.so
schedules=$(each_day 'gss static' 'gss fac2 wf2 static tap')

# variant NAME COMPILER OPTION...: an extension whose functions end with calls that are jumps.
variant()
{
    "${@:2}" -O2 -fopenmp -shared -fPIC -foffload=disable tests/omp_ext/process/tail_calls.c -o "$work/$1.so"
}
variant tail gcc
variant now gcc -fno-plt -Wl,-z,now
variant alone gcc -static-libgcc -flto
variant plus g++ -xc++ -static-libgcc
variant loading gcc -DCONSTRUCTOR
gfortran -O2 -fopenmp -shared -fPIC -ffree-form -xf95 - -o "$work/fortran.so" <<'END'
subroutine one_more(cells)
  integer :: cells(100), i
  !$omp parallel do schedule(runtime)
  do i = 1, 100
    cells(i) = cells(i) + 1
  end do
end subroutine
integer function run() bind(c, name="extension_run")
  integer :: cells(100)
  cells = 0
  call one_more(cells)
  call one_more(cells)
  run = count(cells /= 2)
end function
END

# --- a program without OpenMP that loads an extension with it ---
for schedule in $schedules; do
    is "$(under_keel KEEL_SCHEDULE=$schedule "$host" "$extension" 2>&1)" '1 extensions, 0 failures' \
        "libgomp comes with an extension, $schedule"
done
# The environment is as the person wrote it by the time that a late libgomp reads it, which then says that it does not know fac2.
is "$(under_keel OMP_SCHEDULE=fac2,16 "$host" "$extension" 2> /dev/null)" '1 extensions, 0 failures' \
    'libgomp comes with an extension, OMP_SCHEDULE'
is "$(under_keel "$host" "$extension" 2>&1)" '1 extensions, 0 failures' 'libgomp comes late and nothing is asked for'
: > "$work/mark"
under_keel KEEL_SEEN="$work/mark" KEEL_SCHEDULE=gss "$host" "$extension" > /dev/null
is "$(cat "$work/mark")" 1 'loops of an extension are scheduled'

# --- two copies of libgomp ---
# A copy under another name of the same length, and the extension that asks for it: names in ELF files are NUL-terminated text.
rename()
{
    LC_ALL=C sed 's/libgomp\.so\.1/libgomq.so.1/g' "$1" > "$2"
}
libgomp=$(ldd "$extension" | sed -n 's/.*libgomp\.so\.1 => \([^ ]*\).*/\1/p')
mkdir "$work/copy"
rename "$libgomp" "$work/copy/libgomq.so.1"
rename "$extension" "$work/copy/second.so"
second=$work/copy/second.so
is "$(LD_LIBRARY_PATH=$work/copy "$host" "$extension" "$second" 2>&1)" '2 extensions, 0 failures' \
    'two copies of libgomp live together without Keel'
for schedule in $schedules; do
    is "$(under_keel LD_LIBRARY_PATH="$work/copy" KEEL_SCHEDULE=$schedule "$host" "$extension" "$second" 2>&1)" \
        '2 extensions, 0 failures' "two copies of libgomp, $schedule"
    is "$(under_keel LD_LIBRARY_PATH="$work/copy" KEEL_SCHEDULE=$schedule "$host" "$second" "$extension" 2>&1)" \
        '2 extensions, 0 failures' "two copies of libgomp, the renamed one first, $schedule"
done

# --- who has called, where the call returns to somebody else ---
turn=0
for settings in NOTHING=asked 'KEEL_SCHEDULE=fac2 KEEL_OVERRIDE=dynamic,guided' "KEEL_SCHEDULE=auto KEEL_REPORT=$work/report KEEL_EXPLAIN=1 KEEL_TRACE=$work/trace.json"; do
    for extension_file in tail now alone plus loading fortran; do
        turn=$((turn + 1))
        for how in '' global: again:; do
            # by day one way for each file and setting, by turns
            turn=$((turn + 1))
            nightly || [ $((turn % 3)) = 0 ] || continue
            is "$(under_keel $settings "$host" "$how$work/$extension_file.so" 2>/dev/null)" '1 extensions, 0 failures' \
                "last calls, $how$extension_file, $settings"
        done
    done
    turn=$((turn + 1))
    for names in 'now copy/second_now' 'again:loading again:copy/second_loading'; do
        turn=$((turn + 1))
        nightly || [ $((turn % 3)) = 0 ] || continue
        files=()
        for name in $names; do
            prefix=${name%"${name##*:}"}
            name=${name##*:}
            [ "${name%/*}" != copy ] || rename "$work/${name#copy/second_}.so" "$work/$name.so"
            files+=("$prefix$work/$name.so")
        done
        is "$(under_keel LD_LIBRARY_PATH="$work/copy" $settings "$host" "${files[@]}" 2>/dev/null)" '2 extensions, 0 failures' \
            "last calls and two copies, one inside of the other, $names, $settings"
    done
done
under_keel KEEL_TRACE="$work/calls" KEEL_SCHEDULE=css,16 "$host" "$work/tail.so" >/dev/null
unlike "$(awk -F, 'NR > 1 { print $1 }' "$work/calls")" '^host|libkeel' 'no loop is where a jump returns to'

# A program with a libgomp of its own, whose extension brings another.
gcc -O1 -fopenmp -iquote . tests/omp_ext/process/late_loops.c -o "$work/own" -ldl
is "$(under_keel LD_LIBRARY_PATH="$work/copy" KEEL_SCHEDULE=fac2 "$work/own" "$second" 2>&1)" 'fine' \
    'a program with libgomp loads an extension with another copy'

# --- Python ---
if python=$(command -v python3) && "$python" -c 'import ctypes' 2> /dev/null; then
    call="import ctypes; print(ctypes.CDLL('$extension').extension_run())"
    is "$(under_keel KEEL_SCHEDULE=fac2 "$python" -c "$call" 2>&1)" 0 'Python loads an extension'
else
    skip 'Python loads an extension' 'there is no python3'
fi

# --- libkeel.so comes late ---
is "$(KEEL_SCHEDULE=fac2 "$host" "late:$library" "$extension" 2>&1)" '1 extensions, 0 failures' \
    'libkeel.so is loaded by dlopen before libgomp'
is "$(KEEL_SCHEDULE=fac2 "$work/own" "$library" 2>&1)" 'fine' 'libkeel.so is loaded by dlopen after libgomp'

# --- loops in constructors ---
gcc -O1 -fopenmp -shared -fPIC -DPART tests/omp_ext/process/constructor.c -o "$work/constructed.so"
for schedule in libgomp gss fac2 rate 'gss; constructor.c:12=tss'; do
    nightly || [[ $schedule != @(libgomp|fac2) ]] || continue
    is "$(under_keel KEEL_SCHEDULE="$schedule" "$(program constructor)" "$work/constructed.so" 2>&1)" '4950, loaded' \
        "a thread runs loops while it loads an object, $schedule"
done

# --- linked ---
gcc -O1 -fopenmp -iquote . -DWITH_KEEL tests/omp_ext/process/late_loops.c -L"$(dirname "$library")" \
    -Wl,-rpath,"$(dirname "$library")" -Wl,--no-as-needed -lkeel -o "$work/linked"
is "$(KEEL_SCHEDULE=fac2 "$work/linked" 2>&1)" $'fac2\nfine' 'a program that is linked with libkeel.so'
is "$(OMP_SCHEDULE=fac2,16 "$work/linked" 2>&1)" $'fac2,16\nfine' 'OMP_SCHEDULE in a program that is linked with libkeel.so'
is "$("$work/linked" 2>&1)" $'libgomp\nfine' 'a program that is linked with libkeel.so and asks for nothing'
: > "$work/mark"
KEEL_SEEN="$work/mark" KEEL_SCHEDULE=gss "$work/linked" > /dev/null
is "$(cat "$work/mark")" 1 'loops of a program that is linked with libkeel.so are scheduled'
is "$(under_keel KEEL_SCHEDULE=fac2 "$work/linked" 2>&1)" $'fac2\nfine' 'linked and preloaded'

# --- no libgomp ---
for value in gss nonsense; do
    is "$(under_keel KEEL_SCHEDULE=$value sh -c 'echo out; echo err >&2; exit 3' 2>&1; echo $?)" $'out\nerr\n3' \
        "a program without OpenMP, KEEL_SCHEDULE=$value"
done
is "$(under_keel KEEL_SCHEDULE=gss grep -c libgomp /proc/self/maps)" 0 'libgomp is not loaded for a program that does not ask for it'

# --- a libgomp that lacks functions ---
# lacking FOLDER PATTERN: one without the functions whose names match as a whole; their names are others of the same length.
lacking()
{
    mkdir -p "$work/$1"
    perl -0777 -pe "s/(?<=\\0)G(OMP_(?:$2))(?=\\0)/X\$1/g" "$libgomp" >"$work/$1/libgomp.so.1"
}
gcc -O1 -fopenmp -g -xc - -o "$work/two_loops" <<'END'
int main(void)
{
    int sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 40; i++)
        sum++;
#pragma omp parallel
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 40; i++)
        sum++;
    return sum != 80;
}
END
# chunks FOLDER: how many each loop has under css,10 with that libgomp.
chunks()
{
    under_keel LD_LIBRARY_PATH="$work/$1" KEEL_SCHEDULE=css,10 KEEL_TRACE="$work/chunks" "$work/two_loops" || echo failed
    awk -F, 'NR > 1 { chunks[$1 " " $2]++ } END { for (loop in chunks) print chunks[loop] }' "$work/chunks" | sort -n | tr '\n' ' '
}
lacking newer 'loop_(ull_)?doacross_start|parallel_reductions|target_ext'
is "$(chunks newer 2>&1)" '4 4 ' 'functions that Keel only passes on may be missing'
lacking older 'loop_(ull_)?(ordered_)?start|loop_(ull_)?doacross_start|parallel_reductions'
is "$(chunks older 2>/dev/null)" '4 40 ' 'without shared memory of loops, combined ones are scheduled'
is "$(under_keel LD_LIBRARY_PATH="$work/older" KEEL_SCHEDULE=gss "$work/two_loops" 2>&1)" \
    "keel: '$work/older/libgomp.so.1' is older than that of GCC 9: of its loops, Keel schedules those that are combined with their region, as in \`parallel for\`; others are left to it" 'which is said once'

# --- other OpenMP runtimes ---
# In place of LLVM's, with libgomp's functions, in a team of one.
mkdir "$work/foreign"
foreign=$work/foreign/libforeign.so
# foreign HASH-STYLE
foreign()
{
    gcc -shared -fPIC -Wl,--hash-style="$1" -xc - -o "$foreign" <<'END'
#include <stdlib.h>
static long next, last;
void __kmpc_fork_call(void) {}
void GOMP_critical_start(void) {}
void GOMP_barrier(void) {}
void GOMP_loop_end(void) {}
void GOMP_loop_end_nowait(void) {}
int omp_get_num_threads(void) { return 1; }
int omp_get_level(void) { return 0; }
int omp_get_thread_num(void) { return 0; }
void GOMP_loop_start(void) { abort(); }
_Bool GOMP_loop_runtime_next(long *start, long *end)
{
    *start = next, *end = last, next = last;
    return *start < *end;
}
void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags) { run(data); }
void GOMP_parallel_loop_runtime(void (*run)(void *), void *data, unsigned threads, long start, long end, long incr, unsigned flags)
{
    next = start, last = end;
    run(data);
}
extern __typeof(GOMP_parallel_loop_runtime) GOMP_parallel_loop_maybe_nonmonotonic_runtime
    __attribute__((alias("GOMP_parallel_loop_runtime")));
extern __typeof(GOMP_loop_runtime_next) GOMP_loop_maybe_nonmonotonic_runtime_next
    __attribute__((alias("GOMP_loop_runtime_next")));
END
}
gcc -O1 -fopenmp -xc - -o "$work/one_loop" <<'END'
#include <stdio.h>
int main(void)
{
    static int sum;
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 40; i++)
        sum++;
    printf("%d\n", sum);
}
END
said="keel: '$foreign' is in libgomp's place, and Keel knows only GCC's; the program runs as without Keel"
for style in sysv gnu; do
    foreign $style
    for settings in KEEL_SCHEDULE=fac2 "KEEL_REPORT=$work/foreign/report"; do
        nightly || [[ $style,$settings != sysv,KEEL_REPORT* ]] || continue
        is "$(under_keel OMP_NUM_THREADS=1 "$settings" LD_PRELOAD="$library:$foreign" "$work/one_loop" 2>&1)" \
            "$said"$'\n40' "another runtime behind Keel, with a hash table of $style, $settings"
        is "$(under_keel OMP_NUM_THREADS=1 "$settings" LD_PRELOAD="$foreign:$library" "$work/one_loop" 2>&1)" \
            "$said"$'\n40' "before it, $style, $settings"
    done
done
is "$(under_keel LD_PRELOAD="$library:$foreign" "$work/one_loop" 2>&1)" 40 'and where nothing is asked for, nothing is said'
# libomp knows some of libgomp's names, so programs compiled by gcc may use it.
gcc -O1 -fopenmp -iquote . -c tests/omp_ext/process/late_loops.c -o "$work/loops.o"
libomp=$(find /usr/lib/llvm-*/lib -name 'libomp.so.5' 2> /dev/null | sort | tail -n 1)
if [ -n "$libomp" ] && gcc "$work/loops.o" "$libomp" -Wl,-rpath,"$(dirname "$libomp")" -ldl -o "$work/on_libomp" 2> /dev/null; then
    is "$(under_keel KEEL_SCHEDULE=fac2 "$work/on_libomp" 2>&1)" fine 'a program of gcc that uses libomp'
else
    skip 'a program of gcc that uses libomp' 'libomp is not installed'
fi
llvm=${libomp%/lib/libomp.so.5}
if [ -x "$llvm/bin/clang" ] && [ -e "$llvm/lib/libomp.so" ]; then
    "$llvm/bin/clang" -O1 -fopenmp -iquote . tests/omp_ext/process/late_loops.c -L"$llvm/lib" -Wl,-rpath,"$llvm/lib" -ldl -o "$work/by_clang"
    is "$(under_keel KEEL_SCHEDULE=fac2 "$work/by_clang" 2>&1)" fine 'a program of clang with libomp'
else
    skip 'a program of clang with libomp' 'clang with libomp is not installed'
fi
done_testing
