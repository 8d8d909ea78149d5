/* How long a program's own calls of MPI take, and where they stand.
 *
 *   wrappers.c (the program's call) -> begin -> MPI -> end -> [calls] -> keel_report_meet_calls()
 *                                                              \-> keel_trace_meet()
 *
 * libkeel_mpi_calls.so is preloaded: its wrappers stand before those of MPI, or of another tool
 * that wraps MPI, and hand on what they are called with. It is built without an MPI and works with
 * any whose handles fit into a word: arguments are words. */
#ifndef MPI_BACKEND_CALLS_MPI_CALLS_H
#define MPI_BACKEND_CALLS_MPI_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef void keel_mpi_function(void);

/* What is wrapped under one name. Constant but for `next`. */
struct keel_mpi_wrapped {
    const char *symbol;              /* as the linker knows it */
    const char *name;                /* as the report calls it */
    bool waits;                      /* it may wait; else it asks, and goes on */
    keel_mpi_function *_Atomic next; /* who comes after the wrapper; NULL: not found yet */
};

/* A call in progress. */
struct keel_mpi_call {
    keel_mpi_function *next;
    struct keel_mpi_call_place *place; /* NULL: it is not measured */
    const char *name;
    const void *caller;
    double began_ns;
    uint64_t began; /* of the trace's clock; 0: nothing is traced */
};

/* A call begins; caller: where it will return to. Any thread, also before MPI_Init(). Calls within
 * calls are handed on and not measured. Costs two looks at the clock, and nothing but the call of
 * `next` where neither a report nor a trace is asked for. */
struct keel_mpi_call keel_mpi_call_begin(struct keel_mpi_wrapped *wrapped, const void *caller);

/* It is over. */
void keel_mpi_call_end(const struct keel_mpi_call *call);

/* MPI is there: from now on calls are measured, if libkeel.so writes a report or a trace. By the
 * thread that has initialised MPI; caller: where it had MPI do so. */
void keel_mpi_calls_start(const void *caller);

#endif
