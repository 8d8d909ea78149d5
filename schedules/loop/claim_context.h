/* What several schedules that size chunks by measurements work out from a context. */
#ifndef SCHEDULES_LOOP_CLAIM_CONTEXT_H
#define SCHEDULES_LOOP_CLAIM_CONTEXT_H

#include "schedules/loop/schedule.h"

/* Size of a thread's first chunk while nothing is known of its pace: small, as it can't be taken
 * back from a slow thread, but not so small that it tells nothing. */
uint64_t keel_claim_context_probe(const struct keel_claim_context *context);

/* Iterations per ns of the whole team; threads that have not been measured count as the mean of the
 * others. The calling thread has been measured. */
double keel_claim_context_team_speed(const struct keel_claim_context *context);

/* The calling thread's part of the team's speed, 0 .. 1, likewise. */
double keel_claim_context_share(const struct keel_claim_context *context);

/* The smallest chunk worth its claim, iterations: as long as 32 times what getting it takes. */
uint64_t keel_claim_context_least_chunk(const struct keel_claim_context *context);

#endif
