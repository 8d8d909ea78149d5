#!/bin/bash
# bench/rows runs applications under every policy and beside competing loads, and prints what it
# says. What comes out depends on what else the machine does; that it comes out does not.
name=rows program=apps/sor
source tests/bench/command.sh
[ "$(nproc)" -ge 2 ] || plan skip_all 'bench/rows binds two ranks to two processors'
usual=(--quick --scale 0.01)

bar='-?[0-9.]+ (held|missed)'
small='matmul:50 heat_f:50 sor:50 quadrature'
succeeds --parts 'apps hook' --apps "$small" --policies 'off rate-local tree'
like "$table" '^command: bench/rows .*--quick' 'the command line is printed'
like "$messages" '^keel: round 1 of 1: heat_f:50, tree$' 'away from a terminal, progress comes in lines'
like "$table" '^policy +time, s +efficiency +movements +rows moved +deciding, % +moving, %$' 'policies have their heading'
for app in $small; do
    for policy in off rate-local tree; do
        like "$(row "$app, two ranks" "$policy")" "^$policy( +$number){6}$" "$app under $policy has its row"
    done
    is "$(row "$app, two ranks" off | awk '{ print $4 + $5 }')" 0 "$app: nothing moves without balancing"
    like "$(row 'The hook' "$app")" "^$app( +$number){6} +$bar$" "$app: the hook has its row"
done
like "$table" '^[0-9]+ of 4 bars are held\.$' 'bars are counted'

succeeds --parts load --apps 'sor:100'
like "$(row 'A constant competing load' sor:100)" "^sor:100( +$number){5} +$bar$" 'a load that stays has its row'

succeeds --parts simulated
is "$(grep -cE '^(sor|mm) [0-9]+ ' <<<"$table")" 96 'simulated cases have their rows'
unlike "$table" 'WRONG' 'with all of their rows'

KEEL_MPI_BALANCE=tree prints_csv --parts apps --apps sor:50 --policies 'off random:w=1,alpha=0.5'
like "$table" '^rows,apps; sor:50,serial,time,[0-9.e+-]+,s$' 'the serial run is a row'
like "$table" '^rows,apps; sor:50,"random:w=1,alpha=0.5",efficiency,[0-9.e+-]+,1$' 'a policy with parameters is one, too'

refuses "--policies: .*unknown policy 'trree', nearest is 'tree'" --policies 'off trree'
refuses "--parts 'full' is not one of apps hook load simulated" --parts 'apps full'
refuses "--apps 'sor2' is not one of matmul heat_f" --apps 'sor sor2'
refuses "--apps 'sor:0' is not one of matmul heat_f" --apps 'sor:0'
refuses "--scale '0' is not a number such as 0.5" --scale 0
done_testing
