/* What is kept for a report: rows, objects and decisions; events of ranks; waits. */
#define _GNU_SOURCE
#include "mpi_backend/report/mpi_report.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi_backend/process/mpi_process.h"
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

/* --- decisions --- */

/* Whom another one is compared with: rows that stay; these, with the quickest of the others. */
static unsigned other_than(const struct keel_mpi_decision *decision)
{
    unsigned other = KEEL_CANDIDATE_STAY;

    for (unsigned j = 0; decision->followed == KEEL_CANDIDATE_STAY && j < KEEL_CANDIDATES; j++) {
        bool quicker = decision->candidate_s[j] < decision->candidate_s[other];
        other = j != KEEL_CANDIDATE_STAY && (other == KEEL_CANDIDATE_STAY || quicker) ? j : other;
    }
    return other;
}

/* Whom the decision follows, and what it and another one would have taken. */
static void append_followed(const struct keel_mpi_decision *decision, char *text, size_t room)
{
    unsigned other = other_than(decision);
    locale_t previous = keel_c_locale_enter();

    snprintf(text, room, "; follows %s: %.4g s so far where %s takes %.4g s",
             keel_candidates[decision->followed].name, decision->candidate_s[decision->followed],
             keel_candidates[other].name, decision->candidate_s[other]);
    keel_c_locale_leave(previous);
}

void keel_mpi_decision_text(const struct keel_mpi_decision *decision,
                            char text[KEEL_MPI_DECISION_TEXT])
{
    keel_reason_text(&decision->reason, decision->moved, text);
    size_t length = strlen(text), room = KEEL_MPI_DECISION_TEXT - length;

    if (decision->reason.cause == KEEL_CAUSE_FAILED) {
        snprintf(text + length, room, ": %s", keel_mpi_error_name((int)decision->reason.number[0]));
    } else if (decision->followed < KEEL_CANDIDATES &&
               decision->candidate_s[KEEL_CANDIDATE_STAY] > 0) { /* otherwise no rate is known */
        append_followed(decision, text + length, room);
    }
}

static bool is_alike(const struct keel_mpi_decision *one, const struct keel_mpi_decision *other)
{
    return one->reason.cause == other->reason.cause && one->policy == other->policy &&
           one->moved == 0 && other->moved == 0;
}

/* Whether the last one may go: the one before it and the next one are alike. */
static bool is_between(const struct keel_mpi_decisions *decisions,
                       const struct keel_mpi_decision *next)
{
    const struct keel_mpi_decision *end = &decisions->kept[decisions->count];

    return decisions->count > 1 && is_alike(&end[-2], &end[-1]) && is_alike(&end[-1], next);
}

static void drop(struct keel_mpi_decisions *decisions, size_t place)
{
    struct keel_mpi_decision *kept = &decisions->kept[place];

    memmove(kept, kept + 1, (decisions->count - place - 1) * sizeof *kept);
    decisions->count--;
    decisions->left_out++;
}

void keel_mpi_decisions_note(struct keel_mpi_decisions *decisions,
                             const struct keel_mpi_decision *decision)
{
    if (is_between(decisions, decision)) {
        drop(decisions, decisions->count - 1);
    } else if (decisions->count == KEEL_MPI_DECISIONS_MAX) {
        drop(decisions, KEEL_MPI_DECISIONS_FIRST);
    }
    decisions->kept[decisions->count++] = *decision;
}

/* --- events of ranks --- */

typedef const struct keel_trace_ranks *meeting(uint32_t version, uint32_t *newest);

static const struct keel_trace_ranks *_Atomic met;

/* Once: what is asked for does not come. */
static void complain(void)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    if (settings->traces && settings->prints_common && !atomic_flag_test_and_set(&said)) {
        keel_mpi_misuse("KEEL_TRACE: libkeel.so is not in the process, so nothing is traced "
                        "(`keel run`, or `keel libs --mpi` for linking)");
    }
}

/* Another release of libkeel.so traces without: lending says that they do not belong together. */
void keel_mpi_events_begin(void)
{
    meeting *meet = (meeting *)dlsym(RTLD_DEFAULT, "keel_trace_meet");
    uint32_t newest;

    if (meet == NULL) {
        if (!keel_mpi_libkeel_is_there()) {
            complain();
        }
    } else if (atomic_load(&met) == NULL) {
        atomic_store(&met, meet(KEEL_TRACE_VERSION, &newest));
    }
}

const struct keel_trace_ranks *keel_mpi_events(void)
{
    /* acquire: pairs with the store above */
    const struct keel_trace_ranks *events = atomic_load_explicit(&met, memory_order_acquire);

    return events != NULL && events->wanted() ? events : NULL;
}

/* --- waits --- */

static _Atomic uint64_t sum_ns, in_regions_ns; /* the latter is part of the former */
static bool (*_Atomic reporter)(double ns);

bool keel_mpi_waits_observed(void)
{
    return keel_mpi_settings()->measurements || keel_mpi_events() != NULL;
}

struct keel_mpi_span keel_mpi_waits_begin(void)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    bool observed = events != NULL || keel_mpi_settings()->measurements;

    return (struct keel_mpi_span){.ns = observed ? keel_mpi_clock_ns() : 0,
                                  .ticks = events != NULL ? events->now() : 0};
}

/* Returns whether the thread is in a region. */
static bool report(double ns)
{
    /* acquire: pairs with the store in keel_mpi_waits_report() */
    bool (*waited)(double) = atomic_load_explicit(&reporter, memory_order_acquire);

    return waited != NULL && waited(ns > 0 ? ns : 0);
}

static void add(double ns, bool in_region)
{
    uint64_t whole_ns = (uint64_t)(ns > 0 ? ns : 0);

    /* relaxed: sums */
    atomic_fetch_add_explicit(&sum_ns, whole_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&in_regions_ns, in_region ? whole_ns : 0, memory_order_relaxed);
}

void keel_mpi_waits_add(double ns)
{
    add(ns, report(0));
}

void keel_mpi_waits_report(bool (*waited)(double ns))
{
    atomic_store(&reporter, waited);
}

/* Shorter ones are too many, and not visible. */
#define SHORTEST_NS 1000

double keel_mpi_waits_end(struct keel_mpi_span began, const char *loop, bool counts)
{
    const struct keel_trace_ranks *events = keel_mpi_events();

    if (began.ns == 0) {
        return 0;
    }
    double waited_ns = keel_mpi_clock_ns() - began.ns;
    bool in_region = report(waited_ns);
    if (counts) {
        add(waited_ns, in_region);
    }
    if (events != NULL && began.ticks != 0 && waited_ns >= SHORTEST_NS) {
        events->wait(loop, began.ticks, events->now());
    }
    return waited_ns;
}

struct keel_mpi_waited keel_mpi_waits_sum(void)
{
    return (struct keel_mpi_waited){
        .s = (double)atomic_load_explicit(&sum_ns, memory_order_relaxed) * 1e-9,
        .in_regions_s = (double)atomic_load_explicit(&in_regions_ns, memory_order_relaxed) * 1e-9,
    };
}
