#!/bin/bash
# Makes a tarball of binaries:  bazel run //.packaging:tarball -- FOLDER [--glibc=2.28]
#
#   files of an installation -> stripped -> which glibc they need -> FOLDER/keel-VERSION-...tar.gz
#
# Who gets it unpacks it anywhere and runs its script:  ./install --prefix=DIR
set -euo pipefail

die()
{
    printf 'keel: tarball: %s; nothing is done\n' "$*" >&2
    exit 2
}

output='' newest=''
for word; do
    case $word in
    --glibc=[1-9]*.[0-9]*) newest=${word#*=} ;;
    -* | '') die "'$word' is not an option; usage: bazel run //.packaging:tarball -- FOLDER [--glibc=2.28]" ;;
    *) output=$word ;;
    esac
done
[ -n "$output" ] || die 'usage: bazel run //.packaging:tarball -- FOLDER [--glibc=2.28]'
[[ $output = /* ]] || output=${BUILD_WORKING_DIRECTORY:-$PWD}/$output
[ -f .packaging/share.tar ] || cd "$0.runfiles/keel" 2>/dev/null || die 'the files to pack are not here; start it by: bazel run //.packaging:tarball'

# needs FILE...: lines `VERSION SYMBOL`, what the files ask of glibc, and in which version.
needs()
{
    objdump -T "$@" | sed -nE 's/.*\*UND\*.*\(?GLIBC_(2[0-9.]*)\)? +([^ ]+)$/\1 \2/p' | sort -u -V
}

# libraries_of FILE...: what the files are linked with, beside each other.
libraries_of()
{
    objdump -p "$@" | awk '$1 == "NEEDED" && $2 !~ /^libkeel/ { print $2 }' | sort -u
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
content=$work/content
mkdir -p "$content/.packaging"
cp -rL keel lib*.so lib*.so.1 gcc-* include LICENSE "$content/"
cp -rL .packaging/{install.sh,uninstall.sh,share.tar,templates} "$content/.packaging/"
chmod -R u+w "$content"
mapfile -t binaries < <(find "$content" -type f \( -name '*.so' -o -name '*.so.1' -o -name keel \) | sort)
strip --strip-unneeded "${binaries[@]}"

glibc=$(needs "${binaries[@]}" | tail -n 1 | cut -d' ' -f1)
[ -n "$glibc" ] || die 'no binary says which glibc it needs'
if [ -n "$newest" ] && [ "$(printf '%s\n' "$newest" "$glibc" | sort -V | tail -n 1)" != "$newest" ]; then
    die "glibc $glibc is needed where $newest is allowed, for $(needs "${binaries[@]}" |
        awk -v newest="$newest" '{ split($1, is, "."); split(newest, may, ".") } is[2] > may[2] { printf "%s%s@%s", n++ ? ", " : "", $2, $1 }')"
fi
case $(libraries_of "$content/libkeel_mpi.so.1") in
*libmpi.so.40*) mpi=openmpi ;;
*libmpich.so.12*) mpi=mpich ;;
*) mpi=mpi ;;
esac

version=$(.packaging/install.sh --version)
name=keel-$version-linux-$(uname -m)-glibc$glibc-$mpi
cat >"$content/install" <<'END_OF_INSTALL'
#!/bin/sh
# Installs the files of this folder:  ./install [--prefix=DIR] [--libdir=lib64] [--uninstall]
here=$(dirname "$0")
BUILD_WORKING_DIRECTORY=$PWD
export BUILD_WORKING_DIRECTORY
cd "$here" && exec .packaging/install.sh "$@"
END_OF_INSTALL
chmod 755 "$content/install"
{
    printf 'Keel %s for Linux on %s\n\n    ./install --prefix=$HOME/keel\n\n' "$version" "$(uname -m)"
    printf 'installs it; after that, this folder may go. `keel doctor` says what works.\n\n'
    printf 'It needs glibc %s and, for what uses them: %s.\n' "$glibc" "$(libraries_of "${binaries[@]}" |
        grep -vE '^(ld-linux.*|lib(c|m|dl|rt|pthread))\.so\.[0-9]+$' | paste -s -d' ' | sed 's/ /, /g')"
    printf 'Plugins are for GCC %s.\n' "$(cd "$content" && printf '%s\n' gcc-* | sed 's/gcc-//' | sort -n | paste -s -d' ' | sed 's/ /, /g')"
} >"$content/README"

printf 'tar -xf %s.tar.gz && %s/install\n' "$name" "$name" >"$content/.packaging/again"
mv "$content" "$work/$name"
mkdir -p "$output"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" -cf - "$name" |
    gzip -9n >"$output/$name.tar.gz"
printf 'keel: %s\n' "$output/$name.tar.gz"
