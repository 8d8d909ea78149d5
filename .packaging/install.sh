#!/bin/sh
# Installs what Bazel has built:  bazel run //:install -- --prefix=DIR [--libdir=lib64] [--uninstall]
#
#   bin/keel                             the command
#   lib/libkeel.so.1, libkeel_mpi.so.1   the libraries of programs, and links without the number
#   lib/keel/                            what these load; gcc-N/keel_plugin.so for each GCC
#   lib/pkgconfig/, lib/cmake/Keel/      for pkg-config and CMake
#   include/                             headers, and Fortran modules as sources: .mod files fit one compiler
#   share/                               manual pages, completion, the environment module, the list of all this,
#                                        the line that installs it again
#
# The list, share/keel/installed, is what share/keel/uninstall goes by.
set -eu

usage()
{
    cat <<'END'
usage: bazel run //:install -- [--prefix=DIR] [--libdir=NAME] [--uninstall]
       bazel run //:install -- --version

  --prefix=DIR   where Keel goes; default: /usr/local
  --libdir=NAME  folder of libraries there: lib (the default), lib64 or lib/ARCHITECTURE
  --uninstall    remove what was installed there

With DESTDIR in the environment all files go to DESTDIR/DIR, and are made for DIR, as
packages want it.
END
}

die()
{
    printf 'keel: install: %s; nothing is done\n' "$*" >&2
    exit 2
}

# --- the command line ---

prefix=/usr/local lib=lib action=install
for word; do
    case $word in
    --prefix=*) prefix=${word#*=} ;;
    --libdir=*) lib=${word#*=} ;;
    --uninstall) action=uninstall ;;
    --version) action=version ;;
    -h | --help) usage && exit ;;
    *) die "'$word' is not an option; see --help" ;;
    esac
done
case $prefix in
'') die '--prefix needs a folder' ;;
/*) ;;
*) prefix=${BUILD_WORKING_DIRECTORY:-$PWD}/$prefix ;; # of who called Bazel
esac
case $prefix in
*[!A-Za-z0-9/._+,@~-]*) die "--prefix '$prefix' has characters that pkg-config, CMake or make can't read; use letters, digits and . _ + , @ ~ -" ;;
esac
[ "$prefix" = / ] || prefix=${prefix%/}
case $lib in
lib | lib64) up=.. ;;
lib/*-linux-gnu*) up=../.. ;;
*) die "--libdir '$lib' is not lib, lib64 or lib/ARCHITECTURE-linux-gnu, where keel looks for its files" ;;
esac

target=${DESTDIR:-}$prefix
list=share/keel/installed

# --- what is there already ---

if [ "$action" = uninstall ]; then
    [ -f "$target/$list" ] || die "there is no '$target/$list', so Keel is not installed there"
    exec sh "$target/share/keel/uninstall"
fi

# --- files ---

# Bazel starts this where the files lie; started by hand, they lie beside this script's name.
[ -f .packaging/share.tar ] || [ ! -d "$0.runfiles/keel" ] || cd "$0.runfiles/keel"
[ -f .packaging/share.tar ] || die 'the files to install are not here; start it by: bazel run //:install'
version=$(sed -n 's/^#define KEEL_VERSION_M[AI][JN]OR //p' include/keel.h | paste -s -d .)
if [ "$action" = version ]; then
    echo "$version"
    exit
fi
# Not written over: programs that run keep the files that they have opened.
[ ! -f "$target/$list" ] || sh "$target/share/keel/uninstall" --quiet

written=$(mktemp)
trap 'rm -f "$written"' EXIT

# Makes a folder below the target, and notes those that were not there.
folder()
{
    if [ ! -d "$target/$1" ]; then
        case $1 in
        */*) folder "${1%/*}" ;;
        esac
        mkdir -p "$target/$1"
        chmod 755 "$target/$1"
        printf '%s/\n' "$1" >>"$written"
    fi
}

# put MODE SOURCE PLACE: place seen from the prefix.
put()
{
    folder "${3%/*}"
    install -m "$1" "$2" "$target/$3"
    printf '%s\n' "$3" >>"$written"
}

link()
{
    folder "${2%/*}"
    ln -sf "$1" "$target/$2"
    printf '%s\n' "$2" >>"$written"
}

# Libraries of system folders are found without being named in programs.
rpath="-Wl,-rpath,\${libdir} "
case $prefix in
/usr) rpath= ;;
esac

# fill TEMPLATE PLACE: with what is known only now.
fill()
{
    sed "s|@prefix@|$prefix|g; s|@lib@|$lib|g; s|@up@|$up|g; s|@rpath@|$rpath|g
        s|@version@|$version|g; s|@major@|${version%%.*}|g" ".packaging/templates/$1" >"$written.text"
    put 644 "$written.text" "$2"
    rm "$written.text"
}

umask 022
if [ ! -d "$target" ]; then
    mkdir -p "$target"
    echo ./ >"$written"
fi
put 755 keel bin/keel
for library in keel keel_mpi; do
    put 644 "lib$library.so.1" "$lib/lib$library.so.1"
    link "lib$library.so.1" "$lib/lib$library.so"
done
for library in libkeel_*.so; do
    [ "$library" = libkeel_mpi.so ] || put 644 "$library" "$lib/keel/$library"
done
for plugin in gcc-*/keel_plugin.so; do
    put 644 "$plugin" "$lib/keel/$plugin"
    major=${plugin#gcc-}
    link "$plugin" "$lib/keel/keel_plugin-${major%/*}.so"
done
for header in include/*; do
    put 644 "$header" "$header"
done
fill keel.pc "$lib/pkgconfig/keel.pc"
fill keel_mpi.pc "$lib/pkgconfig/keel_mpi.pc"
fill KeelConfig.cmake "$lib/cmake/Keel/KeelConfig.cmake"
fill KeelConfigVersion.cmake "$lib/cmake/Keel/KeelConfigVersion.cmake"
fill modulefile "share/modulefiles/keel/$version"

# Manual pages and completion are in an archive, as their number follows from the command's tables.
unpacked=$(mktemp -d)
trap 'rm -rf "$written" "$unpacked"' EXIT
tar -C "$unpacked" -xf .packaging/share.tar
for file in $(cd "$unpacked" && find share -type f -o -type l | sort); do
    if [ -L "$unpacked/$file" ]; then
        link "$(readlink "$unpacked/$file")" "$file"
    else
        put 644 "$unpacked/$file" "$file"
    fi
done
put 755 .packaging/uninstall.sh share/keel/uninstall
# What `keel doctor` says where a file is missing.
again='bazel run //:install --'
[ ! -f .packaging/again ] || again=$(cat .packaging/again)
again="$again --prefix=$prefix"
[ "$lib" = lib ] || again="$again --libdir=$lib"
printf '%s\n' "$again" >"$written.text"
put 644 "$written.text" share/keel/again
rm "$written.text"
folder share/keel
printf '%s\n' "$list" >>"$written"
install -m 644 "$written" "$target/$list"

printf 'keel: installed in %s; to remove it: sh %s/share/keel/uninstall\n' "$target" "$target"
case :${PATH:-}: in
*":$prefix/bin:"*) ;;
*) [ -n "${DESTDIR:-}" ] || printf 'keel: for your shell: export PATH=%s/bin:$PATH\n' "$prefix" ;;
esac
