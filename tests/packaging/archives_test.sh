#!/bin/bash
# What is handed out: a tarball of binaries, and Debian packages.
source tests/support/mpirun.sh
source tests/packaging/packaging.sh

# --- a tarball of binaries: its name says which glibc they need, what is newer than allowed is refused, and it
# installs what `bazel run //:install` does, without the tree. .ci/tarball tries one on older systems. ---

made=$work/made
# make_tarball OPTION...
make_tarball()
{
    local script
    script=$(realpath -s "$(keel_path .packaging/tarball)")
    (cd "${TEST_SRCDIR:-$PWD/bazel-bin/.packaging/tarball.runfiles}/${TEST_WORKSPACE:-keel}" && "$script" "$@")
}

is "$(SOURCE_DATE_EPOCH=1700000000 make_tarball "$made" 2>&1)" "keel: $(echo "$made"/*.tar.gz)" 'it is made, and named'
tarball=$(echo "$made"/*.tar.gz)
name=$(basename "$tarball" .tar.gz)
like "$name" "^keel-[0-9.]+-linux-$(uname -m)-glibc2\.[0-9]+-(openmpi|mpich)$" 'its name says what it is for'
is "$(tar -tf "$tarball" | grep -v "^$name/")" '' 'all of it is in a folder of that name'
tar -C "$work" -xf "$tarball"
is "$(find "$work/$name" -type f -exec sh -c 'head -c 4 "$1" | grep -q ELF && readelf -V "$1"' - {} \; |
    grep -oE 'Name: GLIBC_[0-9.]+' | cut -d_ -f2 | sort -V | tail -n 1)" "$(grep -oE 'glibc[0-9.]+' <<<"$name" | cut -c 6-)" \
    'no file needs a later glibc'
is "$(find "$work/$name" -type f -name '*.so*' -exec readelf -S {} + | grep -c debug_info)" 0 'nothing is in it for debuggers'
like "$(cat "$work/$name/README")" 'libdw\.so' 'it says what it needs beside'
SOURCE_DATE_EPOCH=1700000000 make_tarball "$work/again" >/dev/null 2>&1
ok 'made again it has the same bytes' cmp "$tarball" "$work/again/$name.tar.gz"

ok 'Keel is installed to compare' install_keel --prefix="$work/built"
mkdir "$work/elsewhere"
like "$(cd "$work/elsewhere" && "$work/$name/install" --prefix=keel 2>&1)" "^keel: installed in $work/elsewhere/keel;" \
    'it installs, seen from where one is'
rm -r "${work:?}/$name"
is "$(cat "$work/elsewhere/keel/share/keel/installed")" "$(cat "$work/built/share/keel/installed")" 'the same files'
is "$(cat "$work/elsewhere/keel/share/keel/again")" "tar -xf $name.tar.gz && $name/install --prefix=$work/elsewhere/keel" \
    'which know how to install them again'
is "$("$work/elsewhere/keel/bin/keel" run -s fac2 true 2>&1; echo $?)" "$("$work/built/bin/keel" run -s fac2 true 2>&1; echo $?)" \
    'the command runs'

refused=$(make_tarball "$work/refused" --glibc=2.3 2>&1)
is $? 2 'a glibc that is older than what is needed'
like "$refused" '^keel: tarball: glibc 2\.[0-9]+ is needed where 2\.3 is allowed, for .*[a-z_]+@2\.[0-9]+.*; nothing is done$' 'is refused, by symbols'
ok 'and nothing is made' test ! -e "$work/refused"
is "$(make_tarball --glibs=2.3 2>&1)" \
    "keel: tarball: '--glibs=2.3' is not an option; usage: bazel run //.packaging:tarball -- FOLDER [--glibc=2.28]; nothing is done" 'an unknown option'

# --- Debian packages: made by the repository's own script, without errors of lintian, and used where they are
# installed: in a copy of this system that has neither the tree nor what Bazel has built ---

command -v dpkg-deb >/dev/null || { skip 'packages' 'this is no Debian' && done_testing; }
built=$(readlink -f "$(keel_path keel)") # somewhere in Bazel's cache
debs=$work/debs
make_packages()
{
    local script
    script=$(realpath -s "$(keel_path .packaging/deb)")
    (cd "${TEST_SRCDIR:-$PWD/bazel-bin/deb.runfiles}/${TEST_WORKSPACE:-keel}" && "$script" "$debs")
}
ok 'packages are made' make_packages
version=$("$(keel_path keel)" --version | cut -d' ' -f2)-1
is "$(cd "$debs" && printf '%s\n' *.deb | sed 's/_[^_]*$//' | paste -s -d' ')" \
    "keel_$version libkeel-dev_$version libkeel-mpi-dev_$version libkeel-mpi1_$version libkeel1_$version" 'all of them'
is "$(lintian --tag-display-limit 0 "$debs"/*.deb 2>/dev/null | grep '^E:')" '' 'lintian finds no errors'
like "$(dpkg-deb -f "$debs"/libkeel1_*.deb Depends)" 'libdw1' 'dependencies of libraries that are loaded on demand are known'
like "$(dpkg-deb -f "$debs"/libkeel-mpi1_*.deb Depends)" "libkeel1 \(= $version\), .*(openmpi|mpich)" 'and MPI'
is "$(for package in "$debs"/*.deb; do dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }'; done | sort | uniq -d)" '' 'no file is in two packages'
ok 'Keel is installed to compare' install_keel --prefix="$work/keel" --libdir="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
is "$(for package in "$debs"/*.deb; do dpkg-deb -c "$package" | awk '$1 !~ /^d/ { print $6 }'; done |
    sed 's,^\./usr/,,; s,\(/man[137]/.*\)\.gz$,\1,' | grep -vE '^share/(doc|lintian)/' | sort)" \
    "$(grep -vE '/$|^share/(keel|modulefiles)/' "$work/keel/share/keel/installed" | sort)" 'each file is in one'

# in_copy COMMAND...: in a copy of this system, without what Bazel has built; what changes is forgotten.
in_copy()
{
    unshare --mount bash -c '
        layer=$1 built=$2
        mkdir -p "$layer"
        mount -t tmpfs none "$layer" && mkdir "$layer"/{upper,work,root} &&
            mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" "$layer/root" &&
            mount --rbind /proc "$layer/root/proc" && mount --rbind /dev "$layer/root/dev" && mount --rbind /sys "$layer/root/sys" &&
            mkdir -p "$layer/root/keel" && cp -rL "$3/." "$layer/root/keel/" || exit
        rm -rf "$layer/root${built%%/execroot/*}/execroot"
        shift 3
        chroot "$layer/root" "$@"' in_copy "$work/layer" "$built" "$work/given" "$@"
}
mkdir "$work/given"
cp "$debs"/*.deb "$work/given/"
tests/packaging/project.sh "$work/given"
if in_copy true 2>/dev/null; then
    cat >"$work/given/use" <<'END'
cd /keel && dpkg -i *.deb >/dev/null 2>&1 || echo "dpkg fails"
[ ! -e "$1" ] || echo 'what Bazel has built is there'
command -v keel
gcc calls.c -fopenmp $(pkg-config --cflags --libs keel) -o calls && ./calls
gcc bare.c $(keel cflags) -o bare && keel run -s gss ./bare
gfortran -ffree-form choose.f90 $(keel cflags) $(keel libs) -o choose && ./choose
mpicc shares.c -fopenmp $(pkg-config --cflags --libs keel_mpi) -o shares && TMPDIR=/tmp mpirun --oversubscribe -n 2 ./shares
cmake -S . -B made >/dev/null && cmake --build made >/dev/null && made/turned
readelf -d calls made/calls | grep -c RUNPATH
man -w keel keel_set_costs
keel doctor >said || cat said
dpkg --purge libkeel-mpi-dev libkeel-mpi1 >/dev/null 2>&1 || echo "dpkg fails"
COLUMNS=200 keel doctor | grep -A1 "^MPI" | grep -o "repair: .*"
dpkg --purge libkeel-dev keel libkeel1 >/dev/null 2>&1 || echo "dpkg fails"
find /usr -name '*keel*' | grep -v '^/usr/local/'
END
    is "$(in_copy bash /keel/use "$built" 2>&1)" "/usr/bin/keel
0 fac2,16 499500
499500
499500
0 499500
0 fac2,16 499500
0
/usr/share/man/man1/keel.1.gz
/usr/share/man/man3/keel.h.3.gz
repair: apt-get install --reinstall FOLDER/libkeel-mpi1_*.deb" 'they install, programs build and run, and they go again'
else
    skip 'they install' 'this machine allows no namespaces of its own, or no overlays'
fi

done_testing
