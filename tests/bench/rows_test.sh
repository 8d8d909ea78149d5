#!/bin/bash
# bench/rows runs applications with and without balancing and beside competing loads, and prints what
# it says. What comes out depends on what else the machine does; that it comes out does not.
name=rows program=apps/sor
source tests/bench/command.sh
[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/rows binds two ranks to two processors'
usual=(--quick --scale 0.01)

bar='-?[0-9.]+ (held|missed)'
small='matmul:50 heat_f:50 sor:50 quadrature'
succeeds --parts hook --apps "$small"
like "$table" '^command: bench/rows .*--quick' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: the hook, heat_f:50$' 'away from a terminal, progress comes in lines'
for app in $small; do
    like "$(row 'The hook' "$app")" "^$app( +$number){6} +$bar$" "$app: the hook has its row"
done
like "$table" '^[0-9]+ of 4 bars are held\.$' 'bars are counted'

succeeds --parts load --apps 'sor:100'
like "$(row 'A constant competing load' sor:100)" "^sor:100( +$number){5} +$bar$" 'a load that stays has its row'

succeeds --parts simulated
is "$(grep -cE '^(sor|mm) [0-9]+ ' <<<"$table")" 96 'simulated cases have their rows'
unlike "$table" 'WRONG' 'with all of their rows'

KEEL_MPI_BALANCE=tree prints_csv --parts load --apps sor:50
like "$table" '^rows,load; sor:50,serial,time,[0-9.e+-]+,s$' 'the serial run is a row'
like "$table" '^rows,load; sor:50,off,movements,0,1$' 'nothing moves without balancing'

refuses "--parts 'full' is not one of hook load simulated" --parts 'hook full'
refuses "--apps 'sor2' is not one of matmul heat_f" --apps 'sor sor2'
refuses "--apps 'sor:0' is not one of matmul heat_f" --apps 'sor:0'
refuses "--scale '0' is not a number such as 0.5" --scale 0
done_testing
