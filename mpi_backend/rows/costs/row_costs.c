/* Weights of own rows from the times of loops over them. */
#include "mpi_backend/rows/costs/row_costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/rows/rows_constants.h"
#include "mpi_backend/rows/rows_room.h"

void keel_mpi_row_costs_begin(struct keel_mpi_rows *rows)
{
    rows->costs = calloc(1, sizeof *rows->costs);
    if (rows->costs != NULL) {
        rows->window = keel_mpi_row_window_take();
        rows->costs->credit_s = KEEL_MPI_FIRST_CREDIT_S;
    }
}

void keel_mpi_row_costs_free(struct keel_mpi_rows *rows)
{
    if (rows->costs != NULL) {
        keel_mpi_row_window_release(rows->window);
        rows->window = NULL;
        free(rows->costs->before);
        free(rows->costs);
        rows->costs = NULL;
    }
}

/* --- phases --- */

static void shut(struct keel_mpi_rows *rows)
{
    rows->timed = false;
    if (rows->window != NULL) {
        keel_mpi_row_window_open(rows->window, false);
    }
}

/* Discards all measurements so far. */
static void forget(struct keel_mpi_rows *rows)
{
    shut(rows);
    rows->costs->times = (struct keel_row_times){0};
}

/* Reads and resets the times of the window; returns their sum. */
static double take_times(struct keel_mpi_row_window *window, double *time_s, unsigned parts)
{
    double sum_s = 0;

    for (unsigned i = 0; i < parts; i++) {
        /* relaxed: the loops ended in this thread, or before it learned of their end */
        time_s[i] =
            1e-9 * (double)atomic_exchange_explicit(&window->time_ns[i], 0, memory_order_relaxed);
        sum_s += time_s[i];
    }
    return sum_s;
}

/* Number of rows of a part. */
static double rows_of(uint64_t rows, unsigned part)
{
    uint64_t each = keel_row_part_rows(rows), first = part * each;

    return (double)(rows - first < each ? rows - first : each);
}

/* Computing outside of loops over rows is divided equally among all rows. */
static void note_phase(struct keel_mpi_row_costs *costs, struct keel_mpi_row_window *window,
                       double busy_s)
{
    uint64_t rows = window->own.count;
    unsigned parts = keel_row_parts(rows);
    double time_s[KEEL_ROW_PARTS], sum_s = take_times(window, time_s, parts);
    double rest_s = fmax(0, busy_s - sum_s) / (double)rows;

    costs->last_pieces = (double)atomic_exchange_explicit(&window->pieces, 0, memory_order_relaxed);
    costs->credit_s -= costs->last_pieces * KEEL_MPI_PIECE_S;
    if (sum_s > KEEL_MPI_LOOPS_PART * busy_s) {
        for (unsigned i = 0; i < parts; i++) {
            time_s[i] += rest_s * rows_of(rows, i);
        }
        keel_row_times_note(&costs->times, time_s, parts);
    }
}

void keel_mpi_row_costs_end_phase(struct keel_mpi_rows *rows)
{
    struct keel_mpi_row_costs *costs = rows->costs;

    if (costs == NULL) {
        return;
    }
    if (costs->placements != rows->placements) {
        forget(rows);
    }
    if (costs->in_sweep || rows->open_sweep != NULL) {
        shut(rows);
        return;
    }
    double busy_s = fmax(0, keel_mpi_work_busy(rows) - costs->busy_s);
    costs->span_busy_s += busy_s;
    costs->span_phases++;
    costs->credit_s =
        fmin(costs->credit_s + KEEL_MPI_MEASURED_PART * busy_s, KEEL_MPI_CREDIT_MOST_S);
    if (rows->timed) {
        shut(rows);
        note_phase(costs, rows->window, busy_s);
    }
}

/* Describes own rows, for matching loops with them. */
static bool describe(struct keel_mpi_rows *rows, struct keel_own_rows *own)
{
    const uint64_t *row;

    *own = (struct keel_own_rows){.all = rows->placement.rows};
    if (keel_mpi_rows_list(rows, &row, &own->count) != KEEL_MPI_OK || own->count == 0) {
        return false;
    }
    own->first = row[0];
    own->block = row[own->count - 1] - row[0] == own->count - 1;
    return true;
}

static void clear(struct keel_mpi_row_window *window)
{
    double unused[KEEL_ROW_PARTS];

    take_times(window, unused, KEEL_ROW_PARTS);
    atomic_store_explicit(&window->pieces, 0, memory_order_relaxed);
}

void keel_mpi_row_costs_begin_span(struct keel_mpi_rows *rows)
{
    if (rows->costs != NULL) {
        rows->costs->span_busy_s = 0;
        rows->costs->span_phases = 0;
    }
}

