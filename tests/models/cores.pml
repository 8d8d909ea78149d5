/* A thread for which its rank has no core of its own, and the rank of the node that lends it one:
 * mpi_backend/calls/share_cores, node_table, omp_ext/loop/modes. The thread waits before it takes
 * iterations until the owner waits in MPI, or another thread has left the loop; then it is a guest on
 * the owner's core, until the owner sends it home.
 *
 * Shown: the thread never sleeps for ever, all iterations are done, and once the owner computes again
 * no guest computes on its core.
 *
 * -DBROKEN_BELL: the thread reads what it sleeps on after it has looked. -DBROKEN_PARKED: it counts as
 * parked only then. -DBROKEN_LEFT: who leaves rings first. -DBROKEN_GUEST: the thread says that it is a
 * guest before it moves. -DBROKEN_ONCE: it does not look again behind that. Each has to fail. */
#ifndef WAITS
#define WAITS 2 /* of the owner */
#endif
#ifndef N
#define N 3 /* iterations */
#endif

bool waits, left, guest, away, computes, thread_left;
byte parked, bell, next, done;

#define MAY_GO (left || waits)

inline ring()
{
    if
    :: parked > 0 -> bell++
    :: else -> skip
    fi
}

active proctype owner()
{
    byte i;
    bool seen;

    for (i : 1 .. WAITS) {
        waits = true;
        ring();
        waits = false;
send:
        atomic { seen = guest; guest = false }
        if
        :: seen -> away = false
        :: else -> skip
        fi;
        assert(!(computes && away))
    }
}

active proctype own_thread()
{
    do
    :: atomic { next < N -> next++ }; done++
    :: next == N -> break
    od;
#ifdef BROKEN_LEFT
    ring();
    left = true;
#else
leave:
    left = true;
    ring();
#endif
    thread_left; /* the barrier at the end */
    assert(done == N)
}

active proctype thread()
{
    byte number;

look:
    if
    :: guest -> goto take
    :: else -> skip
    fi;
wait:
    if
    :: MAY_GO -> goto go
    :: else -> skip
    fi;
#ifndef BROKEN_PARKED
    parked++;
#endif
    do
    :: true ->
#ifdef BROKEN_BELL
        if
        :: MAY_GO -> break
        :: else -> number = bell
        fi;
#else
park:
        number = bell;
        if
        :: MAY_GO -> break
        :: else -> skip
        fi;
#endif
#ifdef BROKEN_PARKED
        parked++;
#endif
        bell != number
    od;
    parked--;
go:
    if
    :: left -> goto over
    :: else -> skip
    fi;
#ifdef BROKEN_GUEST
    guest = true;
    away = true;
#else
    away = true;
    guest = true;
#endif
#ifndef BROKEN_ONCE
    if
    :: MAY_GO -> skip
    :: else -> goto wait
    fi;
#endif
take:
    if
    :: atomic { next < N -> next++; computes = true }
    :: next == N -> goto over
    fi;
    atomic { computes = false; done++ };
    goto look;
over:
    guest = false;
    away = false;
    left = true;
    ring();
    thread_left = true
}
