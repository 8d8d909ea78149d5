/* What is kept of each bag of objects for a report, also when the program has freed it: memory is
 * bounded however long a job runs.
 *
 *   bags are created, phases end, bags are freed -> [bags] -> report/process.c
 *
 * Any thread; one bag by one thread at a time. */
#ifndef MPI_BACKEND_REPORT_BAGS_H
#define MPI_BACKEND_REPORT_BAGS_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "schedules/model/objects_online.h"

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
#define KEEL_MPI_BAGS_MAX 64    /* are told apart; the last one stands for all others, too */
#define KEEL_MPI_BAG_NAME_MAX 40

/* keel_mpi_objects_report() */
typedef int keel_mpi_bag_reader(const void *objects, struct keel_mpi_objects_report *report);

struct keel_mpi_bag {
    char name[KEEL_MPI_BAG_NAME_MAX];                 /* "bag 1" */
    unsigned members;                                 /* bags that it stands for */
    struct keel_mpi_objects_report sum;               /* of those that are over */
    const void *objects;                              /* of one that is not; NULL: none */
    keel_mpi_bag_reader *read;                        /* of it */
    struct keel_mpi_phase phase[KEEL_MPI_PHASES_MAX]; /* in their order */
    size_t phases;
    uint64_t left_out; /* phases + left_out: all that were noted */
};

/* A new one, number 1 for the first of this process; NULL: no memory. Stays for ever. */
struct keel_mpi_bag *keel_mpi_bag_new(const void *objects, keel_mpi_bag_reader *read);

/* The first phases are kept, and the latest ones. */
void keel_mpi_bag_note(struct keel_mpi_bag *bag, const struct keel_mpi_phase *phase);

/* `objects` go, with these figures. */
void keel_mpi_bag_end(struct keel_mpi_bag *bag, const void *objects,
                      const struct keel_mpi_objects_report *report);

/* How many there are; 0 where another thread keeps them busy: this is for the end of the process,
 * which must not wait for threads that may be gone. */
size_t keel_mpi_bags(void);

/* Copies number `place`, 0 .. keel_mpi_bags() - 1. `sum` has those that are not over, too. */
void keel_mpi_bag_copy(size_t place, struct keel_mpi_bag *copy);

#endif
