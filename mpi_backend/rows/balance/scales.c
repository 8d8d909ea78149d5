/* One scale for all ranks' weights. */
#include "mpi_backend/rows/balance/scales.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/rows/scale.h"

struct keel_mpi_scales {
    struct keel_row_scale scale; /* 2 P doubles behind `factor` */
    struct keel_row_scale_rank *rank;
    double *factor;
    void *scratch;
};

struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks)
{
    struct keel_mpi_scales *scales = calloc(1, sizeof *scales);

    if (scales == NULL) {
        return NULL;
    }
    scales->rank = calloc(ranks, sizeof *scales->rank);
    scales->factor = calloc(ranks, 3 * sizeof(double));
    scales->scratch = malloc(keel_row_scale_scratch(ranks));
    if (scales->rank == NULL || scales->factor == NULL || scales->scratch == NULL) {
        keel_mpi_scales_free(scales);
        return NULL;
    }
    scales->scale.known = scales->factor + ranks;
    scales->scale.since = scales->factor + 2 * (size_t)ranks;
    return scales;
}

void keel_mpi_scales_free(struct keel_mpi_scales *scales)
{
    if (scales != NULL) {
        free(scales->rank);
        free(scales->factor);
        free(scales->scratch);
        free(scales);
    }
}

static struct keel_row_scale_rank rank_of(const struct keel_mpi_figures *figures, uint64_t rows)
{
    struct keel_row_scale_rank rank = {
        .rows = (double)rows,
        .work = figures->work,
        .speed = figures->measured_rate > 0 ? figures->measured_rate : figures->rate,
        .low = figures->low,
        .high = figures->high,
        .rough = figures->rough,
    };

    memcpy(rank.shift, figures->shift, sizeof rank.shift);
    memcpy(rank.trust, figures->trust, sizeof rank.trust);
    return rank;
}

void keel_mpi_scales_apply(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_scales *scales = balance->scales;

    if (sum->told || !sum->measured) {
        return;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        scales->rank[i] = rank_of(&balance->figures[i], rows->placement.owned[i]);
    }
    if (!keel_row_scale_find(&scales->scale, scales->rank, rows->ranks, rows->adjacent,
                             scales->factor, scales->scratch)) {
        return;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        balance->figures[i].work *= scales->factor[i];
        balance->figures[i].rate *= scales->factor[i];
        balance->figures[i].measured_rate *= scales->factor[i];
    }
}
