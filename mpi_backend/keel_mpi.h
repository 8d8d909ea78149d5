/* Keel across the ranks of an MPI job: loops whose iterations are shared by all ranks.
 *
 *     #include <keel_mpi.h>            mpicc ... $(keel libs --mpi)      (before -lgomp)
 *
 *     keel_mpi_share(MPI_COMM_WORLD);              // the next scheduled loop belongs to all ranks
 *     #pragma omp parallel for schedule(runtime)
 *     for (long i = 0; i < rows; i++) compute(i, &image[i * width]);
 *     keel_mpi_gather(image, width, MPI_INT, 0);   // rows come from wherever they were computed
 *
 * Every iteration runs exactly once in the job. KEEL_MPI_SCHEDULE says how ranks get theirs, and
 * KEEL_SCHEDULE how a rank's threads share what the rank has.
 *
 * Threads: every function here is to be called by the thread that initialised MPI, or by any one
 * thread at a time if MPI was initialised with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.
 * Collective functions have to be called by all ranks of the communicator in the same order.
 *
 * Errors: functions return one of the codes below and write one message to standard error.
 * A loop that can't be shared runs whole on every rank, as if it had not been shared. */
#ifndef KEEL_MPI_H
#define KEEL_MPI_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KEEL_MPI_OK = 0,
    KEEL_MPI_NOT_READY = 1, /* MPI is not initialised, or finalised already */
    KEEL_MPI_THREADS = 2,   /* the thread level is too low for a loop of several threads, or the
                               calling thread may not call MPI */
    KEEL_MPI_COMM = 3,      /* not an intracommunicator, or freed meanwhile */
    KEEL_MPI_MISMATCH = 4,  /* ranks came with different loops or schedules, or some with none */
    KEEL_MPI_NO_LOOP = 5,   /* no shared loop has run */
    KEEL_MPI_BUSY = 6,      /* a shared loop is running, or waits for its loop to start */
    KEEL_MPI_NO_KEEL = 7,   /* libkeel.so is not in the process, so no loop can be shared */
    KEEL_MPI_NO_ROOM = 8,   /* no memory */
    KEEL_MPI_ARGUMENT = 9,  /* an argument is out of its range */
    KEEL_MPI_CANCELLED = 10 /* the loop was cancelled in some rank */
};

/* Shares the next schedule(runtime) loop that the calling process starts, combined with a parallel
 * region or inside of one. It must have the same number of iterations on all ranks of `comm`.
 * Loops after it are each rank's own again. When the loop is over on a rank, all its iterations
 * have been executed in the whole job.
 *
 * `lastprivate` variables are set on the rank that ran the last iteration, see keel_mpi_last();
 * reductions reduce what a rank executed: combine them with MPI_Allreduce or MPI_Reduce.
 *
 * The first call for a communicator is collective over it and waits for all its ranks (it makes
 * communicators and a shared-memory window of Keel's own; they go when `comm` is freed or MPI is
 * finalised); later calls do not wait. One process without other ranks: the loop runs as if it had
 * not been shared. */
int keel_mpi_share(MPI_Comm comm);

/* The same, but a rank goes on as soon as all iterations of the loop have been begun somewhere.
 * Up to four loops may be on their way at once; a rank that is further ahead waits. */
int keel_mpi_share_nowait(MPI_Comm comm);

/* Waits until all loops shared over `comm` have been executed in the whole job. KEEL_MPI_MISMATCH
 * and KEEL_MPI_CANCELLED tell, on all ranks, that the last of them could not be shared, or ended
 * early. Collective. */
int keel_mpi_wait(MPI_Comm comm);

/* Brings together what the last shared loop, or explicit loop, has computed. Iteration i stands for
 * `count` elements of `type` at buffer + i * count * extent of `type`. Afterwards `buffer` of rank
 * `root` holds the elements of all iterations; those of the others are as before. In place: every
 * rank gives a buffer for the whole loop. Neighbouring iterations go as one piece. Any datatype,
 * any number of elements. Collective over the loop's communicator; waits for the loop as
 * keel_mpi_wait() does, and returns what that returns. `count` and `type` must agree on all
 * ranks. */
int keel_mpi_gather(void *buffer, size_t count, MPI_Datatype type, int root);

/* The same, with the result on all ranks. */
int keel_mpi_allgather(void *buffer, size_t count, MPI_Datatype type);

/* Iterations [first, last), counted from 0 in the loop's order. */
struct keel_mpi_range {
    uint64_t first, last;
};

/* What the calling rank executed of the last shared loop: `*count` ranges, increasing and apart
 * from each other. Valid until the next shared loop starts. Local. */
int keel_mpi_ranges(const struct keel_mpi_range **ranges, size_t *count);

/* The rank that executed the last iteration of the last shared loop: the one to broadcast
 * lastprivate variables from. -1 if the loop had no iterations. Collective like keel_mpi_wait(). */
int keel_mpi_last(int *rank);

/* Sets how ranks get their iterations, as KEEL_MPI_SCHEDULE does, which rules over it. NULL takes
 * it back. Must be the same on all ranks. Local. */
int keel_mpi_set_schedule(const char *schedule);

/* Answers other ranks from within an iteration. Ranks answer between their chunks by themselves;
 * where single iterations take much longer than KEEL_MPI_POLL, a call now and then in their course
 * keeps others from waiting. Costs a look at the clock, as a rule. In a shared loop of either kind;
 * elsewhere, and from threads that may not call MPI, it does nothing. */
void keel_mpi_poll(void);

/* --- loops without OpenMP --- */

struct keel_mpi_loop;

enum {
    KEEL_MPI_NOWAIT = 1 /* flag: the loop's end does not wait for the iterations of others */
};

/* Begins a loop of `iterations`, the same number on all ranks of `comm`; at most one at a time.
 * Collective, but waits only as keel_mpi_share() does.
 *
 *     struct keel_mpi_loop *loop;
 *     uint64_t first, last;
 *     keel_mpi_loop_begin(MPI_COMM_WORLD, rows, 0, &loop);
 *     while (keel_mpi_loop_next(loop, &first, &last))
 *         for (uint64_t i = first; i < last; i++) compute(i, &image[i * width]);
 *     keel_mpi_loop_end(&loop);
 *
 * On an error *loop is a loop that gives this rank all iterations. */
int keel_mpi_loop_begin(MPI_Comm comm, uint64_t iterations, unsigned flags,
                        struct keel_mpi_loop **loop);

/* Gives the rank's next iterations [*first, *last). 1; or 0: none are left for this rank. */
int keel_mpi_loop_next(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last);

/* Ends the rank's part. Without KEEL_MPI_NOWAIT it waits until all iterations have been executed.
 * *loop becomes NULL. A loop that is ended before keel_mpi_loop_next() has returned 0 is cancelled
 * for all ranks. */
int keel_mpi_loop_end(struct keel_mpi_loop **loop);

/* --- figures --- */

/* One rank's part in the last shared loop. */
struct keel_mpi_report {
    uint64_t iterations; /* of the whole loop */
    uint64_t executed;   /* by this rank */
    uint64_t chunks;     /* that it took them in */
    uint64_t migrations; /* times that it got iterations which another rank had held before */
    uint64_t migrated;   /* iterations that it got so */
    uint64_t messages;   /* that it sent for this loop; collective operations not counted */
    double busy_s;       /* time in iterations, summed over its threads; 0: not measured */
};

/* Local. */
int keel_mpi_report(struct keel_mpi_report *report);

#ifdef __cplusplus
}
#endif
#endif
