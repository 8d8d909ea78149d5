#!/bin/bash
# Calls of MPI are measured in C and in Fortran, of Open MPI and of MPICH, each with the arguments and under the names that it
# has there; programs stay as they are. And waits of MPI sleep.
source tests/support/mpirun.sh

sources=$(dirname "$(keel_path tests/mpi_backend/calls/calls.c)")
table=$(keel_path mpi_backend/calls/calls_table.h)
keel=$(keel_path keel)
folder=$(dirname "$keel")
preload=$folder/libkeel.so:$folder/libkeel_mpi_calls.so
out=$TEST_TMPDIR
export OMP_NUM_THREADS=1
export OMPI_MCA_osc=sm,pt2pt # windows, without the transports that mpirun.sh leaves out

# calls FILE [EXPRESSION]: of rank 0 in a report, a line for each name: "MPI_Send 1". EXPRESSION, in Perl: of a call $_
calls()
{
    local of=${2:-'$_->{name}'}

    perl -MJSON::PP -0777 -e '
        my ($process) = grep { $_->{rank} == 0 } @{decode_json(<>)->{processes}};
        my %calls;
        $calls{'"$of"'} += $_->{calls} for @{$process->{call}};
        print map { "$_ $calls{$_}\n" } sort keys %calls;' "$1"
}

# build_calls NAME
build_calls()
{
    "mpicc.$1" -O1 -g -I"${table%/mpi_backend/*}" -o "$out/calls" "$sources/calls.c"
}

# measured PROGRAM ARGUMENT...: two ranks, with a report in $out/report.json
measured()
{
    rm -f "$out/report.json"
    mpi_shows 2 LD_PRELOAD="$preload" KEEL_REPORT="$out/report.json" "$@"
}

made='MPI_Alltoallw 5
MPI_Barrier 5
MPI_Bcast 5
MPI_Comm_free 5
MPI_Dist_graph_create_adjacent 5
MPI_File_close 5
MPI_File_open 5
MPI_File_read_at 5
MPI_File_set_view 5
MPI_File_write_at_all 5
MPI_Finalize 1
MPI_Gather 5
MPI_Probe 5
MPI_Recv 5
MPI_Send 5
MPI_Sendrecv 5
MPI_Test 5
MPI_Wait 5'
fortran_made='MPI_Allreduce 1
MPI_Barrier 3
MPI_File_close 1
MPI_File_open 1
MPI_File_set_view 1
MPI_File_write_all 1
MPI_Finalize 1
MPI_Recv 1
MPI_Sendrecv 1
MPI_Wait 1
MPI_Win_create 1
MPI_Win_fence 1
MPI_Win_free 1'

# of_mpi NAME: what its compilers build
of_mpi()
{
    local name=$1

    export KEEL_TEST_MPIRUN=${mpi_given:-mpirun.$name}
    if ! command -v "mpicc.$name" "mpifort.$name" "$KEEL_TEST_MPIRUN" >/dev/null; then
        skip "$name" 'it is not installed'
        return
    fi
    build_calls "$name" 2>"$out/messages"
    is "$(<"$out/messages")" '' "$name: calls have as many arguments as the table says"
    is "$(measured "$out/calls" "$out" 2>&1; ls "$out/report.json")" "$out/report.json" "$name: what comes stays right"
    is "$(calls "$out/report.json")" "$made" "$name: each call is counted as often as it was made"
    like "$(calls "$out/report.json" '$_->{place}' | cut -d' ' -f2-)" '^\((main|exchange|collect|use_file)\) ' "$name: and its place named"
    is "$(calls "$out/report.json" '$_->{place}' | sed 's/^calls\.c:[0-9].*/named/' | sort -u)" named "$name: of each of them"
    for way in '' -DMPI_F08 -DMPIF; do
        # shellcheck disable=SC2086 # none, or one
        "mpifort.$name" -cpp -g $way -o "$out/fortran_calls" "$sources/fortran_calls.f90" 2>"$out/messages"
        is "$(measured "$out/fortran_calls" "$out")" right "$name, Fortran $way: what is computed stays right"
        is "$(calls "$out/report.json")" "$fortran_made" "$name, Fortran $way: each call is counted"
    done
    # shellcheck disable=SC2046 # several
    is "$(sed -nE 's/^ *(CALL|ASK)\([A-Z][a-z_]*, ([a-z_]*), .*/mpi_\2_/p' "$table" | sort |
        comm -23 - <(nm -D --defined-only $(ldd "$out/fortran_calls" | awk '/libmpi/ { print $3 }') | awk '{ print $NF }' | sort -u))" '' \
        "$name: Fortran has each call by its name in the table"
    "mpicc.$name" -DPLUG -shared -fPIC -o "$out/plug.so" "$sources/plug.c"
    gcc -o "$out/plug" "$sources/plug.c" -ldl
    measured "$out/plug" "$out/plug.so"
    is "$(calls "$out/report.json")" 'MPI_Barrier 3
MPI_Finalize 1' "$name: also where MPI comes with dlopen()"
}
of_mpi openmpi
of_mpi mpich
export KEEL_TEST_MPIRUN=$mpi_given

# Whom ranks wait for
mpicc -O1 -g -fopenmp -o "$out/late" "$sources/late.c"
text=$(TMPDIR=/tmp "$keel" report "${mpi_given:-mpirun}" -n 2 "$out/late" 2>&1)
like "$text" '^  parallel efficiency 0\.[0-9]+ = MPI 0\.[0-9]+ \(load balance of ranks 0\.[0-9]+ x communication [01]\.[0-9]+\)$' \
    'the factors of POP over ranks'
