/* Numbers of loop instances, the same for all threads of a team without their asking each other.
 *
 * A region's loops have the numbers behind those of the region before, in the order in which its
 * threads come to them. How many it has shows at its end, so one region at a time can count on: one
 * that runs beside it, or in it, has a block of numbers of its own. */
#ifndef OMP_EXT_TRACE_INSTANCES_H
#define OMP_EXT_TRACE_INSTANCES_H

#include <stdint.h>

#define KEEL_INSTANCES_BLOCK (UINT64_C(1) << 24) /* loops and barriers of such a region */

/* What a region that starts now gets; 0 is never one. Any thread. */
uint64_t keel_instances_begin(void);

/* The number of the region's `construct`-th loop or barrier, from 1. */
uint64_t keel_instances_number(uint64_t region, uint64_t construct);

/* The region is over, and had so many. */
void keel_instances_end(uint64_t region, uint64_t constructs);

/* The number of a loop outside of all regions. */
uint64_t keel_instances_single(void);

#endif
