/* An object goes from rank to rank: mpi_backend/objects/object_movement.c. The giver keeps what it has packed
 * until the answer comes; the receiver takes it, or has no memory for it. Records between two ranks
 * arrive in their order, others in any order: an object may come back by way of a third rank before
 * the answer to its first step. With -DSTOPS a rank stops for good, at any time.
 *
 * Shown: the object is never on two ranks, is computed once, and is not lost; and once all records have
 * arrived, no rank is in doubt. Where a rank stops, one of the others may be left in doubt (LEAVES), and
 * still has the object: the phase ends with an error there.
 *
 * -DBROKEN_EPOCH: any answer counts, however old. -DBROKEN_KEEP: the giver keeps nothing.
 * -DBROKEN_WORK: it goes on working on what it has sent. Each has to fail. */
#define RANKS 3
#ifndef MOVES
#define MOVES 4
#endif

mtype = { OBJECT, TAKEN, STAYS };

/* From each rank to each: kind, epoch, whether the object is still to be computed. */
chan way[9] = [MOVES] of { mtype, byte, bit };
#define WAY(from, to) way[(from) * RANKS + (to)]

#define NONE 0
#define HERE 1
#define LEAVES 2
byte state[RANKS], epoch[RANKS];
bit to_compute[RANKS];
byte moves, computed;
bool stopped;

#define COUNT(what) ((state[0] == what) + (state[1] == what) + (state[2] == what))

#ifdef BROKEN_EPOCH
#define IS_ANSWER (state[me] == LEAVES)
#else
#define IS_ANSWER (state[me] == LEAVES && number == epoch[me] + 1)
#endif

#ifdef BROKEN_WORK
#define MAY_WORK (state[me] != NONE && to_compute[me])
#else
#define MAY_WORK (state[me] == HERE && to_compute[me])
#endif

inline give(to)
{
    atomic {
        moves < MOVES && state[me] == HERE && to != me ->
            moves++;
            WAY(me, to)!OBJECT(epoch[me] + 1, to_compute[me]);
#ifdef BROKEN_KEEP
            state[me] = NONE
#else
            state[me] = LEAVES
#endif
    }
}

inline receive(from)
{
    atomic {
        from != me && nempty(WAY(from, me)) ->
        WAY(from, me)?kind(number, due);
        if
        :: kind == OBJECT ->
            if
            :: true -> /* what is here of it has been taken by somebody, who gave it further */
                state[me] = HERE;
                epoch[me] = number;
                to_compute[me] = due;
                assert(COUNT(HERE) <= 1);
                WAY(me, from)!TAKEN(number, 0)
            :: true -> WAY(me, from)!STAYS(number, 0) /* no memory */
            fi
        :: kind == TAKEN && IS_ANSWER -> state[me] = NONE
        :: kind == STAYS && IS_ANSWER ->
            state[me] = HERE;
            assert(COUNT(HERE) <= 1)
        :: kind != OBJECT && !IS_ANSWER -> skip /* known before */
        fi
    }
}

proctype rank(byte me)
{
    mtype kind;
    byte number;
    bit due;

end:
    do
    :: give(0)
    :: give(1)
    :: give(2)
    :: receive(0)
    :: receive(1)
    :: receive(2)
    :: atomic {
        MAY_WORK ->
        to_compute[me] = 0;
        computed++;
        assert(computed == 1)
    }
#ifdef STOPS
    :: atomic { !stopped -> stopped = true; break }
#endif
    od
}

init
{
    atomic {
        state[0] = HERE;
        to_compute[0] = 1;
        run rank(0);
        run rank(1);
        run rank(2)
    }
    timeout;
    assert(COUNT(HERE) <= 1);
    assert(COUNT(HERE) + COUNT(LEAVES) >= 1);
    assert(stopped || (COUNT(HERE) == 1 && COUNT(LEAVES) == 0 && computed == 1))
}
