#!/bin/bash
# Programs built with the plugin give right results, and each thread the iterations that it has in a plain build.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

# --- results: without Keel, whatever OMP_SCHEDULE says, and under schedules of every kind ---

library=$(keel_path omp_ext/libkeel.so)
everything=("$option-explicit=static,dynamic,guided,auto" "$option-target")
export OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive OMP_MAX_ACTIVE_LEVELS=2

# check_program LANGUAGE NAME FLAG...: builds exact.LANGUAGE and runs it under each schedule.
check_program()
{
    local language=$1 name=$2 program=$TEST_TMPDIR/exact schedule
    shift 2
    rm -f "$program"
    # Fortran writes its module file to the present folder.
    ok "$name builds" env -C "$TEST_TMPDIR" "${compiler_of[$language]}" -fopenmp -fplugin="$plugin" "$@" \
        "$(keel_path "tests/omp_ext/plugin/exact.$language")" -o "$program"
    like "$(undefined "$program")" ' w keel_worksharing_begin' "$name asks for Keel"
    for schedule in static,3 dynamic nonmonotonic:guided,5; do
        is "$(OMP_SCHEDULE=$schedule OMP_CANCELLATION=true timeout "$tap_patience_s" "$program" 2>&1)" exact "$name alone, OMP_SCHEDULE=$schedule"
    done
    for schedule in static static,3 css,7 gss fac2 wf2 awf-c steal rate monotonic:steal; do
        is "$(KEEL_SCHEDULE=$schedule LD_PRELOAD=$library OMP_CANCELLATION=true timeout "$tap_patience_s" "$program" 2>&1)" exact \
            "$name under $schedule"
    done
}

# By day each language, and each level, once.
declare -A levels=([c]='-O2 -flto=1' [cc]=-O3 [f90]=-O0)
for language in c cc f90; do
    for level in $(each_day "${levels[$language]}" '-O0 -O2 -O3 -flto=1'); do
        check_program $language "$language with $level" $level
    done
    nightly || [ $language = c ] || continue
    check_program $language "$language with every option" -O1 "${everything[@]}"
done

# --- shares: without Keel, with nothing asked for, and under static, whatever OMP_SCHEDULE says ---

source=$(keel_path tests/omp_ext/plugin/printed_shares.c)
taken=(-fplugin="$plugin" "$option-explicit=static")
cd "$TEST_TMPDIR" || exit
for variable in ${!KEEL_@} ${!OMP_@}; do
    [[ $variable = KEEL_TEST_* ]] || unset "$variable"
done

# shares PROGRAM [NAME=VALUE...]: what the program prints with teams of several sizes.
shares()
{
    local program=$1 threads
    shift
    for threads in 1 2 3 7; do
        env OMP_NUM_THREADS=$threads OMP_WAIT_POLICY=passive "$@" timeout 50 "./$program"
    done
}

# same NAME PROGRAM [NAME=VALUE...]
same()
{
    local name=$1 program=$2
    shift 2
    is "$(shares "$program" "$@" | md5sum)" "$expected" "$name"
}

ok 'the plain program builds' gcc -O1 -fopenmp "$source" -o plain
expected=$(shares plain | md5sum)
is "$(shares plain | wc -l)" 940 'it shows all loops'
all_flags='-O0|-O2|-O2 -no-pie -fno-pic|-O2 -fPIC -pie|-O2 -flto=1|-O3 -static|-O2 -fvisibility=hidden -Wl,-z,now'
IFS='|' read -ra several < <(each_day '-O0|-O2 -fPIC -pie|-O3 -static' "$all_flags")
for flags in "${several[@]}"; do
    # shellcheck disable=SC2086 # several flags in one word
    ok "it builds with the plugin and $flags" gcc -w -fopenmp "${taken[@]}" $flags "$source" -o keel
    same "the same shares with $flags" keel OMP_SCHEDULE=dynamic
done
IFS='|' read -ra several < <(each_day '-O2 -no-pie -fno-pic' '-O2|-O2 -no-pie -fno-pic')
for flags in "${several[@]}"; do
    # shellcheck disable=SC2086
    ok "it builds for Keel with $flags" gcc -fopenmp -fplugin="$plugin" $flags "$source" -o keel
    same "Keel with nothing asked for, $flags" keel LD_PRELOAD="$library" OMP_SCHEDULE=guided
    same "Keel's static, $flags" keel LD_PRELOAD="$library" KEEL_SCHEDULE='static;bare=static'
    unlike "$(shares keel LD_PRELOAD="$library" KEEL_SCHEDULE=css,2 | md5sum)" "$expected" "css,2 gets its loops, $flags"
done

# A schedule of Keel's alone, for bare loops: with Keel, they have it, and nothing is said; without, libgomp says
# once that it does not know it, and they have the shares that they had.
export OMP_NUM_THREADS=3
unlike "$(OMP_SCHEDULE=fac2 LD_PRELOAD=$library ./keel | md5sum)" "$(./plain | md5sum)" \
    'OMP_SCHEDULE=fac2 applies to its loops under Keel'
is "$(OMP_SCHEDULE=fac2 LD_PRELOAD=$library ./keel 2>&1 >/dev/null)" '' 'without a message'
said=$(OMP_SCHEDULE=fac2 ./keel 2>&1 >without)
is "$?" 0 'without Keel the program runs'
is "$(md5sum <without)" "$(./plain | md5sum)" 'with the shares that it had'
is "$(grep -c . <<<"$said")" 1 'and one message is printed'
like "$said" '^libgomp: .*OMP_SCHEDULE' 'which names the variable'
unset OMP_NUM_THREADS

# The loops are in a shared library, and run on a thread that the program makes.
sed 's/int main(/int run_all(/' "$source" >library.c
echo 'int run_all(int, char **); int main(void) { return run_all(2, (char **)0); }' >main.c
ok 'a shared library builds' gcc -O2 -fopenmp -fPIC -shared "${taken[@]}" library.c -o libloops.so
ok 'and a program with it' gcc main.c -o keel -L. -lloops -Wl,-rpath,"$PWD"
same 'the same shares in a shared library, on a thread of the program' keel OMP_SCHEDULE=dynamic
same 'with Keel loaded' keel LD_PRELOAD="$library"

done_testing
