/* Weights by the figures of all ranks. */
#include "mpi_backend/rows/balance/scales.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/costs/row_costs.h"
#include "schedules/rows/flow.h"
#include "schedules/rows/scale.h"

/* By what part times of a rank are taken to differ by chance before they have been compared, and
 * what part a comparison counts for after that. */
#define NOISE_AT_FIRST 0.02
#define NOISE_PART 0.25

/* What there was when rows had lain as they did for a while. */
struct before {
    bool known;
    uint64_t *owned; /* P: rows of each rank */
    double *work, *time_s;
};

struct keel_mpi_scales {
    struct keel_row_scale scale;
    struct keel_row_scale_rank *rank;
    struct before before;
    struct keel_row_flow_rank *moved;
    struct keel_row_flow *flow;
    double *factor;
    double *unit;   /* P: what counts now that counted 1 at the ruling before */
    bool has_units; /* one of them is not 1 */
    void *scratch;
    unsigned doubts;                    /* flow.h */
    double noise;                       /* the same, of the last times that rows did not move */
    bool flowed;                        /* the last ruling has found what moved rows weigh */
    uint64_t first_before, last_before; /* then: own rows before they moved, */
    double below, above;                /* and factors of those that came since */
};

static bool has_room(const struct keel_mpi_scales *scales)
{
    return scales->scale.known != NULL && scales->scale.since != NULL &&
           scales->scale.before != NULL && scales->rank != NULL && scales->before.owned != NULL &&
           scales->before.work != NULL && scales->before.time_s != NULL && scales->moved != NULL &&
           scales->flow != NULL && scales->factor != NULL && scales->unit != NULL &&
           scales->scratch != NULL;
}

struct keel_mpi_scales *keel_mpi_scales_make(uint32_t ranks)
{
    struct keel_mpi_scales *scales = calloc(1, sizeof *scales);

    if (scales == NULL) {
        return NULL;
    }
    scales->noise = NOISE_AT_FIRST;
    scales->scale.known = calloc(ranks, sizeof(double));
    scales->scale.since = calloc(ranks, sizeof(double));
    scales->scale.before = calloc(ranks, sizeof *scales->scale.before);
    scales->rank = calloc(ranks, sizeof *scales->rank);
    scales->before.owned = calloc(ranks, sizeof(uint64_t));
    scales->before.work = calloc(ranks, sizeof(double));
    scales->before.time_s = calloc(ranks, sizeof(double));
    scales->moved = calloc(ranks, sizeof *scales->moved);
    scales->flow = calloc(ranks, sizeof *scales->flow);
    scales->factor = calloc(ranks, sizeof(double));
    scales->unit = calloc(ranks, sizeof(double));
    scales->scratch = malloc(keel_row_scale_scratch(ranks));
    if (!has_room(scales)) {
        keel_mpi_scales_free(scales);
        return NULL;
    }
    return scales;
}

void keel_mpi_scales_free(struct keel_mpi_scales *scales)
{
    if (scales != NULL) {
        free(scales->scale.known);
        free(scales->scale.since);
        free(scales->scale.before);
        free(scales->rank);
        free(scales->before.owned);
        free(scales->before.work);
        free(scales->before.time_s);
        free(scales->moved);
        free(scales->flow);
        free(scales->factor);
        free(scales->unit);
        free(scales->scratch);
        free(scales);
    }
}

/* What a rank has told counts in a new unit. */
static void count_by(struct keel_mpi_rows *rows, uint32_t rank, double factor)
{
    struct keel_mpi_figures *figures = &rows->balance->figures[rank];

    figures->work *= factor;
    figures->measured_rate *= factor;
    double recorded = keel_row_scale_recorded(figures->rate, figures->measured_rate, factor);
    figures->rate *= recorded;
    rows->balance->scales->unit[rank] *= recorded;
}

/* --- loops over rows are timed --- */

static struct keel_row_scale_rank rank_of(const struct keel_mpi_figures *figures, uint64_t rows)
{
    struct keel_row_scale_rank rank = {
        .rows = (double)rows,
        .work = figures->work,
        /* a rank's rate has in it what interrupted it, which in short phases is many times as long
         * as they are; times of its rows have not */
        .speed = figures->speed > 0           ? figures->speed
                 : figures->measured_rate > 0 ? figures->measured_rate
                                              : figures->rate,
        .low = figures->low,
        .high = figures->high,
        .rough = figures->rough,
    };

    memcpy(rank.shift, figures->shift, sizeof rank.shift);
    memcpy(rank.trust, figures->trust, sizeof rank.trust);
    return rank;
}

static void scale_all(struct keel_mpi_rows *rows)
{
    struct keel_mpi_balancer *balance = rows->balance;
    struct keel_mpi_scales *scales = balance->scales;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        scales->rank[i] = rank_of(&balance->figures[i], rows->placement.owned[i]);
    }
    if (keel_row_scale_find(&scales->scale, scales->rank, rows->ranks, rows->adjacent,
                            scales->factor, scales->scratch)) {
        for (uint32_t i = 0; i < rows->ranks; i++) {
            count_by(rows, i, scales->factor[i]);
        }
    }
}

