/* Schedules for known costs: chunks run largest first, so that the last ones are small. No thread
 * is idle while a chunk has not been begun, and so none ends later than the mean load plus the last
 * chunk that is begun (Graham 1969). */
#include "schedules/loop/registry.h"

/* The smallest chunk of another block: the large ones stay where they were packed. */
static uint64_t one(const struct keel_claim_context *context, const struct keel_pace *victim)
{
    (void)context;
    (void)victim;
    return 1;
}

const struct keel_schedule keel_schedule_binlpt = {
    .name = "binlpt",
    .summary = "chunks of equal cost, packed onto threads largest first",
    .formula = "at most k chunks (16P if not given) of about equal cost; then the last of the "
               "fullest block",
    .use = "loops whose iterations have known costs (keel_set_costs)",
    .source = "Penna et al. 2017, 2019",
    .states_min = true,
    .positional = {KEEL_CHUNKS},
    .positionals = 1,
    .claim = KEEL_CLAIM_BLOCKS,
    .steal = one,
    .wants_costs = true,
    .in_order = &keel_schedule_fac2,
};

/* If only the order of costs is known, that is enough (patterns of loops, PAPERS.md K9). */
const struct keel_schedule keel_schedule_lpt = {
    .name = "lpt",
    .summary = "single iterations, costliest first",
    .formula = "the costliest iteration not begun; of more than 16384, that many chunks",
    .use = "few, expensive iterations of known costs or known order (keel_set_costs)",
    .source = "Graham 1969",
    .states_min = true,
    .claim = KEEL_CLAIM_SIZED,
    .wants_costs = true,
    .in_order = &keel_schedule_fac2,
};
