/* How values that depend on the share flow through an outlined function: abstract interpretation of
 * its machine code, to a fixed point.
 *
 *   blocks -> values at each block -> loops over the share -> values once more, with their trips
 *          -> each instruction checked */
#ifndef OMP_EXT_SHARES_SHARE_FLOW_H
#define OMP_EXT_SHARES_SHARE_FLOW_H

#include "omp_ext/shares/machine_code.h"
#include "omp_ext/shares/share_values.h"

/* Why a function is refused, and at which instruction. */
struct keel_refusal {
    const char *why; /* NULL: it is not */
    uint64_t at;
};

/* Whether the function, run once for each share of iterations, whoever has which share and however
 * many there are, does what it does when each thread of a team runs it once. */
struct keel_refusal keel_share_flow_check(struct keel_elf_code *code,
                                          struct keel_function_code *function);

#endif
