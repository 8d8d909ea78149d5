#!/bin/sh
# The cross compiler, or what brings it.
command -v aarch64-linux-gnu-gcc >/dev/null ||
    { echo 'keel: aarch64-linux-gnu-gcc is not there; `.ci/install cross` installs it' >&2 && exit 1; }
exec aarch64-linux-gnu-gcc "$@"
