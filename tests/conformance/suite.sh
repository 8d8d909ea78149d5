#!/bin/bash
# Unpacks libgomp's test-suite from Debian's gcc-VERSION-source, once for each archive, and prints the
# directory that holds libgomp.c, libgomp.c++ and libgomp.fortran. Used by run.
set -eu

# The sources of the compiler in use; another version's tests need not fit it.
package=gcc-$(gcc -dumpversion)-source

archive()
{
    dpkg -L "$package" 2>/dev/null | grep -m1 '/gcc-[0-9][^/]*\.tar\.xz$'
}

unpack() # ARCHIVE INTO
{
    local fresh
    mkdir -p "$(dirname "$2")"
    fresh=$(mktemp -d "$2.XXXXXX")
    tar -I 'xz -d -T2' -xf "$1" -C "$fresh" --strip-components=1 --wildcards \
        'gcc-*/libgomp/testsuite' 'gcc-*/libgomp/libgomp_g.h' 'gcc-*/include/gomp-constants.h'
    # Renamed when complete: an interrupted run leaves nothing that looks usable.
    mv -T "$fresh" "$2"
}

archive=$(archive) || {
    echo "suite.sh: $package is not installed" >&2
    exit 1
}
place=keel/$(basename "$archive" .tar.xz)
cache=${XDG_CACHE_HOME:-$HOME/.cache}
# A test under tests/run or Bazel may only write to its own folder.
[ -d "$cache/$place" ] || cache=${TEST_TMPDIR:-$cache}
[ -d "$cache/$place" ] || unpack "$archive" "$cache/$place"
echo "$cache/$place/libgomp/testsuite"
