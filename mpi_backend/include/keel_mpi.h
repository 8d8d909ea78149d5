/* Keel across the ranks of an MPI job: loops whose iterations are shared by all ranks, rows that
 * move between ranks with their iterations and survive them (keel_mpi_recovery.h), pipelined sweeps
 * over such rows, and objects that move and get messages (keel_mpi_objects.h).
 *
 *     #include <keel_mpi.h>            mpicc ... $(keel libs --mpi)      (before -lgomp)
 *
 *     keel_mpi_share(MPI_COMM_WORLD);              // the next scheduled loop belongs to all ranks
 *     #pragma omp parallel for schedule(runtime)
 *     for (long i = 0; i < rows; i++) compute(i, &image[i * width]);
 *     keel_mpi_gather(image, width, MPI_INT, 0, MPI_COMM_WORLD); // rows come from wherever they
 *                                                                // were computed
 *
 * Every iteration runs exactly once in the job. KEEL_MPI_SCHEDULE says how ranks get theirs, and
 * KEEL_SCHEDULE how a rank's threads share what the rank has.
 *
 * Threads: every function here is to be called by the thread that initialised MPI, or by any one
 * thread at a time if MPI was initialised with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.
 * Collective functions have to be called by all ranks of the communicator in the same order.
 *
 * The last loop of a communicator is the one that was last shared, or begun, over it. Functions
 * about results take the communicator and answer for its last loop, whatever has run over others
 * since.
 *
 * Structures that the program allocates begin with `struct_size`, which the program sets before
 * each call to the structure's own sizeof, as in
 *
 *     struct keel_mpi_loop_report report = {.struct_size = sizeof report};
 *
 * Later versions of Keel may add fields at the end. A library writes at most the fields that the
 * program has, and 0 to fields that the library does not have. With a wrong struct_size a function
 * returns KEEL_MPI_ARGUMENT, and nothing is written.
 *
 * Errors: functions return one of the codes below, and print one message on standard error: each
 * rank, or one rank for all where all have the same error. A loop that can't be shared runs whole
 * on every rank, as if it had not been shared, and every later call about it returns the code:
 * check codes, or let KEEL_MPI_ON_ERROR=abort end the job. The results of such a loop are complete
 * on each rank: keel_mpi_allreduce() does not add them up, MPI_Allreduce would. */
/* Waiting: when ranks wait for others longer than KEEL_MPI_DEADLINE (60 s), in any function or
 * loop, the first of them prints for whom, by rank and host; again after twice as long, and so on.
 * With KEEL_MPI_ON_LATE=fail they return KEEL_MPI_LATE instead; each rank executes a running loop
 * whole then. By default they do so if another rank has been stopped by a signal for that long, and
 * a rank of its machine waits; KEEL_MPI_ON_LATE=wait waits on, and KEEL_MPI_ON_LATE=end ends the
 * stopped rank, by SIGKILL. If the process of a rank has ended, and a rank of its machine waits,
 * all get KEEL_MPI_RANKS_LOST, after some seconds. If no rank of its machine is left, lost ranks
 * count as late.
 *
 * After KEEL_MPI_ERROR, KEEL_MPI_RANKS_LOST, and KEEL_MPI_LATE other than from
 * keel_mpi_rows_balance() and keel_mpi_rows_move(), ranks may be at different operations: every
 * later call for that communicator, or those rows, returns the code on all ranks that can be
 * reached, and loops run whole. Buffers, and arrays, that were given to the call have to stay:
 * operations on them may still be on their way. Ranks can't be reached while they wait in
 * MPI_Comm_split, MPI_Comm_split_type, MPI_Win_allocate_shared or MPI_Win_free, which the first
 * call for a communicator and its end make, and which cannot be cancelled. Neither MPI nor Keel
 * detects the handle of a communicator that was freed: it may end the process, or be another
 * communicator.
 *
 * Keel's messages go over communicators of its own. On the program's communicator there is only
 * what makes these: a meeting and MPI_Comm_idup, both in the background, so that the program's
 * own blocking operations there are not taken for them. */
#ifndef KEEL_MPI_H
#define KEEL_MPI_H

#if __SIZEOF_POINTER__ != 8
#error "Keel shares loops of 64-bit programs only; compile this one without -m32 or -mx32"
#endif

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, as of keel.h. libkeel_mpi.so has a version of its own, beside that of
 * libkeel.so; the two of one release belong together. */
