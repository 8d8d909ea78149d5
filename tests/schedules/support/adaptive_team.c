/* Simulated teams under schedules without plans. */
#include "tests/schedules/support/adaptive_team.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef unsigned long long ull;

struct adaptive_team adaptive_team_begin(const struct keel_spec *spec, uint64_t iterations,
                                         uint64_t threads, const uint64_t *first)
{
    struct adaptive_team team = {.team = aligned_alloc(64, keel_team_size(threads)),
                                 .members = calloc(threads, sizeof *team.members),
                                 .working = threads,
                                 .room = 64,
                                 .chunks = calloc(64, sizeof *team.chunks)};
    const struct keel_pace unknown = {0};

    /* what an earlier instance may have left; as paces, positive ones */
    memset(team.team, 0x3f, keel_team_size(threads));
    keel_team_begin(team.team, spec, iterations, threads, first, NULL);
    for (uint64_t i = 0; i < threads; i++) {
        keel_team_worker_begin(&team.members[i].worker, team.team, i, unknown);
    }
    return team;
}

/* --- one claim --- */

static bool is_of_blocks(const struct adaptive_team *team)
{
    return team->team->spec->schedule->claim == KEEL_CLAIM_BLOCKS;
}

/* A chunk may be smaller than the minimum where nothing is left behind it: of the loop, whose last
 * iteration may go out by itself, or of the block that it was taken from. */
static bool was_all_there_was(const struct adaptive_team *team, uint64_t thread, uint64_t last)
{
    uint64_t block = atomic_load(&team->team->member[thread].block);

    return last == team->team->loop_iterations ||
           (is_of_blocks(team) && block >> 32 >= (uint32_t)block);
}

static void assert_fits(const struct adaptive_team *team, uint64_t thread, uint64_t first,
                        uint64_t last)
{
    const struct adaptive_member *member = &team->members[thread];
    uint64_t iterations = team->team->loop_iterations;

    if (last <= first || last > iterations) {
        fail_msg("chunk %zu of thread %llu is [%llu, %llu) of %llu", team->count, (ull)thread,
                 (ull)first, (ull)last, (ull)iterations);
    }
    if (last - first < team->team->spec->value[KEEL_MIN].count &&
        !was_all_there_was(team, thread, last)) {
        fail_msg("chunk %zu of thread %llu, [%llu, %llu), is too small", team->count, (ull)thread,
                 (ull)first, (ull)last);
    }
    if (!is_of_blocks(team) && first < member->end) {
        fail_msg("chunk %zu of thread %llu is [%llu, %llu); it has been at %llu", team->count,
                 (ull)thread, (ull)first, (ull)last, (ull)member->end);
    }
}

bool adaptive_team_claim(struct adaptive_team *team, uint64_t thread)
{
    struct adaptive_member *member = &team->members[thread];
    uint64_t first, last;

    if (!keel_team_worker_next(&member->worker, &first, &last)) {
        return false;
    }
    assert_fits(team, thread, first, last);
    if (team->count == team->room) {
        team->room *= 2;
        team->chunks = realloc(team->chunks, team->room * sizeof *team->chunks);
    }
    team->chunks[team->count++] = (struct adaptive_chunk){first, last, thread};
    member->end = last;
    member->holds = true;
    return true;
}

void adaptive_team_done(struct adaptive_team *team, uint64_t thread, double time_ns,
                        double overhead_ns)
{
    keel_team_worker_done(&team->members[thread].worker, time_ns, overhead_ns);
    team->members[thread].holds = false;
}

/* --- a whole loop --- */

/* Powers of ten from 1e-3 to 1e12 ns, or what a broken clock gives. */
static double draw_time(struct draws *draws, bool wild)
{
    static const double strange[] = {0, -1, -1e300, NAN, INFINITY, -INFINITY, 1e300, 1e-320};

    if (wild && draws_below(draws, 4) == 0) {
        return strange[draws_below(draws, sizeof strange / sizeof strange[0])];
    }
    return pow(10, (double)draws_below(draws, 16) - 3) * (double)(1 + draws_below(draws, 100));
}

