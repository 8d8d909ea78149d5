/* Which ranks are left, where any may end at any time: mpi_backend/job/survivors.c. Messages between two
 * ranks come late, or not at all where the sender has ended; that a process has ended is learned at
 * any time, and never wrongly. Who makes the communicator can't give that up, and ends where one of
 * those that it waits for has.
 *
 * Shown: ranks that get a communicator get the same one, and each wait ends.
 *
 * -DBROKEN_NOW: what is learned counts in the attempt that runs. -DBROKEN_STALE: a set of an earlier
 * attempt is taken for one of this. -DBROKEN_STAY: who makes the communicator waits on for one that
 * has ended. Each has to fail.
 *
 * -DBY_MPI: MPI agrees on who is left, among all that call it to make the communicator (User-Level
 * Failure Mitigation), so that these meet in one attempt only. -DBROKEN_TWICE: they go on until they
 * agree themselves, and wait for those that do, which wait for them. It has to fail. */
#ifndef N
#define N 3 /* ranks */
#endif
#ifndef DEATHS
#define DEATHS 2 /* at most, beside those that follow from them */
#endif
#define ATTEMPTS (2 * DEATHS + 4)

mtype = {AGREES, MAKES, HAS, ENDED};
mtype state[N];
byte known[N], set[N];       /* of each rank: a bit for each that has ended */
byte sent[ATTEMPTS * N * N]; /* in an attempt, from a rank to another: 1 + the set; 0: nothing */
byte deaths;
#ifdef BY_MPI
byte agreed; /* by those that make it: 1 + the set; 0: not yet */
#define COMES(rank) (HAS_ENDED(rank) || IS_AT_IT(rank))
#define BIT_OF_ENDED(rank) (HAS_ENDED(rank) -> BIT(rank) : 0)
#endif

#define BIT(rank) (1 << (rank))
#ifdef BROKEN_STALE
#define SENT(from) sent[(from) * N + me]
#define SEND(to) sent[me * N + (to)]
#else
#define SENT(from) sent[(attempts * N + (from)) * N + me]
#define SEND(to) sent[(attempts * N + me) * N + (to)]
#endif
#define IS_LEFT(rank) ((set[me] & BIT(rank)) == 0)
#define HAS_ENDED(rank) (state[rank] == ENDED)
#define IS_AT_IT(rank) (state[rank] == MAKES || state[rank] == HAS)

inline learn(rank)
{
    known[me] = known[me] | BIT(rank)
#ifdef BROKEN_NOW
    ;
    set[me] = set[me] | BIT(rank)
#endif
}

proctype survivor(byte me)
{
    byte attempts, i;

attempt:
    atomic {
        attempts++;
        assert(attempts < ATTEMPTS);
        set[me] = known[me];
        i = 0
    }
    do
    :: i == N -> break
    :: atomic { deaths < DEATHS -> deaths++; state[me] = ENDED; goto over }
    :: i < N && i == me ->
        byte to = 0;
        do
        :: to == N -> break
        :: atomic { deaths < DEATHS -> deaths++; state[me] = ENDED; goto over }
        :: to < N -> atomic {
            if
            :: to != me && (known[me] & BIT(to)) == 0 -> SEND(to) = 1 + set[me]
            :: else -> skip
            fi;
            to++
        }
        od;
        i++
    :: i < N && i != me ->
        if
        :: atomic { deaths < DEATHS -> deaths++; state[me] = ENDED; goto over }
        :: atomic {
            SENT(i) != 0 ->
adopt:
            set[me] = SENT(i) - 1;
#ifdef BROKEN_STALE
            SENT(i) = 0;
#endif
            known[me] = known[me] | set[me];
            i++
        }
        :: atomic { (known[me] & BIT(i)) != 0 -> i++ } /* what it has sent may not have come */
        :: atomic { HAS_ENDED(0) && (known[me] & BIT(0)) == 0 -> learn(0) }
        :: atomic { HAS_ENDED(1) && (known[me] & BIT(1)) == 0 -> learn(1) }
        :: atomic { HAS_ENDED(2) && (known[me] & BIT(2)) == 0 -> learn(2) }
        fi
    od;
    if
    :: HAS_ENDED(0) -> learn(0)
    :: HAS_ENDED(1) -> learn(1)
    :: HAS_ENDED(2) -> learn(2)
    :: true -> skip
    fi;
decide:
#if !defined(BY_MPI) || defined(BROKEN_TWICE)
    if
    :: (known[me] & ~set[me]) == 0 -> skip
    :: else -> goto attempt
    fi;
#endif
    state[me] = MAKES;
    if
    :: atomic { deaths < DEATHS -> deaths++; state[me] = ENDED; goto over }
#ifdef BY_MPI
    :: atomic {
        agreed != 0 || (COMES(0) && COMES(1) && COMES(2)) ->
        if
        :: agreed == 0 -> agreed = 1 + (BIT_OF_ENDED(0) | BIT_OF_ENDED(1) | BIT_OF_ENDED(2))
        :: else -> skip
        fi;
        set[me] = agreed - 1;
        assert(IS_LEFT(me));
        state[me] = HAS
    }
#else
    :: atomic {
        (!IS_LEFT(0) || IS_AT_IT(0)) && (!IS_LEFT(1) || IS_AT_IT(1)) && (!IS_LEFT(2) || IS_AT_IT(2)) ->
        assert(!IS_LEFT(0) || set[0] == set[me]);
        assert(!IS_LEFT(1) || set[1] == set[me]);
        assert(!IS_LEFT(2) || set[2] == set[me]);
        state[me] = HAS
    }
#ifndef BROKEN_STAY
    :: (IS_LEFT(0) && HAS_ENDED(0)) || (IS_LEFT(1) && HAS_ENDED(1)) || (IS_LEFT(2) && HAS_ENDED(2)) ->
        state[me] = ENDED
#endif
#endif
    fi;
over:
    skip
}

init
{
    atomic {
        byte rank;
        for (rank : 0 .. N - 1) {
            state[rank] = AGREES
        }
        for (rank : 0 .. N - 1) {
            run survivor(rank)
        }
    }
}