#define KEEL_MPI_VERSION_MAJOR 0
#define KEEL_MPI_VERSION_MINOR 1

/* The version of the library that is loaded: as text, "MAJOR.MINOR", which stays valid for ever,
 * and as numbers like KEEL_MPI_VERSION_MAJOR and KEEL_MPI_VERSION_MINOR. Any thread, at any time,
 * also before MPI is initialised. Local. */
const char *keel_mpi_version(void);
void keel_mpi_get_version(int *major, int *minor);

/* What functions return. */
enum {
    KEEL_MPI_OK = 0,
    KEEL_MPI_NOT_READY = 1,  /* MPI is not initialised, or finalised already */
    KEEL_MPI_THREADS = 2,    /* the thread level is too low for a loop of several threads, or the
                               calling thread may not call MPI */
    KEEL_MPI_COMM = 3,       /* not an intracommunicator, or freed meanwhile */
    KEEL_MPI_MISMATCH = 4,   /* ranks came with different loops or schedules, or some with none;
                               one message says which rank came with what */
    KEEL_MPI_NO_LOOP = 5,    /* no shared loop has run over the communicator */
    KEEL_MPI_BUSY = 6,       /* a shared loop is running, or waits for its loop to start */
    KEEL_MPI_NO_KEEL = 7,    /* libkeel.so is not in the process, or of a version that does not
                                go with libkeel_mpi.so, so no loop can be shared; or that is of
                                different versions in ranks, and nothing can */
    KEEL_MPI_NO_ROOM = 8,    /* no memory */
    KEEL_MPI_ARGUMENT = 9,   /* an argument is out of its range */
    KEEL_MPI_CANCELLED = 10, /* the loop was cancelled in some rank */
    KEEL_MPI_LATE = 11,      /* other ranks have not come in time, see below */
    KEEL_MPI_CALLBACK = 12,  /* one of the program's own functions has failed in some rank */
    KEEL_MPI_ERROR = 13,     /* a call of MPI has failed, in this rank or another one */
    KEEL_MPI_OTHER_MPI = 14, /* the program uses another MPI than the one that libkeel_mpi.so is
                                for, so no call of MPI can be made */
    KEEL_MPI_NO_OBJECT = 15, /* a message went to an object that there is not */
    KEEL_MPI_RANKS_LOST = 16 /* the process of another rank has ended, see below */
};

/* What a code means, as a sentence in English: "No shared loop has run over the communicator."
 * Never NULL; for a number that is no code, a sentence that says so. Stays valid for ever. Any
 * thread, at any time, also before MPI is initialised. Local. */
const char *keel_mpi_error_text(int code);

/* Has libkeel_mpi.so's messages handed to `handler`, as keel_set_message_handler() of keel.h has
 * them, and by the same rules. NULL, as at first: they go where that function says, if libkeel.so
 * is in the process, or to standard error. Each process sets its own. Any thread, at any
 * time, also before MPI is initialised. Local. */
void keel_mpi_set_message_handler(void (*handler)(const char *text, void *context), void *context);

/* Shares the next schedule(runtime) loop that the calling process starts, combined with a parallel
 * region or inside of one. Loops with an `ordered` clause are not shared, nor doacross ones: they
 * run whole on every rank, a message says so, and the next loop is shared. It must have the same
 * number of iterations on all ranks of `comm`. Ranks may run loops of different places of the
 * program; under a schedule that learns from earlier loops, ranks that ran others at these places
 * get KEEL_MPI_MISMATCH once, and discard their measurements.
 * Loops after it are each rank's own again. When the loop is over on a rank, all its iterations
 * have been executed in the whole job.
 *
 * `lastprivate` variables are set on the rank that ran the last iteration, see
 * keel_mpi_loop_last_rank(); reductions reduce what a rank executed: combine them with
 * keel_mpi_allreduce().
 *
 * The first call for a communicator is collective over it and waits for all its ranks (it makes
 * communicators and a shared-memory window of Keel's own; they go when `comm` is freed or MPI is
 * finalised); later calls do not wait. If the communicator is freed before the loop
 * begins, the loop runs whole on every rank, after a message. One process without other ranks: the
 * loop runs as if it had not been shared, and results say that this rank ran all of it, as one
 * chunk. */
