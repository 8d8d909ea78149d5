#!/bin/bash
# keel compare on a terminal: one line that changes, which is gone at the end.
source tests/support/tap.sh
source tests/omp_ext/command/compare/compare.sh
write_script quiet </dev/null
command -v script >/dev/null || plan skip_all 'script (package bsdutils) is not installed'
escape=$(printf '\033')

text=$(TERM=xterm script -qec "'$keel' compare --libgomp static -s fac2 --rounds 2-2 --seed 1 -- '$quiet'" /dev/null </dev/null)
clear=$'\r'"$escape"'\[K'
like "$text" "${clear}warming up: (libgomp static|fac2); at most [0-9]+ s left" 'the round for warming up'
like "$text" "${clear}round 2: (libgomp static|fac2); at most [0-9]+ s left${clear}" 'the last run'
like "$text" "${clear}'$quiet': 2 rounds" 'then the line is cleared'
unlike "$text" '^keel: round' 'no lines as without a terminal'
done_testing
