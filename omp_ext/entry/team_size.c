/* What is set. */
#include "omp_ext/entry/team_size.h"

#include "omp_ext/entry/region.h"

_Atomic unsigned keel_region_threads;
static _Atomic uint64_t region_count;

/* A program that has set one thread may rely on it: where it has set fewer, they are as many. Of
 * regions in regions those count that are in no team of several threads. */
unsigned keel_region_team_set(unsigned threads)
{
    const struct keel_libgomp *libgomp = keel_libgomp_known();
    unsigned set = atomic_load_explicit(&keel_region_threads, memory_order_relaxed);

    if (threads != 0 || libgomp == NULL || libgomp->omp_in_parallel()) {
        return threads;
    }
    atomic_fetch_add_explicit(&region_count, 1, memory_order_relaxed); /* a sum */
    unsigned most = (unsigned)libgomp->omp_get_max_threads();
    return set < most ? set : most;
}

__attribute__((visibility("default"))) void keel_team_size_set(unsigned threads, uint64_t *regions)
{
    /* relaxed: a region that begins meanwhile may have either */
    atomic_store_explicit(&keel_region_threads, threads, memory_order_relaxed);
    *regions = atomic_load_explicit(&region_count, memory_order_relaxed);
}
