#!/bin/bash
# Every C and C++ source is what clang-format makes of it, and fits in 100 columns, comments too.
source tests/support/tap.sh

# formatted SOURCE: prints where the source and clang-format differ, and what is too long.
formatted()
{
    local changes wide
    changes=$(clang-format "$1" | diff -U0 "$1" - | tail -n +3)
    wide=$(grep -nE '^.{101,}' "$1")
    printf '%s\n' "${changes:0:2000}" "${wide:0:1000}"
    [ -z "$changes$wide" ]
}

cd "$(keel_root)" || exit
command -v clang-format >/dev/null || plan skip_all 'clang-format is not installed (.ci/install format)'

# bazel-* are links, which find does not follow.
mapfile -t sources < <(find . -name .git -prune -o -type f -name '*.[ch]' -print -o -type f -name '*.cc' -print | sort)
[ ${#sources[@]} != 0 ] || plan skip_all 'there is no C or C++ source yet'

for source in "${sources[@]}"; do
    ok "${source#./}" formatted "$source"
done
done_testing
