/* Ranks of a node that exchange what cores they have: mpi_backend/calls/node_table. Each
 * enters itself, waits until all have or its patience is over, and any may end at any time.
 *
 * Shown: all that get an answer get the same one, who has got the others sees what each of them has
 * entered, and every wait ends.
 *
 * -DBROKEN_ALONE: each decides for itself. -DBROKEN_ENTRY: a rank counts as entered before its entry
 * is written. -DBROKEN_PATIENCE: a rank waits as long as it takes. Each has to fail. */
#ifndef N
#define N 3 /* ranks */
#endif
#ifndef DEATHS
#define DEATHS 2 /* at most */
#endif

mtype = {NONE, MET, GIVEN_UP};
mtype state = NONE;
mtype answer[N] = NONE;
bool entry[N], entered[N];
byte deaths;

inline check(got)
{
    byte other = 0;
    do
    :: other == N -> break
    :: other < N ->
        assert(answer[other] == NONE || answer[other] == got);
        assert(got != MET || entry[other]);
        other++
    od
}

/* A rank that ends leaves what it has done. */
#define MAY_END :: atomic { deaths < DEATHS -> deaths++; goto over }

active [N] proctype rank()
{
    byte me = _pid;
    mtype got;

#ifdef BROKEN_ENTRY
    entered[me] = true;
    if MAY_END :: true -> skip fi;
    entry[me] = true;
#else
enter:
    entry[me] = true;
    if MAY_END :: true -> skip fi;
    entered[me] = true;
#endif
    byte i = 0;
    do
    :: i == N -> got = MET; break
    :: i < N && entered[i] -> i++
    MAY_END
#ifdef BROKEN_PATIENCE
#else
    :: i < N && !entered[i] -> got = GIVEN_UP; break
#endif
    od;
decide:
    atomic {
#ifndef BROKEN_ALONE
        if
        :: state == NONE -> state = got
        :: else -> got = state
        fi;
#endif
        check(got);
        answer[me] = got
    }
over:
    skip
}
