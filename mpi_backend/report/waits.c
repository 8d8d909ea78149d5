/* Waits for other ranks, for reports and traces. */
#include "mpi_backend/report/waits.h"

#include <stdatomic.h>
#include <stddef.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/report/events.h"
#include "mpi_backend/job/settings.h"

static _Atomic uint64_t sum_ns;

bool keel_mpi_waits_observed(void)
{
    return keel_mpi_settings()->report != NULL || keel_mpi_events() != NULL;
}

struct keel_mpi_span keel_mpi_waits_begin(void)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    bool observed = events != NULL || keel_mpi_settings()->report != NULL;

    return (struct keel_mpi_span){.ns = observed ? keel_mpi_clock_ns() : 0,
                                  .ticks = events != NULL ? events->now() : 0};
}

/* Shorter ones are too many, and nobody sees them. */
#define SHORTEST_NS 1000

double keel_mpi_waits_end(struct keel_mpi_span began, const char *loop, bool counts)
{
    const struct keel_trace_ranks *events = keel_mpi_events();

    if (began.ns == 0) {
        return 0;
    }
    double waited_ns = keel_mpi_clock_ns() - began.ns;
    if (counts) {
        /* relaxed: a sum */
        atomic_fetch_add_explicit(&sum_ns, (uint64_t)(waited_ns > 0 ? waited_ns : 0),
                                  memory_order_relaxed);
    }
    if (events != NULL && began.ticks != 0 && waited_ns >= SHORTEST_NS) {
        events->wait(loop, began.ticks, events->now());
    }
    return waited_ns;
}

double keel_mpi_waits_s(void)
{
    return (double)atomic_load_explicit(&sum_ns, memory_order_relaxed) * 1e-9;
}