int keel_mpi_share(MPI_Comm comm);

/* The same, but a rank goes on as soon as all iterations of the loop have been begun somewhere.
 * Up to four loops may be on their way at once; a rank that is further ahead waits. */
int keel_mpi_share_nowait(MPI_Comm comm);

/* Waits until all loops shared over `comm` have been executed in the whole job. Returns
 * KEEL_MPI_MISMATCH or KEEL_MPI_CANCELLED, on all ranks, if the last of them could not be shared,
 * or ended early; otherwise the code of the first one that failed since the program last asked for
 * results or waited. Collective. */
int keel_mpi_wait(MPI_Comm comm);

/* Brings together what the last loop of `comm` has computed, also an explicit one. Iteration i is
 * `count` elements of `type` at buffer + i * count * extent of `type`. Afterwards `buffer` of rank
 * `root` holds the elements of all iterations; those of the others are as before. In place: every
 * rank gives a buffer for the whole loop. Neighbouring iterations go as one piece. Any datatype,
 * any number of elements. Collective over `comm`; waits for the loop as keel_mpi_wait() does, and
 * returns what that returns. `count` and `type` must agree on all ranks. KEEL_MPI_ARGUMENT, on all
 * ranks: nothing is gathered, as an argument is wrong, or a buffer NULL or MPI_IN_PLACE. */
int keel_mpi_gather(void *buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm);

/* The same, with the result on all ranks. */
int keel_mpi_allgather(void *buffer, size_t count, MPI_Datatype type, MPI_Comm comm);

/* Combines the results of the ranks' parts of the last loop of `comm`, in place:
 * `buffer` holds `count` elements of `type`, this rank's part, for a reduction variable its value
 * after the loop. Afterwards that of rank `root` holds the whole, combined by `op` in the order of
 * ranks as MPI_Reduce does; those of the others are as before. Any datatype and operation, also of
 * the program's own, also non-commutative ones; which iterations a rank had differs from run to
 * run. `type` and `op` must be alike on all ranks.
 *
 *     double sum = 0;                                     // on all ranks: see below
 *     keel_mpi_share(MPI_COMM_WORLD);
 *     #pragma omp parallel for schedule(runtime) reduction(+ : sum)
 *     for (long i = 0; i < n; i++) sum += f(i);
 *     if (keel_mpi_allreduce(&sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != KEEL_MPI_OK) ...
 *
 * A reduction variable's value before the loop goes into every rank's part: begin with the neutral
 * element (0 of a sum, 1 of a product), and add what was there before to the result.
 *
 * KEEL_MPI_OK: the loop was shared, and the whole is there. Where it could not be shared and ran
 * whole on every rank, nothing is combined: each buffer keeps the result of the rank's own,
 * complete loop, and the loop's code is returned on all ranks. Only after keel_mpi_share_nowait(),
 * a rank that went on before others came may have executed a part of it. KEEL_MPI_CANCELLED: the
 * loop ended early; the parts that were executed are combined. KEEL_MPI_NO_LOOP: no loop
 * was shared over `comm`. KEEL_MPI_ARGUMENT, on all ranks: nothing is combined. Collective; waits
 * for the loop as keel_mpi_wait() does. One rank: its part is the whole. */
int keel_mpi_reduce(void *buffer, size_t count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm);

