/* A rank that is alone on its machine is stopped, left out by those that watch it from others, and
 * let in again: mpi_backend/job/processes/beats.h, lines.h. As returns.pml, but what the rank says,
 * and what it is told, is on its way for any time: beats to each watcher, and a word from each that
 * leaves it out, over the same line. A thread of the rank reads and says that while the rank is
 * awake, whatever its other thread does.
 *
 * Shown: nobody loses a rank that has not been stopped since it came in; one that comes back is in
 * with its fence lifted; whoever waits comes to an end.
 *
 * -DBROKEN_EPOCH: a word that comes late counts in the next epoch. -DBROKEN_HEARD: so does a beat.
 * -DBROKEN_LINES: of those that let it in, only the first one
 * begins the epoch. Each has to fail. */
#ifdef BROKEN_EPOCH
#define COUNTS(word) true
#else
#define COUNTS(word) (word == number)
#endif
#ifdef BROKEN_HEARD
#define IS_OUT (left || heard_out)
#else
#define IS_OUT (left || heard > since || (heard == since && heard_out))
#endif
#ifndef STOPS
#define STOPS 2
#endif
#ifndef QUEUE
#define QUEUE 1 /* beats that are on their way */
#endif
#define EPOCHS (2 * STOPS + 1)

bool stopped, shut, was_stopped; /* the last one: since it came in */
byte stops, number;              /* the rank's epoch */
bool part[EPOCHS];
bool told[2 * EPOCHS], gives[2 * EPOCHS];
byte came, invited, ready, let_in, chosen;
chan beats0 = [QUEUE] of { byte, bool };
chan beats1 = [QUEUE] of { byte, bool };
chan words0 = [STOPS] of { byte };
chan words1 = [STOPS] of { byte };

proctype other(byte me; chan beats, words)
{
    byte epoch, since, heard, e;
    bool heard_out, left, o;

with_it: /* the loop */
    do
    :: part[epoch] && !told[2 * epoch + me] -> goto end_finished
    :: d_step { beats?e, o -> heard = e; heard_out = o }
    :: d_step { stopped && !IS_OUT && nfull(words) -> left = true }
leave:  words!since;
        goto lost
    :: IS_OUT -> goto lost
    :: told[2 * epoch + me] -> goto survivors
    od;

lost:
    assert(was_stopped);
    told[2 * epoch + 1 - me] = true;
    goto survivors;

end_finished: /* it has the results; the other one may have gone on without */
    do
    :: told[2 * epoch + me] -> break
    :: d_step { beats?e, o -> heard = e; heard_out = o }
    od;

survivors:
    gives[2 * epoch + me] = true;
    gives[2 * epoch + 1 - me];
    epoch++;
    if
    :: me == 1 -> goto await_choice
    :: else
    fi;

choose: /* the first of them, in keel_mpi_let_in() */
    do
    :: came > let_in && invited != came -> invited = came
    :: d_step { beats?e, o -> heard = e; heard_out = o }
    :: atomic { came > let_in && invited == came && ready == came && !stopped ->
            assert(!shut);
            was_stopped = false;
            let_in = came;
            chosen = epoch + 1 }
        break
    od;
begin:
    atomic {
        since = let_in;
        left = false;
        epoch++
    }
    goto with_it;

await_choice:
    do
    :: chosen == epoch + 1 -> break
    :: d_step { beats?e, o -> heard = e; heard_out = o }
    od;
#ifdef BROKEN_LINES
    epoch++;
    goto with_it
#else
    goto begin
#endif
}

#define AWAKE !stopped

active proctype rank()
{
    byte epoch, own;

    atomic { run other(0, beats0, words0); run other(1, beats1, words1) }
work:
    atomic { AWAKE -> part[epoch] = true }
end_loop:
    atomic { AWAKE && shut -> skip }

    /* keel_mpi_survivors() */
    atomic { AWAKE -> own = number + 1; came = own }
    atomic { AWAKE && invited == own -> number = own; shut = false }
    atomic { AWAKE -> ready = own }
    atomic { AWAKE && let_in == own -> epoch = epoch + 2 }
    goto work
}

/* keel_mpi_lines_beat(): words first */
active proctype thread()
{
    byte word;

end_beat:
    do
    :: d_step { AWAKE && words0?[word] -> words0?word; shut = shut || COUNTS(word) }
    :: d_step { AWAKE && words1?[word] -> words1?word; shut = shut || COUNTS(word) }
    :: d_step { AWAKE && nfull(beats0) -> beats0!number, shut }
    :: d_step { AWAKE && nfull(beats1) -> beats1!number, shut }
    od
}

active proctype kernel()
{
end_kernel:
    do
    :: atomic { stops < STOPS && !stopped -> stops++; stopped = true; was_stopped = true }
       stopped = false
    od
}
