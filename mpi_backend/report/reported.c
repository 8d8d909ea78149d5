/* What is kept of distributions of rows and of sets of objects for a report. */
#include "mpi_backend/report/mpi_report.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keel_mpi_reported *all[KEEL_MPI_REPORTED_KINDS][KEEL_MPI_REPORTED_MAX];
static size_t counts[KEEL_MPI_REPORTED_KINDS];

static const struct {
    const char *name;
    size_t bytes;
} kinds[] = {
    [KEEL_MPI_REPORTED_ROWS] = {"distribution", sizeof(struct keel_mpi_distribution)},
    [KEEL_MPI_REPORTED_OBJECTS] = {"set", sizeof(struct keel_mpi_object_set)},
};

/* --- sums --- */

#define ADD(number) sum->number += report->number;

static void add_rows(struct keel_mpi_rows_report *sum, const struct keel_mpi_rows_report *report)
{
    KEEL_MPI_ROWS_SUMS(ADD)
    sum->copies_bytes = max_u64(sum->copies_bytes, report->copies_bytes);
}

static void add_objects(struct keel_mpi_objects_report *sum,
                        const struct keel_mpi_objects_report *report)
{
    KEEL_MPI_OBJECTS_SUMS(ADD)
    sum->copies_bytes = max_u64(sum->copies_bytes, report->copies_bytes);
    sum->quantum_s = report->quantum_s; /* the latest */
    sum->neighbours = report->neighbours;
}

/* Adds what is known of its source to its sum. */
static void add_source(struct keel_mpi_reported *reported, const void *source)
{
    if (reported->kind == KEEL_MPI_REPORTED_ROWS) {
        struct keel_mpi_rows_report report = {.struct_size = sizeof report};
        reported->read(source, &report);
        add_rows(&((struct keel_mpi_distribution *)reported)->sum, &report);
    } else {
        struct keel_mpi_objects_report report = {.struct_size = sizeof report};
        reported->read(source, &report);
        add_objects(&((struct keel_mpi_object_set *)reported)->sum, &report);
    }
}

/* --- of both kinds --- */

static struct keel_mpi_reported *new_or_last(enum keel_mpi_reported_kind kind)
{
    if (counts[kind] == KEEL_MPI_REPORTED_MAX) {
        return all[kind][KEEL_MPI_REPORTED_MAX - 1];
    }
    struct keel_mpi_reported *made = calloc(1, kinds[kind].bytes);
    if (made != NULL) {
        made->kind = kind;
        all[kind][counts[kind]++] = made;
    }
    return made;
}

struct keel_mpi_reported *keel_mpi_reported_new(enum keel_mpi_reported_kind kind,
                                                const void *source, keel_mpi_reader *read)
{
    pthread_mutex_lock(&lock);
    struct keel_mpi_reported *reported = new_or_last(kind);
    if (reported != NULL) {
        reported->source = source;
        reported->read = read;
        snprintf(reported->name, sizeof reported->name, "%s %zu%s", kinds[kind].name, counts[kind],
                 ++reported->members > 1 ? " and others" : "");
    }
    pthread_mutex_unlock(&lock);
    return reported;
}

void keel_mpi_reported_end(struct keel_mpi_reported *reported, const void *source)
{
    if (reported == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    add_source(reported, source);
    if (reported->source == source) {
        reported->source = NULL;
    }
    pthread_mutex_unlock(&lock);
}

size_t keel_mpi_reported_count(enum keel_mpi_reported_kind kind)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_mutex_timedlock(&lock, &until) != 0) {
        return 0;
    }
    size_t count = counts[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

void keel_mpi_reported_copy(enum keel_mpi_reported_kind kind, size_t index,
                            struct keel_mpi_reported *copy)
{
    pthread_mutex_lock(&lock);
    memcpy(copy, all[kind][index], kinds[kind].bytes);
    pthread_mutex_unlock(&lock);
    if (copy->source != NULL) {
        add_source(copy, copy->source);
        copy->source = NULL;
    }
}

/* --- rows --- */

void keel_mpi_distribution_note(struct keel_mpi_distribution *distribution,
                                const struct keel_mpi_decision *decision)
{
    pthread_mutex_lock(&lock);
    keel_mpi_decisions_note(&distribution->decisions, decision);
    pthread_mutex_unlock(&lock);
}

/* --- objects --- */

static void append_advice(const struct keel_objects_advice *advice, char *text, size_t room)
{
    if (advice->pieces > 1) {
        snprintf(text, room,
                 "; %.0f objects in place of each (%.0f on each rank) would take %.0f %% less time",
                 advice->pieces, ceil(advice->per_rank), advice->gain * 100);
    } else if (advice->pieces < 1) {
        snprintf(text, room,
                 "; one object in place of %.0f (%.0f on each rank) would take %.0f %% less time",
                 1 / advice->pieces, ceil(advice->per_rank), advice->gain * 100);
    } else {
        snprintf(text, room, "; another number of objects would gain less than %.0f %%",
                 KEEL_OBJECTS_ADVICE_GAIN * 100);
    }
}

void keel_mpi_phase_text(const struct keel_mpi_phase *phase, char text[KEEL_MPI_PHASE_TEXT])
{
    locale_t previous = keel_c_locale_enter();

    if (phase->bounds.upper_s > 0) {
        int length = snprintf(text, KEEL_MPI_PHASE_TEXT, "objects take %.3g ms and %.3g ms at most",
                              phase->mean_s * 1e3, phase->longest_s * 1e3);
        if (phase->moves) {
            append_advice(&phase->advice, text + length, KEEL_MPI_PHASE_TEXT - (size_t)length);
        } else {
            snprintf(text + length, KEEL_MPI_PHASE_TEXT - (size_t)length,
                     "; they stay where they are");
        }
    } else {
        snprintf(text, KEEL_MPI_PHASE_TEXT, "no bounds are known");
    }
    keel_c_locale_leave(previous);
}

void keel_mpi_phase_note(struct keel_mpi_object_set *set, const struct keel_mpi_phase *phase)
{
    pthread_mutex_lock(&lock);
    if (set->phases == KEEL_MPI_PHASES_MAX) {
        struct keel_mpi_phase *oldest = &set->phase[KEEL_MPI_PHASES_FIRST];
        memmove(oldest, oldest + 1,
                (KEEL_MPI_PHASES_MAX - KEEL_MPI_PHASES_FIRST - 1) * sizeof *oldest);
        set->phases--;
        set->left_out++;
    }
    set->phase[set->phases++] = *phase;
    pthread_mutex_unlock(&lock);
}
