#!/bin/bash
# keel model: what cannot be used is refused in one line.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

refused "'predct' is not an action, nearest is 'predict'; nothing is done \(see keel model --help\)$" predct
for action in predict optimise; do
    refused "unknown model 'lop', nearest is 'loop'; nothing is predicted" $action lop
    refused "loop: unknown parameter 'thraeds', nearest is 'threads'; nothing is predicted$" $action loop thraeds=2
    refused "loop: 'threads' is not NAME=VALUE; nothing is predicted$" $action loop threads
    refused "loop: threads '0' is not a whole number from 1 to 4096; nothing is predicted$" $action loop threads=0
    is "$(code "$keel" model $action)" 2 "$action without a model: exit code"
done
refused "unknown model 'lop', nearest is 'loop'" list lop
is "$(code "$keel" model)" 2 'no action: exit code'
is "$(code "$keel" model --help)" 0 '--help'
for action in list predict optimise; do
    like "$(output)" "^  $action " "names $action"
done

for text in '' x 1e nan inf -1 4097 1.5 ' ' 2x 0x 1:4 1/4; do
    refused "loop: threads '$text' is not a whole number from 1 to 4096; nothing is predicted$" predict loop "threads=$text"
done
for text in '' x nan inf -1 1e99 1min 2ss; do
    refused "loop: mean '$text' is not a number from 0 to 1000000 s; nothing is predicted$" predict loop "mean=$text"
done
refused "loop: skew '2s' is not a number from 1 to 1000000; " predict loop skew=2s
refused "loop: unknown shape 'evn', nearest is 'even'; nothing is predicted$" predict loop shape=evn
refused "balance: unknown policy 'difusion', nearest is 'diffusion'; " predict balance policy=difusion
refused "loop: schedule 'gs': unknown schedule 'gs', nearest is " predict loop schedule=gs
refused "loop: schedule 'gss,0': min '0' is not a whole number from 1 " predict loop schedule=gss,0
refused "loop: schedule 'auto': it runs others, .*see \`keel model optimise loop'" predict loop schedule=auto
for text in '' x 1, 1,,2 0 -1 1:2 nan; do
    refused "loop: speeds '$text': not a list of numbers from 1e-06 to 1e\+06; " predict loop "speeds=$text"
done
refused 'loop: threads is stated twice; nothing is predicted$' predict loop threads=1 threads=2
refused "loop: shape 'trace' needs --trace; " predict loop shape=trace
refused 'balance: 1000000 steps of 4096 workers are too many to play; ' predict balance steps=1e6 workers=4096
refused 'objects: 40960000 tasks in all, more than 1000000; ' predict objects processors=4096 tasks=10000
refused 'loop: all that could be chosen is stated; nothing is predicted$' optimise loop schedule=gss
is "$(code "$keel" model predict loop --nonsense)" 2 'an unknown option: exit code'
done_testing
