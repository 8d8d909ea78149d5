/* The data of reports and traces: waits, events, loops, rows and objects.
 *
 *   job, loop, rows, objects -> [report] -> libkeel.so, or a report of this library's own */
#ifndef MPI_BACKEND_REPORT_MPI_REPORT_H
#define MPI_BACKEND_REPORT_MPI_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/trace/trace_ranks.h"
#include "schedules/learn/learn.h"
#include "schedules/model/objects_terms.h"
#include "schedules/replay/replay_policies.h"

/* --- waits ---
 *
 * Waits for other ranks, for reports and traces: how long, and when.
 *
 *   peers.c, waits of shared loops -> [waits] -> report/process.c, events
 *
 * Any thread. */

/* Whether a report or a trace wants to know. */
bool keel_mpi_waits_observed(void);

/* When one began, by the clocks of mpi_process.h and of the trace; all 0: not wanted. */
struct keel_mpi_span {
    double ns;
    uint64_t ticks;
};

struct keel_mpi_span keel_mpi_waits_begin(void);

/* It ends now. Returns its time, ns; 0: not wanted. loop: the name of the one that it was in; NULL:
 * none. counts: as time of the process, not only of one of its threads. */
double keel_mpi_waits_end(struct keel_mpi_span began, const char *loop, bool counts);

/* The process has waited so many ns, until now. By a thread that did. */
void keel_mpi_waits_add(double ns);

/* The sum of that, and the time of those that count, so far; in s. */
struct keel_mpi_waited {
    double s;            /* all of it */
    double in_regions_s; /* of that, in parallel regions, if libkeel.so knows */
};

struct keel_mpi_waited keel_mpi_waits_sum(void);

/* From now on calls libkeel.so's keel_report_waited(), of observed_loop.h. */
void keel_mpi_waits_report(bool (*waited)(double ns));

/* --- events ---
 *
 * Events of ranks in the trace that libkeel.so writes, where it is in the process and KEEL_TRACE
 * names a file for one.
 *
 *   waits, shared loops, rows -> [events] -> omp_ext/trace/trace_ranks.h
 *
 * Any thread. */

/* Looks for libkeel.so, which a program may load late; prints a message if KEEL_TRACE needs it in
 * vain. Where a communicator is first used. */
void keel_mpi_events_begin(void);

/* Who takes events; NULL: nothing is traced. Cheap. */
const struct keel_trace_ranks *keel_mpi_events(void);

/* --- places of loops ---
 *
 * Sums of the shared loops of each place in the program on this rank, over all their instances and
 * communicators.
 *
 *   a shared loop ends -> [places] -> report/process.c
 *
 * Any thread. */

#define KEEL_MPI_PLACE_NAME_MAX 160
#define KEEL_MPI_PLACE_SCHEDULE_MAX 48

struct keel_mpi_place {
    struct keel_mpi_place *next; /* the one that came before it */
    const void *caller;          /* as in omp_ext/lending/lending.h */
    void (*outlined)(void *);
    char schedule[KEEL_MPI_PLACE_SCHEDULE_MAX]; /* of ranks, of the last instance */
    uint64_t instances;
    struct keel_mpi_loop_report sum; /* of all instances */
    double waited_s;  /* for iterations, or for the end, summed over the threads of the rank */
    double elapsed_s; /* from the loop's start on this rank to its end */
    char name[KEEL_MPI_PLACE_NAME_MAX];       /* of the loop; "": not yet */
    char short_name[KEEL_MPI_PLACE_NAME_MAX]; /* the same */
};

/* The place of a loop, made on first sight; NULL: no memory, or too many. Stays for ever. */
struct keel_mpi_place *keel_mpi_place_of(const void *caller, void (*outlined)(void *));

/* Adds an instance. */
void keel_mpi_place_note(struct keel_mpi_place *place, const char *schedule,
                         const struct keel_mpi_loop_report *instance, double waited_s,
                         double elapsed_s);

/* The same without its function: "mandel.c:42". */
const char *keel_mpi_place_short_name(struct keel_mpi_place *place);

/* --- decisions about rows ---
 *
 * Decisions about the rows of one distribution, kept for a report: memory is bounded however long a
 * job runs.
 *
 *   rows/balance/balance_call.c -> [decisions] -> report/process.c
 *
 * No MPI; by one thread at a time. */

struct keel_mpi_decision {
    uint64_t call;      /* number of the balance call that carried it out */
    double time_s;      /* of the clock of process/mpi_process.h */
    double gain;        /* part of the time that moving would save */
    uint64_t moved;     /* rows, of all ranks */
    const char *policy; /* that was asked for; constant */
    struct keel_reason reason;
    unsigned followed;                   /* candidate (replay_policies.h); KEEL_CANDIDATES: none */
    double candidate_s[KEEL_CANDIDATES]; /* how long what was done would have taken each, s */
};

#define KEEL_MPI_DECISION_TEXT (KEEL_REASON_TEXT + 160)

/* Writes why it came out as it did, without commas. */
void keel_mpi_decision_text(const struct keel_mpi_decision *decision,
                            char text[KEEL_MPI_DECISION_TEXT]);

#define KEEL_MPI_DECISIONS_MAX 64  /* are kept */
#define KEEL_MPI_DECISIONS_FIRST 8 /* of these, the first ones of all */

/* Begins as {0}. */
struct keel_mpi_decisions {
    struct keel_mpi_decision kept[KEEL_MPI_DECISIONS_MAX]; /* in their order */
    size_t count;
    uint64_t left_out; /* count + left_out: all that were recorded */
};

