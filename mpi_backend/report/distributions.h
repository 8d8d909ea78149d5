/* What is kept of each distribution of rows for a report, also when the program has freed it.
 *
 *   rows are created, decided on, freed -> [distributions] -> report/process.c
 *
 * Any thread; one distribution by one thread at a time. */
#ifndef MPI_BACKEND_REPORT_DISTRIBUTIONS_H
#define MPI_BACKEND_REPORT_DISTRIBUTIONS_H

#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/report/decisions.h"

#define KEEL_MPI_DISTRIBUTIONS_MAX 64 /* are told apart; the last one stands for all others, too */
#define KEEL_MPI_DISTRIBUTION_NAME_MAX 40

struct keel_mpi_distribution {
    char name[KEEL_MPI_DISTRIBUTION_NAME_MAX]; /* "distribution 1" */
    unsigned members;                          /* distributions that it stands for */
    struct keel_mpi_rows_report sum;           /* of those that are over */
    const struct keel_mpi_rows *rows;          /* that is not; NULL: none */
    int (*read)(const struct keel_mpi_rows *rows, struct keel_mpi_rows_report *report); /* of it */
    struct keel_mpi_decisions decisions;
};

/* A new one, number 1 for the first of this process; NULL: no memory. Stays for ever. read:
 * keel_mpi_rows_report(). */
struct keel_mpi_distribution *keel_mpi_distribution_new(
    const struct keel_mpi_rows *rows,
    int (*read)(const struct keel_mpi_rows *rows, struct keel_mpi_rows_report *report));

void keel_mpi_distribution_note(struct keel_mpi_distribution *distribution,
                                const struct keel_mpi_decision *decision);

/* `rows` goes, with these figures. */
void keel_mpi_distribution_end(struct keel_mpi_distribution *distribution,
                               const struct keel_mpi_rows *rows,
                               const struct keel_mpi_rows_report *report);

/* How many there are; 0 where another thread keeps them busy: this is for the end of the process,
 * which must not wait for threads that may be gone. */
size_t keel_mpi_distributions(void);

/* Copies number `place`, 0 .. keel_mpi_distributions() - 1. `sum` has those that are not over,
 * too. */
void keel_mpi_distribution_copy(size_t place, struct keel_mpi_distribution *copy);

#endif
