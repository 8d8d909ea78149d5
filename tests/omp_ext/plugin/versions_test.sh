#!/bin/bash
# The plugin can be built for each GCC whose headers for plugins are here; those of another version than the compiler in
# use serve for reading only.
source tests/support/tap.sh

plugin_source=$(keel_path omp_ext/plugin/keel_plugin.cc)

# reads HEADERS: the compiler finds nothing wrong in any of the sources.
reads()
{
    local file
    for file in "${plugin_source%/*}"/*.cc; do
        g++ -std=gnu++17 -fno-rtti -Wall -Wextra -Werror -fsyntax-only -I"${plugin_source%/omp_ext/*}" -isystem "$1" "$file" || return
    done
}

for headers in /usr/lib/gcc/*/*/plugin/include; do
    version=${headers%/plugin/include}
    ok "GCC ${version##*/}" reads "$headers"
done
done_testing
