/* How long this rank has computed on rows: by the program's marks, or in the loops that libkeel.so
 * schedules.
 *
 *   keel_mpi_rows_work_begin() .. _end(), count_loops() of libkeel.so -> [work] -> balance/
 *
 * rows->busy_s: in a span with marks, the marked time so far; in one without marks, the time that
 * loops had taken in all when the span began. */
#include "mpi_backend/rows/rows.h"

#include <stdatomic.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/libkeel.h"
#include "mpi_backend/rows/costs/window.h"
#include "omp_ext/lending/lending.h"

/* Never 0, which stands for no mark, not even where a simulator's clock begins. */
static double now_s(void)
{
    return 1 + keel_mpi_clock_s();
}

/* libkeel.so may be there or not, as for loop/lender.c. */
static const struct keel_loop_counters *find_loops(void)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    return libkeel != NULL ? libkeel->count_loops() : NULL;
}

/* Time in scheduled loops that began since the first span. */
static double loops_s(const struct keel_mpi_rows *rows)
{
    /* relaxed: the loops that matter ended in this thread, or before it was told of their end */
    return rows->loops != NULL
               ? (double)atomic_load_explicit(&rows->loops->busy_ns, memory_order_relaxed) * 1e-9
               : 0;
}

static double marked_so_far_s(const struct keel_mpi_rows *rows)
{
    return rows->busy_s + (rows->mark_began_s != 0 ? now_s() - rows->mark_began_s : 0);
}

/* A mark that is open goes on in the span that begins. */
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

/* Loops outside of marks do not count. */
static void watch_loops(struct keel_mpi_rows *rows, bool open)
{
    rows->marked = true;
    if (rows->watched) {
        keel_mpi_window_open(rows->window, open);
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
    watch_loops(rows, true);
}

KEEL_MPI_PUBLIC void keel_mpi_rows_work_end(struct keel_mpi_rows *rows)
{
    if (rows != NULL) {
        rows->busy_s = marked_so_far_s(rows);
        rows->mark_began_s = 0;
        watch_loops(rows, false);
    }
}
