/* A node's window for one shared loop: the ranges of its ranks, in memory that all of them share.
 *
 *   blocks, grants, transfers -> [ranges of the node's ranks] -> chunks of their threads
 *                                     ends stolen -> other ranks of the node, other nodes
 *
 * A range [low, high) holds iterations of a rank that have not begun, packed into one 64-bit word
 * that is changed by compare-and-swap only. Threads of the rank claim from its front; an idle rank
 * steals from its end. So no iteration is lost or executed twice. No MPI, no clock; atomics are
 * lock-free and hold no addresses, so that processes may share them. */
#ifndef MPI_BACKEND_JOB_NODE_WINDOW_H
#define MPI_BACKEND_JOB_NODE_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/loop/schedule.h"

/* Ranges of a rank: its block, what arrives by message, and one per thread for what that claims or
 * steals beyond its chunk. From 17 threads on, several share one. */
enum { KEEL_MPI_RANGE_BLOCK, KEEL_MPI_RANGE_ARRIVAL, KEEL_MPI_RANGE_THREADS };
#define KEEL_MPI_THREAD_RANGES 16
#define KEEL_MPI_RANK_RANGES (KEEL_MPI_RANGE_THREADS + KEEL_MPI_THREAD_RANGES)

#define KEEL_MPI_PENDING_REQUESTS 32 /* requests that a node keeps, at most */

/* The pace of a thread; written by it. Or of a rank; written by that, or on the home node by the
 * rank that receives its messages. */
struct keel_mpi_window_pace {
    _Atomic double mean_ns, variance_ns2; /* 0: not known */
};

/* One range, and what the threads that belong to it have done. */
struct keel_mpi_window_range {
    /* Units that have not begun (team.h). Filled by its rank, while empty. */
    _Alignas(64) _Atomic uint64_t packed;
    _Atomic uint64_t length; /* iterations that it was filled with; for sizing only */
    _Atomic uint64_t begun;  /* iterations that the range's threads have begun; theirs to write */
    struct keel_mpi_window_pace pace;
};

/* How a loop has ended for everybody. */
enum keel_mpi_window_end {
    KEEL_MPI_WINDOW_RUNNING,   /* it has not */
    KEEL_MPI_WINDOW_OVER,      /* all iterations have been begun */
    KEEL_MPI_WINDOW_CANCELLED, /* a rank cancelled it */
    KEEL_MPI_WINDOW_MISMATCH,  /* ranks came with different loops: each runs its own */
    KEEL_MPI_WINDOW_FAILED     /* the job has failed, as those that do not know yet will learn */
};

/* What is the same for all of the loop's ranks on the node. */
struct keel_mpi_window_loop {
    uint64_t check;      /* equal for equal loops, see open.c */
    uint64_t iterations; /* N */
    double gamma;        /* gamma of the schedule (schedules/ranks/policies.h) */
    bool keeps_last;     /* the last iteration is claimed after all others */
};

/* Fields without a note are written by the rank that prepares the window. */
struct keel_mpi_window {
    _Atomic uint64_t stage;   /* which loop it is for, see node_window.c */
    _Atomic uint64_t present; /* ranks of the node that have not left it; written by all */
    struct keel_mpi_window_loop loop;
    uint64_t unit;  /* iterations in one unit of a range: 1 below 2^32 */
    uint32_t ranks; /* on this node */
    uint32_t job_ranks;
    _Alignas(64) _Atomic uint64_t next; /* on the home node: what has been claimed; by all */
    _Atomic uint32_t claimants;         /* there: ranks of other nodes that have claimed; by all */
    _Alignas(64) _Atomic int end;       /* enum keel_mpi_window_end; by all */
    _Atomic int last;                   /* the last iteration is kept back on this node; by all */
    _Atomic uint64_t idle;              /* workers that wait for iterations; by all */
    _Atomic uint64_t requester;         /* number + 1 of the rank that asks other nodes; by all */
    _Atomic int others_empty;           /* other nodes have been asked, and had nothing; by all */
    struct keel_mpi_pending_request {
        _Atomic uint64_t rank;            /* 1 + rank whose request is kept; 0: none */
        _Atomic double speed;             /* of its node */
    } pending[KEEL_MPI_PENDING_REQUESTS]; /* by all */
    struct keel_mpi_window_range
        range[]; /* KEEL_MPI_RANK_RANGES of each rank, then the paces of all ranks of the job */
};

/* Bytes of a window, a multiple of 64. Zeroed memory is a window for loop 1 and following ones. */
size_t keel_mpi_window_size(uint32_t ranks, uint32_t job_ranks);

/* Comes to the window for loop number `number` >= 1; windows are used by every `windows`th loop.
 * The first one prepares it: loop, and where each rank's block begins (first: ranks + 1 iterations
 * each; NULL: no blocks). False: not yet, ranks are still at an older loop or preparing; try
 * again. */