void keel_mpi_row_costs_begin_phase(struct keel_mpi_rows *rows)
{
    struct keel_mpi_row_costs *costs = rows->costs;

    if (costs == NULL || rows->weights_set || rows->due == UINT64_MAX) {
        return;
    }
    if (costs->placements != rows->placements) {
        forget(rows);
        costs->placements = rows->placements;
        keel_mpi_row_costs_begin_span(rows);
    }
    costs->in_sweep = rows->open_sweep != NULL;
    costs->busy_s = keel_mpi_work_busy(rows);
    if (costs->in_sweep || rows->window == NULL ||
        costs->credit_s < costs->last_pieces * KEEL_MPI_PIECE_S ||
        !describe(rows, &rows->window->own)) {
        return;
    }
    clear(rows->window);
    rows->timed = true;
    keel_mpi_row_window_open(rows->window, !rows->marked || rows->mark_began_s != 0);
}

/* --- weights --- */

static double *encoded(const struct keel_mpi_rows *rows)
{
    return (double *)(void *)rows->weights.base;
}

static void set_weight(struct keel_mpi_rows *rows, uint64_t row, double weight)
{
    encoded(rows)[row] = keel_mpi_weight_encode(weight);
}

/* To be called when own weights have changed. */
static void note_weights(struct keel_mpi_rows *rows)
{
    rows->weighted = true;
    rows->work = keel_mpi_weights_sum(rows);
}

void keel_mpi_row_costs_scale(struct keel_mpi_rows *rows, double factor)
{
    const uint64_t *row;
    uint64_t count;

    if (factor == 1 || keel_mpi_rows_list(rows, &row, &count) != KEEL_MPI_OK) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        set_weight(rows, row[i], keel_mpi_weights_of(rows, row[i]) * factor);
    }
    if (rows->costs != NULL) {
        rows->costs->speed *= factor;
    }
    note_weights(rows);
}

/* Multiplies the weights of own rows [first, last). */
static void scale_rows(struct keel_mpi_rows *rows, uint64_t first, uint64_t last, double factor)
{
    for (uint64_t row = first; row < last; row++) {
        set_weight(rows, row, keel_mpi_weights_of(rows, row) * factor);
    }
}

static double weights_of(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last)
{
    double sum = 0;

    for (uint64_t row = first; row < last; row++) {
        sum += keel_mpi_weights_of(rows, row);
    }
    return sum;
}

static uint64_t within(uint64_t row, uint64_t first, uint64_t last)
{
    return row < first ? first : row > last ? last : row;
}

void keel_mpi_row_costs_move(struct keel_mpi_rows *rows, uint64_t first_before,
                             uint64_t last_before, double below, double above, double work)
{
    uint64_t first, last;

    if (keel_mpi_rows_bounds(rows, &first, &last) != KEEL_MPI_OK) {
        return;
    }
    uint64_t low = within(first_before, first, last);
    uint64_t high = within(last_before, low, last);
    scale_rows(rows, first, low, below);
    scale_rows(rows, high, last, above);
    double here = weights_of(rows, low, high);
    double left = work - weights_of(rows, first, low) - weights_of(rows, high, last);
    if (here > 0 && left > 0) {
        scale_rows(rows, low, high, left / here);
    }
    note_weights(rows);
}

/* Where a row was when rows were last measured. *place: index in the list of the rows of that time;
 * it increases with `row`. */
static enum keel_row_origin origin_of(const struct keel_mpi_rows *rows, uint64_t row,
                                      uint64_t *place)
{
    const struct keel_mpi_row_costs *costs = rows->costs;

    while (*place < costs->rows_before && costs->before[*place] < row) {
        (*place)++;
    }
    if (costs->rows_before == 0 || (*place < costs->rows_before && costs->before[*place] == row)) {
        return KEEL_ROW_HERE;
    }
    return rows->adjacent && row > costs->before[0] ? KEEL_ROW_FROM_ABOVE : KEEL_ROW_FROM_BELOW;
}

/* Where most rows of a part were. */
static enum keel_row_origin most_of(const uint64_t *rows_from)
{
    enum keel_row_origin most = KEEL_ROW_HERE;

    for (int origin = KEEL_ROW_FROM_BELOW; origin < KEEL_ROW_ORIGINS; origin++) {
        most = rows_from[origin] > rows_from[most] ? (enum keel_row_origin)origin : most;
    }
    return most;
}

static void list_parts(const struct keel_mpi_rows *rows, const uint64_t *row, uint64_t count,
                       struct keel_row_part *part)
{
    const struct keel_mpi_row_costs *costs = rows->costs;
    uint64_t each = keel_row_part_rows(count), place = 0;
    double time_s[KEEL_ROW_PARTS], error_s[KEEL_ROW_PARTS];

