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
    struct keel_mpi_record *record = calloc(1, sizeof *record);
    if (record == NULL) {
        return NULL;
    }
    record->site = site;
    record->grain = grain;
    record->ranks = ranks;
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

struct keel_mpi_rank_part keel_mpi_record_part(const struct keel_mpi_rank_figures *figures)
{
    return keel_mpi_figures_are_measured(figures)
               ? (struct keel_mpi_rank_part){figures->executed, figures->busy_ns / figures->threads}
               : (struct keel_mpi_rank_part){0};
}

/* Memory for what is known of each rank; false: there is none. */
static bool has_room(struct keel_mpi_record *record)
{
    if (record->balance != NULL) {
        return true;
    }
    record->sample = calloc(record->ranks, sizeof *record->sample);
    record->balance = malloc(keel_blocks_size(record->ranks));
    if (record->sample == NULL || record->balance == NULL) {
        free(record->sample);
        free(record->balance);
        record->sample = NULL;
        record->balance = NULL;
        return false;
    }
    keel_blocks_begin(record->balance, record->ranks);
    return true;
}

static enum keel_blocks_decision learn_blocks(struct keel_mpi_record *record, uint64_t iterations,
                                              const struct keel_mpi_rank_part *rank)
{
    struct keel_blocks_part *part = calloc(record->ranks, sizeof *part);
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;

    for (uint32_t i = 0; part != NULL && i < record->ranks; i++) {
        part[i].done = (uint64_t)rank[i].executed;
        part[i].busy_ns = rank[i].worker_ns;
    }
    if (part != NULL && iterations > 0) {
        decision = keel_blocks_learn(record->balance, iterations, part);
    }
    free(part);
    return decision;
}

enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_rank_part *part)
{
    if (!has_room(record)) {
        return KEEL_BLOCKS_KEPT;
    }
    record->instances++;
    enum keel_blocks_decision decision = learn_blocks(record, iterations, part);
    for (uint32_t i = 0; i < record->ranks; i++) {
        if (part[i].executed > 0) {
            keel_sample_add(&record->sample[i], (uint64_t)part[i].executed, part[i].worker_ns);
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
        free(records->sample);
        free(records);
        records = next;
    }
}
