#!/bin/bash
# What is written where the environment says is its owner's alone, and nobody else can choose what is written to.
source tests/support/under_keel.sh

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
    like "$(grep '^keel: ' <<<"$said")" "^keel: $1: '.*$(basename "$2")' .*$3" "$1: $4, it is told"
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
done_testing
