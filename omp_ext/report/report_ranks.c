/* What the layer across ranks adds to the report of its process. */
#include "omp_ext/report/report_ranks.h"

#include <stdatomic.h>

static keel_report_ranks_provider *_Atomic present;

__attribute__((visibility("default"))) bool
keel_report_meet(uint32_t version, keel_report_ranks_provider *provider, uint32_t *newest)
{
    *newest = KEEL_REPORT_RANKS_VERSION;
    if (version != KEEL_REPORT_RANKS_VERSION) {
        return false;
    }
    atomic_store(&present, provider);
    return true;
}

bool keel_report_ranks(double began_s, struct keel_report_ranks *ranks)
{
    keel_report_ranks_provider *provider = atomic_load(&present);

    *ranks = (struct keel_report_ranks){.ranks = 1};
    return provider != NULL && provider(began_s, ranks);
}
