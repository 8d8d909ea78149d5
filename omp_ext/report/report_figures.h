/* What a report is about: where the time of a program went, loop by loop and thread by thread.
 *
 *   recorder (in the process) -> figures -> JSON -> [parts of a job] -> text, comparison
 *
 * Plain data; nothing in here knows a clock, a thread or a file. Times are in seconds. Names stay
 * valid as long as what they were read from. */
#ifndef OMP_EXT_REPORT_REPORT_FIGURES_H
#define OMP_EXT_REPORT_REPORT_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One thread's part in all instances of a loop. busy_s + waited_s + claiming_s is at most the
 * loop's elapsed_s: what is left is coming to the loop and leaving it. A region's times include
 * those of the loops and parts in it. */
struct keel_report_thread {
    double busy_s;       /* in iterations; of a region: between its barriers, without claiming_s */
    double waited_s;     /* at the loop's end, or at barriers of the region; for other ranks */
    double claiming_s;   /* getting chunks: measured, or chunks times what one is known to cost */
    uint64_t iterations; /* 0 where nobody counts them, as in static loops of the compiler */
    uint64_t chunks;     /* likewise */
};

enum keel_report_kind {
    KEEL_REPORT_REGION, /* a parallel construct, from fork to join */
    KEEL_REPORT_LOOP,   /* a work-sharing loop that comes to libgomp or to Keel */
    KEEL_REPORT_PART    /* a part of a region that ends at a barrier: static loops among others */
};

/* `schedule` of loops that the compiler divides, and of those whose iterations the ranks of a job
 * share. */
#define KEEL_REPORT_BY_THE_COMPILER "static by the compiler"
#define KEEL_REPORT_BY_RANKS "shared by ranks"

/* What Keel has measured at a loop, where it has; else `iteration_s` is 0. */
struct keel_report_measured {
    double iteration_s;  /* mean */
    double deviation_s;  /* standard deviation of one iteration; 0: not known */
    double claim_s;      /* to get a chunk */
    const double *costs; /* along the loop, in equal parts, over their mean; NULL: not known */
    size_t cost_count;
    const double *speeds; /* of threads, over their mean; NULL: not known */
    size_t speed_count;
};

struct keel_report_loop {
    enum keel_report_kind kind;
    const char *function; /* demangled; "" if it is not known */
    const char *file;     /* likewise, as the compiler was given it */
    unsigned line;        /* 0: not known */
    const char *place;    /* what KEEL_SCHEDULE understands: "hydro.c:42", or an address */
    const char *address;  /* of its call, in its module: "hydro+0x1234"; NULL: not known */
    int region;           /* index of the region that it stands in; -1: it is one, or not known */
    bool nested;          /* within another region: its time is part of that one's busy time */
    const char *schedule; /* in force last: "fac2", "libgomp dynamic,1", "static by the compiler" */
    bool under_keel;
    bool mixed;             /* instances ran under several schedules */
    const char *suggestion; /* what to do, by Keel's forecasts; "": nothing is known */
    double gain_s;          /* what that is predicted to gain; 0: nothing, or not known */
    const char *learned;    /* what Keel has measured, predicted and chosen, in lines; "":
                               KEEL_EXPLAIN has not asked, or nothing is known */
    uint64_t instances;
    uint64_t iterations; /* of all instances; 0: not counted */
    double elapsed_s;    /* of all instances, from the first thread's start to the last's end */
    double elapsed_squares_s2; /* sum of the squares of the instances' times */
    uint64_t waits_seen;       /* instances of which it is known what their threads waited */
    double median_wait_s;      /* of these: in a median one, as the mean of its threads */
    uint32_t threads;          /* of the largest team */
    const struct keel_report_thread *thread; /* `threads` of them */
    struct keel_report_measured measured;
};

/* Cores that a process may use, and what limits them. */
struct keel_report_cores {
    unsigned online;  /* of the machine */
    unsigned allowed; /* by affinity */
    double quota;     /* by the control group, cores; 0: none */
};

/* A rank's part in the shared loops of one place, with the figures of keel_mpi_loop_report(). */
struct keel_report_shared {
    const char *place;
    const char *schedule; /* of ranks */
    uint64_t instances, iterations, executed, chunks, migrations, migrated, messages;
    double busy_s, waited_s, elapsed_s;
};

/* One decision about rows: why they moved, or why not. */
struct keel_report_decision {
    uint64_t hook;
    double time_s; /* since the process began */
    double gain;   /* part of the time that moving would save */
    uint64_t moved;
    const char *policy;
    const char *reason;
};

struct keel_report_rows {
    const char *name;
    uint64_t hooks, movements, rows_moved, rows_sent, rows_received, bytes_sent;
    double decision_s, waiting_s, movement_s, busy_s;
    uint64_t copies, copies_sent_bytes, copies_bytes; /* of rows; memory for them at most */
    double copies_s;
    size_t decision_count; /* kept ones */
    const struct keel_report_decision *decision;
    uint64_t decisions_left_out; /* of the same kind as their neighbours, or for want of room */
};

