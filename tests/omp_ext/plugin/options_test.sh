#!/bin/bash
# The plugin's messages and refusals, and the versions of GCC that it can be built for.
source tests/support/tap.sh
source tests/omp_ext/plugin/compile.sh

# --- notes, and warnings of bad options, which never stop the compilation ---

cat >"$TEST_TMPDIR/loop.c" <<'END'
void f(int *a, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i]++;
#pragma omp for schedule(guided)
    for (int i = 0; i < n; i++)
        a[i]++;
}
END
cp "$TEST_TMPDIR/loop.c" "$TEST_TMPDIR/loop.cc"
cat >"$TEST_TMPDIR/loop.f90" <<'END'
subroutine f(a, n)
    integer :: n, i, a(n)
    !$omp parallel do
    do i = 1, n
        a(i) = a(i) + 1
    end do
end subroutine
END

# says LANGUAGE OPTION...: messages of a compilation with the plugin; ends with `ok` when it succeeds.
says()
{
    compile_to keel.o "$1" -fplugin="$plugin" "${@:2}" && echo ok >>"$TEST_TMPDIR/keel.o.log"
    cat "$TEST_TMPDIR/keel.o.log"
}

is "$(says c)" ok 'no message without verbose'

for language in c cc; do
    text=$(says $language "$option-verbose")
    like "$text" "^loop.$language:3:9: note: keel: loop taken\$" "a note per changed loop: $language"
    like "$text" "^loop.$language:6:9: note: keel: loop left alone: it has a schedule of its own\$" "and why others are not: $language"
    is "$(grep -c note: <<<"$text")" 2 "two loops, two notes: $language"
done
like "$(says f90 "$option-verbose")" '^loop.f90:3:21: note: keel: loop taken' 'a note at the directive in Fortran'

while IFS='|' read -r arguments message; do
    # shellcheck disable=SC2086 # several options in one word
    text=$(says c $arguments)
    like "$text" "^cc1: warning: keel: $message\$" "${arguments//$option/}: the warning"
    is "$(grep -c warning: <<<"$text")" 1 "${arguments//$option/}: one warning"
    like "$text" '^ok$' "${arguments//$option/}: the compilation goes on"
    like "$(loop_calls keel.o)" keel_ "${arguments//$option/}: the bare loop is changed"
done <<END
$option-verbos|$option-verbos: 'verbos' is not an option of this plugin; did you mean 'verbose'\\? It is ignored
$option-colour|$option-colour: 'colour' is not an option of this plugin; expected one of explicit, nowait, target, verbose. It is ignored
$option-explicit=dinamic|$option-explicit: 'dinamic' is not a schedule that can be changed; did you mean 'dynamic'\\? It is ignored
$option-explicit=static,gss|$option-explicit: 'gss' is not a schedule that can be changed; expected one of static, dynamic, guided, auto. It is ignored
$option-explicit=static,,guided|$option-explicit: '' is not a schedule that can be changed; expected one of static, dynamic, guided, auto. It is ignored
$option-explicit|$option-explicit: expected a list of schedules; none is changed
$option-explicit=|$option-explicit: expected a list of schedules; none is changed
$option-target=0|$option-target: takes no value; '0' is ignored and the option is on
END

says c "$option-verbose" "$option-explicit=gided,guided" >/dev/null
unlike "$(loop_calls keel.o)" runtime 'no loop goes to libgomp by OMP_SCHEDULE'
is "$(notes | grep -c taken)" 2 'the valid kinds of a list with a bad one count'

target='#pragma omp declare target
void f(int *a, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        a[i]++;
}
#pragma omp end declare target
void g(void)
{
    int a[9] = {0};
#pragma omp target parallel for
    for (int i = 0; i < 9; i++)
        a[i]++;
}'
ok 'target: compiles' compile_keel c "$option-target" <<<"$target"
like "$(loop_calls keel.o)" runtime_next 'target: OMP_SCHEDULE decides on a device, where there is no Keel'
is "$(notes | grep -c taken)" 2 'target: and a region'

# A plugin built for another GCC: the same source with that GCC's version in its headers; by day, the same plugin with that
# version in place of its own, which is as long.
headers=$(gcc -print-file-name=plugin)/include
mkdir "$TEST_TMPDIR/other"
source=$(keel_path omp_ext/plugin/keel_plugin.cc)
if nightly; then
    other=11.9.9
    sed 's/basever\[\] = ".*"/basever[] = "'$other'"/' "$headers/plugin-version.h" >"$TEST_TMPDIR/other/plugin-version.h"
    ok 'a plugin for another GCC builds' g++ -std=gnu++17 -fno-rtti -fPIC -shared -I"$TEST_TMPDIR/other" \
        -I"${source%/omp_ext/*}" -isystem "$headers" "${source%/*}"/*.cc -o "$TEST_TMPDIR/other/keel_plugin.so"
else
    version=$(gcc -dumpfullversion)
    other=${version//[0-9]/9}
    LC_ALL=C sed "s/${version//./\\.}/$other/g" "$plugin" >"$TEST_TMPDIR/other/keel_plugin.so"
    ok 'the plugin names its GCC' grep -qaF "$other" "$TEST_TMPDIR/other/keel_plugin.so"
fi
plugin=$TEST_TMPDIR/other/keel_plugin.so
rm -f "$TEST_TMPDIR/keel.o"
text=$(says c)
like "$text" "error: keel: .*/other/keel_plugin.so is built for GCC ${other//./\\.} \(.*\), but this is GCC 1[0-9.]* \(.*\); build it again" \
    'and is refused with both versions'
unlike "$text" '^ok$' 'the compilation fails'
ok 'no object is written' test ! -e "$TEST_TMPDIR/keel.o"

# --- each GCC whose headers for plugins are here; those of another version serve for reading only ---

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
