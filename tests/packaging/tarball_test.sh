#!/bin/bash
# A tarball of binaries: its name tells which glibc they need, what is newer than allowed is refused, and it installs
# what `bazel run //:install` does, without the tree. .ci/tarball tries one on older systems.
source tests/support/tap.sh
source tests/packaging/packaging.sh

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
like "$name" "^keel-[0-9.]+-linux-$(uname -m)-glibc2\.[0-9]+-(openmpi|mpich)$" 'its name tells what it is for'
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
done_testing
