/* A team takes chunks from a counter: schedules/claim/team.c. Chunks are sized when they are claimed, by
 * where the counter is or, where chunks are quick, by where the worker's last one ended; then the counter
 * is moved on at once, whatever it is by then.
 *
 * Shown: each iteration is begun once, none is lost, and the counter passes the loop's end by no more
 * than a chunk of each worker, so that it never wraps where claim_at_once() is used.
 *
 * -DBROKEN_CLAIM: the counter is read and then written. -DBROKEN_LOOK: workers move it on without a look
 * whether it has passed the end. Each has to fail. */
#ifndef P
#define P 3
#endif
#ifndef N
#define N 4
#endif
#define CHUNK_MAX 2

byte next;
bool begun[N];
byte finished;

proctype worker()
{
    byte position, size, got, u;

look:
    /* position() */
    if
    :: position = next
    :: position > 0 -> skip /* quick: what the last claim has left */
    fi;
#ifdef BROKEN_LOOK
    if
    :: position >= N -> position = 0
    :: else -> skip
    fi;
#endif
    if
    :: position >= N -> goto over
    :: else -> select(size : 1 .. (N - position < CHUNK_MAX -> N - position : CHUNK_MAX))
    fi;

claim:
    /* claim_at_once() */
#ifdef BROKEN_CLAIM
    got = next;
    next = got + size;
#else
    atomic {
        got = next;
        next = next + size
    }
#endif
    assert(next < N + P * CHUNK_MAX);
    if
    :: got >= N -> goto over
    :: else -> skip
    fi;
    for (u : got .. (got + size < N -> got + size : N) - 1) {
        assert(!begun[u]);
        begun[u] = true
    }
    position = (got + size < N -> got + size : N);
    u = 0;
    got = 0;
    size = 0;
    goto look;

over:
    finished++
}

init
{
    byte i;

    atomic {
        for (i : 1 .. P) {
            run worker()
        }
    }
    finished == P;
    for (i : 0 .. N - 1) {
        assert(begun[i])
    }
}
