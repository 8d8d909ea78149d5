#!/bin/bash
# Collections of static loops: those that must be refused are, those that may be taken are at -O2, and those taken
# have the results of a plain run. Each program prints a line for each of its cases, refused_WHAT or taken_WHAT. Also
# the messages about loops that are left alone.
source tests/support/under_keel.sh

here=tests/omp_ext/shares
work=$TEST_TMPDIR
prove=$(keel_path omp_ext/shares/prove)

# Cases that might be taken, and are not at -O2 of Debian's gcc 12. Later ones put two iterations into one, and vectorise more.
exceptions=$(sed '/^#/d; s/[^ ]*/taken_&/g' <<'END'
# code outside of the loop depends on the share
char collapsed collapsed_long collapsed_runtime collapsed_sum collapsed_thrice gather lastprivate short simd simd_sum
vector_of_vectors
# iterations are not divided into a share for each thread
chunk_recurrence
# a value is carried from one iteration to the next
any_bool clear_rows complex_exponential complex_sum insertion_sort iterator many_scalars member_sum minimum_double
product_double range reverse_iterator runtime_step sum_inner
# memory of the thread's stack is reached by its address
array_section_sum call_of_local_array call_of_private_array firstprivate private_array
# a value that was loaded before a barrier
linear linear_by_two linear_pointer
# two loops with different iterations and no barrier between
either_loop pair_of_others
# a register that was set in part
bit_fields logical nested_powers
# an earlier value of a sum
sum_branches
# a jump through a table or pointer
computed_goto
# a register that is not known
long_double
# numbers of iterations are compared that may wrap around
triangular_down
# the size of its stack frame changes
local_variable_length
# code outside of the loop has effects
abort_never
# the loop may be left before its end
unrolled
# the loop goes over other iterations than those of its share
unsigned_high unsigned_long_high
# an iteration calls a function of another file
scratch_vector
END
)

# build PROGRAM SOURCE OPTION...: with compilers of the version that $version says, by default the system's.
build()
{
    local source=$2 given=("${@:3}" -fopenmp -w -o "$work/$1")
    case $source in
    *.c) "gcc$version" "${given[@]}" -I. "$here/$source" "$here/share_cases.c" -lm ;;
    *.cc) "g++$version" "${given[@]}" -I. "$here/$source" -x c "$here/share_cases.c" -lm ;;
    *.f90) "gfortran$version" "${given[@]}" -J "$work" "$here/$source" ;;
    esac
}

# of_kind KIND PROBLEM: reads the names of cases from $work/names and what the tool says of regions from standard input;
# prints the cases of that kind with a region of that verdict, or with none at all. A region is that of a function whose
# name holds the case's, as it is or as C++ and Fortran make it.
of_kind()
{
    awk -v kind="$1" -v problem="$2" '
        FILENAME != "-" { if (index($1, kind "_") == 1) missing[$1] = 1; known[$1] = 1; next }
        /\.cold/ { next }
        {
            name = $1
            sub(/\._omp_fn\..*/, "", name)
            sub(/^__[a-z_]*_MOD_/, "", name)
            sub(/\.[0-9]+$/, "", name)
            if (!(name in known))
                for (one in known)
                    if (index(name, length(one) one))
                        name = one
            delete missing[name]
            if (index(name, kind "_") == 1 && name in known && $2 ~ problem)
                print name ": " substr($0, index($0, $2))
        }
        END { for (one in missing) print one ": no region of it was looked at" }' "$work/names" -
}

# without_exceptions: of these lines, those of cases that are not exceptions.
without_exceptions()
{
    awk -v exceptions="$exceptions" '
        BEGIN { count = split(exceptions, names); for (i = 1; i <= count; i++) left[names[i]] }
        { name = $1; sub(/:$/, "", name) }
        !(name in left)'
}

