/* What the shared loops of each place in the program have come to on this rank, over all their
 * instances and communicators.
 *
 *   a shared loop ends -> [places] -> report/process.c
 *
 * Any thread. */
#ifndef MPI_BACKEND_REPORT_LOOP_PLACES_H
#define MPI_BACKEND_REPORT_LOOP_PLACES_H

#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"

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
    char name[KEEL_MPI_PLACE_NAME_MAX]; /* of the loop, see keel_mpi_place_name(); "": not yet */
    char short_name[KEEL_MPI_PLACE_NAME_MAX]; /* likewise */
};

/* The place of a loop, made on first sight; NULL: no memory, or too many. Stays for ever. */
struct keel_mpi_place *keel_mpi_place_of(const void *caller, void (*outlined)(void *));

/* Adds an instance. */
void keel_mpi_place_note(struct keel_mpi_place *place, const char *schedule,
                         const struct keel_mpi_loop_report *instance, double waited_s,
                         double elapsed_s);

/* The same without its function: "mandel.c:42". */
const char *keel_mpi_place_short_name(struct keel_mpi_place *place);

/* Copies up to `room` places, the first that came first, with their names. Returns how many there
 * are; 0 where another thread keeps them busy: this is for the end of the process, which must not
 * wait for threads that may be gone. */
size_t keel_mpi_places_copy(struct keel_mpi_place *copy, size_t room);

#endif
