/* Nodes of a job give iterations of a shared loop to each other, and find its end:
 * mpi_backend/loop/claim/transfers.c and mpi_backend/loop/progress/progress.c.
 *
 *   an idle node: REQUEST -> the victim cuts off a part, or keeps the request -> TRANSFER, perhaps later
 *   all: COUNT, up a binary tree -> node 0: sum == N -> END, down the tree
 *
 * Messages between two nodes keep their order. Shown: no iteration is begun twice or lost, node 0 ends
 * the loop only when all have been begun, and there is no state in which nodes wait and none can go on,
 * before every node has got the end.
 *
 * -DCANCELS: any node may cancel the loop, which then ends everywhere as well.
 * -DBROKEN_CUT: what is given away stays. -DBROKEN_COUNT: a count says that a node has begun, not
 * what is new. -DBROKEN_GIVE: what is given away counts as begun. -DBROKEN_END: the end is not passed
 * on. Each has to fail. */
#ifndef NODES
#define NODES 3
#endif
#ifndef N
#define N 3
#endif
#define ROOM 6 /* messages on their way to a node */

mtype = { REQUEST, TRANSFER, COUNT, END };

/* kind, sender, amount, cancelled */
chan to[NODES] = [ROOM] of { mtype, byte, byte, bool };

byte left[NODES], begun[NODES];
byte all_begun;
bool cancelled, over;
byte finished;

inline give(thief)
{
    select(part : 1 .. left[me]);
#ifndef BROKEN_CUT
    left[me] = left[me] - part;
#endif
#ifdef BROKEN_GIVE
    begun[me] = begun[me] + part;
#endif
    to[thief] ! TRANSFER(me, part, false);
    part = 0
}

inline pass_end_down()
{
#ifdef BROKEN_END
    if
    :: me == 0 && 1 < NODES -> to[1] ! END(me, 0, how)
    :: else -> skip
    fi;
#else
    if
    :: 2 * me + 1 < NODES -> to[2 * me + 1] ! END(me, 0, how)
    :: else -> skip
    fi;
    if
    :: 2 * me + 2 < NODES -> to[2 * me + 2] ! END(me, 0, how)
    :: else -> skip
    fi;
#endif
}

proctype node(byte me)
{
    byte below, reported, from, amount, part, kept, victim;
    bool flag, how, asked, told, cancel;
    mtype kind;

    kept = NODES; /* whose request is kept: none */
    do
    /* a worker begins an iteration */
    :: left[me] > 0 && !cancel ->
begin:
        atomic {
            left[me] = left[me] - 1;
            begun[me]++;
            all_begun++;
            assert(all_begun <= N)
        }

    /* keel_mpi_transfers_request(): one request at a time */
    :: left[me] == 0 && !asked && !cancel ->
request:
        atomic {
            if
            :: victim = (me + 1) % NODES
            :: NODES > 2 -> victim = (me + 2) % NODES
            fi;
            asked = true;
            to[victim] ! REQUEST(me, 0, false)
        }

#ifdef CANCELS
    :: !cancelled && !cancel -> cancelled = true; cancel = true
#endif

    /* keel_mpi_termination_count() of the first node */
    :: me == 0 && (cancel || begun[me] + below == N) ->
end:
        how = cancel;
        assert(how || all_begun == N);
        over = true;
        pass_end_down();
        break

    /* keel_mpi_termination_count() of others; the first count may come early */
    :: me > 0 && !told && (cancel || (left[me] == 0 && begun[me] + below > reported)) ->
count:
#ifdef BROKEN_COUNT
        to[(me - 1) / 2] ! COUNT(me, begun[me] + below, cancel);
#else
        to[(me - 1) / 2] ! COUNT(me, begun[me] + below - reported, cancel);
#endif
        reported = begun[me] + below;
        told = cancel

    :: to[me] ? kind(from, amount, flag) ->
        if
        :: kind == REQUEST ->
serve:
            /* keel_mpi_transfers_serve() */
            if
            :: left[me] > 0 -> give(from)
            :: else -> kept = from; to[from] ! TRANSFER(me, 0, false)
            fi
        :: kind == TRANSFER ->
take:
            /* keel_mpi_transfers_take(), then keel_mpi_transfers_serve_kept() */
            left[me] = left[me] + amount;
            asked = asked && amount == 0; /* an empty answer: the victim keeps the request */
            if
            :: left[me] > 1 && kept < NODES -> give(kept); kept = NODES
            :: else -> skip
            fi
        :: kind == COUNT ->
            /* keel_mpi_termination_take_count() */
            below = below + amount;
            cancel = cancel || flag
        :: kind == END ->
            /* keel_mpi_termination_take_end() */
            how = flag;
            pass_end_down();
            break
        fi;
        kind = 0;
        from = 0;
        amount = 0;
        flag = false
    od;
    assert(how || all_begun == N);
    finished++
}

init
{
    byte i;

    atomic {
        left[0] = N;
        for (i : 0 .. NODES - 1) {
            run node(i)
        }
    }
    finished == NODES;
    assert(over && (cancelled || all_begun == N))
}
