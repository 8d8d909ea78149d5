/* Measurements of the loops of a job. */
#include "mpi_backend/loop/state/loop_record.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/spec.h"

#define SITES_MAX 4096

void keel_mpi_record_forget(struct keel_mpi_record *record)
{
    record->instances = 0;
    record->mean_ns = record->deviation_ns = record->overhead_ns = 0;
    record->own = (struct keel_mpi_record_rank){0};
    record->speeds = (struct keel_speeds){0};
    record->slowest_ns = 0;
    keel_rate_share_begin(&record->own.share, record->rank, record->ranks);
}

struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks, uint32_t rank)
{
    unsigned sites = 0;

    for (struct keel_mpi_record *record = *records; record != NULL; record = record->next) {
        if (record->site == site && record->grain == grain) {
            return record;
        }
        if (++sites == SITES_MAX) {
            return NULL;
        }
    }
    struct keel_mpi_record *record = calloc(1, sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    record->site = site;
    record->grain = grain;
    record->ranks = ranks;
    record->rank = rank;
    keel_mpi_record_forget(record);
    record->next = *records;
    *records = record;
    return record;
}

/* --- costs --- */

void keel_mpi_record_note(struct keel_mpi_record *record, const struct keel_mpi_summary *summary)
{
    if (summary->measured > 0) {
        record->mean_ns = summary->busy_ns / summary->iterations;
        record->deviation_ns = sqrt(summary->squares_ns2 / summary->iterations);
        record->overhead_ns = summary->overhead_ns / summary->measured;
    }
}

/* --- ranks --- */

bool keel_mpi_record_make_room(struct keel_mpi_record *record, uint32_t locals)
{
    if (record->part == NULL) {
        record->part = calloc(locals, sizeof *record->part);
    }
    return record->part != NULL;
}

/* Whether a rank's time was measured, so that it can be used. */
static bool are_measured(const struct keel_mpi_rank_measurements *measurements)
{
    return measurements->executed > 0 && measurements->busy_ns > 0 && measurements->threads > 0;
}

/* Digest of values that are the same on all ranks that have run the same loops at this place. */
static uint64_t digest_of(const struct keel_mpi_record *record)
{
    const struct keel_rate_share *share = &record->own.share;
    uint64_t digest = KEEL_DIGEST_START;

    digest = keel_digest_bytes(digest, &share->instances, sizeof share->instances);
    digest = keel_digest_bytes(digest, &share->unchanged, sizeof share->unchanged);
    digest = keel_digest_bytes(digest, &share->gain, sizeof share->gain);
    return keel_digest_bytes(digest, &share->mean, sizeof share->mean);
}

void keel_mpi_record_add_speeds(struct keel_mpi_record *record,
                                const struct keel_mpi_rank_measurements *measurements,
                                struct keel_mpi_summary *summary)
{
    struct keel_mpi_record_rank *tried = &record->tried;
    bool measured = are_measured(measurements);
    /* its time as one worker, whose threads run in parallel */
    double worker_ns = measured ? measurements->busy_ns / measurements->threads : 0;

    *tried = record->own;
    if (measured) {
        keel_sample_add(&tried->sample, (uint64_t)measurements->executed, worker_ns);
    }
    double pace_ns = keel_sample_pace_ns(&tried->sample);
    summary->learned.rates =
        keel_rate_share_measure(&tried->share, measured ? measurements->executed : 0, worker_ns);
    keel_speeds_add(&summary->learned.speeds, pace_ns);
    summary->learned.slowest_ns = pace_ns;
    summary->learned.most = summary->learned.least = digest_of(record);
}

enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_summary *summary)
{
    const struct keel_mpi_summary_speeds *learned = &summary->learned;

    if (learned->rates.ranks != record->ranks || learned->rates.measured == 0 || iterations == 0) {
        return KEEL_BLOCKS_KEPT;
    }
    if (learned->most != learned->least) {
        keel_mpi_record_forget(record);
        return KEEL_BLOCKS_KEPT;
    }
    record->instances++;
    record->own = record->tried;
    record->speeds = learned->speeds;
    record->slowest_ns = learned->slowest_ns;
    return keel_rate_share_decide(&record->own.share, &learned->rates, iterations);
}

void keel_mpi_record_weights(const struct keel_mpi_record *record, double *own, double *least)
{
    bool all = record->speeds.measured == record->ranks;

    *own = *least = 1;
    if (record->speeds.measured > 0) {
        *own = keel_speeds_weight(&record->speeds, keel_sample_pace_ns(&record->own.sample));
        *least = keel_speeds_weight(&record->speeds, record->slowest_ns);
        *least = all ? *least : fmin(*least, 1);
    }
}

bool keel_mpi_record_complete(const struct keel_mpi_record *record, struct keel_spec *spec)
{
    unsigned missing = keel_spec_unmeasured(spec);

    if (missing == 0) {
        return true;
    }
    if (record == NULL || record->mean_ns == 0) {
        return false;
    }
    const double value[KEEL_PARAMETERS] = {
        [KEEL_MU] = record->mean_ns,
        [KEEL_SIGMA] = record->deviation_ns,
        [KEEL_OVERHEAD] = record->overhead_ns,
    };
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (missing & KEEL_BIT(i)) {
            spec->value[i].real = value[i];
            spec->given |= KEEL_BIT(i);
        }
    }
    return true;
}

void keel_mpi_record_free_all(struct keel_mpi_record *records)
{
    while (records != NULL) {
        struct keel_mpi_record *next = records->next;
        free(records->part);
        free(records);
        records = next;
    }
}

/* --- summaries of a shared loop at its end --- */

struct keel_mpi_summary keel_mpi_summary_of(const struct keel_mpi_rank_measurements *measurements,
                                            uint32_t rank)
{
    struct keel_mpi_summary summary = {
        .ran_last = measurements->ran_last ? rank + 1 : 0,
        .cancelled = measurements->cancelled,
    };

    if (are_measured(measurements)) {
        summary.measured = 1;
        summary.iterations = measurements->executed;
        summary.busy_ns = measurements->busy_ns;
        summary.squares_ns2 = measurements->executed * measurements->variance_ns2;
        summary.overhead_ns = measurements->overhead_ns;
    }
    return summary;
}

static void add_speeds(struct keel_mpi_summary_speeds *learned,
                       const struct keel_mpi_summary_speeds *other)
{
    keel_rate_sums_add(&learned->rates, &other->rates);
    learned->speeds.sum += other->speeds.sum;
    learned->speeds.measured += other->speeds.measured;
    learned->slowest_ns = fmax(learned->slowest_ns, other->slowest_ns);
    learned->most = max_u64(learned->most, other->most);
    learned->least = min_u64(learned->least, other->least);
}

void keel_mpi_summary_add(struct keel_mpi_summary *summary, const struct keel_mpi_summary *other)
{
    summary->measured += other->measured;
    summary->iterations += other->iterations;
    summary->busy_ns += other->busy_ns;
    summary->squares_ns2 += other->squares_ns2;
    summary->overhead_ns += other->overhead_ns;
    add_speeds(&summary->learned, &other->learned);
    summary->ran_last = (uint32_t)max_u64(summary->ran_last, other->ran_last);
    summary->cancelled += other->cancelled;
}
