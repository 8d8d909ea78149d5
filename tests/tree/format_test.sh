#!/bin/bash
# Every C and C++ source is what clang-format makes of it, and fits in 100 columns, comments too.
source tests/support/tap.sh

cd "$(keel_root)" || exit
command -v clang-format >/dev/null || plan skip_all 'clang-format is not installed (.ci/install format)'

# bazel-* are links, which find does not follow.
mapfile -t sources < <(find . -name .git -prune -o -type f -name '*.[ch]' -print -o -type f -name '*.cc' -print | sort)
[ ${#sources[@]} != 0 ] || plan skip_all 'there is no C or C++ source yet'

is "$(printf '%s\0' "${sources[@]}" | xargs -0 clang-format --dry-run 2>&1 | head -n 40)" '' \
    "${#sources[@]} sources are as clang-format has them"
is "$(printf '%s\0' "${sources[@]}" | xargs -0 grep -nE '^.{101,}' | head -n 40)" '' 'no line has more than 100 columns'
done_testing
