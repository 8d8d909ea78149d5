/* What is kept of each distribution of rows for a report. */
#include "mpi_backend/report/distributions.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_distribution *distributions[KEEL_MPI_DISTRIBUTIONS_MAX];
static size_t count;

static struct keel_mpi_distribution *new_or_last(void)
{
    if (count == KEEL_MPI_DISTRIBUTIONS_MAX) {
        return distributions[count - 1];
    }
    struct keel_mpi_distribution *made = calloc(1, sizeof *made);
    if (made != NULL) {
        distributions[count++] = made;
    }
    return made;
}

struct keel_mpi_distribution *keel_mpi_distribution_new(
    const struct keel_mpi_rows *rows,
    int (*read)(const struct keel_mpi_rows *rows, struct keel_mpi_rows_report *report))
{
    pthread_mutex_lock(&lock);
    struct keel_mpi_distribution *distribution = new_or_last();
    if (distribution != NULL) {
        distribution->rows = rows;
        distribution->read = read;
        snprintf(distribution->name, sizeof distribution->name, "distribution %zu%s", count,
                 ++distribution->members > 1 ? " and others" : "");
    }
    pthread_mutex_unlock(&lock);
    return distribution;
}

void keel_mpi_distribution_note(struct keel_mpi_distribution *distribution,
                                const struct keel_mpi_decision *decision)
{
    pthread_mutex_lock(&lock);
    keel_mpi_decisions_note(&distribution->decisions, decision);
    pthread_mutex_unlock(&lock);
}

static void add(struct keel_mpi_rows_report *sum, const struct keel_mpi_rows_report *report)
{
    sum->hooks += report->hooks;
    sum->movements += report->movements;
    sum->rows_moved += report->rows_moved;
    sum->rows_sent += report->rows_sent;
    sum->rows_received += report->rows_received;
    sum->bytes_sent += report->bytes_sent;
    sum->decision_s += report->decision_s;
    sum->waiting_s += report->waiting_s;
    sum->movement_s += report->movement_s;
    sum->busy_s += report->busy_s;
    sum->copies += report->copies;
    sum->copies_sent_bytes += report->copies_sent_bytes;
    sum->copies_s += report->copies_s;
    if (report->copies_bytes > sum->copies_bytes) {
        sum->copies_bytes = report->copies_bytes;
    }
}

void keel_mpi_distribution_end(struct keel_mpi_distribution *distribution,
                               const struct keel_mpi_rows *rows,
                               const struct keel_mpi_rows_report *report)
{
    pthread_mutex_lock(&lock);
    add(&distribution->sum, report);
    if (distribution->rows == rows) {
        distribution->rows = NULL;
    }
    pthread_mutex_unlock(&lock);
}

size_t keel_mpi_distributions(void)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &until) != 0) {
        return 0;
    }
    size_t there = count;
    pthread_mutex_unlock(&lock);
    return there;
}

void keel_mpi_distribution_copy(size_t place, struct keel_mpi_distribution *copy)
{
    pthread_mutex_lock(&lock);
    *copy = *distributions[place];
    pthread_mutex_unlock(&lock);
    if (copy->rows != NULL) {
        struct keel_mpi_rows_report report = {.struct_size = sizeof report};
        copy->read(copy->rows, &report);
        add(&copy->sum, &report);
        copy->rows = NULL;
    }
}
