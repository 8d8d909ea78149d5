#!/bin/bash
# Calls of MPI are measured, each of them, in C and in Fortran, of Open MPI and of MPICH; programs stay as they are.
source tests/support/mpirun.sh

sources=$(dirname "$(keel_path tests/mpi_backend/calls/calls.c)")
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

# measured PROGRAM ARGUMENT...: two ranks, with a report in $out/report.json
measured()
{
    rm -f "$out/report.json"
    mpi_shows 2 LD_PRELOAD="$preload" KEEL_REPORT="$out/report.json" "$@"
}

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
    local name=$1 made

    export KEEL_TEST_MPIRUN=mpirun.$name
    if ! command -v "mpicc.$name" "mpifort.$name" "$KEEL_TEST_MPIRUN" >/dev/null; then
        skip "$name" 'it is not installed'
        return
    fi
    "mpicc.$name" -O1 -g -o "$out/calls" "$sources/calls.c"
    made=$(measured "$out/calls" "$out")
    ok "$name: it makes nearly all calls" [ "$(wc -l <<<"$made")" -ge 100 ]
    made+=$'\nMPI_Finalize 1'
    is "$(calls "$out/report.json")" "$(sort <<<"$made")" "$name: each call is counted as often as it was made"
    like "$(calls "$out/report.json" '$_->{place}' | cut -d' ' -f2-)" '^\((main|exchange|probe|complete|collect|communicate)\) ' "$name: and its place named"
    is "$(calls "$out/report.json" '$_->{place}' | sed '/^calls\.c:[0-9]/d')" '' "$name: of each of them"
    for way in '' -DMPI_F08 -DMPIF; do
        # shellcheck disable=SC2086 # none, or one
        "mpifort.$name" -cpp -g $way -o "$out/fortran_calls" "$sources/fortran_calls.f90" 2>"$out/messages"
        is "$(measured "$out/fortran_calls" "$out")" right "$name, Fortran $way: what is computed stays right"
        is "$(calls "$out/report.json")" "$fortran_made" "$name, Fortran $way: each call is counted"
    done
    "mpicc.$name" -DPLUG -shared -fPIC -o "$out/plug.so" "$sources/plug.c"
    gcc -o "$out/plug" "$sources/plug.c" -ldl
    measured "$out/plug" "$out/plug.so"
    is "$(calls "$out/report.json")" 'MPI_Barrier 3
MPI_Finalize 1' "$name: also where MPI comes with dlopen()"
}
of_mpi openmpi
# Accept and connect, in turns on the two ranks, are of Open MPI alone.
is "$(sed -n 's/^ *\/\*.*//; s/.*CALL(\([A-Z][a-z_]*\), .*/MPI_\1/p' "$(keel_path mpi_backend/calls/calls_table.h)" | sort |
    comm -23 - <(grep -o 'CALL([A-Z][a-z_]*' "$sources/calls.c" | sed 's/CALL(/MPI_/' | sort -u))" '' 'no call of the table was left out'
of_mpi mpich
unset KEEL_TEST_MPIRUN

# Whom ranks wait for
mpicc -O1 -g -fopenmp -o "$out/late" "$sources/late.c"
text=$(TMPDIR=/tmp "$keel" report mpirun -n 2 "$out/late" 2>&1)
like "$text" '^  parallel efficiency 0\.[0-9]+ = MPI 0\.[0-9]+ \(load balance of ranks 0\.[0-9]+ x communication [01]\.[0-9]+\)$' \
    'the factors of POP over ranks'
like "$text" ' 20 +[0-9.]+ +MPI_Barrier late\.c:'"$(grep -n MPI_Barrier "$sources/late.c" | cut -d: -f1)"' \(main\)$' \
    'the call that costs most'
like "$text" '^ +waits for rank 1, which is longest in late\.c:1[0-9]$' 'and whom it waits for'

# Without a report nothing is kept, and other processes have nothing of it.
is "$(mpi_shows 2 LD_PRELOAD="$preload" "$out/late" 2>&1; echo $?)" 0 'without a report nothing is said'
is "$(LD_PRELOAD=$preload KEEL_REPORT=$out/none.json sh -c 'echo said' 2>&1; ls "$out/none.json" 2>/dev/null)" said \
    'a program without MPI goes as ever'
done_testing