    keel_row_times_common(&costs->times, keel_row_parts(count), time_s, error_s);
    for (unsigned p = 0; p < keel_row_parts(count); p++) {
        uint64_t end = (p + 1) * each < count ? (p + 1) * each : count;
        uint64_t rows_from[KEEL_ROW_ORIGINS] = {0};
        part[p] = (struct keel_row_part){.rows = rows_of(count, p)};
        for (uint64_t i = p * each; i < end; i++) {
            part[p].weight += keel_mpi_weights_of(rows, row[i]);
            rows_from[origin_of(rows, row[i], &place)]++;
        }
        part[p].time_s = time_s[p];
        part[p].error_s = error_s[p];
        part[p].origin = most_of(rows_from);
    }
}

static void apply(struct keel_mpi_rows *rows, const uint64_t *row, uint64_t count)
{
    uint64_t each = keel_row_part_rows(count);

    for (uint64_t i = 0; i < count; i++) {
        double factor = rows->costs->measurement.factor[i / each];
        set_weight(rows, row[i], factor < 0 ? -factor : keel_mpi_weights_of(rows, row[i]) * factor);
    }
    note_weights(rows);
}

/* Keeps the list of measured rows: rows that are not in it come from other ranks. */
static void remember(struct keel_mpi_row_costs *costs, const uint64_t *row, uint64_t count)
{
    uint64_t *before = realloc(costs->before, count * sizeof *before);

    costs->rows_before = before != NULL ? count : 0;
    if (before != NULL) {
        memcpy(before, row, count * sizeof *before);
        costs->before = before;
    }
}

bool keel_mpi_row_costs_wait(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_row_costs *costs = rows->costs;

    return costs != NULL && !rows->weights_set && rows->report.movements == 0 &&
           costs->rows_before == 0 && costs->times.phases > 0;
}

double keel_mpi_row_costs_weigh(struct keel_mpi_rows *rows)
{
    struct keel_mpi_row_costs *costs = rows->costs;
    struct keel_row_part part[KEEL_ROW_PARTS];
    double work = rows->work;
    const uint64_t *row;
    uint64_t count;

    if (costs == NULL) {
        return 1;
    }
    costs->measurement = (struct keel_row_measurement){0};
    if (rows->weights_set || keel_mpi_rows_list(rows, &row, &count) != KEEL_MPI_OK || count == 0 ||
        !keel_row_times_are_known(&costs->times, keel_row_parts(count))) {
        return 1;
    }
    list_parts(rows, row, count, part);
    keel_row_measure(part, keel_row_parts(count), &costs->measurement);
    if (costs->measurement.speed > 0) {
        costs->speed = costs->measurement.speed;
        remember(costs, row, count);
    }
    if (costs->measurement.differs) {
        apply(rows, row, count);
    }
    return work > 0 && rows->work > 0 ? rows->work / work : 1;
}

/* --- values for other ranks --- */

/* Mean weight of the `count` own rows listed from `row` on. */
static double mean_weight(const struct keel_mpi_rows *rows, const uint64_t *row, uint64_t count)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += keel_mpi_weights_of(rows, row[i]);
    }
    return sum / (double)count;
}

/* Mean square of the differences of log weights from part to part. */
static double roughness(const struct keel_mpi_rows *rows, const uint64_t *row, uint64_t count)
{
    uint64_t each = keel_row_part_rows(count);
    double sum = 0, before = mean_weight(rows, row, each);

    for (uint64_t i = each; i + each <= count; i += each) {
        double weight = mean_weight(rows, row + i, each);
        double difference = weight > 0 && before > 0 ? log(weight / before) : 0;
        sum += difference * difference;
        before = weight;
    }
    return sum / keel_row_parts(count);
}

void keel_mpi_row_costs_measurements(const struct keel_mpi_rows *rows,
                                     struct keel_mpi_measurements *measurements)
{
    const struct keel_mpi_row_costs *costs = rows->costs;
    const struct keel_row_measurement *measured = costs != NULL ? &costs->measurement : NULL;
    const uint64_t *row;
    uint64_t count;

    measurements->weights_set = rows->weights_set;
    measurements->phase_busy_s = costs != NULL && costs->span_phases > 0
                                     ? costs->span_busy_s / (double)costs->span_phases
                                     : 0;
    measurements->timed = costs != NULL && costs->rows_before > 0;
    if (measured == NULL || rows->weights_set ||
        keel_mpi_rows_list((struct keel_mpi_rows *)rows, &row, &count) != KEEL_MPI_OK ||
        count == 0) {
        return;
    }
    uint64_t each = keel_row_part_rows(count);
    measurements->measured = rows->weighted;
    measurements->speed = costs->speed;
    measurements->low = mean_weight(rows, row, each);
    measurements->high = mean_weight(rows, row + count - each, each);
    measurements->rough = rows->weighted ? roughness(rows, row, count) : 0;
    for (int side = 0; side < 2; side++) {
        measurements->shift[side] = measured->shift[KEEL_ROW_FROM_BELOW + side];
        measurements->trust[side] = measured->trust[KEEL_ROW_FROM_BELOW + side];
    }
}
