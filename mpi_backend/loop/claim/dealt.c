/* First chunks that ranks have without a claim. */
#include "mpi_backend/loop/claim/dealt.h"

#include "mpi_backend/loop/claim/rank_ranges.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/ahead.h"

static enum keel_claim kind_of(const struct keel_mpi_loop *loop)
{
    return loop->spec.schedule->claim;
}

/* The size of a chunk before anything has been measured. */
static uint64_t first_size(const struct keel_mpi_loop *loop)
{
    const struct keel_schedule *schedule = loop->spec.schedule;
    struct keel_claim_context context = loop->claim_context;

    context.remaining = loop->units;
    uint64_t size = schedule->take != NULL ? schedule->take(&context) : 1;
    return max_u64(size, loop->spec.value[KEEL_MIN].count);
}

/* Whether all chunks are of one size, the last one excepted. Of those that shrink, a rank that
 * claims earlier than it needs takes larger ones. */
static bool has_equal_chunks(const struct keel_mpi_loop *loop)
{
    struct keel_cursor cursor;
    uint64_t first, last;

    keel_cursor_begin(&cursor, loop->plan);
    return keel_plan_any_chunk(loop->plan, &cursor.walk, 0, &first, &last) &&
           div_ceil(loop->units, last - first) == loop->plan->steps;
}

/* Where messages are needed to claim, each rank has its first chunks from the start: who owns the
 * counter may be in a long iteration when the first claims come. (From 2^32 iterations on, ranges
 * have coarser bounds than chunks.) */
void keel_mpi_dealt_plan(struct keel_mpi_loop *loop)
{
    uint64_t ranks = loop->job->ranks;

    loop->has_equal_chunks = kind_of(loop) == KEEL_CLAIM_STEPS && has_equal_chunks(loop);
    if (loop->job->nodes == 1 || loop->units < ranks || loop->units > UINT32_MAX) {
        return;
    }
    if (kind_of(loop) == KEEL_CLAIM_STEPS) {
        loop->dealt_each = keel_ahead_dealt(loop->plan->steps, ranks);
        loop->dealt = loop->dealt_each * ranks;
    } else if (kind_of(loop) == KEEL_CLAIM_SIZED) {
        loop->dealt_size = first_size(loop);
        loop->dealt_each = keel_ahead_dealt(loop->units / loop->dealt_size, ranks);
        loop->dealt = loop->dealt_each * ranks * loop->dealt_size;
    }
    loop->known = loop->dealt;
}

/* Chunk number `chunk` of those that are dealt. */
static void dealt_chunk(struct keel_mpi_loop *loop, uint64_t chunk, uint64_t *first, uint64_t *last)
{
    if (kind_of(loop) == KEEL_CLAIM_STEPS) {
        keel_plan_any_chunk(loop->plan, &loop->cursor.walk, chunk, first, last);
        return;
    }
    *first = chunk * loop->dealt_size;
    *last = *first + loop->dealt_size;
}

/* In turns, as if ranks had claimed them: neighbouring iterations may cost alike, and what a rank
 * measures of its first ones counts for others. */
void keel_mpi_dealt_give(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;

    for (uint64_t i = 0; i < loop->dealt_each; i++) {
        uint64_t first, last;
        dealt_chunk(loop, i * job->ranks + job->rank, &first, &last);
        atomic_fetch_add(&loop->claimed, last - first);
        loop->claim_context.begun += last - first;
        keel_mpi_rank_ranges_add(loop, first, last);
    }
}
