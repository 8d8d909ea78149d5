/* States of loop sites for tests. */
#include "tests/omp_ext/store/states.h"

#include <string.h>

#include "tests/support/draws.h"

/* 0 < value < 1, with as many digits as a double has. */
static double fraction(struct draws *draws)
{
    return ((double)(draws_next(draws) >> 11) + 1) * 0x1p-54;
}

static void fill_thread(struct keel_memory_thread *thread, double bound, struct draws *draws)
{
    memset(thread, 0, sizeof *thread);
    thread->rate.filtered = fraction(draws) * 1e-3;
    thread->rate.state = (enum keel_rate_state)(draws_next(draws) % KEEL_RATE_STATES);
    thread->bound = bound;
    thread->mean_ns = fraction(draws) * 1e6;
    thread->variance_ns2 = fraction(draws) * 1e12;
    thread->sample.count = draws_next(draws) % 1000;
    thread->sample.iterations = fraction(draws) * 1e9;
    thread->sample.time_ns = fraction(draws) * 1e15;
}

struct keel_memory_state state_of(unsigned slot, uint64_t caller, uint64_t threads, uint64_t seed)
{
    static struct keel_memory_thread thread[2][STATES_THREADS_MAX];
    struct draws draws = {seed};
    struct keel_memory_state state = {
        .key = {"00112233445566778899aabbccddeeff00112233", caller, caller + 64, "rate,8", threads},
        .instances = draws_next(&draws) % (1u << 30),
        .calm = draws_next(&draws) % 100,
        .cost = {draws_next(&draws) % 99, draws_next(&draws) % (1u << 30), fraction(&draws) * 1e12,
                 fraction(&draws) * 1e20, fraction(&draws) * 1e9},
        .choice = "fac2:min=4",
        .choice_ns = fraction(&draws) * 1e9,
        .thread = thread[slot],
    };

    for (size_t i = 0; i < KEEL_PROFILE_BINS; i++) {
        state.profile.cost[i] = 2 * fraction(&draws);
        state.profile.seen[i] = 1e6 * fraction(&draws);
    }
    for (uint64_t i = 0; i < threads; i++) {
        fill_thread(&thread[slot][i], (double)i / (double)threads, &draws);
    }
    return state;
}

static bool keys_equal(const struct keel_memory_key *a, const struct keel_memory_key *b)
{
    return strcmp(a->module, b->module) == 0 && a->caller == b->caller &&
           a->outlined == b->outlined && strcmp(a->schedule, b->schedule) == 0 &&
           a->threads == b->threads;
}

bool states_equal(const struct keel_memory_state *a, const struct keel_memory_state *b)
{
    return keys_equal(&a->key, &b->key) && a->instances == b->instances && a->calm == b->calm &&
           memcmp(&a->profile, &b->profile, sizeof a->profile) == 0 &&
           memcmp(&a->cost, &b->cost, sizeof a->cost) == 0 && strcmp(a->choice, b->choice) == 0 &&
           memcmp(&a->choice_ns, &b->choice_ns, sizeof a->choice_ns) == 0 &&
           memcmp(a->thread, b->thread, a->key.threads * sizeof *a->thread) == 0;
}
