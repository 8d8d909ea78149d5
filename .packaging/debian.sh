#!/bin/bash
# Makes Debian packages:  bazel run //.packaging:deb -- FOLDER
#
#   install.sh with DESTDIR -> files by package -> stripped, dependencies found -> FOLDER/*.deb
set -euo pipefail

die()
{
    printf 'keel: debian: %s; nothing is done\n' "$*" >&2
    exit 2
}

[ $# = 1 ] && [[ $1 != -* ]] || die 'usage: bazel run //.packaging:deb -- FOLDER'
output=$1
[[ $output = /* ]] || output=${BUILD_WORKING_DIRECTORY:-$PWD}/$output
for tool in dpkg-deb dpkg-shlibdeps dpkg-gencontrol strip; do
    command -v "$tool" >/dev/null || die "$tool is not there; .ci/install package installs it"
done
files=$PWD
[ -f .packaging/share.tar ] || files=$0.runfiles/keel
cd "$files" || die 'the files to pack are not here; start it by: bazel run //.packaging:deb'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
architecture=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
version=$(.packaging/install.sh --version)-1
DESTDIR=$work/all .packaging/install.sh --prefix=/usr --libdir="lib/$architecture" >/dev/null

# package_of PATH: which package gets what of an installation in /usr: PACKAGE PATTERN, the first that fits; LIB is
# the folder of libraries. A package of - : none gets it.
package_of()
{
    local package pattern
    while read -r package pattern; do
        # shellcheck disable=SC2053 # it is a pattern
        [[ $1 != ${pattern//LIB/lib/$architecture} ]] || { printf '%s\n' "$package" && return; }
    done <<'END'
-                share/keel/*
-                share/modulefiles/*
libkeel-mpi1     LIB/libkeel_mpi.so.1
libkeel-mpi-dev  LIB/libkeel_mpi.so
libkeel-mpi-dev  LIB/pkgconfig/keel_mpi.pc
libkeel-mpi-dev  include/keel_mpi*
libkeel-mpi-dev  share/man/man3/keel_mpi*
libkeel1         LIB/libkeel.so.1
libkeel1         LIB/keel/libkeel_*.so
libkeel-dev      LIB/*
libkeel-dev      include/*
libkeel-dev      share/man/man3/*
keel             bin/*
keel             share/*
END
    die "no package gets $1"
}

mkdir -p "$work/debian" "$output"
cp .packaging/debian/control "$work/debian/control"
mapfile -t packages < <(sed -n 's/^Package: //p' .packaging/debian/control)
date=$(date -R -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")
printf 'keel (%s) unstable; urgency=medium\n\n  * Packages of the repository itself.\n\n -- Keel maintainers <maintainers@keel.example.org>  %s\n' \
    "$version" "$date" >"$work/debian/changelog"

while IFS= read -r path; do
    package=$(package_of "$path")
    [ "$package" != - ] || continue
    mkdir -p "$work/debian/$package/usr/${path%/*}"
    cp -P "$work/all/usr/$path" "$work/debian/$package/usr/$path"
done < <(cd "$work/all/usr" && find . \( -type f -o -type l \) -printf '%P\n' | sort)

# What Debian wants of all packages: documents, pages compressed with links that follow, nothing for debuggers.
for package in "${packages[@]}"; do
    root=$work/debian/$package
    documents=$root/usr/share/doc/$package
    mkdir -p "$documents" "$root/DEBIAN"
    {
        cat <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Keel

Files: *
Copyright: 2026 the Keel authors
License: Expat
END
        sed 's/^$/./; s/^/ /' LICENSE
    } >"$documents/copyright"
    gzip -9n <"$work/debian/changelog" >"$documents/changelog.Debian.gz"
    if [ "$package" = libkeel1 ]; then
        mkdir -p "$root/usr/share/lintian/overrides"
        cat >"$root/usr/share/lintian/overrides/$package" <<'END'
# libkeel.so.1 and what belongs to it alone are in one folder and in keel/ below it, wherever that is.
libkeel1: custom-library-search-path RUNPATH $ORIGIN:$ORIGIN/keel [*]
END
    fi
    while IFS= read -r page; do
        if [ -L "$page" ]; then
            ln -s "$(readlink "$page").gz" "$page.gz"
            rm "$page"
        else
            gzip -9n "$page"
        fi
    done < <(find "$root/usr/share/man" -name '*.[137]' 2>/dev/null)
    while IFS= read -r binary; do
        if head -c 4 "$binary" | grep -q ELF; then
            strip --strip-unneeded --remove-section=.comment --remove-section=.note "$binary"
        fi
    done < <(find "$root/usr/bin" "$root/usr/lib" -type f 2>/dev/null)
done

# Programs that are linked with the libraries depend on their packages.
for pair in keel:libkeel1 keel_mpi:libkeel-mpi1; do
    printf 'lib%s 1 %s (>= %s)\n' "${pair%:*}" "${pair#*:}" "${version%-*}" >"$work/debian/${pair#*:}/DEBIAN/shlibs"
    printf 'activate-noawait ldconfig\n' >"$work/debian/${pair#*:}/DEBIAN/triggers"
done

cd "$work"
for package in "${packages[@]}"; do
    mapfile -t binaries < <(find "debian/$package/usr/bin" "debian/$package/usr/lib" -type f \( -name '*.so*' -o -path '*/bin/*' \) 2>/dev/null)
    echo 'misc:Depends=' >"debian/$package.substvars"
    [ ${#binaries[@]} = 0 ] || dpkg-shlibdeps --ignore-missing-info -l"debian/libkeel1/usr/lib/$architecture/keel" \
        -l"debian/libkeel1/usr/lib/$architecture" -T"debian/$package.substvars" "${binaries[@]}" 2>"$work/said" ||
        die "dpkg-shlibdeps: $(tail -n 3 "$work/said")"
    dpkg-gencontrol -p"$package" -P"debian/$package" -T"debian/$package.substvars" -fdebian/files.list 2>"$work/said" ||
        die "dpkg-gencontrol: $(tail -n 3 "$work/said")"
    (cd "debian/$package" && find usr -type f -exec md5sum {} + | sort -k 2 >DEBIAN/md5sums)
    dpkg-deb --root-owner-group --build "debian/$package" "$output" >/dev/null
done
printf 'keel: packages in %s:\n' "$output"
(cd "$output" && ls -- *keel*_"$version"_*.deb)