/* The same, with the result on all ranks. */
int keel_mpi_allreduce(void *buffer, size_t count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

/* Iterations [first, last), counted from 0 in the loop's order. */
struct keel_mpi_range {
    uint64_t first, last;
};

/* What the calling rank executed of the last loop of `comm`: `*count` ranges, increasing and apart
 * from each other, also where the loop's code is returned. Valid until the next loop over `comm`
 * starts. Returns the loop's code, or KEEL_MPI_NO_LOOP, with no ranges. Loops that are still on
 * their way do not count. Local. */
int keel_mpi_loop_ranges(MPI_Comm comm, const struct keel_mpi_range **ranges, size_t *count);

/* The rank in `comm` that executed the last iteration of its last loop: the one to broadcast
 * lastprivate variables from. -1 if the loop had no iterations. Collective like keel_mpi_wait(). */
int keel_mpi_loop_last_rank(MPI_Comm comm, int *rank);

/* Sets how ranks get their iterations, as KEEL_MPI_SCHEDULE does, which rules over it. NULL takes
 * it back. Must be the same on all ranks. Local. */
int keel_mpi_set_schedule(const char *schedule);

/* Answers other ranks from within an iteration. Ranks answer between their chunks by themselves;
 * where single iterations take much longer than KEEL_MPI_POLL, a call now and then in their course
 * keeps others from waiting. Costs a look at the clock, as a rule. In a shared loop of either kind;
 * elsewhere, and from threads that may not call MPI, it does nothing. */
void keel_mpi_poll(void);

/* --- ranks that have ended --- */

/* The ranks of `comm` that are known here to have ended, ascending: those on this machine, and
 * those that keel_mpi_survivors() has agreed on. *ranks is valid until the next call for these
 * ranks; none are known of a communicator whose ranks Keel has not connected yet. Local. */
int keel_mpi_lost_ranks(MPI_Comm comm, const int **ranks, int *count);

/* A new communicator of the ranks of `comm` that are left, in the order of their ranks there; the
 * program frees it. To be called by all of them once a function of Keel's has returned
 * KEEL_MPI_RANKS_LOST, or at any other time, which gives a copy if no rank has ended. All get the
 * same, also if more ranks end in the course of it, rank 0 included. For Keel it is a communicator
 * like any other; `comm`, and rows and objects over it, are used no more.
 *
 *     int code;
 *     MPI_Comm comm = MPI_COMM_WORLD;
 *     while ((code = step(comm)) == KEEL_MPI_RANKS_LOST) // the loop, and the gather: all of it,
 *                                                        // or its rest (keel_mpi_repeatable())
 *         if ((code = keel_mpi_survivors(comm, &comm)) != KEEL_MPI_OK) break;
 *
 * KEEL_MPI_LATE: a rank that has not ended has not come, or is stopped (KEEL_MPI_ON_LATE). MPI
 * can't give up making a communicator, nor, at the first loop over one, memory that ranks share: a
 * rank that is at that when another one ends may have to end, too, after a message, by _exit() with
 * KEEL_MPI_RANKS_LOST; those that are not go on without it. Where one is stopped there, it ends the
 * job, by MPI_Abort() with KEEL_MPI_LATE. Where ranks end, needs a launcher that leaves the other
 * ranks alone: mpirun --enable-recovery. MPI_Finalize() would wait for those that have ended: where
 * some have, it ends what is Keel's and calls exit() with KEEL_MPI_RANKS_LOST. Collective over the
 * ranks that are left. */
int keel_mpi_survivors(MPI_Comm comm, MPI_Comm *survivors);

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

/* Gives the rank's next iterations [*first, *last). 1; or 0: none are left for this rank. Both lie
 * on multiples of the schedule's grain (`grain` in the schedule among ranks, else KEEL_GRAIN, else
 * 1), the end of the loop excepted. Waits for iterations, or for the end of the loop: messages of
 * the program's own that others wait for meanwhile are not answered. */
int keel_mpi_loop_next(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last);

/* Ends the rank's part. Without KEEL_MPI_NOWAIT it waits until all iterations have been executed.
 * *loop becomes NULL. A loop that is ended before keel_mpi_loop_next() has returned 0 is cancelled
 * for all ranks. */
int keel_mpi_loop_end(struct keel_mpi_loop **loop);

/* --- rows that move ---
 *
 * For programs whose data live where they are computed. A distribution says which rank has which of
 * its rows; arrays and items have a part in each row, and move with it.
 *
 *     struct keel_mpi_rows *rows;
 *     uint64_t first, last;
 *     double *old, *new;
 *     keel_mpi_rows_create(MPI_COMM_WORLD, n, KEEL_MPI_ADJACENT, &rows);
 *     keel_mpi_rows_array(rows, sizeof(double), n, 1, (void **)&old);
 *     keel_mpi_rows_array(rows, sizeof(double), n, 1, (void **)&new);
 *     ...
 *     for (int step = 0; step < steps; step++) {
 *         keel_mpi_rows_exchange(rows, old);
 *         keel_mpi_rows_bounds(rows, &first, &last);
 *         #pragma omp parallel for schedule(runtime)
 *         for (uint64_t i = first; i < last; i++) relax(&old[i * n], &new[i * n]);
 *         swap(&old, &new);
 *         keel_mpi_rows_balance(rows, NULL);            // rows may move here
 *     }
 *
 * An array's address is the same throughout, and rows are where they would be if the whole array
 * was there: loops count rows as a serial program does. Only memory for own rows, their halo and
 * rows on their way is taken. What lies elsewhere must not be touched.
 *
 * KEEL_MPI_BALANCE says how rows are balanced. */

struct keel_mpi_rows;

enum {
    KEEL_MPI_ADJACENT = 0, /* each rank has one block, in the order of ranks; rows move between
                          neighbours only */
    KEEL_MPI_ANY = 1       /* rows go directly from who has too many to who has too few */
};

/* Distributes rows 0 .. rows - 1 (up to 2^43 of them) in blocks over the ranks of `comm`: equal
 * ones, or by KEEL_MPI_WEIGHTS. how: KEEL_MPI_ADJACENT or KEEL_MPI_ANY. More ranks than rows will
 * do: some have none. On an error *distribution is NULL, on all ranks. Collective. */
int keel_mpi_rows_create(MPI_Comm comm, uint64_t rows, unsigned how,
                         struct keel_mpi_rows **distribution);

/* Ends a distribution; its arrays go, *rows becomes NULL. Items stay as they are. To be called
 * before MPI_Finalize. Collective. */
int keel_mpi_rows_free(struct keel_mpi_rows **rows);

/* Adds an array: each row is `length` >= 1 elements of `size` >= 1 bytes, all 0 at first. Row i
 * begins at (char *)*array + i * length * size. halo: how many rows on either side of each own one
 * are kept for reading, as far as there are any; keel_mpi_rows_exchange() brings them. Address
 * space is taken for all rows, memory for those in use. KEEL_MPI_NO_ROOM, on all ranks: there was
 * none; *array is NULL. Collective. */
int keel_mpi_rows_array(struct keel_mpi_rows *rows, size_t size, uint64_t length, uint64_t halo,
                        void **array);

/* Data of a row beside its part of arrays: items of any size that the program keeps. Functions
 * are called by the thread that calls into Keel, between loops, one at a time. */
struct keel_mpi_rows_items {
    size_t struct_size; /* sizeof(struct keel_mpi_rows_items) */
    void *context;      /* passed on to all of them */
    /* How many bytes pack() will write for that row; 0: it has nothing. Each comparison of ranks
     * calls it for up to 256 own rows, to estimate the time of moving them. */
    size_t (*size)(void *context, uint64_t row);
    /* Writes them, and changes nothing: the row may stay. 0: done. */
    int (*pack)(void *context, uint64_t row, void *buffer);
    /* Makes what was packed on another rank. 0: done; any other code: nothing has been made. Called
     * for rows of size 0, too. */
    int (*unpack)(void *context, uint64_t row, const void *buffer, size_t size);
    /* The row is on another rank now, or will not come after all: frees what is here of it. */
    void (*drop)(void *context, uint64_t row);
};

/* Adds items. Copies the structure. The program makes the items of its first rows. Collective. */
int keel_mpi_rows_items(struct keel_mpi_rows *rows, const struct keel_mpi_rows_items *items);

/* The own rows [*first, *last), as a block: KEEL_MPI_ADJACENT, or as long as they are one. Equal:
 * none.
 * KEEL_MPI_ARGUMENT: they are no block. Local. */
int keel_mpi_rows_bounds(const struct keel_mpi_rows *rows, uint64_t *first, uint64_t *last);

/* The own rows, one by one and increasing: *row[0] .. *row[*count - 1]. Valid until rows move.
 * Local. */
int keel_mpi_rows_list(struct keel_mpi_rows *rows, const uint64_t **row, uint64_t *count);

/* Which rank has a row. Local. */
int keel_mpi_rows_owner(const struct keel_mpi_rows *rows, uint64_t row, int *rank);

/* Brings the halo of an array (NULL: of all whose exchange has not been begun already) up to date,
 * with what the rows' owners have. Sends to and waits for the ranks that have such rows. */
int keel_mpi_rows_exchange(struct keel_mpi_rows *rows, const void *array);

/* The same in two steps. In between, own rows that others have in their halos must not be written,
 * nor the own halo be touched; computing on rows further inside goes on meanwhile. Rows that
 * move end it: then exchange_end() returns KEEL_MPI_ARGUMENT. */
int keel_mpi_rows_exchange_begin(struct keel_mpi_rows *rows, const void *array);
int keel_mpi_rows_exchange_end(struct keel_mpi_rows *rows, const void *array);

/* Brings all rows of an array together in `buffer` of rank `root`, in their order; NULL elsewhere.
 * KEEL_MPI_ARGUMENT, on all ranks: it is NULL there, or MPI_IN_PLACE. KEEL_MPI_MISMATCH: ranks came
 * with different arrays or roots. Collective. */
int keel_mpi_rows_gather(struct keel_mpi_rows *rows, const void *array, void *buffer, int root);

/* The same, on all ranks. */
int keel_mpi_rows_allgather(struct keel_mpi_rows *rows, const void *array, void *buffer);

/* --- balancing --- */

/* The balance call: put it where rows may move, between two phases of computing, on all ranks
 * alike. As a rule it counts and returns. Every so often, as its cost allows, ranks exchange how
 * fast they were in scheduled loops (or between keel_mpi_rows_work_begin() and
 * keel_mpi_rows_work_end()) since the last time, and rows move where that pays; how fast, means:
 * own rows, or the sum of their weights, in a phase. moved: rows that this call has moved in the
 * whole job, 0 as a rule; NULL will do.
 *
 * KEEL_MPI_LATE: other ranks have not come to the balance call, or were not ready where rows move,
 * for KEEL_MPI_DEADLINE, and ten times as long as since they met last. All ranks get it, the late
 * one when it comes, and keep their rows from then on; halos are still exchanged. With
 * KEEL_MPI_ON_LATE=wait and end they wait here as anywhere else.
 * KEEL_MPI_MISMATCH: ranks are at different balance calls. Balancing is off from then on.
 * KEEL_MPI_NO_ROOM and KEEL_MPI_CALLBACK: rows could not be moved; every row is still on one
 * rank with all that it has, and balancing goes on. Where rows go further than to neighbours
 * they do so in several rounds: those before the one that failed stay, and
 * keel_mpi_rows_bounds() says where rows are. KEEL_MPI_ERROR: rows on their way may be lost. */
int keel_mpi_rows_balance(struct keel_mpi_rows *rows, uint64_t *moved);

/* Sets the policy, as KEEL_MPI_BALANCE does, which rules over it. NULL takes it back. Must be the
 * same on all ranks, before the first call of keel_mpi_rows_balance(). Local. */
int keel_mpi_rows_set_balance(struct keel_mpi_rows *rows, const char *policy);

/* Says what own rows [first, last) cost, relative to each other: weight[0] is of row `first`; each
 * from 0 to 1e100; those below 1e-300 count as 0. All are 1 at first. Weights move with their rows.
 * A rank whose weights sum up to less than 1e-150 counts as one without work.
 * If no rank ever calls this, weights follow from measurements: of scheduled loops over own rows
 * under libkeel.so (over their numbers from 0 or 1, over places in keel_mpi_rows_list(), or with
 * the same number of iterations for each), timed in some of the phases at a cost of at most 0.5 %;
 * otherwise, for adjacent rows, of ranks' times before and after rows moved. From the first
 * exchange of measurements after any rank has called this, nothing is measured.
 * Weights that are set at the time of the balance call hold for the phase before it, and for those
 * to come. Local. */
int keel_mpi_rows_weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                        const double *weight);

