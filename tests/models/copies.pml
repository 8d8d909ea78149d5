/* Copies of rows or objects, where a rank may end at any time: mpi_backend/rows/copies/generations.c.
 * For objects: each rank has its own ones of a phase, and those of the rank before it once
 * they have come; it drops those of the phase before when it knows that all ranks have these. A
 * meeting ends on a rank when all take part, whatever becomes of them then; who waits, and sees that a rank has ended, gives up.
 *
 * Shown: of some phase all objects are still there, and no rank has known of a later one.
 *
 * -DBROKEN_EARLY: a rank drops the phase before when it has these itself. -DBROKEN_UNSEEN: what has
 * been announced counts as come. Each has to fail. */
#ifndef N
#define N 3 /* ranks */
#endif
#ifndef COPIES
#define COPIES 3
#endif

mtype = {COPIES_ON, GIVES_UP, ENDED};
mtype state[N];
byte own[N], held[N];          /* a bit for each phase */
byte announced[N], sent[N], came[N]; /* the last phase of each rank: in both meetings, and between */
byte confirmed[N];
byte deaths;

#define BIT(phase) (1 << (phase))
#define BEFORE(rank) ((rank + N - 1) % N)
#define ALL_ARE(what) (what[0] >= phase && what[1] >= phase && what[N - 1] >= phase)
#define ONE_HAS_ENDED (state[0] == ENDED || state[1] == ENDED || state[N - 1] == ENDED)

#define MAY_END :: atomic { deaths < 1 -> deaths++; state[me] = ENDED; goto over }
#define MAY_GIVE_UP :: atomic { ONE_HAS_ENDED -> state[me] = GIVES_UP; goto over }

proctype holder(byte me)
{
    byte phase = 1;

    do
    :: phase > COPIES -> break
    :: phase <= COPIES ->
        announced[me] = phase;
        if
        :: atomic { ALL_ARE(announced) -> own[me] = own[me] | BIT(phase) }
        MAY_GIVE_UP
        MAY_END
        fi;
#ifdef BROKEN_UNSEEN
        held[me] = held[me] | BIT(phase);
#endif
        if
        :: sent[me] = phase
        MAY_END
        fi;
        if
        :: atomic { sent[BEFORE(me)] >= phase -> held[me] = held[me] | BIT(phase) }
        MAY_GIVE_UP
        MAY_END
        fi;
#ifdef BROKEN_EARLY
        own[me] = own[me] & ~BIT(phase - 1);
        held[me] = held[me] & ~BIT(phase - 1);
#endif
        came[me] = phase;
        if
        :: atomic {
            ALL_ARE(came) ->
confirm:
            confirmed[me] = phase;
            own[me] = own[me] & ~BIT(phase - 1);
            held[me] = held[me] & ~BIT(phase - 1)
        }
        MAY_GIVE_UP
        MAY_END
        fi;
        phase++
    od;
    state[me] = GIVES_UP;
over:
    skip
}

/* All that are left have their own, and the next rank has those of one that has ended, as far as it
 * knows. */
inline look(rank)
{
    if
    :: state[rank] == ENDED ->
        found = found && (held[(rank + 1) % N] & BIT(phase)) != 0;
        right = right && sent[rank] >= phase
    :: else ->
        found = found && (own[rank] & BIT(phase)) != 0;
        known = (confirmed[rank] > known -> confirmed[rank] : known)
    fi
}

proctype recovery()
{
    byte phase = COPIES, known = 0, rank;
    bool found, right;

    (state[0] != COPIES_ON && state[1] != COPIES_ON && state[N - 1] != COPIES_ON);
    atomic {
        do
        :: phase == 0 -> break
        :: phase > 0 ->
            found = true;
            right = true;
            for (rank : 0 .. N - 1) {
                look(rank)
            }
            if
            :: found -> break
            :: else -> phase--
            fi
        od;
        assert(phase >= known);
        assert(phase == 0 || right)
    }
}

init
{
    atomic {
        byte rank;
        for (rank : 0 .. N - 1) {
            state[rank] = COPIES_ON
        }
        for (rank : 0 .. N - 1) {
            run holder(rank)
        }
        run recovery()
    }
}