/* Draws how long it took from what the thread's iterations take on average. */
static void finish(struct adaptive_team *team, uint64_t thread, bool wild, struct draws *draws)
{
    const struct keel_claim_context *context = &team->members[thread].worker.context;
    double pace = 100.0 * (double)(1 + thread % 7) * (double)(50 + draws_below(draws, 100)) / 100;

    if (wild) {
        adaptive_team_done(team, thread, draw_time(draws, true), draw_time(draws, true));
    } else {
        adaptive_team_done(team, thread, pace * (double)context->chunk, 100);
    }
}

static void leave(struct adaptive_team *team, uint64_t thread)
{
    team->members[thread].gone = true;
    team->working--;
}

static void act(struct adaptive_team *team, uint64_t thread, struct adaptive_habits habits,
                struct draws *draws)
{
    struct adaptive_member *member = &team->members[thread];

    if (!member->holds) {
        if (!adaptive_team_claim(team, thread)) {
            leave(team, thread);
        }
    } else if (habits.quit && team->working > 1 && draws_below(draws, 8) == 0) {
        leave(team, thread);
    } else {
        finish(team, thread, habits.wild, draws);
    }
}

static void keep_away(struct adaptive_team *team, struct draws *draws)
{
    for (uint64_t i = 0; i < team->team->threads && team->working > 1; i++) {
        if (draws_below(draws, 3) == 0) {
            leave(team, i);
        }
    }
}

/* What earlier instances are said to have shown. */
static void seat_anew(struct adaptive_team *team, bool wild, struct draws *draws)
{
    for (uint64_t i = 0; i < team->team->threads; i++) {
        if (draws_below(draws, 2) == 0) {
            keel_team_worker_begin(
                &team->members[i].worker, team->team, i,
                (struct keel_pace){draw_time(draws, wild), draw_time(draws, wild)});
        }
    }
}

void adaptive_team_run(struct adaptive_team *team, struct adaptive_habits habits,
                       struct draws *draws)
{
    uint64_t threads = team->team->threads;

    if (draws_below(draws, 2) == 0) {
        seat_anew(team, habits.wild, draws);
    }
    if (habits.absent) {
        keep_away(team, draws);
    }
    while (team->working > 0 && (habits.limit == 0 || team->count < habits.limit)) {
        uint64_t chosen = draws_below(draws, threads);
        while (team->members[chosen].gone) {
            chosen = (chosen + 1) % threads;
        }
        act(team, chosen, habits, draws);
    }
    for (uint64_t i = 0; i < threads && team->working == 0; i++) {
        assert_false(adaptive_team_claim(team, i));
    }
}

static int by_place(const void *a, const void *b)
{
    const struct adaptive_chunk *x = a, *y = b;

    return x->first < y->first ? -1 : x->first > y->first;
}

void adaptive_team_assert_complete(const struct adaptive_team *team)
{
    struct adaptive_chunk *chunks = malloc((team->count + 1) * sizeof *chunks);
    uint64_t end = 0;

    memcpy(chunks, team->chunks, team->count * sizeof *chunks);
    qsort(chunks, team->count, sizeof *chunks, by_place);
    for (size_t i = 0; i < team->count; i++) {
        if (chunks[i].first < end || (team->working == 0 && chunks[i].first > end)) {
            fail_msg("[%llu, %llu) follows %llu", (ull)chunks[i].first, (ull)chunks[i].last,
                     (ull)end);
        }
        end = chunks[i].last;
    }
    if (team->working == 0 && end != team->team->loop_iterations) {
        fail_msg("%zu chunks end at %llu of %llu", team->count, (ull)end,
                 (ull)team->team->loop_iterations);
    }
    free(chunks);
}

void adaptive_team_end(struct adaptive_team *team)
{
    free(team->team);
    free(team->members);
    free(team->chunks);
}
