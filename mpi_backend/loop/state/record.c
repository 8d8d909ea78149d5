/* What loops of a job have shown. */
#include "mpi_backend/loop/state/record.h"

#include <math.h>
#include <stdlib.h>

#include "schedules/loop/spec.h"

#define SITES_MAX 4096

struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks)
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
    struct keel_mpi_record *record = calloc(1, sizeof *record + ranks * sizeof record->sample[0]);
    struct keel_blocks *balance = malloc(keel_blocks_size(ranks));
    if (record == NULL || balance == NULL) {
        free(record);
        free(balance);
        return NULL;
    }
    keel_blocks_begin(balance, ranks);
    record->site = site;
    record->grain = grain;
    record->ranks = ranks;
    record->balance = balance;
    record->next = *records;
    *records = record;
    return record;
}

/* Where a rank's time was not measured, nothing is learned from it. */
static bool is_measured(const struct keel_mpi_rank_figures *figures)
{
    return figures->executed > 0 && figures->busy_ns > 0 && figures->threads > 0;
}

/* Mean and deviation of all iterations, and the mean time to get a chunk. */
static void learn_costs(struct keel_mpi_record *record, const struct keel_mpi_rank_figures *figures)
{
    double iterations = 0, busy_ns = 0, squares = 0, overhead_ns = 0, measured = 0;

    for (uint32_t i = 0; i < record->ranks; i++) {
        if (is_measured(&figures[i])) {
            iterations += figures[i].executed;
            busy_ns += figures[i].busy_ns;
            squares += figures[i].executed * figures[i].variance_ns2;
            overhead_ns += figures[i].overhead_ns;
            measured++;
        }
    }
    if (measured > 0) {
        record->mean_ns = busy_ns / iterations;
        record->deviation_ns = sqrt(squares / iterations);
        record->overhead_ns = overhead_ns / measured;
    }
}

/* The rank's time as one worker: that of its threads side by side. */
static double worker_ns(const struct keel_mpi_rank_figures *figures)
{
    return figures->busy_ns / figures->threads;
}

static enum keel_blocks_decision learn_blocks(struct keel_mpi_record *record, uint64_t iterations,
                                              const struct keel_mpi_rank_figures *figures)
{
    struct keel_blocks_part *part = calloc(record->ranks, sizeof *part);
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;

    for (uint32_t i = 0; part != NULL && i < record->ranks; i++) {
        if (is_measured(&figures[i])) {
            part[i].done = (uint64_t)figures[i].executed;
            part[i].busy_ns = worker_ns(&figures[i]);
        }
    }
    if (part != NULL && iterations > 0) {
        decision = keel_blocks_learn(record->balance, iterations, part);
    }
    free(part);
    return decision;
}

enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_rank_figures *figures)
{
    record->instances++;
    learn_costs(record, figures);
    enum keel_blocks_decision decision = learn_blocks(record, iterations, figures);
    for (uint32_t i = 0; i < record->ranks; i++) {
        if (is_measured(&figures[i])) {
            keel_sample_add(&record->sample[i], (uint64_t)figures[i].executed,
                            worker_ns(&figures[i]));
        }
    }
    return decision;
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
        free(records->balance);
        free(records);
        records = next;
    }
}
