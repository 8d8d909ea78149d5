/* Who is asked. */
#include "omp_ext/entry/team_size.h"

#include "omp_ext/entry/region.h"

_Atomic(keel_team_size_asked *) keel_region_asked;

/* A program that has set one thread may rely on it: where it has set fewer, they are as many. */
unsigned keel_region_team_asked(unsigned threads)
{
    const struct keel_libgomp *libgomp = keel_libgomp_known();

    if (threads != 0 || libgomp == NULL || libgomp->omp_in_parallel()) {
        return threads;
    }
    unsigned most = (unsigned)libgomp->omp_get_max_threads();
    unsigned asked = atomic_load_explicit(&keel_region_asked, memory_order_relaxed)();
    return asked < most ? asked : most;
}

__attribute__((visibility("default"))) void keel_team_size_ask(keel_team_size_asked *asked)
{
    /* relaxed: a region that begins meanwhile may ask or not */
    atomic_store_explicit(&keel_region_asked, asked, memory_order_relaxed);
}
