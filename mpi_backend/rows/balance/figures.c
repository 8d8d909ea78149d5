/* What the figures of all ranks come to. */
#include "mpi_backend/rows/balance/figures.h"

#include <math.h>

struct keel_mpi_figures_summary keel_mpi_figures_of_all(const struct keel_mpi_figures *figures,
                                                        uint32_t ranks)
{
    struct keel_mpi_figures_summary sum = {.least_outside_s = INFINITY, .last_hook = INFINITY};

    for (uint32_t i = 0; i < ranks; i++) {
        sum.span_s = fmax(sum.span_s, figures[i].span_s);
        sum.busy_s = fmax(sum.busy_s, figures[i].busy_s);
        sum.work += figures[i].work;
        sum.phase_s = fmax(sum.phase_s, figures[i].phase_s);
        sum.outside_s = fmax(sum.outside_s, figures[i].outside_s);
        sum.least_outside_s = fmin(sum.least_outside_s, figures[i].outside_s);
        sum.movement_s = fmax(sum.movement_s, figures[i].movement_s);
        sum.item_bytes = fmax(sum.item_bytes, figures[i].item_bytes);
        sum.skew_hooks = fmax(sum.skew_hooks, figures[i].skew_hooks);
        sum.last_hook = fmin(sum.last_hook, figures[i].last_hook);
        sum.weighted = sum.weighted || figures[i].weighted > 0;
        sum.told = sum.told || figures[i].told > 0;
        sum.measured = sum.measured || figures[i].measured > 0;
        sum.watched = sum.watched || figures[i].watched > 0;
        sum.in_sweep = sum.in_sweep || figures[i].in_sweep > 0;
        sum.differ = sum.differ || figures[i].hook != figures[0].hook;
    }
    return sum;
}
