#!/bin/bash
# Programs outside the tree build with plain flags, pkg-config and CMake, in C, Fortran and with MPI, and run where there
# is neither the tree nor what Bazel has built.
source tests/support/mpirun.sh
source tests/packaging/packaging.sh

at=$work/keel
built=$(readlink -f "$(keel_path keel)") # somewhere in Bazel's cache
tests/packaging/project.sh "$work/project"
ok 'Keel is installed' install_keel --prefix="$at"
cd "$work/project" || exit
keel=$at/bin/keel
export PKG_CONFIG_PATH=$at/lib/pkgconfig OMP_NUM_THREADS=2
mkdir out

# compiled NAME COMMAND...: the command makes out/NAME.
compiled()
{
    ok "$1: ${*:2}" bash -c "${*:2} -o out/$1"
}

# --- building ---

compiled plain "gcc -fopenmp calls.c -I$at/include -L$at/lib -Wl,-rpath,$at/lib -lkeel"
compiled flags "gcc calls.c \$($keel cflags) \$($keel libs)"
compiled pkg_config 'gcc -fopenmp calls.c $(pkg-config --cflags --libs keel)'
compiled bare "gcc -g bare.c \$($keel cflags)"
compiled shares "mpicc -fopenmp shares.c \$($keel libs --mpi)"
compiled shares_pkg_config 'mpicc -fopenmp shares.c $(pkg-config --cflags --libs keel_mpi)'
compiled choose "gfortran choose.f90 \$($keel cflags) \$($keel libs) -Jout"
compiled choose_pkg_config 'gfortran -fopenmp choose.f90 $(pkg-config --cflags --libs keel) -Jout'
compiled shares_f "mpifort shares.f90 \$($keel cflags --mpi) \$($keel libs --mpi) -Jout"
is "$(pkg-config --modversion keel)" "$("$keel" --version | cut -d' ' -f2)" 'pkg-config knows the version'
ok 'CMake configures' cmake -S . -B cmake -DCMAKE_PREFIX_PATH="$at"
ok 'and builds' cmake --build cmake
for program in calls turned bare shares choose; do
    cp "cmake/$program" "out/cmake_$program"
done
sed -i 's/find_package(Keel 0\.1/find_package(Keel 0.9/' CMakeLists.txt
unlike "$(cmake -S . -B later -DCMAKE_PREFIX_PATH="$at" 2>&1)" 'Generating done' 'a later version is not found'
sed -i 's/find_package(Keel 0\.9/find_package(Keel 0.1/; s/COMPONENTS mpi/COMPONENTS mpx/' CMakeLists.txt
like "$(cmake -S . -B other -DCMAKE_PREFIX_PATH="$at" 2>&1)" "Keel in $at has no mpx for this project" 'a part that is not there'
for program in out/*; do
    case $program in
    *.mod | *bare) ;;
    *) like "$(readelf -d "$program" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | paste -s -d' ')" 'libkeel\.so\.1 .*libgomp|libkeel\.so\.1 .*libkeel_mpi.* libgomp' "$program: libkeel before libgomp" ;;
    esac
done

# --- running without the tree ---

# away COMMAND...: where the tree and Bazel's cache are not.
away()
{
    unshare --mount bash -c '
        for folder in "$1" "$2" "$3"; do
            [ ! -d "$folder" ] || mount -t tmpfs none "$folder" || exit
        done
        shift 3
        "$@"' away "${built%%/execroot/*}" "${KEEL_TEST_ROOT:-/nowhere}" "${TEST_SRCDIR:-/nowhere}" "$@"
}
if away true 2>/dev/null; then
    ok 'what Bazel has built is out of sight' away test ! -e "$built"
else
    away() { "$@"; }
    skip 'what Bazel has built is out of sight' 'this machine allows no namespaces of its own'
fi

for program in plain flags pkg_config cmake_calls cmake_turned; do
    is "$(away "out/$program" 2>&1)" '0 fac2,16 499500' "$program runs"
    is "$(KEEL_SCHEDULE=tss away "out/$program" 2>&1)" '2 tss 499500' 'and obeys the environment'
done
for program in bare cmake_bare; do
    is "$(away "$keel" run -s gss "out/$program" 2>&1)" 499500 "$program: its loop comes to Keel"
    is "$(away "out/$program" 2>&1)" 499500 'and it runs without'
done
is "$(away out/choose 2>&1)$(away out/choose_pkg_config 2>&1)$(away out/cmake_choose 2>&1)" 499500499500499500 'Fortran'
for program in shares shares_pkg_config cmake_shares; do
    is "$(away "$(type -P env)" bash -c "$(declare -f mpi_launch); tap_patience_s=$tap_patience_s; mpi_launch -n 2 out/$program" 2>&1)" '0 499500' "$program: ranks share the loop"
done
is "$(away "$(type -P env)" bash -c "$(declare -f mpi_launch); tap_patience_s=$tap_patience_s; mpi_launch -n 2 out/shares_f" 2>&1)" 499500 'also in Fortran'
is "$(KEEL_MEMORY=$work/memory KEEL_REPORT=$work/report.json KEEL_SCHEDULE=rate away out/plain 2>&1)" '2 rate 499500' 'libraries that are loaded on demand'
ok 'keep what was learned' test -s "$work/memory"
ok 'and report' test -s "$work/report.json"

# --- environment modules ---

# What a module does is printed by stand-ins for the commands that modules have.
cat >"$work/module.tcl" <<'END'
foreach name {module-whatis conflict} { proc $name args {} }
proc prepend-path {name value} { puts "$name=$value" }
source [lindex $argv 0]
END
is "$(tclsh "$work/module.tcl" "$at"/share/modulefiles/keel/*)" "PATH=$at/bin
LD_LIBRARY_PATH=$at/lib
LIBRARY_PATH=$at/lib
CPATH=$at/include
PKG_CONFIG_PATH=$at/lib/pkgconfig
CMAKE_PREFIX_PATH=$at" 'the environment module'
done_testing
