/* Computing time on rows, weights of rows, measuring windows and the timer that fills them. */
#include "mpi_backend/rows/rows_room.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/rows/costs/row_costs.h"
#include "mpi_backend/rows/rows_constants.h"
#include "omp_ext/lending/lending.h"

static struct keel_mpi_row_window windows[KEEL_MPI_ROW_WINDOWS];

/* --- called by threads of loops --- */

static bool is_open(const struct keel_mpi_row_window *window)
{
    /* acquire: pairs with the release in keel_mpi_row_window_open() */
    return atomic_load_explicit(&window->open, memory_order_acquire);
}

/* Finds the first open window over whose rows the loop runs. */
static bool begin(const struct keel_timed_loop *loop, struct keel_timed_thread *thread)
{
    const struct keel_row_loop row_loop = {loop->start, loop->step, loop->iterations};
    struct keel_row_match match;

    for (struct keel_mpi_row_window *window = windows; window < windows + KEEL_MPI_ROW_WINDOWS;
         window++) {
        if (is_open(window) && keel_row_match(&window->own, &row_loop, &match)) {
            double part = (double)keel_row_part_rows(window->own.count);
            *thread = (struct keel_timed_thread){.context = window,
                                                 .place = match.place,
                                                 .pace = match.pace,
                                                 .share = 1 / (double)loop->threads,
                                                 .piece = (uint64_t)ceil(part / fabs(match.pace))};
            return true;
        }
    }
    return false;
}

/* relaxed: sums, which are read after the loops have ended */
static void add(_Atomic uint64_t *sum, double value)
{
    atomic_fetch_add_explicit(sum, (uint64_t)(value + 0.5), memory_order_relaxed);
}

/* Adds time_ns evenly to own rows [from, to), counted from the first own row. */
static void add_time(struct keel_mpi_row_window *window, double from, double to, double time_ns)
{
    double each = (double)keel_row_part_rows(window->own.count);
    unsigned last = keel_row_parts(window->own.count) - 1;
    double per_row = time_ns / (to - from);

    for (unsigned part = (unsigned)fmin(from / each, last); from < to; part++) {
        double end = part < last ? fmin(to, (part + 1) * each) : to;
        add(&window->time_ns[part < last ? part : last], (end - from) * per_row);
        from = end;
    }
}

static void took(const struct keel_timed_thread *thread, uint64_t first, uint64_t last,
                 double time_ns)
{
    struct keel_mpi_row_window *window = thread->context;
    double from = thread->place + (double)first * thread->pace;
    double to = thread->place + (double)last * thread->pace;

    atomic_fetch_add_explicit(&window->pieces, 1, memory_order_relaxed);
    if (time_ns > 0 && from != to) {
        add_time(window, fmax(0, fmin(from, to)), fmax(from, to), time_ns * thread->share);
    }
}

/* --- taking one --- */

static void start_timer(const struct keel_lending *libkeel)
{
    static const struct keel_loop_timer timer = {.begin = begin, .took = took};

    libkeel->time_loops(&timer);
}

struct keel_mpi_row_window *keel_mpi_row_window_take(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    for (unsigned i = 0; libkeel != NULL && i < KEEL_MPI_ROW_WINDOWS; i++) {
        if (!atomic_exchange(&windows[i].used, true)) {
            start_timer(libkeel);
            return &windows[i];
        }
    }
    return NULL;
}

void keel_mpi_row_window_release(struct keel_mpi_row_window *window)
{
    if (window != NULL) {
        keel_mpi_row_window_open(window, false);
        atomic_store(&window->used, false);
    }
}

/* --- work ---
 *
 * How long this rank has computed on rows: by the program's marks, or in the loops that libkeel.so
 * schedules.
 *
 *   keel_mpi_rows_work_begin() .. _end(), count_loops() of libkeel.so -> [work] -> balance/
 *
 * rows->busy_s: in a span with marks, the marked time so far; in one without marks, the total time
 * of loops when the span began. */

/* Never 0, which means no mark, even if a simulator's clock begins at 0. */
static double now_s(void)
{
    return 1 + keel_mpi_clock_s();
}

/* NULL without libkeel.so. */
static const struct keel_loop_counters *find_loops(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    return libkeel != NULL ? libkeel->count_loops() : NULL;
}

/* Time in scheduled loops that began since the first span. */
static double loops_s(const struct keel_mpi_rows *rows)
{
    /* relaxed: the loops that count ended in this thread, or before it learned of their end */
    return rows->loops != NULL
               ? (double)atomic_load_explicit(&rows->loops->busy_ns, memory_order_relaxed) * 1e-9
               : 0;
}

static double marked_so_far_s(const struct keel_mpi_rows *rows)
{
    return rows->busy_s + (rows->mark_began_s != 0 ? now_s() - rows->mark_began_s : 0);
}

