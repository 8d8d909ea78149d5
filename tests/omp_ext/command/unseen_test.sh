#!/bin/bash
# keel run tells why no loop came to Keel, and what would bring them: by the program's kind, its OpenMP, its loops.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh

install_to "$TEST_TMPDIR/installed" || exit
cd "$TEST_TMPDIR" || exit

# loop_program NAME CLAUSE: one loop.
loop_program()
{
    gcc -fopenmp -O1 -xc - -o "$1" <<END
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) $2
    for (int i = 0; i < 10; i++)
        sum += i;
    return sum == 45 ? 7 : 1;
}
END
}

# explains NAME PATTERN WHAT: what is said of the program, whose exit code is 7 as without Keel.
explains()
{
    is "$(code "$keel" run -s gss "./$1")" 7 "$3: it runs"
    is "$(messages | grep -v '^ERROR: ld.so:' | wc -l)" 1 'and one line is said'
    like "$(messages)" "^keel: no loop of './$1' came to Keel$2" 'the right one'
}
usual=' before it ended with exit code 7; if that is its usual end,'

# --- loops ---

loop_program static ''
explains static "$usual the compiler has divided its loops, if it has any: compile them with schedule\(runtime\) clauses or with the flags of \`keel cflags\`, or try KEEL_OVERRIDE=static\$" 'a loop without a clause'
loop_program dynamic 'schedule(dynamic)'
explains dynamic "$usual its schedule\(dynamic\) and schedule\(guided\) loops come with KEEL_OVERRIDE=dynamic,guided, others " 'an explicit loop'
is "$(KEEL_OVERRIDE=dynamic,guided code "$keel" run -s gss ./dynamic; messages)" 7 'which is true'
gcc -fopenmp -shared -fPIC -xc - -o libloops.so <<<'void loop(int *a) {
#pragma omp parallel for schedule(guided)
for (int i = 0; i < 9; i++) a[i] = i; }'
gcc -xc - -o linked -L. -lloops -Wl,-rpath,"$PWD" <<<'void loop(int *a); int main(void) { int a[9]; loop(a); return 7; }'
explains linked "$usual its schedule\(dynamic\) and schedule\(guided\) loops come " 'one in a library'
gcc -fopenmp -xc - -o idle <<<'int main(int argc, char **argv) { if (argc > 1)
#pragma omp parallel for schedule(runtime)
for (int i = 0; i < 9; i++) argv[i] = 0; return 7; }'
explains idle "$usual it has loops that could come, but none of them ran; " 'a loop that does not run'
gcc -xc - -o none <<<'int main(void) { return 7; }'
explains none "$usual neither it nor what it is linked with has parallel regions of GCC's OpenMP: " 'no OpenMP'

# --- kinds of programs ---

printf '#!/bin/sh\n./static\n' >script
chmod +x script
is "$(code "$keel" run -s gss ./script)" 7 'a script: it runs'
is "$(messages)" "keel: no loop of '$PWD/static' came to Keel (started by './script'); the compiler has divided its loops, if it has any: compile them with schedule(runtime) clauses or with the flags of \`keel cflags\`, or try KEEL_OVERRIDE=static" 'what its program needs is said'
printf '#!/bin/sh\n./none\n' >script
explains script ": it is a script that /bin/sh runs\. Keel goes along into the programs that it starts, " 'a script without OpenMP'
loop_program runtime 'schedule(runtime)'
printf '#! /bin/sh -e\n./runtime\n' >script
is "$(code "$keel" run -s gss ./script; messages)" 7 'a loop of a program that it starts counts'

# --- other runtimes ---

# In place of a runtime: what a program of one loop calls, with these versions of symbols.
stand_in()
{
    mkdir -p "$1"
    printf 'OMP_1.0 { global: omp_get_num_threads; omp_get_thread_num; local: *; };\nGOMP_4.0 { global: GOMP_parallel; };\nGOMP_1.0 { global: GOMP_critical_start; };\n%s' \
        "$3" >"$1/versions"
    gcc -shared -fPIC "${@:4}" -xc - -o "$1/$2" -Wl,-soname,"$2" -Wl,--version-script="$1/versions" <<'END'
void GOMP_parallel(void (*run)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)threads;
    (void)flags;
    run(data);
}
void GOMP_critical_start(void) {}
void GOMP_loop_maybe_nonmonotonic_runtime_next(void) {}
#ifdef FOREIGN
void __kmpc_fork_call(void) {}
#endif
int omp_get_num_threads(void) { return 1; }
int omp_get_thread_num(void) { return 0; }
END
}
for pair in llvm:libomp.so.5:LLVM intel:libiomp5.so:Intel; do
    IFS=: read -r name library maker <<<"$pair"
    stand_in "$name" "$library"
    gcc -xc - -xnone -o "of_$name" -Wl,--no-as-needed "$name/$library" -Wl,-rpath,"$PWD" <<<'int main(void) { return 7; }'
    LD_LIBRARY_PATH=$PWD/$name explains "of_$name" ": it uses $maker's OpenMP runtime \($PWD/$name/$library\), which Keel does not take over; " "the runtime of $maker"
