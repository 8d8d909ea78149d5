/* Watched loops of regions that end or are first watched midway: `watched_midway cancelled` for
 * those that are cancelled, `watched_midway region` for those that began before. */
#define _GNU_SOURCE
#include "tests/omp_ext/lending/watched.h"

/* --- cancellation: OMP_CANCELLATION=true --- */

static void cancelled_in_region(unsigned threads)
{
    struct first first = {0}, next = {0};
    struct span span = span_begin();

#pragma omp parallel num_threads(threads)
    {
        await_first(&first);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            first_body(&first);
#pragma omp cancel for
        }
        orphan(&next, 40);
    }
    span_end(span, 2, 1, "cancelled loop and another one");
}

static void cancelled_combined(void)
{
    struct span span = span_begin();

#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 40; i++) {
        body();
#pragma omp cancel for
    }
    span_end(span, 1, 1, "cancelled combined");
}

/* Thread 0 is in a loop while its region is cancelled. */
static void cancelled_region(void)
{
    struct span span = span_begin();
    struct first first = {0};

#pragma omp parallel num_threads(2)
    {
        await_first(&first);
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            first_body(&first);
        }
    }
    span_end(span, 1, 1, "loop of a cancelled region");
}

static void cancelled(void)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        cancelled_in_region(threads);
    }
    cancelled_combined();
    cancelled_region();
    COMBINED("combined, after all", 1, schedule(runtime) num_threads(2))
    outside_of_regions();
}

/* --- beginning to watch --- */

/* What began before does not count; what begins later in the same region does. */
static void begin_in_region(void)
{
    struct first early = {0}, late = {0};

#pragma omp parallel num_threads(2)
    {
        await_first(&early);
        orphan(&early, 40);
#pragma omp barrier
#pragma omp master
        work = watch();
#pragma omp barrier
        await_first(&late);
        orphan(&late, 40);
    }
    span_end((struct span){0}, 1, 1, "region that began before");
    CHECK(watch() == work, "the counters have moved");
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    if (strcmp(what, "region") == 0) {
        begin_in_region();
    } else if (strcmp(what, "cancelled") == 0) {
        begin();
        cancelled();
    } else {
        CHECK(0, "no check is called '%s'", what);
    }
    return check_status();
}
