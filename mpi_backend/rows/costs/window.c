/* Windows, and the watcher that fills them. */
#include "mpi_backend/rows/costs/window.h"

#include <math.h>
#include <stddef.h>

#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/lending/lending.h"

static struct keel_mpi_window windows[KEEL_MPI_WINDOWS];

/* --- called by threads of loops --- */

static bool is_open(const struct keel_mpi_window *window)
{
    /* acquire: pairs with the release in keel_mpi_window_open() */
    return atomic_load_explicit(&window->open, memory_order_acquire);
}

/* The first open window whose rows the loop is over. */
static bool begin(const struct keel_watched_loop *loop, struct keel_watch *watch)
{
    const struct keel_row_loop row_loop = {loop->start, loop->step, loop->iterations};
    struct keel_row_match match;

    for (struct keel_mpi_window *window = windows; window < windows + KEEL_MPI_WINDOWS; window++) {
        if (is_open(window) && keel_row_match(&window->own, &row_loop, &match)) {
            double part = (double)keel_row_part_rows(window->own.count);
            *watch = (struct keel_watch){.context = window,
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

/* Time for places [from, to) of own rows, evenly. */
static void add_time(struct keel_mpi_window *window, double from, double to, double time_ns)
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

static void took(const struct keel_watch *watch, uint64_t first, uint64_t last, double time_ns)
{
    struct keel_mpi_window *window = watch->context;
    double from = watch->place + (double)first * watch->pace;
    double to = watch->place + (double)last * watch->pace;

    atomic_fetch_add_explicit(&window->pieces, 1, memory_order_relaxed);
    if (time_ns > 0 && from != to) {
        add_time(window, fmax(0, fmin(from, to)), fmax(from, to), time_ns * watch->share);
    }
}

/* --- taking one --- */

static void watch_loops(const struct keel_lending *libkeel)
{
    static const struct keel_loop_watcher watcher = {.begin = begin, .took = took};

    libkeel->watch_loops(&watcher);
}

struct keel_mpi_window *keel_mpi_window_take(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    for (unsigned i = 0; libkeel != NULL && i < KEEL_MPI_WINDOWS; i++) {
        if (!atomic_exchange(&windows[i].used, true)) {
            watch_loops(libkeel);
            return &windows[i];
        }
    }
    return NULL;
}

void keel_mpi_window_release(struct keel_mpi_window *window)
{
    if (window != NULL) {
        keel_mpi_window_open(window, false);
        atomic_store(&window->used, false);
    }
}
