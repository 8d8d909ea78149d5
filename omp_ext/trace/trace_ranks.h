/* Data of the MPI layer for the trace in JSON that libkeel.so writes: the process's rank, and
 * events among the job's ranks.
 *
 *   libkeel_mpi.so -> keel_trace_meet() -> [moves, waits, decisions, counters] -> KEEL_TRACE's file
 *   libkeel_mpi_calls.so -> the same -> [calls of MPI] -> the same
 *
 * These do not link libkeel.so: they find keel_trace_meet() by dlsym(), if that is in the process.
 * As with lending.h, they may be of different releases, so they first agree on a version of this
 * file. */
#ifndef OMP_EXT_TRACE_TRACE_RANKS_H
#define OMP_EXT_TRACE_TRACE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with anything that is declared here. */
#define KEEL_TRACE_VERSION 2

#define KEEL_TRACE_NUMBERS_MAX 16 /* of a decision; more are left out */

/* Iterations or rows that this rank has received from another. */
struct keel_trace_move {
    const char *what;      /* "iterations" or "rows" */
    const char *name;      /* of the loop or the rows; NULL: not known */
    int from, to;          /* ranks */
    uint64_t first, last;  /* [first, last) */
    uint64_t bytes;        /* sent for this move */
    uint64_t began, ended; /* values of now(), see below */
};

struct keel_trace_number {
    const char *name;
    double value; /* not finite: null in the file */
};

/* A decision with its reason. */
struct keel_trace_decision {
    const char *name;   /* in a few words: "rows move", "auto: fac2" */
    const char *about;  /* "loop" or "rows" */
    const char *object; /* its name */
    const char *reason; /* a sentence for the user */
    size_t count;
    const struct keel_trace_number *number; /* `count` of them: the input of the decision */
};

/* Any thread may call any function, at any time after main() has begun; an event is added to the
 * calling thread's timeline. A thread's intervals may be nested, but not overlap otherwise: a wait
 * or a move has to lie between two chunks, or outside of all loops. All texts are copied, and cut
 * if they are long. No function waits for another rank. An event costs about 1 us, some 10 us if a
 * piece of the file is written. */
struct keel_trace_ranks {
    /* Whether events are written: KEEL_TRACE names a file that ends in .json, this process may
     * write it, and there is room left. Cheap; call before computing anything. */
    bool (*wanted)(void);

    /* The present, for later events: a value of the clock that times chunks. */
    uint64_t (*now)(void);

    /* Sets rank and number of ranks, by default those of the launcher's environment. This process's
     * CLOCK_MONOTONIC plus offset_ns is that of rank 0; offset_ns is 0 on its node. Call as soon as
     * it is known, best before the first loop, and again for a better estimate: it applies to
     * events that have not been written yet. */
    void (*place)(int rank, int ranks, int64_t offset_ns);

    /* The calling thread waited for other ranks. loop: the loop that it waited in, or NULL. */
    void (*wait)(const char *loop, uint64_t began, uint64_t ended);

    void (*move)(const struct keel_trace_move *move);

    void (*decision)(const struct keel_trace_decision *decision);

    /* A value of this rank from now on. name: "rate", iterations or work per second, or "share",
     * iterations or rows. */
    void (*counter)(const char *name, double value);

    /* Writes the recorded events to the file: before an action that may end the process. */
    void (*flush)(void);

    /* The calling thread begins a call of MPI. Returns the value of now(); never 0. */
    uint64_t (*call_begins)(void);

    /* The call has ended. name: "MPI_Send", stays valid; caller: the return address; began: the
     * result of call_begins(). */
    void (*call_ends)(const char *name, const void *caller, uint64_t began);
};

/* Returns libkeel.so's functions by the given version of this file, which stay valid for ever; NULL
 * if it does not support that version. *newest: the latest version that it supports. The signature
 * of this function never changes. Any thread. */
const struct keel_trace_ranks *keel_trace_meet(uint32_t version, uint32_t *newest);

#endif
