/* What has been learned at a loop site. */
#include "omp_ext/site/site_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/site/auto_candidates.h"
#include "omp_ext/site/remember.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/learn/learner.h"

#define ANOTHER_LENGTH 2.0 /* times as many iterations, or as few, are chosen for anew */

/* By how much the lengths differ, as a factor >= 1; a record for all lengths fits best. */
static double length_ratio(const struct keel_record *record, uint64_t units)
{
    double a = (double)record->units, b = fmax(1, (double)units);

    return record->units == 0 ? 1 : fmax(a, b) / fmin(a, b);
}

/* The one of the nearest length; NULL: none of that team size. */
static struct keel_record *nearest(struct keel_site_records *records, uint64_t threads,
                                   uint64_t units)
{
    struct keel_record *found = NULL;

    for (/* acquire: pairs with the release in add() */
         struct keel_record *record = atomic_load_explicit(&records->first, memory_order_acquire);
         record != NULL; record = record->next) {
        if (record->threads == threads &&
            (found == NULL || length_ratio(record, units) < length_ratio(found, units))) {
            found = record;
        }
    }
    return found;
}

/* NULL: none is near enough. */
static struct keel_record *find(struct keel_site_records *records, uint64_t threads, uint64_t units)
{
    struct keel_record *record = nearest(records, threads, units);

    return record != NULL && length_ratio(record, units) < ANOTHER_LENGTH ? record : NULL;
}

static size_t rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static struct keel_record *make(uint64_t threads, uint64_t units,
                                const struct keel_schedule *schedule)
{
    size_t size = rounded(sizeof(struct keel_record) + threads * sizeof(struct keel_record_worker));
    size_t blocks = schedule->learns == KEEL_LEARNS_BLOCKS ? rounded(keel_blocks_size(threads)) : 0;
    size_t auto_state = schedule->chooses ? rounded(sizeof(struct keel_auto_state)) : 0;
    char *memory = aligned_alloc(64, size + blocks + auto_state);
    struct keel_record *record = (struct keel_record *)memory;

    if (memory == NULL) {
        return NULL;
    }
    memset(memory, 0, size + blocks + auto_state); /* a pace of 0 and clear flags are zero bits */
    record->threads = threads;
    record->units = schedule->chooses ? max_u64(units, 1) : 0;
    if (blocks > 0) {
        record->blocks = (struct keel_blocks *)(memory + size);
        keel_blocks_begin(record->blocks, threads);
    }
    if (auto_state > 0) {
        record->auto_state = (struct keel_auto_state *)(memory + size + blocks);
        keel_candidates_begin_state(record->auto_state);
    }
    return record;
}

/* relaxed: a count that is too small is looked at again under the lock */
static bool is_full(const struct keel_site_records *records)
{
    return atomic_load_explicit(&records->count, memory_order_relaxed) >= KEEL_RECORDS_MAX;
}

static struct keel_record *add(struct keel_site_records *records, uint64_t threads, uint64_t units,
                               const struct keel_schedule *schedule)
{
    struct keel_record *record = is_full(records) ? NULL : make(threads, units, schedule);

    if (record == NULL) {
        return NULL;
    }
    keel_remember_record(records, record);
    record->next = atomic_load_explicit(&records->first, memory_order_relaxed);
    atomic_fetch_add_explicit(&records->count, 1, memory_order_relaxed);
    /* release: pairs with the acquire in nearest() */
    atomic_store_explicit(&records->first, record, memory_order_release);
    return record;
}

struct keel_record *keel_record_of_team(struct keel_site_records *records, uint64_t threads,
                                        uint64_t units, const struct keel_schedule *schedule)
{
    struct keel_record *record = find(records, threads, units);

    if (record == NULL && !is_full(records)) {
        keel_slow_lock();
        record = find(records, threads, units);
        if (record == NULL) {
            record = add(records, threads, units, schedule);
        }
        keel_slow_unlock();
    }
    return record != NULL ? record : nearest(records, threads, units);
}

double keel_record_weight(const struct keel_record *record, uint64_t thread,
                          enum keel_learning learns)
{
    const struct keel_record_worker *worker = &record->worker[thread];
    struct keel_speeds team = {0};

    /* relaxed: each pace stands for itself, and an older one is as good */
    for (uint64_t i = 0; i < record->threads; i++) {
        keel_speeds_add(&team,
                        atomic_load_explicit(&record->worker[i].pace_ns, memory_order_relaxed));
    }
    double pace_ns = atomic_load_explicit(&worker->pace_ns, memory_order_relaxed);
    double busy_ns = atomic_load_explicit(&worker->busy_ns, memory_order_relaxed);

    return keel_learner_weight(learns, pace_ns, &team, busy_ns > 0 ? KEEL_NOISE_NS / busy_ns : 0);
}
