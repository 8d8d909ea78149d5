/* A node's board for one shared loop: what its ranks share of it, in memory that all of them see.
 *
 *   blocks, grants, loot -> [cells of the node's ranks] -> chunks of their threads
 *                                  ends cut off -> other ranks of the node, other nodes
 *
 * A cell is a hold: iterations [low, high) that a rank has and nobody has begun, in one 64-bit word
 * that is changed by compare-and-swap only. Its rank's threads take from its front; whoever runs
 * dry cuts off its end. So nothing can be lost or done twice, whoever comes when. No MPI, no clock;
 * atomics are lock-free and hold no addresses, so that processes may share them. */
#ifndef MPI_BACKEND_LOOP_NODE_WINDOW_H
#define MPI_BACKEND_LOOP_NODE_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/loop/schedule.h"

/* Cells of a rank: its block, what arrives by message, and one per thread for what that draws or
 * takes over beyond its chunk. Threads beyond these share. */
enum { KEEL_CELL_BLOCK, KEEL_CELL_ARRIVAL, KEEL_CELL_THREADS };
#define KEEL_THREAD_CELLS 16
#define KEEL_CELLS (KEEL_CELL_THREADS + KEEL_THREAD_CELLS)

#define KEEL_WAITERS 16 /* nodes that a node remembers to have asked it in vain */

/* The pace of a thread; written by it. Or of a rank; written by that, or on the home node by who
 * gets its letters. */
struct keel_board_pace {
    _Atomic double mean_ns, variance_ns2; /* 0: not known */
};

/* One cell, and what the threads that belong to it have done. */
struct keel_cell {
    /* Units that nobody has begun (packed_range.h). Filled by its rank, while empty. */
    _Alignas(64) _Atomic uint64_t range;
    _Atomic uint64_t length; /* iterations that it was filled with; for sizing only */
    _Atomic uint64_t begun;  /* iterations that the cell's threads have begun; theirs to write */
    struct keel_board_pace pace;
};

/* How a loop has ended for everybody. */
enum keel_board_end {
    KEEL_BOARD_RUNS,      /* it has not */
    KEEL_BOARD_OVER,      /* all iterations have been begun */
    KEEL_BOARD_CANCELLED, /* a rank cancelled it */
    KEEL_BOARD_APART      /* ranks came with different loops: each runs its own */
};

/* What is the same for all of the loop's ranks on the node. */
struct keel_board_loop {
    uint64_t check;      /* equal for equal loops, see loop.c */
    uint64_t iterations; /* N */
    double gamma;        /* what part of a block goes to who asks; 0: by throughput */
    bool keeps_last;     /* the last iteration is nobody's until nothing else is left */
    bool remembers;      /* who asks in vain gets something when there is something */
};

/* Fields without a note are written by the rank that prepares the board. */
struct keel_board {
    _Atomic uint64_t stage;   /* which loop it is for, see node_window.c */
    _Atomic uint64_t present; /* ranks of the node that have not left it; written by all */
    struct keel_board_loop loop;
    uint64_t unit;  /* iterations that one unit of a cell stands for: 1 below 2^32 */
    uint32_t ranks; /* on this node */
    uint32_t job_ranks;
    _Alignas(64) _Atomic uint64_t next; /* on the home node: what has been claimed; by all */
    _Alignas(64) _Atomic int end;       /* enum keel_board_end; by all */
    _Atomic int last;                   /* the last iteration is kept back on this node; by all */
    _Atomic uint64_t idle;              /* takers that wait for iterations; by all */
    _Atomic uint64_t asker;             /* number + 1 of the rank that asks other nodes; by all */
    _Atomic int dry;                    /* other nodes have been asked, and had nothing; by all */
    struct keel_board_waiter {
        _Atomic uint64_t rank; /* 1 + rank that asked in vain; 0: none */
        _Atomic double speed;  /* of its node */
    } waiter[KEEL_WAITERS];    /* by all */
    struct keel_cell cell[];   /* KEEL_CELLS of each rank, then the paces of all ranks of the job */
};

/* Bytes of a board, a multiple of 64. Zeroed memory is a board for loop 1 and following ones. */
size_t keel_board_size(uint32_t ranks, uint32_t job_ranks);