/* The same for the phases to come alone: the one before the next balance call counts with the
 * weights that it had. For rows that change between computing and the balance call, as particles
 * cross borders or a mesh is refined. Local. */
int keel_mpi_rows_weigh_ahead(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                              const double *weight);

/* Says that `hooks` more balance calls follow: no rows move whose movement does not pay in that
 * time. Must be the same on all ranks. Local. */
int keel_mpi_rows_expect(struct keel_mpi_rows *rows, uint64_t hooks);

/* Marks computing on rows that is not in scheduled loops: what lies between the two counts, and
 * loops do not, between this balance call and the next. Waiting for others has to stay outside.
 * Local. */
void keel_mpi_rows_work_begin(struct keel_mpi_rows *rows);
void keel_mpi_rows_work_end(struct keel_mpi_rows *rows);

/* Moves rows so that rank r has shares[r] of them, which add up to all, the same on all ranks.
 * Errors as of keel_mpi_rows_balance(). Collective. */
int keel_mpi_rows_move(struct keel_mpi_rows *rows, const uint64_t *shares);

/* How it has gone so far, on the calling rank unless it says otherwise. Times in s. */
struct keel_mpi_rows_report {
    size_t struct_size;    /* to be set by the program: sizeof(struct keel_mpi_rows_report) */
    uint64_t hooks;        /* calls of keel_mpi_rows_balance() */
    uint64_t interactions; /* of these, those that began to exchange measurements; of all ranks */
    uint64_t movements;    /* times that rows were moved; of all ranks */
    uint64_t rows_moved;   /* in them, by all ranks; rows that pass through a rank count again */
    uint64_t rows_sent, rows_received;
    uint64_t bytes_sent;  /* of these rows */
    double decision_s;    /* exchanging measurements and deciding, in balance calls that did more
                            than count, but for the next two */
    double waiting_s;     /* there, for other ranks, or for their measurements */
    double movement_s;    /* moving rows */
    double busy_s;        /* computing */
    double work;          /* own rows, or the sum of their weights */
    double rate;          /* in `work` per s, between the last two exchanges; 0: not known */
    double filtered_rate; /* the filtered rate, from which decisions are made */
    double gain;          /* part of the time that moving would save by the last decision */
    double period_s;      /* from one exchange to the next; of all ranks */
    double followed_s;    /* where it is decided by replay, how long what was done up to the
                             last exchange would have taken the candidate that is followed; of all
                             ranks. 0: not known. All candidates: KEEL_MPI_TRACE */
    double stay_s;        /* with the first shares */
    double paper_s;       /* by the method of Siegell & Steenkiste 1997 */
    double at_once_s;     /* following the last rates at once */
    uint64_t copies;      /* of its rows, that have been taken */
    uint64_t copies_sent_bytes; /* to the rank that holds them */
    uint64_t copies_bytes;      /* memory for copies now: own ones, and those of another rank */
    double copies_s;            /* taking them; waiting for others there included */
};

