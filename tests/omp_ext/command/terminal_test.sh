#!/bin/bash
# keel chunks draws bars on a terminal, in colour where that is wanted.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
command -v script >/dev/null || plan skip_all 'script (package bsdutils) is not installed'

# on_terminal COMMAND: what it prints on a terminal of 60 columns.
on_terminal()
{
    TERM=xterm COLUMNS=60 script -qec "$1" /dev/null </dev/null | tr -d '\r'
}
escape=$(printf '\033')

text=$(LC_ALL=C.UTF-8 NO_COLOR=1 on_terminal "$keel chunks gss 100 2")
is "$(sed -n 2,4p <<<"$text")" "$(
    bar=███████████████████████████████████
    printf '%s\n' "   0     0    49    50  $bar" "   1    50    74    25  █████████████████▌" "   2    75    87    13  █████████▏"
)" 'bars are as long as chunks are large, to an eighth'
unlike "$text" "$escape" 'without colours under NO_COLOR'
like "$(LC_ALL=C.UTF-8 on_terminal "$keel chunks gss 100 2")" "$escape\[36m(█)+$escape\[0m\$" 'in colour otherwise'
text=$(LC_ALL=C.UTF-8 on_terminal "$keel chunks static 100 2")
like "$text" "^ +0 .*$escape\[31m█" 'thread 0 has its colour'
like "$text" "^ +1 .*$escape\[32m█" 'thread 1 another one'
like "$(LC_ALL=C NO_COLOR=1 on_terminal "$keel chunks gss 100 2")" ' 25  #{18}$' 'without Unicode by #'
is "$(LC_ALL=C.UTF-8 NO_COLOR=1 on_terminal "$keel chunks ss 18446744073709551615 2" | grep -c '█')" 0 'no bars where there is no room'
unlike "$(LC_ALL=C.UTF-8 on_terminal "$keel chunks --csv gss 100 2")" '█' 'nor in --csv'
unlike "$(LC_ALL=C.UTF-8 TERM=xterm "$keel" chunks gss 100 2)" "█|$escape" 'nor in a pipe'
done_testing
