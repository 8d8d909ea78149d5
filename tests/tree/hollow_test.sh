#!/bin/bash
# Success has to be said: under a launcher that runs nothing and succeeds, and with programs that do nothing and succeed, no
# check passes that says that something ran.
source tests/support/tap.sh

cd "$(keel_root)" || exit
hollow=$TEST_TMPDIR/mpirun
printf '#!/bin/sh\nexit 0\n' >"$hollow"
chmod +x "$hollow"

# Checks that are about something else than what programs do, or of programs that need no launcher.
about_others='there are calls to fail$|points are those of one rank$|is there$|no file stays in memory$|# SKIP'
about_others+='|calls have as many arguments as the table says$|Fortran has each call by its name in the table$'
without_launcher='codes have no gaps|each code has a sentence|version of the library is|mpirun is that of'
without_launcher+='|- (keel|mpi): |handlers of both|messages of libkeel|without libkeel.so: |comes alone begins|a program without MPI goes as ever$|only refers to it weakly$'

# Checks of programs that are not the tests' own: shells, Python, what clang compiles, those of tests/soak, which finds a
# built one; and of what the compiler has made.
not_replaced='mpirun is that of|see OMP_SCHEDULE as it was|- Python loads|without OpenMP, |libgomp is not loaded|program of clang'
not_replaced+='|tests/soak draws jobs'
not_replaced+='|is loaded at random addresses|ranks get the variables|is for the ranks|status is that of the ranks|folder of its own|which is removed|is for aarch64'

# Compilers with which programs do nothing and succeed; extensions, which programs load, are what they are.
compilers=$TEST_TMPDIR/compilers
mkdir "$compilers"
for compiler in gcc g++ gfortran; do
    real=$(type -P $compiler) || continue
    cat >"$compilers/$compiler" <<END
#!/bin/bash
[[ " \$* " = *' -o '* && " \$* " != *' -'@(shared|c)' '* ]] || exec '$real' "\$@"
while [ "\$1" != -o ]; do shift; done
cp '$(type -P true)' "\$2"
END
    chmod +x "$compilers/$compiler"
done

# passing SCRIPT [NAME=VALUE...]: the checks of the script that pass, but for those; what it says if it succeeds as a whole.
passing()
{
    local folder output status others=$about_others
    case $2 in
    KEEL_TEST_MPIRUN=*) others+="|$without_launcher" ;;
    *) others+="|$not_replaced" ;;
    esac
    folder=$(mktemp -d "$TEST_TMPDIR/hollow.XXXXXX")
    output=$(env "${@:2}" TEST_TMPDIR="$folder" KEEL_TEST_PATIENCE=20 timeout --kill-after=10 120 bash "$1" </dev/null 2>/dev/null)
    status=$?
    rm -rf "$folder"
    grep '^ok ' <<<"$output" | grep -vE "$others"
    [ "$status" != 0 ] || [[ $output = '1..0 # SKIP '* ]] || printf 'the script passes\n'
}

# of_library NAME: scripts that source it, but those about what is installed, of which the fewest checks need a launcher.
of_library()
{
    grep -lE "^source tests/support/($1)\.sh" -r tests --include='*_test.sh' --exclude-dir=packaging | sort
}

# none_passes HOW SCRIPT NAME=VALUE: HOW says what does nothing.
none_passes()
{
    is "$(passing "${@:2}")" '' "$2 with $1"
}

# chosen: of the names on standard input all; before a change is taken eight, drawn by the commit.
chosen()
{
    [ "${KEEL_TEST_EXTENT:-}" = ci ] || { cat && return; }
    source tests/tree/nightly.sh
    drawn_by_commit | head -n 8
}

for script in $(of_library mpirun | chosen); do
    grep -qE '\bmpi_(run|keel|passes|launch|shows)\b' "$script" || continue
    beside none_passes 'a launcher that runs nothing' "$script" KEEL_TEST_MPIRUN="$hollow"
done
for script in $(of_library 'mpirun|under_keel' | chosen); do
    grep -qE '\$\(program |^([^"'\'']* )?passes ' "$script" || continue
    beside none_passes 'programs that do nothing' "$script" KEEL_TEST_HOLLOW=1 PATH="$compilers:$PATH"
done
together
done_testing
