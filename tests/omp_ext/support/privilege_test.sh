#!/bin/bash
# A program with more rights than its caller opens no file that the caller names in the environment.
source tests/support/under_keel.sh

[ "$(id -u)" = 0 ] || plan skip_all 'only root can make setuid programs and run them as another user'
command -v setpriv >/dev/null || plan skip_all 'there is no setpriv (util-linux)'

work=$(mktemp -d) # TEST_TMPDIR may be out of reach for other users
chmod 755 "$work"
mkdir -m 777 "$work/files"
for name in libkeel libkeel_early libkeel_report libkeel_source; do
    cp "$(keel_path omp_ext/$name.so)" "$work"
done
gcc -O2 -fopenmp "$(keel_path tests/omp_ext/support/summing.c)" -o "$work/plain" -L"$work" -Wl,--no-as-needed -lkeel \
    -lkeel_early -Wl,-rpath,"$work"
cp "$work/plain" "$work/privileged"
chmod 4755 "$work/privileged"

# as_other PROGRAM [NAME=VALUE...]: by a user who is not root.
as_other()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups env --chdir="$work/files" "${@:2}" "$work/$1" 2>&1
}

# What the program has opened to write, by names that are there now.
made()
{
    ls "$work/files"
    rm -rf "$work"/files/*
}

expected=$(as_other plain)
why='ignored, as it names a file, and this program has rights that its caller need not have (setuid, setgid or capabilities)'

if [ "$(as_other privileged KEEL_MEMORY=m KEEL_SCHEDULE=rate)" = "$(as_other plain KEEL_MEMORY=m KEEL_SCHEDULE=rate)" ]; then
    rm -rf "$work"
    plan skip_all 'setuid programs have no more rights here'
fi
made >/dev/null

# withheld NAME VALUE: the plain program leaves a file, the other one says why it does not.
withheld()
{
    is "$(as_other plain KEEL_SCHEDULE=rate "$1=$2")" "$expected" "$1=$2 where the caller's own program runs"
    unlike "$(made)" '^$' "$1=$2 leaves a file there"
    is "$(as_other privileged KEEL_SCHEDULE=rate "$1=$2")" "keel: $1: $why"$'\n'"$expected" "$1=$2 in a setuid program"
    is "$(made)" '' "$1=$2 leaves none there"
}

withheld KEEL_TRACE "$work/files/trace"
withheld KEEL_TRACE "$work/files/trace.json,100000" # more chunks than a busy machine makes
withheld KEEL_REPORT "$work/files/report"
withheld KEEL_REPORT report.json
withheld KEEL_MEMORY "$work/files/memory"
withheld KEEL_MEMORY "replace:$work/files/memory"

mark()
{
    (umask 0; : >"$work/files/mark")
    as_other "$1" KEEL_SCHEDULE=gss KEEL_SEEN="$work/files/mark" | grep -c '^keel: KEEL_SEEN: ignored'
    stat -c %s "$work/files/mark"
}
is "$(mark plain)" $'0\n1' 'KEEL_SEEN marks a file'
is "$(mark privileged)" $'1\n0' 'but not for a setuid program'
made >/dev/null

is "$(as_other privileged KEEL_CHECK="seed=1,folder=$work/files")" "keel: KEEL_CHECK: $why"$'\n'"$expected" KEEL_CHECK
like "$(as_other privileged KEEL_REPORT=1)" '^keel: report of ' 'a report to standard error names no file'
unlike "$(as_other privileged KEEL_REPORT=0 KEEL_SCHEDULE=gss)" '^keel' 'nor does none'
like "$(as_other privileged KEEL_SCHEDULE=gsss)" 'nearest is .gss.' 'schedules may be asked for'

rm -rf "$work"
done_testing
