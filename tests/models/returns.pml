/* A rank that is stopped, left out by the others, and let in again: mpi_backend/job/processes/fence.h,
 * mpi_backend/job/survivors/returning.c. Two ranks of its machine look at it at any time; it is
 * stopped, and wakes, at any time. In each epoch, a communicator, the ranks share a loop, which ends
 * once that rank has done its part over the same communicator.
 *
 * Shown: the others agree on whether it is in; nothing that it does while they have gone on without
 * it is taken for a part of the loop; whoever waits comes to an end; a rank that comes back is in
 * with its fence lifted.
 *
 * -DBROKEN_SILENT: who leaves it out takes its part if that comes after all. -DBROKEN_AWAKE: it is
 * let in before it has lifted its fence. -DBROKEN_NUMBER: what it said in one return counts in the
 * next. Each has to fail. */
#ifdef BROKEN_NUMBER
#define IS_READY (ready > 0)
#else
#define IS_READY (ready == came)
#endif
#ifndef STOPS
#define STOPS 2
#endif
#define EPOCHS (2 * STOPS + 1)

bool stopped, shut;
byte stops;
bool part[EPOCHS];     /* done by the rank, over that communicator */
bool told[2 * EPOCHS]; /* a rank that is left has told the other one, in that epoch */
bool gives[2 * EPOCHS];  /* it has come to keel_mpi_survivors() in it */
byte came, invited, ready, let_in; /* numbers of returns */
byte chosen;           /* by the first rank: the epoch that has the rank in it again */

active [2] proctype others()
{
    byte epoch, me = _pid;
    bool seen;

with_it: /* the loop */
    do
    :: part[epoch] && !told[2 * epoch + me] -> goto end_finished
    :: stopped && !shut ->
leave:  seen = stopped; /* and then, in another step: */
        if
        :: seen -> shut = true
#ifndef BROKEN_SILENT
            ; goto lost
#endif
        :: !seen
        fi
    :: shut -> goto lost
    :: told[2 * epoch + me] -> goto survivors
    od;

lost:
    told[2 * epoch + 1 - me] = true;
    goto survivors;

end_finished: /* it has the results; the other one may have gone on without */
    told[2 * epoch + me];

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
    :: came > let_in && invited != came ->
#ifdef BROKEN_AWAKE
        ready = came;
#endif
        invited = came
    :: atomic { came > let_in && invited == came && IS_READY && !stopped ->
            chosen = epoch + 1;
            let_in = came;
            assert(!shut) }
        break
    od;
    epoch++;
    goto with_it;

await_choice:
    chosen == epoch + 1;
    epoch++;
    goto with_it
}

active proctype rank()
{
    byte epoch, number;

#define AWAKE !stopped

work:
    atomic { AWAKE -> part[epoch] = true }

    /* The end of the loop, until the others have seen what it did, or have left it out. */
end_loop:
    atomic { AWAKE && shut -> skip }

    /* keel_mpi_survivors() */
    atomic { AWAKE -> number++; came = number }
    atomic { AWAKE && invited == number -> shut = false }
    atomic { AWAKE -> ready = number }
    atomic { AWAKE && let_in == number -> epoch = epoch + 2 }
    goto work
}

/* Not while the communicator is made, where a stop ends the job. */
active proctype kernel()
{
end_kernel:
    do
    :: atomic { stops < STOPS && !stopped -> stops++; stopped = true }
       stopped = false
    od
}