bool keel_mpi_window_enter(struct keel_mpi_window *window, uint64_t number, uint64_t windows,
                           const struct keel_mpi_window_loop *loop, uint32_t ranks,
                           uint32_t job_ranks, const uint64_t (*block)[2], bool has_last);

/* Whether the window is open for that loop. */
bool keel_mpi_window_is_open(const struct keel_mpi_window *window, uint64_t number);

/* The rank has no more to do with it. Once all ranks of the node have left, it is free for the loop
 * after `windows` others. */
void keel_mpi_window_leave(struct keel_mpi_window *window, uint64_t number, uint64_t windows);

/* Ends the loop, if it has not ended yet. */
void keel_mpi_window_end_loop(struct keel_mpi_window *window, enum keel_mpi_window_end end);

static inline enum keel_mpi_window_end keel_mpi_window_end(const struct keel_mpi_window *window)
{
    /* acquire: pairs with keel_mpi_window_end_loop(); what ranks did before is seen after */
    return (enum keel_mpi_window_end)atomic_load_explicit(&window->end, memory_order_acquire);
}

static inline struct keel_mpi_window_range *keel_mpi_window_ranges(struct keel_mpi_window *window,
                                                                   uint32_t rank)
{
    return &window->range[(size_t)rank * KEEL_MPI_RANK_RANGES];
}

struct keel_mpi_window_pace *keel_mpi_window_paces(struct keel_mpi_window *window);

/* Relaxed: the numbers are independent, and a slightly older one is as good. */
static inline struct keel_pace keel_mpi_window_pace(const struct keel_mpi_window_pace *pace)
{
    return (struct keel_pace){.mean_ns = atomic_load_explicit(&pace->mean_ns, memory_order_relaxed),
                              .variance_ns2 =
                                  atomic_load_explicit(&pace->variance_ns2, memory_order_relaxed)};
}

static inline void keel_mpi_window_set_pace(struct keel_mpi_window_pace *pace,
                                            struct keel_pace known)
{
    atomic_store_explicit(&pace->mean_ns, known.mean_ns, memory_order_relaxed);
    atomic_store_explicit(&pace->variance_ns2, known.variance_ns2, memory_order_relaxed);
}

/* --- ranges; sizes in iterations --- */

/* The part of it that has not begun. */
uint64_t keel_mpi_window_range_left(const struct keel_mpi_window *window,
                                    const struct keel_mpi_window_range *range);

/* Takes from the front what `size` says of what is left, at least a unit: iterations [*first,
 * *last). `size` may be called several times. False: it is empty. */
bool keel_mpi_window_range_take(const struct keel_mpi_window *window,
                                struct keel_mpi_window_range *range,
                                uint64_t (*size)(void *context, uint64_t left, uint64_t length),
                                void *context, uint64_t *first, uint64_t *last);

/* Fills it with iterations that no other range has. Returns false if it is not empty, or they are
 * not whole units. */
bool keel_mpi_window_range_fill(const struct keel_mpi_window *window,
                                struct keel_mpi_window_range *range, uint64_t first, uint64_t last);

/* Takes the last iteration, if it is kept back here. */
bool keel_mpi_window_take_last(struct keel_mpi_window *window, uint64_t *first, uint64_t *last);

/* --- sums over a rank, or all ranks of the node: counted as they are looked at --- */

/* Iterations of the loop that the rank's threads have begun. */
uint64_t keel_mpi_window_begun(const struct keel_mpi_window *window, uint32_t rank);

/* Iterations of the rank that have not begun. */
uint64_t keel_mpi_window_left(const struct keel_mpi_window *window, uint32_t rank);

/* Iterations per ns of the rank's threads together; 0: not known. */
double keel_mpi_window_speed(const struct keel_mpi_window *window, uint32_t rank);

/* The longest mean time of an iteration on any of the rank's threads, ns; 0: not known. */
double keel_mpi_window_iteration_ns(const struct keel_mpi_window *window, uint32_t rank);

/* The same of the whole node. */
struct keel_mpi_window_sums {
    uint64_t begun, left;
    double speed;
};
struct keel_mpi_window_sums keel_mpi_window_sums(const struct keel_mpi_window *window);

/* The rank that will be busy longest with what it has, other than `besides`; UINT32_MAX: no rank
 * has anything. */
uint32_t keel_mpi_window_most_loaded(const struct keel_mpi_window *window, uint32_t besides);

/* Cuts up to `amount` iterations off the fullest range of the rank. */
bool keel_mpi_window_cut(struct keel_mpi_window *window, uint32_t rank, uint64_t amount,
                         uint64_t *first, uint64_t *last);

#endif