/* Local. */
int keel_mpi_rows_report(const struct keel_mpi_rows *rows, struct keel_mpi_rows_report *report);

/* --- pipelined sweeps ---
 *
 * DOACROSS loops over rows: rows depend on those before them, elements of a row on those before
 * them. A rank computes its rows for a block of columns, hands its border on, and goes to the next
 * block while the next rank has this one.
 *
 *     keel_mpi_pipeline_create(rows, u, 0, &pipeline);
 *     for (int sweep = 0; sweep < sweeps; sweep++) {
 *         keel_mpi_rows_bounds(rows, &first, &last);
 *         keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD);
 *         while (keel_mpi_pipeline_next(pipeline, &from, &to))
 *             for (uint64_t i = first; i < last; i++)
 *                 for (uint64_t j = from; j < to; j++)
 *                     update(u, i, j);             // reads rows i - 1 (new) and i + 1 (old)
 *         keel_mpi_pipeline_end(pipeline);
 *         keel_mpi_rows_balance(rows, NULL);
 *     }
 *
 * The halo needs no exchange: a sweep brings the old rows behind the block as it begins, and the
 * new ones before it block by block. */

struct keel_mpi_pipeline;

enum {
    KEEL_MPI_FORWARD = 0, /* from row 0 up, blocks from element 0 up */
    KEEL_MPI_BACKWARD = 1 /* from the last row down, blocks from the last element down */
};