like "$text" ' 20 +[0-9.]+ +MPI_Barrier late\.c:'"$(grep -n MPI_Barrier "$sources/late.c" | cut -d: -f1)"' \(main\)$' \
    'the call that costs most'
like "$text" '^ +waits for rank 1, which is longest in late\.c:1[0-9]$' 'and whom it waits for'
like "$text" "^  ranks' work is as [0-9.]+:1 on one node: share this node's cores, keel run --share-cores " 'and what to do'

# A trace has the calls that are the program's own and last 1 us, within their regions or outside.
# spans NAME: of all ranks: how often which place calls it
spans()
{
    cat "$out"/trace.json.? | grep "\"name\":\"$1\",\"cat\":\"mpi\"" | sed 's/.*"place":"\([^"]*\)".*/\1/' | sort | uniq -c | sed 's/^ *//'
}
is "$(TMPDIR=/tmp KEEL_TRACE=$out/trace.json "$keel" run "${mpi_given:-mpirun}" -n 2 "$out/late" 2>&1)" '' 'with a trace nothing is said'
# Rank 0 waits in each of its ten; the last one that comes may be quicker than that.
like "$(spans MPI_Barrier)" "^(1[0-9]|20) late\.c:$(grep -n MPI_Barrier "$sources/late.c" | cut -d: -f1)\$" \
    'a trace has the calls, with their place'
is "$(cat "$out"/trace.json.? | grep -c '"name":"MPI_Finalize"')" 2 'also the last one'
ok 'which last as long as the program waits' awk -F'"dur":' -v RS='\n' '/"MPI_Barrier"/ { sum += $2 } END { exit !(sum >= 400000) }' "$out/trace.json.0"
for rank in 0 1; do
    ok "rank $rank: its spans nest" "$(keel_path tests/omp_ext/trace/trace_facts.pl)" "$out/trace.json.$rank"
done
build_calls openmpi
mpi_shows 2 LD_PRELOAD="$preload" KEEL_TRACE="$out/trace.json" "$out/calls" "$out" >/dev/null
is "$(cat "$out"/trace.json.? | sed -n 's/.*"cat":"mpi".*"dur":\([0-9.]*\).*/\1/p' | awk '$1 < 0.9 { short++ } END { print (NR > 50), short + 0 }')" '1 0' \
    'short calls are left out'
is "$(mpi_shows 2 LD_PRELOAD="$preload" KEEL_TRACE="$out/trace.json,20" "$out/late" 60 2>&1 | sort -u)" \
    'keel: KEEL_TRACE: limit of 10 events reached; later ones are left out' 'of a full trace that is said'
# 60 regions and 61 calls, less 10 events. It is written after a second, in which there are at most 20 of each and 20 waits:
# what comes then is not recorded, and would be 40 regions if calls did not count.
ok 'and calls that came later are counted, too' test "$(sed -n 's/.*"left out".*"events":\([0-9]*\).*/\1/p' "$out/trace.json.0")" -ge 105

# Without a report nothing is kept, and other processes have nothing of it.
is "$(mpi_shows 2 LD_PRELOAD="$preload" sh -c '"$0" && echo ran' "$out/late" 2>&1)" $'ran\nran' 'without a report nothing is said'
is "$(LD_PRELOAD=$preload KEEL_REPORT=$out/none.json sh -c 'echo said' 2>&1; ls "$out/none.json" 2>/dev/null)" said \
    'a program without MPI goes as ever'
gcc -x c -o "$out/weak" - <<'END'
int MPI_Init(int *, char ***) __attribute__((weak));
int main(void) { return MPI_Init == 0 || MPI_Init(0, 0) != 0 ? 0 : 1; }
END
is "$(LD_PRELOAD=$preload "$out/weak" 2>&1; echo $?)" $'keel: there is no MPI in the process; MPI_Init() returns an error\n0' \
    'nor does one end that only refers to it weakly'

# --- waits of MPI sleep where KEEL_MPI_WAIT says so, of every kind; calls that only ask do not ---

unset OMPI_MCA_mpi_yield_when_idle
kinds='Recv Ssend Wait Probe Barrier Allreduce Reduce Bcast Comm_split Win_fence'

# each WORD: what all kinds do, but Test
each()
{
    printf "%s $1\n" $kinds
    echo Test polls
}

for name in openmpi mpich; do
    export KEEL_TEST_MPIRUN=${mpi_given:-mpirun.$name}
    if ! command -v "mpicc.$name" "$KEEL_TEST_MPIRUN" >/dev/null; then
        skip "$name" 'it is not installed'
        continue
    fi
    "mpicc.$name" -o "$out/waits" "$sources/waits.c"
    is "$(mpi_shows 2 LD_PRELOAD="$preload" KEEL_MPI_WAIT=sleep "$out/waits" 2>&1)" "$(each sleeps)" "$name: waits sleep"
    is "$(mpi_shows 2 LD_PRELOAD="$preload" KEEL_MPI_WAIT=poll "$out/waits" 2>&1)" "$(each polls)" "$name: or poll"
done
export KEEL_TEST_MPIRUN=$mpi_given
like "$(mpi_shows 1 LD_PRELOAD="$preload" KEEL_MPI_WAIT=often true 2>&1 | head -n 1)" \
    "^keel: KEEL_MPI_WAIT: 'often' is not poll or sleep; using poll\$" 'another word is reported'

done_testing