/* An open mark continues in the new span. */
void keel_mpi_work_begin_span(struct keel_mpi_rows *rows)
{
    rows->loops = find_loops();
    rows->marks = rows->mark_began_s != 0;
    rows->mark_began_s = rows->marks ? now_s() : 0;
    rows->busy_s = rows->marks ? 0 : loops_s(rows);
}

double keel_mpi_work_busy(const struct keel_mpi_rows *rows)
{
    return rows->marks ? marked_so_far_s(rows) : loops_s(rows) - rows->busy_s;
}

/* Loops outside of marks are not timed. */
static void set_window(struct keel_mpi_rows *rows, bool open)
{
    rows->marked = true;
    if (rows->timed) {
        keel_mpi_row_window_open(rows->window, open);
    }
}

KEEL_MPI_PUBLIC void keel_mpi_rows_work_begin(struct keel_mpi_rows *rows)
{
    if (rows == NULL || rows->mark_began_s != 0) {
        return;
    }
    if (!rows->marks) {
        rows->marks = true;
        rows->busy_s = 0;
    }
    rows->mark_began_s = now_s();
    set_window(rows, true);
}

KEEL_MPI_PUBLIC void keel_mpi_rows_work_end(struct keel_mpi_rows *rows)
{
    if (rows != NULL) {
        rows->busy_s = marked_so_far_s(rows);
        rows->mark_began_s = 0;
        set_window(rows, false);
    }
}

/* --- weights --- */

bool keel_mpi_weights_open(struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;

    if (!keel_mpi_store_open(&rows->weights, placement->rows, sizeof(double))) {
        return false;
    }
    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        if (!keel_mpi_store_commit(&rows->weights, row, end)) {
            return false;
        }
    }
    return true;
}

double keel_mpi_weights_sum(const struct keel_mpi_rows *rows)
{
    const struct keel_mpi_placement *placement = &rows->placement;
    double sum = 0;

    if (!rows->weighted) {
        return (double)placement->owned[rows->rank];
    }
    for (uint64_t row, end = 0; keel_mpi_placement_next(placement, rows->rank, end, &row, &end);) {
        for (; row < end; row++) {
            sum += keel_mpi_weights_of(rows, row);
        }
    }
    return sum;
}

static bool are_own(const struct keel_mpi_rows *rows, uint64_t first, uint64_t last)
{
    const struct keel_mpi_placement *placement = &rows->placement;

    if (first == last) {
        return last <= placement->rows;
    }
    if (first > last || last > placement->rows) {
        return false;
    }
    size_t i = keel_mpi_placement_find(placement, first);
    return placement->run[i].owner == rows->rank && last <= keel_mpi_placement_end(placement, i);
}

static bool is_weight(double value)
{
    return isgreaterequal(value, 0) && value <= KEEL_MPI_WEIGHT_MOST;
}

static double counted(double weight)
{
    return weight >= KEEL_MPI_WEIGHT_LEAST ? weight : 0;
}

static int weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last, const double *weight,
                 const char *function)
{
    if (keel_mpi_rows_is_missing(rows)) {
        return KEEL_MPI_ARGUMENT;
    }
    double *own = (double *)(void *)rows->weights.base;
    bool fits = are_own(rows, first, last);

    for (uint64_t row = first; fits && row < last; row++) {
        fits = is_weight(weight[row - first]);
    }
    if (!fits) {
        keel_mpi_misuse("%s(): rows %llu to %llu are not one's own, or a weight is not from 0 to "
                        "%g; weights stay as they are",
                        function, (unsigned long long)first, (unsigned long long)last,
                        KEEL_MPI_WEIGHT_MOST);
        return KEEL_MPI_ARGUMENT;
    }
    double change = 0;
    for (uint64_t row = first; row < last; row++) {
        change += counted(weight[row - first]) - keel_mpi_weights_of(rows, row);
        own[row] = keel_mpi_weight_encode(counted(weight[row - first]));
    }
    rows->weighted = rows->weights_set = true;
    /* Sums of differences drift. So the sum is computed anew if all own rows are weighed at once,
     * or if work drops by far. */
    bool afresh = last - first == rows->placement.owned[rows->rank] ||
                  rows->work + change < KEEL_MPI_WORK_DRIFT * rows->work;
    rows->work = afresh ? keel_mpi_weights_sum(rows) : rows->work + change;
    return KEEL_MPI_OK;
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                                        const double *weight)
{
    return weigh(rows, first, last, weight, "keel_mpi_rows_weigh");
}

KEEL_MPI_PUBLIC int keel_mpi_rows_weigh_ahead(struct keel_mpi_rows *rows, uint64_t first,
                                              uint64_t last, const double *weight)
{
    double before = rows != NULL ? rows->work : 0;
    int code = weigh(rows, first, last, weight, "keel_mpi_rows_weigh_ahead");

    if (code == KEEL_MPI_OK && rows->work_before < 0) {
        rows->work_before = before;
    }
    return code;
}