/* Comes to the board for loop number `number` >= 1; boards are used by every `boards`th loop. The
 * first one prepares it: loop, and where each rank's block begins (first: ranks + 1 iterations
 * each; NULL: no blocks). False: not yet, ranks are still at an older loop or preparing; try
 * again. */
bool keel_board_enter(struct keel_board *board, uint64_t number, uint64_t boards,
                      const struct keel_board_loop *loop, uint32_t ranks, uint32_t job_ranks,
                      const uint64_t (*block)[2], bool has_last);

/* Whether the board is open for that loop. */
bool keel_board_is_open(const struct keel_board *board, uint64_t number);

/* The rank has no more to do with it. Once all ranks of the node have left, it is free for the loop
 * after `boards` others. */
void keel_board_leave(struct keel_board *board, uint64_t number, uint64_t boards);

/* Ends the loop, if it has not ended yet. */
void keel_board_close(struct keel_board *board, enum keel_board_end end);

static inline enum keel_board_end keel_board_end(const struct keel_board *board)
{
    /* acquire: pairs with keel_board_close(); what ranks did before is seen after */
    return (enum keel_board_end)atomic_load_explicit(&board->end, memory_order_acquire);
}

static inline struct keel_cell *keel_board_cells(struct keel_board *board, uint32_t rank)
{
    return &board->cell[(size_t)rank * KEEL_CELLS];
}

struct keel_board_pace *keel_board_paces(struct keel_board *board);

/* Relaxed: each number stands for itself, and one that is a little older is as good. */
static inline struct keel_pace keel_board_pace(const struct keel_board_pace *pace)
{
    return (struct keel_pace){.mean_ns = atomic_load_explicit(&pace->mean_ns, memory_order_relaxed),
                              .variance_ns2 =
                                  atomic_load_explicit(&pace->variance_ns2, memory_order_relaxed)};
}

static inline void keel_board_set_pace(struct keel_board_pace *pace, struct keel_pace known)
{
    atomic_store_explicit(&pace->mean_ns, known.mean_ns, memory_order_relaxed);
    atomic_store_explicit(&pace->variance_ns2, known.variance_ns2, memory_order_relaxed);
}

/* --- cells; sizes in iterations --- */

/* What nobody has begun of it. */
uint64_t keel_cell_left(const struct keel_board *board, const struct keel_cell *cell);

/* Takes from the front what `size` says of what is left, at least a unit: iterations [*first,
 * *last). `size` may be called several times. False: it is empty. */
bool keel_cell_take(const struct keel_board *board, struct keel_cell *cell,
                    uint64_t (*size)(void *context, uint64_t left, uint64_t length), void *context,
                    uint64_t *first, uint64_t *last);

/* Cuts `amount` iterations or, if it has less, all off the end. False: it is empty, or `amount`
 * is 0. */
bool keel_cell_cut(const struct keel_board *board, struct keel_cell *cell, uint64_t amount,
                   uint64_t *first, uint64_t *last);

/* Fills it with iterations that belong to nobody else; false: it is not empty, or they are not
 * whole units. */
bool keel_cell_fill(const struct keel_board *board, struct keel_cell *cell, uint64_t first,
                    uint64_t last);

/* Takes the last iteration, if it is kept back here. */
bool keel_board_take_last(struct keel_board *board, uint64_t *first, uint64_t *last);

/* --- sums over a rank, or all ranks of the node: counted as they are looked at --- */

/* Iterations of the loop that the rank's threads have begun. */
uint64_t keel_board_begun(const struct keel_board *board, uint32_t rank);

/* Iterations that the rank has and nobody has begun. */
uint64_t keel_board_left(const struct keel_board *board, uint32_t rank);

/* Iterations per ns of the rank's threads together; 0: not known. */
double keel_board_speed(const struct keel_board *board, uint32_t rank);

/* The same of the whole node. */
struct keel_board_sums {
    uint64_t begun, left;
    double speed;
};
struct keel_board_sums keel_board_sums(const struct keel_board *board);

/* The rank that will be busy longest with what it has, other than `besides`; UINT32_MAX: no rank
 * has anything. */
uint32_t keel_board_fullest(const struct keel_board *board, uint32_t besides);

/* Cuts up to `amount` iterations off the fullest cell of the rank. */
bool keel_board_cut(struct keel_board *board, uint32_t rank, uint64_t amount, uint64_t *first,
                    uint64_t *last);

#endif
