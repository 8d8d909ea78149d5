/* Rate-proportional adaptive blocks: Keel's own schedule for loops that repeat.
 *
 * The bounds of blocks follow from earlier instances (schedules/learn/blocks.h). Within an instance
 * each thread takes its block in pieces, and an idle thread takes over a part of another block that
 * has not begun. */
#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/loop/cost_profile.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"

/* Pieces this short need not be cut for fear that their thread is interrupted: schedulers of
 * operating systems take processors away for a millisecond or more. */
#define SAFE_NS 100e3
#define LONG_PART 8 /* pieces longer than SAFE_NS are at most this part of the rest */

/* Half of the rest, but no long piece at once, and none that is not worth its claim. Iterations of
 * another thread may take as long as they took that one. */
static uint64_t piece_of(const struct keel_claim_context *context, double left)
{
    double safe = fmax(left / LONG_PART, SAFE_NS / fmax(context->own.mean_ns, context->victim_ns));

    return max_u64(count_of(ceil(fmin(left / 2, safe))), keel_claim_context_least_chunk(context));
}

#define SHARE_PARTS 16 /* a thread takes at least this part of its share, half of it as a piece */

/* The missing part of the thread's share of the loop. The rest of its block, which may be too large
 * for it, is left to the others, until they turn out to need its help. */
static double due_of(const struct keel_claim_context *context)
{
    double share = keel_claim_context_share(context) * (double)context->iterations;

    return fmax(share - (double)context->begun, share / SHARE_PARTS);
}

/* A thread without measured pace begins small. */
static uint64_t rate_take(const struct keel_claim_context *context)
{
    if (context->own.mean_ns == 0) {
        return keel_claim_context_probe(context);
    }
    return piece_of(context, fmin(due_of(context), (double)context->remaining));
}

/* As many that both end at the same time: K4, by throughput. */
static uint64_t rate_steal(const struct keel_claim_context *context, const struct keel_pace *victim)
{
    double part = 0.5;

    if (context->own.mean_ns > 0 && victim->mean_ns > 0) {
        part = victim->mean_ns / (victim->mean_ns + context->own.mean_ns);
    }
    return count_of(ceil(part * (double)context->remaining));
}

/* Pieces along the loop, at least: of the team, and of each thread. */
#define TEAM_PIECES (4.0 * KEEL_PROFILE_BINS)
#define THREAD_PIECES 16.0

/* The thread's share of the rest, in pieces. All threads get pieces all along the loop, several in
 * each bin of the profile, so that the cost of a position can be separated from the speed of a
 * thread. */
static uint64_t in_order_take(const struct keel_claim_context *context)
{
    if (context->own.mean_ns == 0) {
        return keel_claim_context_probe(context);
    }
    double share = keel_claim_context_share(context);
    double pieces = fmax(TEAM_PIECES / (double)context->threads, THREAD_PIECES);
    double most =
        fmin(share * (double)context->iterations / pieces, 2 * (double)context->begun + 1);
    uint64_t piece = piece_of(context, share * (double)context->remaining);

    return min_u64(piece, count_of(ceil(most)));
}

const struct keel_schedule keel_schedule_rate_in_order = {
    .name = "rate",
    .summary = "rate-proportional pieces in the order of the loop",
    .states_min = true,
    .claim = KEEL_CLAIM_SIZED,
    .learns = KEEL_LEARNS_BLOCKS,
    .take = in_order_take,
    .timed = true,
};

const struct keel_schedule keel_schedule_rate = {
    .name = "rate",
    .summary = "rate-proportional adaptive blocks",
    .formula = "a block per thread, equal times by rates and costs of earlier instances; idle "
               "threads take over",
    .use = "Keel's own for repeated loops: blocks stay where they are, caches and pages with them",
    .source = "Keel; filter and threshold of Siegell & Steenkiste 1997",
    .states_min = true,
    .claim = KEEL_CLAIM_BLOCKS,
    .learns = KEEL_LEARNS_BLOCKS,
    .take = rate_take,
    .steal = rate_steal,
    .timed = true,
    .in_order = &keel_schedule_rate_in_order,
};

/* The schedule of a loop is chosen for each site from its measurements (selection.h); without a
 * site it is rate. */
const struct keel_schedule keel_schedule_auto = {
    .name = "auto",
    .summary = "Keel chooses for each loop",
    .formula = "measured as rate first; then the schedule of the best forecast, while it pays",
    .use = "programs with many different loops, or no time to compare schedules",
    .source = "Keel",
    .states_min = true,
    .claim = KEEL_CLAIM_BLOCKS,
    .learns = KEEL_LEARNS_BLOCKS,
    .take = rate_take,
    .steal = rate_steal,
    .timed = true,
    .chooses = true,
    .in_order = &keel_schedule_rate_in_order,
};
