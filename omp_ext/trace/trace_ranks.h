/* What others add to the trace in JSON that libkeel.so writes: where the process stands in its job,
 * and what happens among the job's ranks.
 *
 *   libkeel_mpi.so -> keel_trace_meet() -> [moves, waits, decisions, counters] -> KEEL_TRACE's file
 *   libkeel_mpi_calls.so -> the same -> [calls of MPI] -> the same
 *
 * These do not link libkeel.so: they find keel_trace_meet() by dlsym(), where that is in the
 * process. As with lending.h, they may be of different releases, so they agree on a version of this
 * file before anything else. */
#ifndef OMP_EXT_TRACE_TRACE_RANKS_H
#define OMP_EXT_TRACE_TRACE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes with anything that is declared here. */
#define KEEL_TRACE_VERSION 2

#define KEEL_TRACE_NUMBERS_MAX 16 /* of a decision; more are left out */

/* Iterations or rows that this rank has got from another. */
struct keel_trace_move {
    const char *what;      /* "iterations" or "rows" */
    const char *name;      /* of the loop or the rows; NULL: not known */
    int from, to;          /* ranks */
    uint64_t first, last;  /* [first, last) */
    uint64_t bytes;        /* that have been sent for it */
    uint64_t began, ended; /* of now(), see below */
};

struct keel_trace_number {
    const char *name;
    double value; /* not finite: null in the file */
};

/* What was decided, and why. */
struct keel_trace_decision {
    const char *name;   /* in a few words: "rows move", "auto: fac2" */
    const char *about;  /* "loop" or "rows" */
    const char *object; /* its name */
    const char *reason; /* a sentence for people */
    size_t count;
    const struct keel_trace_number *number; /* `count` of them: what the decision rests on */
};

/* Any thread may call any of it, at any time after main() has begun; an event goes to the calling
 * thread's line of time. A thread's intervals may contain each other, but not overlap otherwise:
 * a wait or a move that is told has to lie between two chunks, or outside of all loops. All texts
 * are copied, and cut where they are long. Nothing here waits for another rank. Costs about a
 * microsecond for an event, some ten where a piece of the file is written. */
struct keel_trace_ranks {
    /* Whether what is told is written: KEEL_TRACE names a file that ends in .json, this process may
     * write it, and there is room left. Cheap; ask before working anything out. */
    bool (*wanted)(void);

    /* The present, for what is told later: a value of the clock that chunks are timed with. */
    uint64_t (*now)(void);

    /* Where the process stands; without it, what the launcher's environment says. offset_ns is to
     * be added to this process's CLOCK_MONOTONIC to get that of rank 0; 0 on its node. Tell it once
     * it is known, best before the first loop, and again when it is known better: it holds for what
     * has not been written yet. */
    void (*place)(int rank, int ranks, int64_t offset_ns);

    /* The calling thread waited for other ranks. loop: that it waited in; NULL: in none. */
    void (*wait)(const char *loop, uint64_t began, uint64_t ended);

    void (*move)(const struct keel_trace_move *move);

    void (*decision)(const struct keel_trace_decision *decision);

    /* A value of this rank from now on. name: "rate", iterations or work per second, or "share",
     * iterations or rows. */
    void (*counter)(const char *name, double value);

    /* Brings what has been noted into the file: before something that may end the process. */
    void (*flush)(void);

    /* The calling thread begins a call of MPI. Returns when that is, by now(); never 0. */
    uint64_t (*call_begins)(void);

    /* It is over, with what call_begins() has returned. name: "MPI_Send", stays valid; caller: the
     * return address. */
    void (*call_ends)(const char *name, const void *caller, uint64_t began);
};

/* What libkeel.so does by the given version of this file; NULL: it does not know that version.
 * *newest: the latest that it knows. What it returns stays valid for ever. The form of this
 * function never changes. Any thread. */
const struct keel_trace_ranks *keel_trace_meet(uint32_t version, uint32_t *newest);

#endif
