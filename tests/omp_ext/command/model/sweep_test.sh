#!/bin/bash
# keel model sweep: ranges, grids, CSV.
source tests/support/tap.sh
source tests/omp_ext/command/command.sh
source tests/omp_ext/command/model/model.sh

# column NAME=RANGE [MODEL]: the values that a range stands for, on one line.
column()
{
    "$keel" model sweep --csv "${2:-pipeline}" "$1" | tail -n +2 | cut -d, -f1 | paste -sd' '
}
is "$(column block=1:64:x4)" '1 4 16 64' 'by a factor'
is "$(column block=1:50:x7)" '1 7 49' 'that does not meet the end'
is "$(column sequential=0:1:4)" '0 0.25 0.5 0.75 1' 'by steps'
is "$(column sequential=2:3 | wc -w)" 11 'ten steps, if it does not say'
is "$(column block=3:7)" '3 4 5 6 7' 'each of a few whole numbers'
is "$(column block=1:4:6)" '1 2 3 4' 'whole numbers are not repeated'
is "$(column block=5:5)" 5 'one value'
is "$(column sequential=1ms:1s:x10)" '0.001 0.01 0.1 1' 'units at both ends'
is "$(column block=9/2/5)" '9 2 5' 'a list'
is "$(column schedule=gss/fac2,8/ss loop)" 'gss "fac2 ss' 'a list of schedules'
is "$(column policy=every balance)" 'none random diffusion redistribution rate tree' 'all words'
is "$(column graph=all balance 2>/dev/null)" '' 'a word of that name is no range'
is "$(column schedule=every loop | wc -w)" "$("$keel" list --names | grep -cvxE 'auto|binlpt|lpt')" 'all schedules of the model'

pipeline=(elements=100 sequential=1 startup=3ms per-byte=0)
is "$("$keel" model sweep --csv --result time --result blocks pipeline block=5/6 "${pipeline[@]}")" 'block,time,blocks
5,0.3535,20
6,0.352,17' 'CSV'
is "$("$keel" model sweep --result time pipeline block=5/6 "${pipeline[@]}")" '     block     time, s
         5      0.3535
         6       0.352' 'a table'
# two workers, blocks of 50: (2 + 1) / 4 + 2 * 0.003; a single one sends nothing
is "$("$keel" model sweep pipeline workers=1:2 block=50/100 "${pipeline[@]}")" 'time, s: a row for each workers, a column for each block
                    50         100
         1           1           1
         2       0.756       1.003' 'a grid of the time'
is "$("$keel" model sweep --result blocks pipeline workers=1:2 block=50/100 "${pipeline[@]}" | tail -n 1)" \
    '         2           2           1' 'and of another result'
is "$("$keel" model sweep --csv --result time pipeline workers=1:2 block=50/100 "${pipeline[@]}")" 'workers,block,time
1,50,1
1,100,1
2,50,0.756
2,100,1.003' 'as CSV, a row per point'
is "$("$keel" model sweep --csv --result best-blocks pipeline startup=0/1 workers=1)" 'startup,best-blocks
0,1
1,1' 'results that are no costs'

for model in $models; do
    case $model in
    loop) range=threads=1:4 ;;
    objects) range=processors=1:4 ;;
    *) range=workers=1:4 ;;
    esac
    is "$(code "$keel" model sweep --csv $model $range)" 0 "$model over $range"
    is "$(output | wc -l)" 5 "$model: four rows"
    unlike "$(output)" '(^|,)-?(nan|inf)(,|$)' "$model: only numbers"
    name=$("$keel" model predict --csv $model | sed -n '2s/,.*//p')
    is "$(output | sed -n 4p | cut -d, -f2)" "$(result $model "$name" "${range%1:4}3")" "$model: as predict says"
done
is "$(code within_cpu 60 "$keel" model sweep --csv --result time pipeline block=1:1000000:999999 elements=1000000)" 0 'a million evaluations'
is "$(output | wc -l)" 1000001 'and their rows'
done_testing
