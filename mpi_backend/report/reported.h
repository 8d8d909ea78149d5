/* What is kept of each distribution of rows and of each set of objects for a report, also when the
 * program has freed it: memory is bounded however long a job runs.
 *
 *   one is created -> [reported] <- decisions about rows, phases of objects
 *   one is freed -> [reported] -> report/process.c
 *
 * Any thread; one of them by one thread at a time. */
#ifndef MPI_BACKEND_REPORT_REPORTED_H
#define MPI_BACKEND_REPORT_REPORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/report/decisions.h"
#include "schedules/model/objects_online.h"

/* --- of both kinds --- */

/* Of each kind so many are told apart; the last one stands for all others, too. */
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
    unsigned members;      /* it stands for so many */
    const void *source;    /* rows or objects that the program has not freed; NULL: none */
    keel_mpi_reader *read; /* of it */
};

/* A new one, number 1 for the first of its kind in this process; NULL: no memory. Stays for ever.
 */
struct keel_mpi_reported *keel_mpi_reported_new(enum keel_mpi_reported_kind kind,
                                                const void *source, keel_mpi_reader *read);

/* `source` is freed soon: reads its figures. NULL will do. */
void keel_mpi_reported_end(struct keel_mpi_reported *reported, const void *source);

/* How many there are; 0 where another thread keeps them busy: this is for the end of the process,
 * which must not wait for threads that may be gone. */
size_t keel_mpi_reported_count(enum keel_mpi_reported_kind kind);

/* Copies number `index`, from 0, of that kind. `sum` has what is not freed, too. */
void keel_mpi_reported_copy(enum keel_mpi_reported_kind kind, size_t index,
                            struct keel_mpi_reported *copy);

/* --- rows --- */

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
    struct keel_objects_advice advice; /* likewise */
};

#define KEEL_MPI_PHASE_TEXT 240

/* Writes what objects it had, and how many would be best, without commas. */
void keel_mpi_phase_text(const struct keel_mpi_phase *phase, char text[KEEL_MPI_PHASE_TEXT]);

#define KEEL_MPI_PHASES_MAX 64  /* are kept */
#define KEEL_MPI_PHASES_FIRST 8 /* of these, the first ones of all */

struct keel_mpi_object_set {
    struct keel_mpi_reported of;
    struct keel_mpi_objects_report sum;               /* of those that are freed */
    struct keel_mpi_phase phase[KEEL_MPI_PHASES_MAX]; /* in their order */
    size_t phases;
    uint64_t left_out; /* phases + left_out: all that were noted */
};

/* The first phases are kept, and the latest ones. */
void keel_mpi_phase_note(struct keel_mpi_object_set *set, const struct keel_mpi_phase *phase);

#endif
