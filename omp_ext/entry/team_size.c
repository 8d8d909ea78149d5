/* What is set. */
#include "omp_ext/entry/team_size.h"

#include "omp_ext/entry/region.h"

_Atomic unsigned keel_region_threads;
_Atomic uint64_t keel_region_count;

__attribute__((visibility("default"))) void keel_team_size_set(unsigned threads, uint64_t *regions)
{
    /* relaxed: a region that begins meanwhile may have either */
    atomic_store_explicit(&keel_region_threads, threads, memory_order_relaxed);
    *regions = atomic_load_explicit(&keel_region_count, memory_order_relaxed);
}
