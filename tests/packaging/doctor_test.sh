#!/bin/bash
# keel doctor: what it says where all works, and of each thing that does not, the line that repairs it.
source tests/support/tap.sh
source tests/packaging/packaging.sh

for variable in ${!OMP_@} ${!GOMP_@} ${!OMPI_@}; do
    unset "$variable"
done
at=$work/keel
ok 'Keel is installed' install_keel --prefix="$at"
keel=$at/bin/keel
major=$(gcc -dumpversion | cut -d. -f1)
export COLUMNS=400 TMPDIR=$work/tmp
mkdir "$TMPDIR"

# doctor [NAME=VALUE...]: what it says, and its exit code.
doctor()
{
    env "$@" "$keel" doctor >"$work/said" 2>&1
    code=$?
}

# said NAME STATE PATTERN: of one respect.
said()
{
    local row
    row=$(awk -v name="$1" '/^[^ ]/ { found = $1 == name } found' "$work/said" | head -n 2 | paste -s -d' ')
    like "$row" "^$1 +$2 +$3" "$1 $2"
}

# --- where all works ---

doctor
is "$code" 0 'all works'
is "$(cut -d' ' -f1 "$work/said" | grep . | paste -s -d' ')" 'Keel compiler loops plugin libgomp MPI cores' 'it looks at all'
said Keel works "Keel $("$keel" --version | cut -d' ' -f2) in $at/lib"
said compiler works "gcc is GCC $(gcc -dumpfullversion); plugin in $at/lib/keel/gcc-$major"
said loops works 'one with schedule\(runtime\) was compiled, and came to Keel'
said plugin works 'a loop without a schedule clause was compiled, and came to Keel'
said libgomp works '/.*/libgomp\.so\.1'
said MPI works '(Open MPI|MPICH) \(/.*libmpi.*\); '
said cores works 'ranks of a node can share its cores; waits of MPI can sleep'
is "$(ls "$TMPDIR")" '' 'no file is left'
is "$(cd /; doctor CC='gcc -O1'; said compiler works "CC=gcc -O1 is GCC " | cut -d' ' -f1)" ok 'CC may hold options'

# --- what could be better ---

is "$(keel=$(keel_path keel) && doctor; said Keel works "Keel [0-9.]+ in Bazel's cache, .* better: bazel run //:install -- --prefix=DIR" | cut -d' ' -f1)" ok "Bazel's folder"

# --- what does not work ---

again="bazel run //:install -- --prefix=$at"
is "$(cat "$at/share/keel/again")" "$again" 'the installation knows the line that made it'

# without FILE NAME=VALUE...: how it is while the file is away.
without()
{
    mv "$at/lib/$1" "$work/away"
    doctor "${@:2}"
    mv "$work/away" "$at/lib/$1"
}
without "keel/gcc-$major"
is "$code" 1 'no plugin: exit code'
said compiler FAILS "gcc is GCC [0-9.]+, and Keel has no plugin for it +repair: apt-get install gcc-$major-plugin-dev && $again$"
said plugin absent "there is none for GCC $major"
said loops works one
without keel/libkeel_early.so
is "$code" 1 'no libkeel_early.so: exit code'
said Keel FAILS "Keel [0-9.]+ in .*; libkeel_early.so, which libkeel.so.1 needs, is not there +repair: $again$"
said loops absent 'not tried'
without libkeel.so.1
said Keel FAILS "Keel [0-9.]+; libkeel.so.1 is not where this command looks for it +repair: $again$"
without libkeel_mpi.so.1
is "$code" 0 'no libkeel_mpi.so: not for all'
said MPI absent "libkeel_mpi.so.1 is not there +repair: $again$"
without keel/libkeel_mpi_calls.so
is "$code" 0 'no libkeel_mpi_calls.so: not for all'
said cores absent "libkeel_mpi_calls.so is not there: calls of MPI are not seen +repair: $again$"

installed=$at/share/keel/again

# Where it comes from a tarball, that installs it again.
cp "$installed" "$work/installed"
again="tar -xf keel-0.1.tar.gz && keel-0.1/install --prefix=$at"
echo "$again" >"$installed"
without keel/libkeel_early.so
said Keel FAILS "Keel [0-9.]+ in .*; libkeel_early.so, which libkeel.so.1 needs, is not there +repair: $again$"
cp "$work/installed" "$installed"

# Where Keel comes from Debian's packages, these bring it.
mkdir -p "$at/share/doc/keel"
echo terms >"$at/share/doc/keel/copyright"
without libkeel_mpi.so.1
said MPI absent 'libkeel_mpi.so.1 is not there +repair: apt-get install --reinstall FOLDER/libkeel-mpi1_\*.deb$'
without keel/libkeel_early.so
said Keel FAILS '.*libkeel_early.so, .* +repair: apt-get install --reinstall FOLDER/libkeel1_\*.deb$'
mv "$at/include" "$work/include"
mkdir "$work/plugins"
mv "$at"/lib/keel/gcc-* "$work/plugins/"
doctor
said compiler FAILS "gcc is GCC [0-9.]+, and Keel has no plugin for it +repair: apt-get install --reinstall FOLDER/libkeel-dev_\*.deb$"
mv "$work"/plugins/gcc-* "$at/lib/keel/"
mv "$work/include" "$at/include"
rm -r "$at/share/doc/keel"

