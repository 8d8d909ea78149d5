#!/bin/bash
# However a program ends, its trace in JSON is whole as far as it goes, and the program does what it does without a trace.
source tests/support/under_keel.sh

facts=$(program trace_facts.pl)
ends=$(program ends)
at=$TEST_TMPDIR
trace=$at/trace.json
export OMP_NUM_THREADS=3 KEEL_SCHEDULE=ss
ulimit -c 0

# ended HOW [NAME=VALUE...]: what the program says, and its exit code
ended()
{
    under_keel KEEL_TRACE="$trace" "${@:2}" "$ends" "$1" "$at/other" 2>&1
    echo "left with $?"
}

# chunks [FILE]: how many are there, and what is wrong.
chunks()
{
    "$facts" --cut "${1:-$trace}" | sed -n 's/^chunk //p; /^wrong/p'
}

for end in $(each_day 'exit kill fork' 'exit quick_exit _exit kill abort exec fork elsewhere'); do
    rm -f "$trace"
    without=$("$ends" "$end" "$at/other" 2>/dev/null; echo "left with $?")
    [ "$without" != 'left with 0' ] || without= # none ends so
    same "$(ended "$end")" "$without" "$end: the program ends as without a trace"
done

rm -f "$trace"
ended exit >/dev/null
is "$("$facts" "$trace" | grep -E '^(instances|wrong)')" 'instances 40x200' 'exit: all is there'
is "$(ended quick_exit; "$facts" "$trace" | grep -E '^(instances|wrong)')" $'left with 4\ninstances 40x200' 'quick_exit: all is there'
for end in _exit kill abort; do
    rm -f "$trace"
    ended "$end" >/dev/null
    ok "$end: what was written is right, and not much is missing" test "$(chunks)" -ge 4000
done
rm -f "$trace"
ended exec >/dev/null
ok 'exec: what comes behind is there' test "$(chunks)" -ge 4000
is "$(ended fork; chunks)" $'done\nleft with 5\n16000' 'fork: the child adds nothing'
rm -f "$at/other" "$trace"
is "$(ended close; cat "$at/other")" "keel: KEEL_TRACE: '$trace' has been closed by the program; the trace ends here
done
left with 5" 'a program that closes all files is told, and nothing comes into what it opens'
ok 'what was written until then is right' test "$(chunks)" -ge 4000
is "$(ended overwrite; cat "$trace")" "keel: KEEL_TRACE: '$trace' has become another program's; the trace ends here
done
left with 5" 'what another program writes there stays, which is told'
cd "$at" || exit
is "$(ended elsewhere KEEL_TRACE=trace.json; cd - >/dev/null; chunks)" $'done\nleft with 5\n16000' 'the program may change its folder'
is "$(ended exit KEEL_TRACE=of.%p.json; ls | grep -cE '^of\.[0-9]+\.json$')" $'done\nleft with 5\n1' '%p is the number of the process'

# --- files that cannot grow ---
rm -f "$trace"
is "$(ulimit -f 200; ended exit)" "keel: KEEL_TRACE: '$trace' cannot be written: File too large; the trace ends here
done
left with 5" 'a limit of the size of files: message'
ok 'what has room is right' test "$(chunks)" -ge 500
ln -s /dev/full full.json
is "$(ended exit KEEL_TRACE="$at/full.json")" "keel: KEEL_TRACE: '$at/full.json' cannot be written: No space left on device; nothing is traced
done
left with 5" 'a full disk: message'
is "$(ended exit KEEL_TRACE=/nowhere/trace.json)" "keel: KEEL_TRACE: '/nowhere/trace.json' cannot be written: No such file or directory; nothing is traced
done
left with 5" 'a file that cannot be made: message'
mkfifo pipe.json
is "$(ended exit KEEL_TRACE="$at/pipe.json")" "keel: KEEL_TRACE: '$at/pipe.json' cannot be written: nobody reads it; nothing is traced
done
left with 5" 'a pipe without a reader: message'
timeout "$tap_patience_s" cat pipe.json >out.json &
is "$(ended exit KEEL_TRACE="$at/pipe.json")" $'done\nleft with 5' 'a pipe with a reader'
wait $!
is "$(chunks out.json)" 8000 'it gets everything'
timeout "$tap_patience_s" head -c 10 pipe.json >/dev/null &
is "$(ended exit KEEL_TRACE="$at/pipe.json")" "keel: KEEL_TRACE: '$at/pipe.json' cannot be written: Broken pipe; the trace ends here
done
left with 5" 'a reader that goes: message'

like "$(ended exit KEEL_TRACE="$(printf 'x%.0s' {1..5000}).json")" 'cannot be written: File name too long; nothing is traced' \
    'too long a name: message'

# --- what was in the file ---
rm -f "$trace"
is "$(ulimit -f 0; ended exit 2>&1 | cat)" "keel: KEEL_TRACE: '$trace' cannot be written: File too large; nothing is traced
done
left with 5" 'a file that may hold nothing: message'
printf 'something else\n' >"$trace"
is "$(ended exit; chunks)" $'done\nleft with 5\n8000' 'a file of another kind is replaced'
is "$(ended exit; chunks)" $'done\nleft with 5\n8000' 'and so is the trace of an earlier program'

done_testing
