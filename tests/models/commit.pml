/* Rows move among ranks, and count on all of them or on none:
 * mpi_backend/rows/movement/round.c. A rank is slow, or waits too long, at any time: a deadline passes
 * whenever it likes. A meeting (MPI_Iallreduce) is complete once all ranks have come; each learns that
 * in its own time. Notices of a rank that withdraws arrive in any order. A rank that has kept its rows
 * because somebody was late moves none any more.
 *
 * Shown: rows are never taken on one rank and kept on another, in one movement or in the one behind it;
 * and each wait ends, unless a rank stops for good.
 *
 * -DBROKEN_ONCE: rows are taken after the first meeting. -DBROKEN_BOUND: ranks withdraw from the second
 * one, too. -DBROKEN_SILENT: they withdraw without a message. -DBROKEN_NUMBER: a rank that learns of a
 * withdrawal ends at once, whichever meeting it is in. Each has to fail. */
#ifndef N
#define N 3 /* ranks, at most 3 */
#endif
#ifndef MOVEMENTS
#define MOVEMENTS 2
#endif

byte came[2 * MOVEMENTS]; /* ranks that take part in each meeting */
bool refused[2 * MOVEMENTS]; /* some rank takes part without all of its rows */
byte last[3];  /* of each rank that has withdrawn: how many meetings it took part in */
byte heard[3]; /* by each rank, of whom: a bit for each */
byte taken[MOVEMENTS], kept[MOVEMENTS];
byte over;

#define IS_COMPLETE (came[meetings - 1] == N)
#ifdef BROKEN_NUMBER
#define WAITS_FOR(rank) (heard[me] & (1 << (rank)))
#else
#define WAITS_FOR(rank) ((heard[me] & (1 << (rank))) && last[rank] < meetings)
#endif
#define IS_IN_VAIN (WAITS_FOR(0) || WAITS_FOR(1) || WAITS_FOR(2))

proctype notice(byte from; byte to)
{
    heard[to] = heard[to] | (1 << from)
}

/* keel_mpi_peers_withdraw() */
inline withdraw()
{
    last[me] = meetings;
#ifndef BROKEN_SILENT
    for (i : 0 .. N - 1) {
        if
        :: i != me -> run notice(me, i)
        :: else -> skip
        fi
    }
    i = 0
#endif
}

inline come()
{
    came[meetings]++;
    meetings++
}

proctype rank(byte me)
{
    byte movement, meetings, i;

moving:
    /* Functions of the program are called, rows come: as slowly as they like. */
    if
    :: movement == MOVEMENTS -> goto end
    :: movement < MOVEMENTS -> skip
    :: movement < MOVEMENTS -> refused[meetings] = true
    :: atomic { movement < MOVEMENTS -> withdraw(); goto keep }
    fi;

ready:
    atomic { come() }
    if
    :: IS_COMPLETE -> skip
    :: atomic { !IS_COMPLETE -> withdraw(); goto keep }
    :: IS_IN_VAIN -> goto keep
    fi;
    if
    :: refused[meetings - 1] -> goto refuse
    :: else -> skip
    fi;
#ifdef BROKEN_ONCE
    meetings++;
    goto take;
#endif

bound:
    atomic { come() }
    if
    :: IS_COMPLETE -> skip
#ifdef BROKEN_BOUND
    :: atomic { !IS_COMPLETE -> withdraw(); goto keep }
#endif
    :: IS_IN_VAIN -> goto keep
    fi;

take:
    atomic {
        taken[movement]++;
        assert(kept[movement] == 0);
        movement++
    }
    goto moving;

refuse:
    /* All ranks alike: they leave out the second meeting, and go on. */
    atomic {
        kept[movement]++;
        assert(taken[movement] == 0);
        meetings++;
        movement++
    }
    goto moving;

keep:
    atomic {
        do
        :: movement == MOVEMENTS -> break
        :: else ->
            kept[movement]++;
            assert(taken[movement] == 0);
            movement++
        od
    }

end:
    over++
}

init
{
    byte i;

    atomic {
        for (i : 0 .. N - 1) {
            run rank(i)
        }
    }
    over == N;
    for (i : 0 .. MOVEMENTS - 1) {
        assert(taken[i] == N || taken[i] == 0)
    }
}