# run_cases PROGRAM [NAME=VALUE...]: its lines. When it ends early, the cases that it has no line for run one by one.
run_cases()
{
    local program=$work/$1 name status=0
    shift
    timeout 100 env "$@" "$program" >"$work/lines" 2>"$work/errors" || status=$?
    cat "$work/lines"
    [ "$status" != 0 ] || return
    while read -r name; do
        status=0
        timeout 20 env "$@" "$program" "$name" 2>>"$work/errors" || status=$?
        [ "$status" = 0 ] || printf '%s left with %s\n' "$name" "$status"
    done < <(cut -d' ' -f1 "$work/lines" | grep -vxF -f - "$work/names")
}

# differing PROGRAM: the cases whose results with Keel are not those of a plain run with as many threads.
differing()
{
    local threads schedule
    for threads in $(each_day 3 '2 3 5'); do
        OMP_NUM_THREADS=$threads "$work/$1" >"$work/plain" || printf 'plain: exit status %s\n' $?
        for schedule in $(each_day 'ss steal' 'ss fac2 steal'); do
            OMP_NUM_THREADS=$threads run_cases "$1" LD_PRELOAD="$library" KEEL_OVERRIDE=static KEEL_SCHEDULE=$schedule |
                sort | comm -13 <(sort "$work/plain") - | sed "s/ .*left with / left with /; s/\$/ ($schedule, $threads threads)/"
        done
    done | awk '{ name = $1; $1 = ""; how[name] = how[name] $0 } END { for (name in how) print name how[name] }' | sort
}

# look WHAT PROGRAM: makes the checks of a built program.
look()
{
    local verdicts
    OMP_NUM_THREADS=2 "$work/$2" | cut -d' ' -f1 >"$work/names"
    verdicts=$("$prove" "$work/$2")
    if grep -q '^refused_' "$work/names"; then
        is "$(of_kind refused '^taken' <<<"$verdicts" | sort)" '' "$1: what must be refused is refused"
    fi
    if [[ $1 = taken_loops.c*' -O2' ]]; then
        ok "$1: at least half of what may be taken is taken" \
            test $((2 * $(grep -c ': taken$' <<<"$verdicts"))) -ge "$(wc -l <"$work/names")"
    fi
    if [[ $gcc$version = 12 && $1 = *' -O2' ]] && grep -q '^taken_' "$work/names"; then
        is "$(of_kind taken '^refused' <<<"$verdicts" | without_exceptions | sort)" '' "$1: what may be taken is taken"
    fi
    if [[ $gcc$version = 12 && $1 = *' -O'[23]* && $1 != *native* && $1 != *unroll* ]]; then
        is "$(of_kind taken_within '^refused' <<<"$verdicts" | sort)" '' "$1: loops within do not matter"
    fi
    is "$(differing "$2")" '' "$1: the results of plain runs"
}

newer=native
grep -qw avx2 /proc/cpuinfo && newer=x86-64-v3
IFS='|' read -ra builds < <(each_day "-O2|-O3 -march=$newer" \
    "-O1|-O2|-O3|-Os|-O2 -fPIC|-O2 -flto=1|-O3 -march=native|-O3 -march=$newer|-O3 -funroll-loops|-O2 -fno-plt")
gcc=$(gcc -dumpversion)
others=$(each_day '' "$(other_gccs gcc g++ gfortran)")
! nightly || [ -n "$others" ] || skip 'code of other versions of GCC' 'no other gcc, g++ and gfortran are installed'
for version in '' $others; do
    [ -z "$version" ] || builds=(-O2 -O3 -Os)
    for options in "${builds[@]}"; do
        for source in taken_loops.c refused_loops.c loops_more.cc loops_more.f90; do
            # shellcheck disable=SC2086 # several options in one word
            if build program $source $options; then
                look "$source gcc$version $options" program
            else
                tap_result 1 "$source gcc$version $options: it is compiled"
            fi
        done
    done
done

# --- messages about static loops that are left alone, and rules that take one by the author's word ---

