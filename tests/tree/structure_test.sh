#!/bin/bash
# The form of sources: they are as clang-format has them, and depend on each other as their plans say.
source tests/support/tap.sh

# --- form: every C and C++ source is what clang-format makes of it, and fits in 100 columns, comments too ---

cd "$(keel_root)" || exit
# bazel-* are links, which find does not follow.
mapfile -t sources < <(find . -name .git -prune -o -type f -name '*.[ch]' -print -o -type f -name '*.cc' -print | sort)
if command -v clang-format >/dev/null; then
    is "$(printf '%s\0' "${sources[@]}" | xargs -0 clang-format --dry-run 2>&1 | head -n 40)" '' \
        "${#sources[@]} sources are as clang-format has them"
else
    skip 'sources are as clang-format has them' 'clang-format is not installed (.ci/install format)'
fi
is "$(printf '%s\0' "${sources[@]}" | xargs -0 grep -nE '^.{101,}' | head -n 40)" '' 'no line has more than 100 columns'

# --- how they depend on each other: the house is as its plans say: layers depend on each other in one direction, no
# sources and no folders in a circle, names of files are unique, headers declare what their own sources define, and the
# README of a layer says what its folders are ---

layers=(schedules omp_ext mpi_backend bench)
mapfile -t sources < <(find "${layers[@]}" -type f -name '*.[ch]' -o -type f -name '*.cc' | sort)

# clean WHAT: whether a look at the sources finds nothing of the kind; else that is printed.
clean()
{
    local looked_at=("${sources[@]}") found
    case $1 in
    names) mapfile -t looked_at < <(find . -path './bazel-*' -prune -o -type f -regex '.*\.\([ch]\|cc\|f90\|pl\|py\|sh\)' -print | sort) ;;
    twice | folders) mapfile -t looked_at < <(printf '%s\n' "${sources[@]}" | grep -v '^bench/') ;; # it stands in for functions
    loads) mapfile -t looked_at < <(find . -path './bazel-*' -prune -o -type f \( -name BUILD -o -name '*.bzl' \) -print | sort) ;;
    esac
    found=$(tests/tree/structure.pl "$1" "${looked_at[@]}") && [ -z "$found" ] && return
    printf '%s\n' "$found"
    return 1
}

ok 'layers include those below alone' clean directions
ok 'no sources call or include each other in a circle' clean circles
ok 'no folders include each other in a circle' clean folders
ok 'no two sources have one name' clean names
ok 'headers declare what their own sources define' clean declarations
ok 'no two sources of the libraries define one name' clean twice
ok 'what Bazel 9 no longer brings is loaded' clean loads

# rooms LAYER: the folders in the first column of the table of rooms of its guides
rooms()
{
    cat "$1"/*.md | sed -n '/^## Rooms/,/^## [^R]/s/^|\([^|]*\)|.*/\1/p' | grep -o '`[a-z_]*`' | tr -d '`' | sort
}

for layer in schedules omp_ext mpi_backend; do # those of bench/ are in its table of commands, see readme_test
    is "$(rooms "$layer")" "$(find "$layer" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort)" \
        "the guide of $layer says what each folder is, and has none that is not there"
done

# What the checks above can find, so that none of them is empty.
mkdir -p "${TEST_TMPDIR:?}/schedules" "$TEST_TMPDIR/omp_ext" # never into the tree itself
cd "$TEST_TMPDIR" || exit
echo '#include "omp_ext/above.h"' >schedules/below.h
printf '#include "schedules/b.h"\nvoid keel_a(void)\n{\n    keel_b();\n}\n' >schedules/a.c
printf '#include "schedules/a.h"\nvoid keel_b(void)\n{\n    keel_a();\n}\n' >schedules/b.c
echo 'void keel_a(void);' >schedules/a.h
echo 'void keel_b(void);' >omp_ext/above.h
printf 'void keel_c(void)\n{\n}\n' >omp_ext/above.c
tool=$OLDPWD/tests/tree/structure.pl
is "$("$tool" directions schedules/* omp_ext/*)" 'schedules/below.h includes omp_ext/above.h' 'an include upwards is found'
like "$("$tool" circles schedules/*)" 'a circle of 2:' 'two sources that call each other are found'
mkdir schedules/one schedules/other
echo '#include "schedules/other/same.h"' >schedules/one/same.h
echo '#include "schedules/one/a.h"' >schedules/other/same.h
is "$("$tool" folders schedules/*/*)" 'a circle of 2:
    schedules/one -> schedules/other: schedules/one/same.h includes schedules/other/same.h
    schedules/other -> schedules/one: schedules/other/same.h includes schedules/one/a.h' 'folders that include each other are found'
is "$("$tool" names schedules/*/*)" 'schedules/one/same.h schedules/other/same.h: one name' 'one name for two files is found'
is "$("$tool" declarations schedules/* omp_ext/*)" 'omp_ext/above.h declares keel_b() of schedules/b' \
    "a declaration for another folder is found"
printf 'load("@rules_cc//cc:cc_test.bzl", "cc_test")\n\ncc_test(\n[sh_test(\n' >schedules/BUILD
is "$("$tool" loads schedules/BUILD)" 'schedules/BUILD: needs load("@rules_shell//shell:sh_test.bzl", "sh_test")' \
    'a rule that is not loaded is found'

done_testing
