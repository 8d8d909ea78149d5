/* Simulated teams. */
#include "tests/schedules/support/simulated_team.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOTHING_HELD UINT64_MAX

typedef unsigned long long ull;

struct team team_begin(const struct keel_problem *problem)
{
    struct team team = {.iterations = problem->iterations,
                        .threads = problem->threads,
                        .working = problem->threads,
                        .members = calloc(problem->threads, sizeof *team.members),
                        .room = 64,
                        .chunks = calloc(64, sizeof *team.chunks)};

    for (size_t i = 0; i < team.threads; i++) {
        struct member *member = &team.members[i];
        struct keel_problem own = *problem;
        own.thread = i;
        member->plan = keel_plan_build(&own, realloc, &member->fallback);
        member->held = NOTHING_HELD;
        keel_cursor_begin(&member->cursor, member->plan);
    }
    return team;
}

static void make_room(struct team *team, uint64_t step)
{
    while (step >= team->room) {
        team->chunks = realloc(team->chunks, 2 * team->room * sizeof *team->chunks);
        memset(team->chunks + team->room, 0, team->room * sizeof *team->chunks);
        team->room *= 2;
    }
}

static void note(struct team *team, struct member *member, uint64_t step, uint64_t first,
                 uint64_t last)
{
    if (first < member->end || last <= first || last > team->iterations) {
        fail_msg("step %llu is [%llu, %llu) of %llu; the thread has been at %llu", (ull)step,
                 (ull)first, (ull)last, (ull)team->iterations, (ull)member->end);
    }
    make_room(team, step);
    if (team->chunks[step].last != 0) {
        fail_msg("step %llu is handed out twice", (ull)step);
    }
    team->chunks[step] = (struct team_chunk){first, last};
    team->steps++;
    member->end = last;
}

static void refuse(struct team *team, struct member *member)
{
    member->refused = true;
    team->working--;
}

/* The number of the step that a claim of this member takes. */
static uint64_t step_ahead(const struct team *team, const struct member *member)
{
    switch (member->plan->claim) {
    case KEEL_CLAIM_STEPS:
        return atomic_load(&team->claims.next);
    case KEEL_CLAIM_OWN:
        return member->cursor.step;
    case KEEL_CLAIM_WEIGHTED:
        return team->steps;
    case KEEL_CLAIM_SIZED:
    case KEEL_CLAIM_BLOCKS:
        break;
    }
    return 0;
}

static void claim(struct team *team, struct member *member)
{
    uint64_t step = step_ahead(team, member);
    uint64_t first, last;

    if (keel_claim(member->plan, &team->claims, &member->cursor, &first, &last)) {
        note(team, member, step, first, last);
    } else {
        refuse(team, member);
    }
}

/* The second half of a claim whose step was drawn while others overtook. */
static void look_up(struct team *team, struct member *member)
{
    uint64_t step = member->held;
    uint64_t first, last;

    member->held = NOTHING_HELD;
    if (keel_plan_any_chunk(member->plan, &member->cursor.walk, step, &first, &last)) {
        note(team, member, step, first, last);
    } else {
        refuse(team, member);
    }
}

static void act(struct team *team, struct member *member, bool interrupted)
{
    if (member->held != NOTHING_HELD) {
        look_up(team, member);
    } else if (interrupted && member->plan->claim == KEEL_CLAIM_STEPS) {
        member->held = atomic_fetch_add(&team->claims.next, 1);
    } else {
        claim(team, member);
    }
}

void team_run(struct team *team, struct draws *draws)
{
    while (team->working > 0) {
        uint64_t draw = draws_next(draws);
        size_t chosen = (draw >> 8) % team->threads;
        while (team->members[chosen].refused) {
            chosen = (chosen + 1) % team->threads;
        }
        act(team, &team->members[chosen], draw & 1);
    }
    for (size_t i = 0; i < team->threads; i++) {
        uint64_t first, last;
        assert_false(keel_claim(team->members[i].plan, &team->claims, &team->members[i].cursor,
                                &first, &last));
    }
}

void team_assert_complete(const struct team *team)
{
    uint64_t end = 0;

    for (size_t step = 0; step < team->steps; step++) {
        if (step >= team->room || team->chunks[step].first != end ||
            team->chunks[step].last <= end) {
            fail_msg("step %zu of %zu does not begin at %llu", step, team->steps, (ull)end);
        }
        end = team->chunks[step].last;
    }
    if (end != team->iterations) {
        fail_msg("%zu steps end at %llu of %llu", team->steps, (ull)end, (ull)team->iterations);
    }
}

void team_end(struct team *team)
{
    for (size_t i = 0; i < team->threads; i++) {
        if (team->members[i].plan != &team->members[i].fallback) {
            free(team->members[i].plan);
        }
    }
    free(team->members);
    free(team->chunks);
}

/* --- schedules without plans --- */

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

static void adaptive_team_act(struct adaptive_team *team, uint64_t thread,
                              struct adaptive_habits habits, struct draws *draws)
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
        adaptive_team_act(team, chosen, habits, draws);
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
