#!/bin/bash
# What is installed: what bazel run //:install writes and where, and the recipes for Spack and EasyBuild.
source tests/support/tap.sh
source tests/packaging/packaging.sh

# --- installation: bazel run //:install: what it writes and where, with DESTDIR and other folders of libraries, and
# what is left of it ---

at=$work/keel
ok 'it installs' install_keel --prefix="$at"
listed=$(cd "$at" && find . \( -type f -o -type l \) -printf '%P\n' | sort)
is "$(grep -v '/$' "$at/share/keel/installed" | sort)" "$listed" 'its list names each file'
is "$(cd "$at" && find . -type d -printf '%P/\n' | sort)" "$(grep '/$' "$at/share/keel/installed" | sed 's,^\./$,/,' | sort)" 'and each folder'

for library in keel keel_mpi; do
    file=$at/lib/lib$library.so.1
    like "$(readelf -d "$file")" "SONAME.*\[lib$library\.so\.1\]" "lib$library.so.1 has its name"
    is "$(readlink "$at/lib/lib$library.so")" "lib$library.so.1" 'and a link without the number'
    is "$(nm -D --defined-only "$file" | awk '$3 !~ /@|^(KEEL|GOMP|OMP|GLIBC)[A-Z_]*_[0-9.]+$/ && $2 != "A"')" '' 'and versions for all symbols'
done
like "$(nm -D --defined-only "$at/lib/libkeel.so.1")" ' keel_set_schedule@@KEEL_0\.1$' 'of libkeel.so'
like "$(nm -D --defined-only "$at/lib/libkeel_mpi.so.1")" ' keel_mpi_share@@KEEL_MPI_0\.1$' 'of libkeel_mpi.so'
for part in early report source; do
    ok "libkeel_$part.so is apart" test -f "$at/lib/keel/libkeel_$part.so"
done
unlike "$(ldd "$at/bin/keel" "$at"/lib/*.so.1 "$at"/lib/keel/*.so)" 'not found|bazel' 'nothing that they need is missing, or Bazel'\''s'
like "$("$at/bin/keel" topology 2>&1)" 'cores?' 'the command finds what it loads'

# --- flags ---