/* Prepares sweeps over an array of a KEEL_MPI_ADJACENT distribution whose halo is at least 1.
 * block:
 * elements of a row in a block; 0: chosen by what iterations and messages are measured to take,
 * anew from sweep to sweep. KEEL_MPI_BLOCK rules over it. One that is longer than a row counts as a
 * row. Measures messages between ranks. *pipeline is NULL on an error: KEEL_MPI_ARGUMENT,
 * KEEL_MPI_NO_ROOM, or KEEL_MPI_MISMATCH for different arrays or sizes of blocks. Collective. */
int keel_mpi_pipeline_create(struct keel_mpi_rows *rows, void *array, uint64_t block,
                             struct keel_mpi_pipeline **pipeline);

/* Rows may also move within sweeps, at `hooks` (up to 1000000) places in each, evenly over the
 * elements of a row; each counts as a call of keel_mpi_rows_balance(), also for
 * keel_mpi_rows_expect(), and none is needed between sweeps. 0, as at first: they stay until the
 * sweep is over. Blocks then come from keel_mpi_pipeline_next_rows(), and there is one sweep at a
 * time over these rows: for a second one keel_mpi_pipeline_begin() returns KEEL_MPI_BUSY. Halos in
 * other arrays, and in this one after the sweep, are as keel_mpi_rows_exchange() brings them. To be
 * called between sweeps, the same on all ranks. Local. */