done
stand_in old libgomp.so.1
LD_LIBRARY_PATH=$PWD/old explains static ": its libgomp \($PWD/old/libgomp.so.1\) is older than that of GCC 9, and of such ones " 'an old libgomp'
# LLVM's has libgomp's functions, and may be installed under its name.
gcc -fopenmp -xc - -o fine <<<'int main(void) { int n = 0;
#pragma omp parallel
n = 1; return n - 1; }'
stand_in place libgomp.so.1 'GOMP_5.0 { global: __kmpc_fork_call; };' -DFOREIGN
is "$(LD_LIBRARY_PATH=$PWD/place code "$keel" run -s gss ./static)" 7 'another runtime under its name: it runs'
is "$(messages | grep -c '^keel: ')" 1 'one line is said'
like "$(messages)" "^keel: '$PWD/place/libgomp.so.1' is in libgomp's place" 'which names the file'
like "$(LD_LIBRARY_PATH=$PWD/place "$keel" check --runs 2 ./fine 2>&1)" "LLVM's OpenMP runtime \($PWD/place/libgomp.so.1\).* take it out of LD_PRELOAD and LD_LIBRARY_PATH" 'keel check names it'
in_place="it uses LLVM's OpenMP runtime \($PWD/place/libgomp.so.1\), .* take it out of LD_PRELOAD and LD_LIBRARY_PATH"
said=$(LD_LIBRARY_PATH=$PWD/place "$keel" compare --rounds 1-1 --libgomp static -s fac2 -- ./fine 2>&1)
like "$said" "no loop of './fine' came to Keel: $in_place" 'keel compare names it'
unlike "$said" cflags 'and gives no other advice'
stand_in new libgomp.so.1 'GOMP_5.0 { global: GOMP_loop_maybe_nonmonotonic_runtime_next; };'
LD_LIBRARY_PATH=$PWD/new explains static "$usual the compiler has divided its loops" 'one that is not'
if command -v clang-19 >/dev/null && clang-19 -fopenmp -xc - -o clang 2>/dev/null <<<'int main(void) { int sum = 2;
#pragma omp parallel for reduction(+ : sum)
for (int i = 0; i < 5; i++) sum++; return sum; }'; then
    explains clang ": it uses LLVM's OpenMP runtime \(.*libomp" 'a program built by clang'
fi

# --- linked behind libgomp ---

gcc -fopenmp -xc - -o behind -Linstalled/lib -Wl,--no-as-needed -lgomp -lkeel -Wl,-rpath,"$PWD/installed/lib" <<<'int main(void) { int s = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : s)
for (int i = 0; i < 5; i++) s++; return s; }'
is "$(KEEL_SCHEDULE=gss code ./behind)" 5 'a program that is linked with Keel behind libgomp runs'
like "$(messages)" '^keel: libgomp \(.*\) comes before libkeel\.so in this program, so that no loop comes to Keel: link -lkeel before -lgomp' 'the cause is named'
is "$(messages | wc -l)" 1 'once'
is "$(code ./behind; messages)" 5 'where nothing is asked for, nothing is said'
is "$(code "$keel" run -s gss ./behind; messages)" 5 'keel run brings its loops'
is "$(left_behind)" '' 'no file is left'

# --- a full disk ---

loop_program runtime 'schedule(runtime)'
if mkdir full && mount -t tmpfs -o size=16k tmpfs full 2>/dev/null; then
    printf '#!/bin/sh\n./runtime; cat /dev/zero >full/rest 2>/dev/null; true\n' >filling
    chmod +x filling
    export TMPDIR=$PWD/full
    for command in check 'compare --budget 2'; do
        is "$(code "$keel" $command ./filling)" 125 "$command: a program that fills TMPDIR"
        like "$(messages)" "^keel: what './filling' has written to '$TMPDIR' \(TMPDIR\) is not known: No space left on device$" 'is reported'
        unlike "$(output; messages)" 'no loop of' 'and not taken for one without loops'
        rm -f full/rest
    done
    cat /dev/zero >full/rest 2>/dev/null
    is "$(code "$keel" run -s gss ./runtime)" 7 'run: a full disk'
    is "$(messages)" "keel: no file can be made in '$TMPDIR' (TMPDIR): No space left on device; the program runs, but whether its loops come to Keel is not noticed" 'is reported'
    for command in check compare report; do
        is "$(code "$keel" $command ./runtime)" 125 "$command: a full disk"
        like "$(messages)" "^keel: no folder .*can be made in '$TMPDIR'.*: No space left on device" 'is reported'
    done
    is "$(left_behind)" rest 'no file is left'
    umount full
else
    skip 'a full disk' 'no file systems can be mounted here'
fi
done_testing