major=$(gcc -dumpversion | cut -d. -f1)
is "$("$at/bin/keel" libs 2>&1)" "-L$at/lib -Wl,-rpath,$at/lib -lkeel" 'keel libs, without a message'
is "$("$at/bin/keel" libs --mpi 2>&1)" "-I$at/include -L$at/lib -Wl,-rpath,$at/lib -lkeel_mpi -lkeel" 'keel libs --mpi'
is "$("$at/bin/keel" cflags 2>&1)" "-fopenmp -fplugin=$at/lib/keel/gcc-$major/keel_plugin.so -I$at/include" 'keel cflags'
is "$(readlink "$at/lib/keel/keel_plugin-$major.so")" "gcc-$major/keel_plugin.so" 'the plugin has a name with its version, too'
for folder in "$at"/lib/keel/gcc-*; do
    other=${folder##*gcc-}
    if command -v "gcc-$other" >/dev/null; then
        is "$(CC=gcc-$other "$at/bin/keel" cflags 2>&1)" "-fopenmp -fplugin=$folder/keel_plugin.so -I$at/include" "CC=gcc-$other"
    fi
done
mkdir "$work/compilers"
printf '#!/bin/sh\necho 99.1.0\n' >"$work/compilers/gcc-99"
printf '#!/bin/sh\necho "unknown argument" >&2; exit 1\n' >"$work/compilers/clang"
chmod +x "$work"/compilers/*
PATH=$PATH:$work/compilers
for pair in 'CC=gcc-99 -m64=is GCC 99' 'CXX=clang=is not GCC'; do
    IFS== read -r variable command what <<<"$pair"
    is "$(env "$variable=$command" "$at/bin/keel" cflags 2>&1; echo $?)" "keel: $variable='$command' $what, and Keel has no plugin for it; no flags are printed: \`keel doctor' says what would help
1" "$variable=$command"
done
like "$(FC=no-such-compiler "$at/bin/keel" cflags 2>&1)" "^keel: FC='no-such-compiler' is not there or does not run, and Keel has no plugin for it; no flags are printed" 'none'
is "$(CC=gcc-99 "$at/bin/keel" cflags --compiler=gcc 2>&1)" "$("$at/bin/keel" cflags)" 'keel cflags --compiler'

# --- again, elsewhere, away ---

mine=$at/lib/keel/mine
touch "$mine"
echo 'old file' >"$at/share/keel/old"
echo share/keel/old >>"$at/share/keel/installed"
ok 'it installs again' install_keel --prefix="$at"
ok 'what only the earlier one had is gone' test ! -e "$at/share/keel/old"
before=$(find "$at" | sort)
sh "$at/share/keel/uninstall" --dry-runs 2>/dev/null
is "$?" 2 'uninstall refuses what it does not know'
like "$(sh "$at/share/keel/uninstall" --dry-run)" "^$at/bin/keel\$" '--dry-run prints what would be removed'
is "$(find "$at" | sort)" "$before" 'neither removes anything'
is "$(sh "$at/share/keel/uninstall")" "keel: removed from $at" 'it is removed'
is "$(find "$at" -type f -o -type l)" "$mine" 'all but what others have put there'

ok 'with DESTDIR' env DESTDIR="$work/stage" bash -c "$(declare -f install_keel); installer='$installer' install_keel --prefix=/opt/keel --libdir=lib/x86_64-linux-gnu"
stage=$work/stage/opt/keel
ok 'libraries in a folder of their own' test -f "$stage/lib/x86_64-linux-gnu/libkeel.so.1"
ok 'which the command finds' "$stage/bin/keel" run true
like "$(cat "$stage/lib/x86_64-linux-gnu/pkgconfig/keel.pc")" '^prefix=/opt/keel$' 'files are made for the prefix'
is "$(grep -rI "$work" "$stage")" '' 'and none knows of DESTDIR'
is "$(grep -rI '@[a-z]*@' "$stage" | grep -v '/share/')" '' 'nothing is left to be filled in'
ok 'it is removed by the same script' env DESTDIR="$work/stage" bash -c "$(declare -f install_keel); installer='$installer' install_keel --prefix=/opt/keel --uninstall"
is "$(find "$work/stage")" "$work/stage
$work/stage/opt" 'and leaves nothing'

is "$(install_keel --prefix="$work/no keel" 2>&1; echo $?)" "keel: install: --prefix '$work/no keel' has characters that pkg-config, CMake or make can't read; use letters, digits and . _ + , @ ~ -; nothing is done
2" 'a prefix with a blank'
is "$(install_keel --libdir=libs 2>&1; echo $?)" "keel: install: --libdir 'libs' is not lib, lib64 or lib/ARCHITECTURE-linux-gnu, where keel looks for its files; nothing is done
2" 'another folder of libraries'
is "$(install_keel --prefx=/x 2>&1; echo $?)" "keel: install: '--prefx=/x' is not an option; see --help; nothing is done
2" 'an unknown option'
is "$(install_keel --prefix="$work/none" --uninstall 2>&1; echo $?)" "keel: install: there is no '$work/none/share/keel/installed', so Keel is not installed there; nothing is done
2" 'nothing to remove'
mkdir -p "$work/bad/share/keel"
cp "$(keel_path .packaging/uninstall.sh)" "$work/bad/share/keel/uninstall"
printf '../../mine\n' >"$work/bad/share/keel/installed"
is "$(sh "$work/bad/share/keel/uninstall" 2>&1; echo $?)" "keel: uninstall: '$work/bad/share/keel/installed' names files elsewhere; nothing is done
2" 'a list that leads elsewhere is refused'

# --- recipes: the recipes for Spack and EasyBuild parse, ask for what the build needs, and expect what the installation
# has ---

at=$work/compared
ok 'Keel is installed to compare' install_keel --prefix="$at"
version=$("$at/bin/keel" --version | cut -d' ' -f1-2 | grep -oE '[0-9]+\.[0-9]+' | head -n 1)
build_needs='bazel capstone elfutils jansson mpi perl'

# facts KIND: of the recipe, one on a line.
facts()
{
    sed -n "s/^$1 //p" "$work/facts"
}

# missing TEST FILE...: those of the installation for which the test fails.
missing()
{
    local path
    for path in "${@:2}"; do
        test "$1" "$at/$path" || echo "$path"
    done
}

# check_recipe TOOL FILE
check_recipe()
{
    local files folders
    python3 -I tests/packaging/recipes.py "$1" "$(keel_path "$2")" >"$work/facts"
    tap_result $? "$1: the recipe parses"
    is "$(facts version)" "$version" "$1: it is of this version"
    is "$(facts needs | sort | paste -s -d' ')" "$build_needs" "$1: it asks for what the build needs"
    is "$(facts runs | grep -c 'bazel run .* //:install -- --prefix=/prefix$')" 1 "$1: it installs as everybody does"
    is "$(facts runs | grep -oE '\<(MPICC|MPIFORT)=' | paste -s -d' ')" 'MPICC= MPIFORT=' "$1: it says which MPI"
    mapfile -t files < <(facts file)
    mapfile -t folders < <(facts folder)
    is "${#files[@]} ${#folders[@]} $(missing -f "${files[@]}")$(missing -d "${folders[@]}")" '6 3 ' "$1: what it expects is installed"
}
check_recipe spack .packaging/recipes/spack/package.py
check_recipe easybuild .packaging/recipes/easybuild/Keel-0.1-gompi-2023b.eb

# Bazel gets folders of headers and libraries: options that it has.
is "$(facts runs | grep -oE -- '--[a-z_]+env=[A-Z_]+' | paste -s -d' ')" '--action_env=PATH --action_env=CPATH --action_env=LIBRARY_PATH' \
    'what the commands of the build see'

done_testing