/* --- ranks alone are timed --- */

static bool times_are_known(const struct keel_mpi_rows *rows)
{
    for (uint32_t i = 0; i < rows->ranks; i++) {
        if (!(rows->balance->figures[i].phase_busy_s > 0)) {
            return false;
        }
    }
    return true;
}

/* Rows lie as they did. */
static bool lie_as_before(const struct keel_mpi_rows *rows)
{
    return memcmp(rows->balance->scales->before.owned, rows->placement.owned,
                  rows->ranks * sizeof(uint64_t)) == 0;
}

static void remember(struct keel_mpi_rows *rows)
{
    struct before *before = &rows->balance->scales->before;

    before->known = true;
    memcpy(before->owned, rows->placement.owned, rows->ranks * sizeof(uint64_t));
    for (uint32_t i = 0; i < rows->ranks; i++) {
        before->work[i] = rows->balance->figures[i].work;
        before->time_s[i] = rows->balance->figures[i].phase_busy_s;
    }
}

/* What this rank needs to set its rows' weights. */
static void keep_own(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;
    const struct keel_row_flow *own = &scales->flow[rows->rank];

    scales->flowed = true;
    scales->first_before = 0;
    for (uint32_t i = 0; i < rows->rank; i++) {
        scales->first_before += scales->before.owned[i];
    }
    scales->last_before = scales->first_before + scales->before.owned[rows->rank];
    scales->below = own->factor;
    scales->above = rows->rank + 1 < rows->ranks ? own[1].factor : 1;
}

/* Rows have moved since `before`. */
static void follow_flow(struct keel_mpi_rows *rows)
{
    struct keel_mpi_figures *figures = rows->balance->figures;
    struct keel_mpi_scales *scales = rows->balance->scales;
    const struct before *before = &scales->before;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        scales->moved[i] = (struct keel_row_flow_rank){before->work[i], before->time_s[i],
                                                       figures[i].work, figures[i].phase_busy_s};
    }
    enum keel_row_flow_result result = keel_row_flow_find(
        scales->moved, rows->ranks, scales->noise, scales->doubts, scales->factor, scales->flow);
    scales->doubts = result == KEEL_ROW_FLOW_DOUBTFUL ? scales->doubts + 1 : 0;
    if (result != KEEL_ROW_FLOW_FOUND) {
        return;
    }
    for (uint32_t i = 0; i < rows->ranks; i++) {
        count_by(rows, i, scales->flow[i].work / figures[i].work);
    }
    keep_own(rows);
}

/* Rows have not moved. */
static void note_noise(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;
    double sum = 0;

    for (uint32_t i = 0; i < rows->ranks; i++) {
        sum += fabs(log(rows->balance->figures[i].phase_busy_s / scales->before.time_s[i]));
    }
    scales->noise += (sum / rows->ranks - scales->noise) * NOISE_PART;
}

static void compare_times(struct keel_mpi_rows *rows)
{
    if (!times_are_known(rows)) {
        return;
    }
    if (rows->balance->scales->before.known && lie_as_before(rows)) {
        note_noise(rows);
    } else if (rows->balance->scales->before.known) {
        follow_flow(rows);
    }
    remember(rows);
}

/* By what ranks have measured themselves. */
static void begin_units(struct keel_mpi_rows *rows)
{
    for (uint32_t i = 0; i < rows->ranks; i++) {
        rows->balance->scales->unit[i] = rows->balance->figures[i].unit;
    }
}

static void end_units(struct keel_mpi_rows *rows)
{
    struct keel_mpi_scales *scales = rows->balance->scales;

    scales->has_units = false;
    for (uint32_t i = 0; i < rows->ranks; i++) {
        bool is_unit = scales->unit[i] > 0 && isfinite(scales->unit[i]);
        scales->unit[i] = is_unit ? scales->unit[i] : 1;
        scales->has_units = scales->has_units || scales->unit[i] != 1;
    }
}

void keel_mpi_scales_apply(struct keel_mpi_rows *rows, const struct keel_mpi_figures_summary *sum)
{
    struct keel_mpi_scales *scales = rows->balance->scales;

    scales->flowed = false;
    begin_units(rows);
    if (sum->in_sweep) {
        scales->before.known = false;
    } else if (!sum->told && sum->watched && sum->measured) {
        scale_all(rows);
    } else if (!sum->told && !sum->watched && rows->adjacent) {
        compare_times(rows);
    }
    end_units(rows);
}

const double *keel_mpi_scales_units(const struct keel_mpi_scales *scales)
{
    return scales->has_units ? scales->unit : NULL;
}

void keel_mpi_scales_follow(struct keel_mpi_rows *rows, double work)
{
    const struct keel_mpi_scales *scales = rows->balance->scales;

    if (scales->flowed) {
        keel_mpi_row_costs_move(rows, scales->first_before, scales->last_before, scales->below,
                                scales->above, work);
    } else {
        keel_mpi_row_costs_scale(rows, work / rows->work);
    }
}
