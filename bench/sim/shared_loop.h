/* One shared loop in a simulated job, and what it took.
 *
 *   schedule, costs -> [shared loop of keel_mpi.h] -> time, migrations, messages -> a line
 *
 * All functions are collective over MPI_COMM_WORLD. */
#ifndef BENCH_SIM_SHARED_LOOP_H
#define BENCH_SIM_SHARED_LOOP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define SHARED_LOOP_SIZES 4096 /* migrations of more iterations count as ones of these */

/* Of all ranks together; the same on all but where a note says otherwise. */
struct shared_loop_result {
    int code;       /* KEEL_MPI_... */
    bool exact;     /* every iteration was executed once */
    double time_s;  /* from the first rank's beginning to the last rank's end */
    double work_s;  /* to the end of the last iteration */
    double own_s;   /* to the end of this rank's last iteration; its own */
    double ideal_s; /* all work over all speed */
    uint64_t migrations, migrated, messages;
    uint64_t messages_max;            /* that one rank sent */
    uint64_t size[SHARED_LOOP_SIZES]; /* how many migrations there were of so many iterations */
};

/* Floating-point operations of iteration `iteration`. */
typedef double shared_loop_cost(uint64_t iteration);

/* Floating-point operations of an iteration from one call of keel_mpi_poll() to the next; 0, as at
 * first: there are none within an iteration. Must be the same on all ranks. */
extern double shared_loop_piece;

/* Runs the loop once. Loops of one communicator learn from each other. */
void shared_loop_run(MPI_Comm comm, const char *schedule, uint64_t iterations,
                     shared_loop_cost *cost, struct shared_loop_result *result);

/* Runs it as `text` says, "SCHEDULE" or "SCHEDULE*INSTANCES", with a communicator of its own. Calls
 * `print` on rank 0 after each instance, which count from 1. Whether all were exact. */
bool shared_loop_series(const char *text, uint64_t iterations, shared_loop_cost *cost,
                        void (*print)(const char *schedule, unsigned instance,
                                      const struct shared_loop_result *result));

#endif
