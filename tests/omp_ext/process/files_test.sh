#!/bin/bash
# Files that the environment names, and who may name them.
source tests/support/under_keel.sh

# --- what is written is its owner's alone, and no other user can choose what is written to ---

summing=$(program summing)
expected=$("$summing")
[ -n "$expected" ] || exit # what each run is compared with
other=12345 # a user
work=$TEST_TMPDIR
shared=$work/shared # as /tmp is
mkdir -m 1777 "$shared"
mkdir -m 700 "$work/own"

# The variable and the ending of the file's name.
kinds='KEEL_TRACE: KEEL_TRACE:.json KEEL_REPORT: KEEL_REPORT:.json KEEL_MEMORY:'

# run VARIABLE FILE: what the program says, and Keel.
run()
{
    under_keel KEEL_SCHEDULE=rate "$1=$2" "$summing" 2>&1
}

# refused VARIABLE FILE REASON NAME: one message, and the program does what it does.
refused()
{
    local said
    said=$(run "$1" "$2")
    is "$(grep -v '^keel: ' <<<"$said")" "$expected" "$1: $4, the program runs"
    like "$(grep '^keel: ' <<<"$said")" "^keel: $1: '.*$(basename "$2")' .*$3" "$1: $4, with a message"
    is "$(grep -cE "^keel: $1: .*$3" <<<"$said")" 1 "$1: $4, once"
}

for kind in $kinds; do
    variable=${kind%:*} ending=${kind#*:}
    file=$work/own/new$ending
    is "$(umask 0; run "$variable" "$file")" "$expected" "$variable: a new file$ending"
    is "$(stat -c %a "$file")" 600 "$variable: a new file$ending is its owner's alone"
    ok "$variable: and not empty" test -s "$file"
    chmod 640 "$file"
    run "$variable" "$file" >/dev/null
    is "$(stat -c %a "$file")" 640 "$variable: a file$ending that is there keeps its rights"

    target=$work/own/target$ending
    : >"$target"
    ln -s "target$ending" "$work/own/first$ending"
    ln -s "own/first$ending" "$work/link$ending"
    is "$(run "$variable" "$work/link$ending")" "$expected" "$variable: an own link to another"
    ok "$variable: leads to the file" test -s "$target" -a -L "$work/link$ending"
    rm -rf "$work"/own/* "$work/link$ending"

    file=$shared/file$ending
    is "$(run "$variable" "$file")$(stat -c %a "$file")" "${expected}600" "$variable: an own file in a folder that all may write to"
    ln "$file" "$work/own/second$ending"
    refused "$variable" "$file" 'another user' 'a file of two names there'
    rm -rf "$shared"/* "$work"/own/*
done

# is_kept FILE WHAT: nothing has been written to it.
is_kept()
{
    is "$(cat "$1")" secret "$2"
}

if [ "$(id -u)" = 0 ]; then
    for kind in $kinds; do
        variable=${kind%:*} ending=${kind#*:}
        secret=$work/own/secret$ending
        printf secret >"$secret"
        ln -s "$secret" "$shared/link$ending"
        chown -h $other "$shared/link$ending"
        refused "$variable" "$shared/link$ending" 'another (user|owner)' 'a link of another user'
        is_kept "$secret" "$variable: what it leads to is as before"
        rm "$secret" "$shared/link$ending"

        ln -s "$secret" "$shared/link$ending"
        chown -h $other "$shared/link$ending"
        refused "$variable" "$shared/link$ending" 'another (user|owner)' 'a link of another user to nothing'
        is "$(ls "$work/own")" '' "$variable: nothing is made there"
        rm -rf "$shared"/*

        ln -s "$secret" "$shared/first$ending"
        ln -s "first$ending" "$shared/second$ending"
        chown -h $other "$shared/first$ending"
        refused "$variable" "$shared/second$ending" 'another (user|owner)' 'an own link to such a link'
        rm -rf "$shared"/*

        (umask 0; printf secret >"$shared/file$ending")
        chown $other "$shared/file$ending"
        refused "$variable" "$shared/file$ending" 'another user' "another user's file where all may write"
        is_kept "$shared/file$ending" "$variable: is as before"
        rm -rf "$shared"/*

        run "$variable" "$work/own/given$ending" >/dev/null
        chown $other "$work/own/given$ending"
        is "$(run "$variable" "$work/own/given$ending")" "$expected" "$variable: another user's file elsewhere"
        rm -rf "$work"/own/*
    done
    mkfifo "$shared/pipe"
    chown $other "$shared/pipe"
    cat "$shared/pipe" >"$work/read" &
    refused KEEL_TRACE "$shared/pipe" 'another user' "another user's pipe where all may write"
    wait
else
    skip 'files and links of other users' 'only root can make them'
fi

mkfifo "$shared/own_pipe"
cat "$shared/own_pipe" >"$work/read" &
is "$(run KEEL_TRACE "$shared/own_pipe")" "$expected" 'an own pipe'
wait
ok 'was written to' test -s "$work/read"
ln -s "$work/loop" "$work/loop"
like "$(run KEEL_TRACE "$work/loop")" 'cannot be written: Too many levels of symbolic links' 'links in a circle'

# --- a program with more rights than its caller opens no file that the caller names ---

# cannot REASON: there is no more to check.
cannot()
{
    skip 'a program with more rights than its caller' "$1"
    done_testing
}

[ "$(id -u)" = 0 ] || cannot 'only root can make setuid programs and run them as another user'
command -v setpriv >/dev/null || cannot 'there is no setpriv (util-linux)'

work=$(mktemp -d) # TEST_TMPDIR may be out of reach for other users
chmod 755 "$work"
mkdir -m 777 "$work/files"
for name in libkeel libkeel_early libkeel_report libkeel_source; do
    cp "$(keel_path omp_ext/$name.so)" "$work"
done
gcc -O2 -fopenmp "$(keel_path tests/omp_ext/process/summing.c)" -o "$work/plain" -L"$work" -Wl,--no-as-needed -lkeel \
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
    cannot 'setuid programs have no more rights here'
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
