/* The smallest chunk that is worth its claim, where nobody has stated one.
 *
 *   measured costs -> [least chunk] -> spec -> plan of an instance, or its team
 *
 * Pure: times come from the caller. */
#ifndef SCHEDULES_LOOP_LEAST_CHUNK_H
#define SCHEDULES_LOOP_LEAST_CHUNK_H

#include "schedules/loop/schedule.h"

/* A smallest chunk lasts as long as that many claims: where all chunks are as small as that, claims
 * take 3 % of the time. */
#define KEEL_LEAST_CLAIMS 32

/* Of a thread's equal share of the loop, the smallest chunk is no more than this part: threads end
 * half a chunk apart on average, which is 3 % of the time then. */
#define KEEL_LEAST_PARTS 16

/* Iterations that last as long as KEEL_LEAST_CLAIMS claims of claim_ns, with iteration_ns each; 1
 * where one of the two is not known (not positive, or not finite). */
uint64_t keel_least_chunk(double claim_ns, double iteration_ns);

/* Of a loop of `iterations` in a team of `threads`: `least`, or where that is too large for all
 * threads to end together, iterations / (KEEL_LEAST_PARTS threads); >= 1. */
uint64_t keel_least_chunk_within(uint64_t least, uint64_t iterations, uint64_t threads);

/* Whether the spec states its smallest chunk, by a parameter or by the
 * schedule's name. If not, it follows from measured costs. */
bool keel_least_chunk_is_stated(const struct keel_spec *spec);

/* The smallest chunk of a loop instance under `spec`. */
static inline uint64_t keel_least_chunk_under(const struct keel_spec *spec, uint64_t iterations,
                                              uint64_t threads)
{
    uint64_t least = spec->value[KEEL_MIN].count;

    return spec->min_measured ? keel_least_chunk_within(least, iterations, threads) : least;
}

/* --- what several schedules that size chunks by measurements work out from a context --- */

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
