/* Waits for other ranks, for reports and traces. */
#include "mpi_backend/report/mpi_report.h"

#include <stdatomic.h>
#include <stddef.h>

#include "mpi_backend/process/mpi_process.h"

static _Atomic uint64_t sum_ns, in_regions_ns; /* the latter is part of the former */
static bool (*_Atomic told)(double ns);

bool keel_mpi_waits_observed(void)
{
    return keel_mpi_settings()->figures || keel_mpi_events() != NULL;
}

struct keel_mpi_span keel_mpi_waits_begin(void)
{
    const struct keel_trace_ranks *events = keel_mpi_events();
    bool observed = events != NULL || keel_mpi_settings()->figures;

    return (struct keel_mpi_span){.ns = observed ? keel_mpi_clock_ns() : 0,
                                  .ticks = events != NULL ? events->now() : 0};
}

/* Returns whether the thread is in a region. */
static bool tell(double ns)
{
    /* acquire: pairs with the store in keel_mpi_waits_tell() */
    bool (*waited)(double) = atomic_load_explicit(&told, memory_order_acquire);

    return waited != NULL && waited(ns > 0 ? ns : 0);
}

static void add(double ns, bool in_region)
{
    uint64_t whole_ns = (uint64_t)(ns > 0 ? ns : 0);

    /* relaxed: sums */
    atomic_fetch_add_explicit(&sum_ns, whole_ns, memory_order_relaxed);
    atomic_fetch_add_explicit(&in_regions_ns, in_region ? whole_ns : 0, memory_order_relaxed);
}

void keel_mpi_waits_add(double ns)
{
    add(ns, tell(0));
}

void keel_mpi_waits_tell(bool (*waited)(double ns))
{
    atomic_store(&told, waited);
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
    bool in_region = tell(waited_ns);
    if (counts) {
        add(waited_ns, in_region);
    }
    if (events != NULL && began.ticks != 0 && waited_ns >= SHORTEST_NS) {
        events->wait(loop, began.ticks, events->now());
    }
    return waited_ns;
}

struct keel_mpi_waited keel_mpi_waits_sum(void)
{
    return (struct keel_mpi_waited){
        .s = (double)atomic_load_explicit(&sum_ns, memory_order_relaxed) * 1e-9,
        .in_regions_s = (double)atomic_load_explicit(&in_regions_ns, memory_order_relaxed) * 1e-9,
    };
}