cp "$at/lib/keel/gcc-$major/keel_plugin.so" "$work/away"
gcc -shared -xc - -o "$at/lib/keel/gcc-$major/keel_plugin.so" </dev/null
doctor
is "$code" 1 'a plugin that does not load: exit code'
said plugin FAILS '-fplugin=.* is there, but a loop that it compiles does not come to Keel +repair: '
cp "$work/away" "$at/lib/keel/gcc-$major/keel_plugin.so"

mkdir "$work/bin"
printf '#!/bin/sh\necho "unknown argument" >&2; exit 1\n' >"$work/bin/clang"
cp "$work/bin/clang" "$work/bin/mpicc"
printf '#!/bin/sh\necho "MPICH Version: 4.0"\n' >"$work/bin/mpichversion"
chmod +x "$work"/bin/*
doctor PATH="$PATH:$work/bin" CC=clang
is "$code" 1 'another compiler: exit code'
said compiler FAILS 'CC=clang is not GCC; .* +repair: export CC=gcc '
said loops absent 'not tried'
doctor PATH="$work/none"
is "$code" 0 'no compiler: not for all'
said compiler absent 'gcc is not there or does not run +repair: apt-get install gcc'
if [ "$(sed -n 's/^MPI *works *\([A-Za-z ]*\) (.*/\1/p' "$work/said")" = 'Open MPI' ]; then
    doctor PATH="$work/bin:$PATH"
    is "$code" 1 "another MPI's mpicc: exit code"
    said MPI FAILS "mpicc is MPICH's, and libkeel_mpi.so.1 is for Open MPI +repair: build programs with "
fi

mkdir "$work/old"
gcc -shared -fPIC -xc - -o "$work/old/libgomp.so.1" -Wl,-soname,libgomp.so.1 </dev/null
doctor LD_LIBRARY_PATH="$work/old"
is "$code" 1 'an old libgomp: exit code'
said libgomp FAILS "$work/old/libgomp.so.1 is older than that of GCC 9 +repair: export LD_LIBRARY_PATH=FOLDER"
said loops FAILS 'a loop with schedule\(runtime\), compiled by gcc, did not come to Keel'
out='repair: take it out of LD_PRELOAD and LD_LIBRARY_PATH$'
mkdir "$work/place"
gcc -shared -fPIC -xc - -o "$work/place/libgomp.so.1" -Wl,-soname,libgomp.so.1 <<<'void __kmpc_fork_call(void) {}'
doctor LD_LIBRARY_PATH="$work/place"
is "$code" 1 "another OpenMP runtime in libgomp's place: exit code"
said libgomp FAILS "programs do not get GCC's OpenMP runtime, but $work/place/libgomp\.so\.1 +$out"
doctor TMPDIR="$work/none"
is "$code" 1 'no folder for the trial: exit code'
said loops FAILS "no folder can be made in $work/none: No such file or directory +repair: export TMPDIR="
cp -r "$at" "$work/a blank"
keel="$work/a blank/bin/keel" doctor
said loops FAILS 'libkeel\.so\.1 cannot be preloaded from its folder'
is "$(ls "$TMPDIR")" '' 'no file is left'

# --- a program ---

# program NAME SOURCE [LIBRARY...]
program()
{
    gcc -fopenmp -O1 -xc - -o "$work/$1" -L"$at/lib" -Wl,-rpath,"$at/lib" -Wl,--no-as-needed "${@:3}" <<END
int main(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) $2
    for (int i = 0; i < 10; i++)
        sum += i;
    return sum;
}
END
    PATH=$work:$PATH "$keel" doctor "$1" >"$work/said" 2>&1
    code=$?
}
program behind 'schedule(runtime)' -lgomp -lkeel
is "$code" 1 'a program that is linked with libgomp before Keel: exit code'
said program FAILS "'behind' is linked with libgomp \(/.*/libgomp\.so\.1\) before libkeel\.so, so that no loop comes to Keel but under \`keel run\` +repair: link -lkeel before -lgomp \(\`keel libs\`\)$"
program before 'schedule(runtime)' -lkeel -lgomp
is "$code" 0 'with Keel before libgomp: exit code'
said program works "'before' has loops that come to Keel, which it is linked with$"
program alone 'schedule(runtime)'
said program works "'alone' has loops that come to Keel, under \`keel run\`$"
mkdir -p "$work/folders/alone"
like "$(PATH=$work/folders:$work:$PATH "$keel" doctor alone)" '^program +works ' 'a folder of its name is passed over'
program bare ''
is "$code" 0 'a program without loops that come: exit code'
said program absent "no loop of 'bare' comes to Keel: the compiler has divided its loops"
[ "$(uname -m)" != x86_64 ] || said static works "KEEL_OVERRIDE=static takes [1-9]"
program fixed 'schedule(runtime)' -static
said program FAILS "no loop of 'fixed' can come to Keel: it is linked statically"
doctor_of_none=$("$keel" doctor "$work/nothing" 2>&1; echo $?)
like "$(tail -n 2 <<<"$doctor_of_none" | paste -s -d' ')" "^program +FAILS +'$work/nothing' is no program 1$" 'a file that is not there'
like "$("$keel" doctor "$work")" "program +FAILS +'$work' is no program$" 'a folder'
is "$("$keel" doctor one two 2>/dev/null; echo $?)" 2 'two words are refused'
done_testing