/* Of decisions that came out alike in a row, the first and the last are kept; of those, where there
 * are too many, the first and the latest ones. */
void keel_mpi_decisions_note(struct keel_mpi_decisions *decisions,
                             const struct keel_mpi_decision *decision);

/* --- rows and objects ---
 *
 * What is kept of each distribution of rows and of each set of objects for a report, also when the
 * program has freed it: memory is bounded however long a job runs.
 *
 *   one is created -> [reported] <- decisions about rows, phases of objects
 *   one is freed -> [reported] -> report/process.c
 *
 * Any thread; one of them by one thread at a time. */

/* --- of both kinds --- */

/* So many of each kind have an entry of their own; the last entry has all others, too. */
#define KEEL_MPI_REPORTED_MAX 64

enum keel_mpi_reported_kind {
    KEEL_MPI_REPORTED_ROWS,    /* struct keel_mpi_distribution */
    KEEL_MPI_REPORTED_OBJECTS, /* struct keel_mpi_object_set */
    KEEL_MPI_REPORTED_KINDS,
};

/* keel_mpi_rows_report(), or keel_mpi_objects_report(). */
typedef int keel_mpi_reader(const void *source, void *report);

struct keel_mpi_reported {
    enum keel_mpi_reported_kind kind;
    char name[40];         /* "distribution 1", "set 1" */
    unsigned members;      /* number of those that it has */
    const void *source;    /* rows or objects that the program has not freed; NULL: none */
    keel_mpi_reader *read; /* of it */
};

/* A new one, number 1 for the first of its kind in this process; NULL: no memory. Stays for ever.
 */
struct keel_mpi_reported *keel_mpi_reported_new(enum keel_mpi_reported_kind kind,
                                                const void *source, keel_mpi_reader *read);

/* `source` is freed soon: reads its measurements. NULL will do. */
void keel_mpi_reported_end(struct keel_mpi_reported *reported, const void *source);

/* How many there are; 0 where another thread keeps them busy: this is for the end of the process,
 * which must not wait for threads that may be gone. */
size_t keel_mpi_reported_count(enum keel_mpi_reported_kind kind);

/* Copies number `index`, from 0, of that kind. `sum` has what is not freed, too. */
void keel_mpi_reported_copy(enum keel_mpi_reported_kind kind, size_t index,
                            struct keel_mpi_reported *copy);

/* --- rows --- */

/* What adds up, of keel_mpi_rows_report() and in the report. */
#define KEEL_MPI_ROWS_SUMS(of)                                                                  \
    of(hooks) of(movements) of(rows_moved) of(rows_sent) of(rows_received) of(bytes_sent)       \
        of(decision_s) of(waiting_s) of(movement_s) of(busy_s) of(copies) of(copies_sent_bytes) \
            of(copies_s)

struct keel_mpi_distribution {
    struct keel_mpi_reported of;
    struct keel_mpi_rows_report sum; /* of those that are freed */
    struct keel_mpi_decisions decisions;
};

void keel_mpi_distribution_note(struct keel_mpi_distribution *distribution,
                                const struct keel_mpi_decision *decision);

/* --- objects --- */

/* A phase that has computed objects, in the whole job. */
struct keel_mpi_phase {
    uint64_t phase;     /* its number, from 1 */
    const char *policy; /* constant */
    uint64_t computed;
    double came_s;                     /* what it took, on the rank where it took longest */
    double mean_s, longest_s;          /* of its objects */
    bool moves;                        /* idle ranks asked others */
    struct keel_objects_bounds before; /* what was known before it; all 0: nothing */
    struct keel_objects_bounds bounds; /* by what it has shown; all 0: nothing is known */
    struct keel_objects_advice advice; /* the same */
};

#define KEEL_MPI_PHASE_TEXT 240

/* Writes what objects it had, and how many would be best, without commas. */
void keel_mpi_phase_text(const struct keel_mpi_phase *phase, char text[KEEL_MPI_PHASE_TEXT]);

#define KEEL_MPI_PHASES_MAX 64  /* are kept */
#define KEEL_MPI_PHASES_FIRST 8 /* of these, the first ones of all */

/* What adds up, of keel_mpi_objects_report() and in the report. */
#define KEEL_MPI_OBJECTS_SUMS(of)                                                             \
    of(phases) of(computed) of(handled) of(sent_away) of(forwarded) of(undelivered) of(given) \
        of(taken) of(refused) of(bytes_given) of(bytes_taken) of(asked) of(asked_in_vain)     \
            of(messages) of(busy_s) of(idle_s) of(answering_s) of(packing_s) of(copies)       \
                of(copies_sent_bytes) of(copies_s)

struct keel_mpi_object_set {
    struct keel_mpi_reported of;
    struct keel_mpi_objects_report sum;               /* of those that are freed */
    struct keel_mpi_phase phase[KEEL_MPI_PHASES_MAX]; /* in their order */
    size_t phases;
    uint64_t left_out; /* phases + left_out: all that were recorded */
};

/* The first phases are kept, and the latest ones. */
void keel_mpi_phase_note(struct keel_mpi_object_set *set, const struct keel_mpi_phase *phase);

/* --- the measurements of the process ---
 *
 * The part of the process in its report: its rank, its waiting time, its shared loops, its rows and
 * its objects. Plain data, which stays when MPI has been finalised.
 *
 *   places, reported, waits -> [process] -> libkeel.so, or the report
 *
 * Any thread. */

/* Keel uses a communicator, and a report is wanted: notes once the process's rank among all of its
 * job, and lets libkeel.so know of this library. MPI may be called. */
void keel_mpi_process_begin(void);

#endif
