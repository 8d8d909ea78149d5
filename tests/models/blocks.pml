/* A team takes chunks from blocks: schedules/claim/team.c. Each worker has a block of units in one word,
 * claims from its front, and takes over the end of others' blocks when its own is empty. The last unit
 * is kept back until the very end.
 *
 * Shown: each unit is begun once, none is lost, and who runs the last unit runs nothing after it. All
 * hinges on single words, so that one order of all steps is what the hardware gives, too.
 *
 * -DBROKEN_CLAIM, -DBROKEN_STEAL: the word is read and then written. -DBROKEN_KEEP: the chunk that
 * is begun at once stays in the block. -DBROKEN_LAST: the kept unit is read and then taken.
 * Each has to fail. */
#ifndef P
#define P 3
#endif
#ifndef N
#define N 4 /* units in the blocks; unit N is the one kept back */
#endif

#define WORD(low, high) ((low) * 16 + (high))
#define LOW(word) ((word) / 16)
#define HIGH(word) ((word) % 16)
#define LENGTH(word) (HIGH(word) - LOW(word))

byte block[P];
bool begun[N + 1];
bool ended;
byte finished;

inline begin(low, high)
{
    u = low;
    do
    :: u < high ->
        assert(!begun[u]);
        begun[u] = true;
        u++
    :: else -> break
    od;
    u = 0
}

/* compare and swap of block[owner] from `seen` */
inline swap(owner, new)
{
    atomic {
        done = (block[owner] == seen);
        if
        :: done -> block[owner] = new
        :: else -> skip
        fi
    }
}

proctype worker(byte me)
{
    byte seen, size, stolen, victim, u, i;
    bool done, over;

own:
    /* next_of_own() */
    seen = block[me];
    if
    :: LENGTH(seen) == 0 -> goto others
    :: else -> select(size : 1 .. LENGTH(seen))
    fi;
claim:
#ifdef BROKEN_CLAIM
    block[me] = WORD(LOW(seen) + size, HIGH(seen));
    done = true;
#else
    swap(me, WORD(LOW(seen) + size, HIGH(seen)));
#endif
    if
    :: done -> begin(LOW(seen), LOW(seen) + size)
    :: else -> skip /* a thief was quicker, or the hardware gave up: again */
    fi;
    done = false;
    size = 0;
    goto own;

others:
    /* find_victim(): any block that was seen not to be empty */
    victim = P;
    i = 0;
    do
    :: i < P && i != me && LENGTH(block[i]) > 0 -> victim = i; i++
    :: i < P && i != me && LENGTH(block[i]) > 0 && victim < P -> i++
    :: i < P && (i == me || LENGTH(block[i]) == 0) -> i++
    :: i == P -> break
    od;
    i = 0;
    if
    :: victim == P -> goto last
    :: else -> skip
    fi;

    /* steal_from() */
    seen = block[victim];
    if
    :: LENGTH(seen) == 0 -> goto others
    :: else -> select(stolen : 1 .. LENGTH(seen))
    fi;
steal:
#ifdef BROKEN_STEAL
    block[victim] = WORD(LOW(seen), HIGH(seen) - stolen);
    done = true;
#else
    swap(victim, WORD(LOW(seen), HIGH(seen) - stolen));
#endif
    if
    :: !done -> stolen = 0; goto others
    :: else -> done = false
    fi;
    victim = 0;

    /* keep_stolen(): an empty block is its owner's alone to fill */
    select(size : 1 .. stolen);
keep:
#ifdef BROKEN_KEEP
    block[me] = WORD(HIGH(seen) - stolen, HIGH(seen));
#else
    block[me] = WORD(HIGH(seen) - stolen + size, HIGH(seen));
#endif
    begin(HIGH(seen) - stolen, HIGH(seen) - stolen + size);
    size = 0;
    stolen = 0;
    goto own;

last:
    /* next_last() */
    over = true;
#ifdef BROKEN_LAST
    if
    :: !ended -> ended = true; done = true
    :: else -> skip
    fi;
#else
    atomic {
        done = !ended;
        ended = true
    }
#endif
    if
    :: done -> begin(N, N + 1)
    :: else -> skip
    fi;
    finished++
}

init
{
    byte i;

    atomic {
        for (i : 0 .. P - 1) {
            block[i] = WORD(N * i / P, N * (i + 1) / P)
        }
        for (i : 0 .. P - 1) {
            run worker(i)
        }
    }
    finished == P;
    for (i : 0 .. N) {
        assert(begun[i])
    }
}
