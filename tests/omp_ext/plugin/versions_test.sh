#!/bin/bash
# The plugin can be built for each GCC whose headers for plugins are here; those of another version than the compiler in
# use serve for reading only.
source tests/support/tap.sh

plugin_source=$(keel_path omp_ext/plugin/keel_plugin.cc)

# reads HEADERS FILE...: the compiler finds nothing wrong in any of the sources.
reads()
{
    local file
    for file in "${@:2}"; do
        g++ -std=gnu++17 -fno-rtti -Wall -Wextra -Werror -fsyntax-only -I"${plugin_source%/omp_ext/*}" -isystem "$1" "$file" || return
    done
}

# By day one source of those that the compiler in use has built.
for headers in /usr/lib/gcc/*/*/plugin/include; do
    version=${headers%/plugin/include}
    sources=("${plugin_source%/*}"/*.cc)
    nightly || [ "${version##*/}" != "$(gcc -dumpversion)" ] || sources=("$plugin_source")
    ok "GCC ${version##*/}" reads "$headers" "${sources[@]}"
done
done_testing
