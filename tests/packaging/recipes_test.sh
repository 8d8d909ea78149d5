#!/bin/bash
# The recipes for Spack and EasyBuild parse, ask for what the build needs, and expect what the installation has.
source tests/support/tap.sh
source tests/packaging/packaging.sh

at=$work/keel
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

# Bazel is told about folders of headers and libraries: options that it has.
is "$(facts runs | grep -oE -- '--[a-z_]+env=[A-Z_]+' | paste -s -d' ')" '--action_env=PATH --action_env=CPATH --action_env=LIBRARY_PATH' \
    'what the commands of the build see'
done_testing
