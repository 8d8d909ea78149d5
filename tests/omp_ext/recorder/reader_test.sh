#!/bin/bash
# Recordings that are cut off or damaged are read as far as that goes, and never beyond.
source tests/support/under_keel.sh

work=$TEST_TMPDIR
compared=$(program compared)
under_keel KEEL_REPORT="$work/report" "$(program leaving)" signal >"$work/out" 2>&1
recording=$work/report.recording
size=$(stat -c %s "$recording")

# read_to_end FILE: prints what is in it, which `compared` says in that file that it has done; or it is refused.
read_to_end()
{
    : >"$work/passed"
    KEEL_TEST_PASSED=$work/passed "$compared" "$1" >"$work/printed" 2>"$work/said"
    local status=$?
    [ $status != 0 ] || [ -s "$work/passed" ] || status=97
    return $status
}

# survives FILE NAME: it is read, or refused with a message.
survives()
{
    read_to_end "$1"
    local status=$?
    [ $status = 0 ] || { [ $status = 2 ] && grep -q '^compared: ' "$work/said"; }
    tap_result $? "$2" || diag "exit status: $status"
}

like "$("$compared" "$recording")" '^loop .* instances=1 iterations=1000 ' 'the recording is whole'
for length in 0 7 100 511 512 600 640 1000 1500 2000 4000; do
    head -c $length "$recording" >"$work/cut"
    survives "$work/cut" "cut off after $length bytes"
done
for text in '' 'KEELREC' '{"keel_report": 1}'; do
    printf '%s' "$text" >"$work/other"
    is "$("$compared" "$work/other" 2>&1)" 'compared: Invalid argument' "not a recording: '$text'"
done
is "$("$compared" "$work" 2>&1)" 'compared: Invalid argument' 'a folder'

# Each 8 bytes of what is used, made 0 and made as large as can be.
used=$((size < 8192 ? size : 8192))
damaged=0
for ((at = 8; at < used; at += 8)); do
    for value in '\0\0\0\0\0\0\0\0' '\377\377\377\377\377\377\377\377' '\100\0\0\0\377\377\0\0'; do
        cp "$recording" "$work/damaged"
        printf "$value" | dd of="$work/damaged" bs=8 seek=$((at / 8)) conv=notrunc status=none
        read_to_end "$work/damaged"
        [ $? -le 2 ] || { damaged=$((damaged + 1)); diag "byte $at made $value"; }
    done
done
ok 'damaged ones do no harm' test $damaged = 0 -a "$size" -gt 512
done_testing