program=$work/words
export OMP_NUM_THREADS=2 KEEL_OVERRIDE=static
gcc -g -O1 -fopenmp -x c "$here/sharing_words.c" -o "$program"
line=$(grep -n 'omp parallel$' "$here/sharing_words.c" | cut -d: -f1)

# run SETTING...: its output, of $iterations, in $output, messages of regions in $messages.
run()
{
    output=$(under_keel "$@" "$program" $iterations 2>"$work/errors")
    messages=$(grep -F 'KEEL_OVERRIDE=static' "$work/errors")
}

run KEEL_SCHEDULE=ss
is "$output,$messages" '2,' 'a region with an effect before its loop is left alone, without a message'
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1
is "$output" 2 'also with a report'
like "$messages" "^keel: KEEL_OVERRIDE=static leaves the region of sharing_words\.c:$line \(counted\) as it is: .* \(0x[0-9a-f]+, sharing_words\.c:[0-9]+\)$" \
    'which says why, and where'
run "KEEL_SCHEDULE=ss; sharing_words.c:$line=fac2"
is "$output" 2 'a rule changes nothing'
run "KEEL_SCHEDULE=ss; sharing_words.c:$line=fac2!" KEEL_EXPLAIN=1
like "$output,$messages" '^(64|128|256|512),$' 'but one with "!" is the word of the author: once for each of 32 shares a thread, or more'
iterations=10000
run 'KEEL_SCHEDULE=counted = ss !'
is "$output" 512 'for a function, too, and for each of 256 where they take long'
iterations=
run 'KEEL_SCHEDULE=ss; simple=fac2!'
is "$output" 2 'it is not a word for others'
run 'KEEL_SCHEDULE=ss; comes=fac2!'
is "$output" 2 'nor one for a loop that calls Keel anyway'
is "$(KEEL_SCHEDULE='ss!' under_keel "$program" 2>&1 | grep -c '^keel: KEEL_SCHEDULE: ')" 1 'there is none for all loops'
is "$("$(keel_path keel)" run -s ss "$program" 2>&1 >/dev/null)" \
    "keel: KEEL_OVERRIDE=static took 1 of 2 regions; KEEL_EXPLAIN=1 says why it left the others" 'keel run: how many are taken'

# --- proofs that are kept between runs ---

# change FIELD VALUE FILE: what proofs of refused regions say there, by the number of the field behind the texts, or their words,
# 0; with a sum that fits.
change()
{
    perl -i -0pe 'sub changed { my ($texts, $why, $numbers) = @_; my @number = split / /, $numbers;
                      '"$1"' > 0 ? ($number['"$1"'] = "'"$2"'") : ($why = "'"$2"'"); "$texts\t$why\t@number" }
                  s/^(\w+\tstatic by \w+)\t([^\t\n]+)\t(.*)$/changed($1, $2, $3)/gme;
                  s/^sum .*\n//m;
                  use integer; my $sum = -3750763034362895579;
                  $sum = ($sum ^ ord) * 0x100000001b3 for split //;
                  $_ .= sprintf "sum %016x\n", $sum' "$3"
}

kept=$work/kept
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
first=$messages
is "$(grep -c '	static by ' "$kept")" 3 'KEEL_MEMORY keeps a proof of each region'
change 0 'so it was kept' "$kept"
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
is "$output,${messages##*: }" '2,so it was kept' 'a known region is not proved again'
change 8 1 "$kept"
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
is "$output,$messages" "2,$first" 'but it is if its code has another digest'
change 5 ffffffffff "$kept"
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
is "$output,$messages" "2,$first" 'or would be larger than what is mapped'
change 0 '' "$kept"
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
is "$output,$messages" "2,$first" 'or where the reason is lost'
change 0 'so it was kept' "$kept"
gcc -g -O2 -fopenmp -x c "$here/sharing_words.c" -o "$program"
run KEEL_SCHEDULE=ss KEEL_EXPLAIN=1 KEEL_MEMORY="$kept"
unlike "$messages" 'so it was kept' 'and where the program has another build id'

done_testing