/* A phase that has computed objects that move, of all ranks: what the model says, and what came. */
struct keel_report_phase {
    uint64_t phase; /* its number */
    const char *policy;
    uint64_t computed;                         /* objects */
    double came_s;                             /* what it took */
    double expected_lower_s, expected_upper_s; /* bounds by what was known before; 0: nothing was */
    double lower_s, upper_s; /* bounds by the weights that it has shown; 0: not known */
    double unbalanced_s;     /* the same, if no object had moved */
    double pieces, gain;     /* objects to make of one, and part of the time that this saves */
    const char *advice;      /* the same in words */
};

/* A object set that move, with the figures of keel_mpi_objects_report(). */
struct keel_report_objects {
    const char *name;
    uint64_t phases, computed, handled, sent_away, forwarded, undelivered;
    uint64_t given, taken, refused, bytes_given, bytes_taken, asked, asked_in_vain, messages,
        neighbours;
    double busy_s, idle_s, answering_s, packing_s, quantum_s;
    uint64_t copies, copies_sent_bytes, copies_bytes; /* of objects; memory for them at most */
    double copies_s;
    size_t phase_count; /* kept ones */
    const struct keel_report_phase *phase;
    uint64_t phases_left_out; /* for want of room */
};

/* Where the program calls MPI, and how long that took. */
struct keel_report_call {
    const char *name;   /* "MPI_Allreduce" */
    const char *place;  /* "solver.c:88", or an address */
    const void *caller; /* return address, in the process; NULL: several */
    uint64_t calls;
    double s, longest_s; /* of all; of one */
};

/* One process: a rank of a job, or a program by itself. */
struct keel_report_process {
    const char *program;
    const char *host;
    const char *job; /* as its launcher calls it; "": no launcher tells */
    uint64_t pid;
    int rank, ranks; /* 0 of 1 without a job */
    bool complete;   /* it has come to its end; false: this is what was recorded until then */
    double elapsed_s;
    double serial_s;         /* of that, outside all parallel regions */
    double mpi_s;            /* of that, waiting in Keel's MPI operations, and if mpi_seen in the
                                program's own */
    bool mpi_seen;           /* the program's calls of MPI were measured */
    double mpi_in_regions_s; /* of mpi_s, in regions: while no thread had anything else to do. All
                                threads have that in their waited_s. */
    uint32_t threads;        /* of the largest team */
    uint32_t shared_threads; /* of a team that has the cores of all ranks of its node, where these
                                share them; 0: they do not */
    uint32_t own_threads;    /* of one that has its own */
    double met_s;            /* that it waited for them, before it began */
    struct keel_report_cores cores;
    size_t loop_count;
    const struct keel_report_loop *loop;
    uint64_t loops_left_out; /* places that there was no room for */
    size_t shared_count;
    const struct keel_report_shared *shared;
    size_t rows_count;
    const struct keel_report_rows *rows;
    size_t objects_count;
    const struct keel_report_objects *objects;
    size_t call_count;
    const struct keel_report_call *call;
};

/* --- what the layer across ranks adds to the report of its process ---
 *
 *   libkeel_mpi.so -> keel_report_meet() -> provider -> [live_report.c] -> document
 *
 * libkeel_mpi.so does not link libkeel.so: it finds keel_report_meet() by dlsym(), where that is in
 * the process. As with lending.h, the two may be of different releases, so they agree on a version
 * of this file before anything else. */

/* Changes with anything that is declared here, and with the structures of report_figures.h that are
 * named here. */
#define KEEL_REPORT_RANKS_VERSION 3

/* Sets rank, ranks, mpi_s, mpi_in_regions_s, shared, rows and objects to what there is by now; all
 * of it stays valid until the next call. began_s: what CLOCK_MONOTONIC said when the process began,
 * in s, from which times of decisions count. False: there is nothing yet. Called by one thread at a
 * time, any one, also when MPI has been finalised. */
typedef bool keel_report_ranks_provider(double began_s, struct keel_report_process *process);

/* Has the report of this process ask that provider, from now on and in place of an earlier one.
 * False: this libkeel.so does not know that version of this file. *newest: the latest that it
 * knows. The form of this function never changes. Any thread. */
bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest);

/* --- the program's calls of MPI: libkeel_mpi_calls.so --- */

/* Changes with anything that is declared below, and as above. */
#define KEEL_REPORT_CALLS_VERSION 3

/* Likewise: sets rank, ranks, mpi_seen, shared_threads, own_threads, met_s and call, whose places
 * the report finds by `caller`, and adds to mpi_s and mpi_in_regions_s. */
typedef bool keel_report_calls_provider(struct keel_report_process *process);

/* Has the report of this process ask that provider. False: there will be no report, or this
 * libkeel.so does not know that version. Any thread. */
bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider);

#endif