int keel_mpi_pipeline_hooks(struct keel_mpi_pipeline *pipeline, uint64_t hooks);

/* Begins a sweep. direction: KEEL_MPI_FORWARD or KEEL_MPI_BACKWARD. Ranks are to sweep alike. Ranks
 * without rows take part by beginning and ending, and by asking for rows where they move within
 * sweeps. KEEL_MPI_BUSY: a sweep has not been ended. The program must not move rows until it is. */
int keel_mpi_pipeline_begin(struct keel_mpi_pipeline *pipeline, int direction);

/* Gives the next elements [*first, *last) of every own row; 1, or 0: there are no more. Those that
 * were given before are done, and are handed on. Waits for the rank before. The time from here to
 * the next call counts as computing on rows, as if it was marked by keel_mpi_rows_work_begin(). */
int keel_mpi_pipeline_next(struct keel_mpi_pipeline *pipeline, uint64_t *first, uint64_t *last);

/* The same for elements [*first, *last) of own rows [*first_row, *last_row). Where rows move within
 * sweeps these may differ from call to call. Only these rows may be read and written, and those
 * around them as deep as the halo be read, for these elements. */
int keel_mpi_pipeline_next_rows(struct keel_mpi_pipeline *pipeline, uint64_t *first_row,
                                uint64_t *last_row, uint64_t *first, uint64_t *last);

/* Ends the sweep on this rank. Elements that have not been asked for are handed on as they are.
 * Returns the code of the first balance call within it that did not return KEEL_MPI_OK, see
 * keel_mpi_rows_balance(); unless it is KEEL_MPI_ERROR, the sweep is complete all the same. */
int keel_mpi_pipeline_end(struct keel_mpi_pipeline *pipeline);

/* How the last sweep went on the calling rank, and what blocks are chosen from. Times in s. */
struct keel_mpi_pipeline_report {
    size_t struct_size; /* to be set by the program: sizeof(struct keel_mpi_pipeline_report) */
    uint64_t block;     /* elements in a block */
    uint64_t blocks;    /* of a sweep */
    uint64_t sweeps;    /* so far */
    double busy_s;      /* computing */
    double waiting_s;   /* for other ranks */
    double element_s;   /* t_iteration: an element of a row, on this rank */
    double start_s;     /* what a block takes beside its elements, on this rank */
    double fixed_s;     /* t_fixed: what a message of a byte adds to a block */
    double incr_s;      /* t_incr: what each element of a block adds to it */
    double filling;     /* how many blocks' time a sweep waits, at least, as estimated */
};

/* Local. */
int keel_mpi_pipeline_report(const struct keel_mpi_pipeline *pipeline,
                             struct keel_mpi_pipeline_report *report);

/* *pipeline becomes NULL; a sweep that has begun is ended. To be called before its rows go.
 * Collective. */
int keel_mpi_pipeline_free(struct keel_mpi_pipeline **pipeline);

/* --- measurements --- */

/* One rank's part in the last loop of a communicator. */
struct keel_mpi_loop_report {
    size_t struct_size;  /* to be set by the program: sizeof(struct keel_mpi_loop_report) */
    uint64_t iterations; /* of the whole loop */
    uint64_t executed;   /* by this rank */
    uint64_t chunks;     /* that it took them in */
    uint64_t migrations; /* times that it got iterations which another rank had held before */
    uint64_t migrated;   /* iterations that it got so */
    uint64_t messages;   /* that it sent for this loop; collective operations not counted */
    double busy_s;       /* time in iterations, summed over its threads; 0: not measured */
};

/* Of the last loop of `comm`, on the calling rank. Returns the loop's code, or KEEL_MPI_NO_LOOP,
 * with all measurements 0. Loops that are still on their way do not count. Local. */
int keel_mpi_loop_report(MPI_Comm comm, struct keel_mpi_loop_report *report);

#ifdef __cplusplus
}
#endif

#include "keel_mpi_objects.h"
#include "keel_mpi_recovery.h"
#endif
