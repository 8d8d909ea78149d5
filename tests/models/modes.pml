/* Loops divide themselves by a word that changes while no team reads it: omp_ext/site/mode.h. Two
 * host threads start teams of two, which meet the same loop again and again, with a barrier behind
 * it; what the word is to become changes at any time.
 *
 * What holds: at each instance of the loop, both threads of its team read the same word, and no
 * thread waits for ever.
 *
 * -DBROKEN_COUNT: who starts a team changes the word while another team is in a region.
 * -DBROKEN_WAIT: who starts a team does not wait for a change that another one makes.
 * -DBROKEN_OTHERS: a change at a barrier does not look for other teams. -DBROKEN_BARRIER: there is
 * no second barrier behind it. Each has to fail. */
#ifndef REGIONS
#define REGIONS 2
#endif
#ifndef LOOPS
#define LOOPS 2
#endif
#ifndef JUDGEMENTS
#define JUDGEMENTS 2
#endif

byte teams;
bool changing, word, due;
byte begun[2], joined[2];    /* regions of each host */
byte arrived[2], passed[2];  /* barriers, by the second thread; by the initial one */
byte seen[2];                /* by the first thread that comes to the instance: 1 + word; 0: none */

/* Of the team of host h. */
inline read_word(h)
{
    atomic {
        if
        :: seen[h] == 0 -> seen[h] = 1 + word
        :: else -> assert(seen[h] == 1 + word); seen[h] = 0
        fi
    }
}

inline initial_at_barrier(h)
{
    arrived[h] > passed[h];
    passed[h]++
}

inline member_at_barrier(h)
{
    arrived[h]++;
    passed[h] == arrived[h]
}

/* keel_mode_begin_team() */
inline begin_team()
{
    alone = false;
    if
    :: due != word ->
        atomic {
            if
#ifdef BROKEN_COUNT
            :: !changing ->
#else
            :: teams == 0 && !changing ->
#endif
                teams++;
                changing = true;
                alone = true
            :: else -> skip
            fi
        }
    :: else -> skip
    fi;
    if
    :: alone -> word = due; changing = false
    :: else ->
        teams++;
#ifndef BROKEN_WAIT
        !changing
#endif
    fi
}

/* keel_mode_change_within() */
inline change_within()
{
    alone = false;
    if
    :: due != word ->
        atomic {
            if
#ifdef BROKEN_OTHERS
            :: !changing ->
#else
            :: teams == 1 && !changing ->
#endif
                changing = true;
                alone = true
            :: else -> skip
            fi
        }
    :: else -> skip
    fi;
    if
    :: alone -> word = due; changing = false
    :: else -> skip
    fi
}

proctype initial(byte h)
{
    byte region, loop;
    bool alone;

    for (region : 1 .. REGIONS) {
        begin_team();
        begun[h]++;
        for (loop : 1 .. LOOPS) {
            read_word(h);
            initial_at_barrier(h);
            if
            :: loop == 1 ->
                change_within();
#ifndef BROKEN_BARRIER
                initial_at_barrier(h)
#endif
            :: else -> skip
            fi
        }
        joined[h] == region;
        teams--
    }
}

proctype member(byte h)
{
    byte region, loop;

    for (region : 1 .. REGIONS) {
        begun[h] == region;
        for (loop : 1 .. LOOPS) {
            read_word(h);
            member_at_barrier(h);
#ifndef BROKEN_BARRIER
            if
            :: loop == 1 -> member_at_barrier(h)
            :: else -> skip
            fi
#endif
        }
        joined[h]++
    }
}

proctype judge()
{
    byte k;

    for (k : 1 .. JUDGEMENTS) {
        due = !due
    }
}

init
{
    atomic {
        run initial(0);
        run member(0);
        run initial(1);
        run member(1);
        run judge()
    }
}
