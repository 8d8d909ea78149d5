/* A team whose threads take turns in a loop, so that all of it repeats: the test plays libgomp, the
 * threads, and the clock. Linked with --wrap=clock_gettime. */
#ifndef TESTS_OMP_EXT_LOOP_TEAM_H
#define TESTS_OMP_EXT_LOOP_TEAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "omp_ext/loop/loop_next.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/machine/clock.h"
#include "schedules/loop/spec.h"
#include "tests/support/unit.h"

#define TEAM 3
#define READING_NS 10    /* that a look at the clock takes */
#define ITERATION_NS 100 /* of thread 0; of thread t (t + 1) times that */
#define ITERATIONS_MAX 200

static uint32_t turn;         /* the thread that runs */
static uint64_t now_ns[TEAM]; /* each has a time of its own */

/* --- the clock --- */

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    now_ns[turn] += READING_NS;
    *time = (struct timespec){.tv_sec = 1 + (time_t)(now_ns[turn] / 1000000000),
                              .tv_nsec = (long)(now_ns[turn] % 1000000000)};
    return 0;
}

/* --- libgomp --- */

static keel_ull next_ticket, own_ticket[TEAM], tickets;
static _Alignas(64) char construct[256]; /* what the team shares */
static size_t wanted_size;
static unsigned libgomp_chunks;

static int team_size(void)
{
    return TEAM;
}

static int thread_number(void)
{
    return (int)turn;
}

static bool start_construct(long start, long end, long incr, long kind, long chunk, long *istart,
                            long *iend, uintptr_t *reductions, void **memory)
{
    (void)start, (void)end, (void)incr, (void)kind, (void)chunk, (void)istart, (void)iend;
    (void)reductions;
    wanted_size = (size_t)*memory;
    *memory = construct;
    return false;
}

static bool start_wide(bool up, keel_ull start, keel_ull end, keel_ull incr, long kind,
                       keel_ull chunk, keel_ull *istart, keel_ull *iend, uintptr_t *reductions,
                       void **memory)
{
    (void)up, (void)kind, (void)chunk;
    start_construct((long)start, (long)end, (long)incr, 0, 0, (long *)istart, (long *)iend,
                    reductions, memory);
    return true;
}

/* What libgomp's own `next` has been called for. */
static const char *libgomp_next;

static bool next_of_libgomp(const char *name, long *start, long *end)
{
    *start = 4;
    *end = 5;
    libgomp_next = name;
    return libgomp_chunks++ < 2;
}

static bool next_runtime(long *start, long *end)
{
    return next_of_libgomp("runtime", start, end);
}

static bool next_ordered(long *start, long *end)
{
    return next_of_libgomp("ordered", start, end);
}

static bool next_wide(keel_ull *start, keel_ull *end)
{
    return next_of_libgomp("wide", (long *)start, (long *)end);
}

static bool next_wide_ordered(keel_ull *start, keel_ull *end)
{
    return next_of_libgomp("wide ordered", (long *)start, (long *)end);
}

static bool draw_ticket(keel_ull *first, keel_ull *end)
{
    *first = next_ticket++;
    *end = *first + 1;
    return *first < tickets;
}

static bool draw_own_ticket(keel_ull *first, keel_ull *end)
{
    *first = own_ticket[turn];
    *end = *first + 1;
    own_ticket[turn] += TEAM;
    return *first < tickets;
}

static bool start_tickets(bool up, keel_ull start, keel_ull end, keel_ull incr, long kind,
                          keel_ull chunk, keel_ull *istart, keel_ull *iend, uintptr_t *reductions,
                          void **memory)
{
    (void)reductions, (void)memory;
    assert_true(up && start == 0 && incr == 1 && chunk == 1);
    tickets = end;
    return kind == KEEL_GFS_STATIC ? draw_own_ticket(istart, iend) : draw_ticket(istart, iend);
}

static const struct keel_libgomp libgomp = {
    .omp_get_num_threads = team_size,
    .omp_get_thread_num = thread_number,
    .GOMP_loop_start = start_construct,
    .GOMP_loop_ull_start = start_wide,
    .GOMP_loop_runtime_next = next_runtime,
    .GOMP_loop_ordered_runtime_next = next_ordered,
    .GOMP_loop_ull_runtime_next = next_wide,
    .GOMP_loop_ull_ordered_runtime_next = next_wide_ordered,
    .GOMP_loop_ull_ordered_start = start_tickets,
    .GOMP_loop_ull_ordered_static_next = draw_own_ticket,
    .GOMP_loop_ull_ordered_dynamic_next = draw_ticket,
    .schedules = true,
    .shares = true,
};

/* --- the team --- */

static struct keel_loop loops[TEAM];
static struct keel_combined combined;
static const char code[65]; /* loops are called from there, */
static unsigned place = 1;  /* at this place */

static void run_as(uint32_t thread)
{
    turn = thread;
    keel_thread.loop = &loops[thread];
}

static void begin_instance(void)
{
    memset(construct, 0, sizeof construct);
    next_ticket = 0;
    for (uint32_t t = 0; t < TEAM; t++) {
        own_ticket[t] = t;
        now_ns[t] = (now_ns[t] / 1000000 + 1) * 1000000;
    }
}

enum way { SEPARATE, COMBINED, ORDERED };

static enum keel_opened open_loop(enum way way, const struct keel_start *start,
                                  const struct keel_policy *policy)
{
    if (way == COMBINED) {
        keel_thread.loop->mode = KEEL_LOOP_COMBINED;
        keel_thread.loop->combined = &combined;
        return KEEL_OPENED;
    }
    return (way == ORDERED ? keel_loop_open_ordered : keel_loop_open)(&libgomp, start, policy);
}

static struct keel_start start_of(struct keel_space space)
{
    return (struct keel_start){
        .space = space, .construct = {.place = {.caller = &code[place]}, .grain = 1}, .chunk = 1};
}

/* All threads begin; a combined loop has `combined` for that. */
static void open_by_all(enum way way, struct keel_space space, const struct keel_policy *policy)
{
    const struct keel_start start = start_of(space);

    begin_instance();
    combined = (struct keel_combined){
        .space = space, .policy = policy, .libgomp = &libgomp, .place = {.caller = &code[place]}};
    for (uint32_t t = 0; t < TEAM; t++) {
        run_as(t);
        assert_int_equal(open_loop(way, &start, policy), KEEL_OPENED);
    }
}

static uint64_t grain = 1; /* that chunks have to begin at multiples of */

/* What the threads have run. */
static struct {
    unsigned char times[ITERATIONS_MAX];
    uint64_t chunks[TEAM], iterations[TEAM];
} run;

static bool next_chunk(uint32_t thread, keel_bound *start, keel_bound *end)
{
    run_as(thread);
    return keel_loop_next(&loops[thread], start, end);
}

/* A turn of a thread in a loop from 0 on: it runs the next chunk. False: it has none. */
static bool run_chunk(uint32_t thread)
{
    keel_bound start, end;

    if (!next_chunk(thread, &start, &end)) {
        return false;
    }
    assert_int_equal(start % grain, 0);
    run.chunks[thread]++;
    for (uint64_t i = start; i < end; i++) {
        assert_in_range(i, 0, ITERATIONS_MAX - 1);
        run.times[i]++;
        run.iterations[thread]++;
        now_ns[thread] += ITERATION_NS * (thread + 1);
    }
    return true;
}

/* Each thread has a turn after the other, until it gets nothing; `late` does not come before the
 * others are done. TEAM: none is late. */
static void run_all(uint64_t iterations, uint32_t late)
{
    bool left[TEAM] = {true, true, true};

    memset(&run, 0, sizeof run);
    while (left[0] || left[1] || left[2]) {
        bool others = (left[0] && late != 0) || (left[1] && late != 1) || (left[2] && late != 2);
        for (uint32_t t = 0; t < TEAM; t++) {
            left[t] = left[t] && ((t == late && others) || run_chunk(t));
        }
    }
    for (uint64_t i = 0; i < ITERATIONS_MAX; i++) {
        assert_int_equal(run.times[i], i < iterations);
    }
    for (uint32_t t = 0; t < TEAM; t++) {
        assert_int_equal(loops[t].mode, KEEL_LOOP_LIBGOMP);
        assert_null(loops[t].kept);
        assert_null(loops[t].shared_state);
    }
}

static const struct keel_policy *policy_of(const char *text)
{
    struct keel_spec spec;
    char problem[KEEL_PROBLEM_MAX];

    assert_int_equal(keel_spec_read(text, strlen(text), &spec, problem), KEEL_SPEC_GOOD);
    const struct keel_policy *policy = keel_policy_intern(&spec);
    assert_non_null(policy);
    return policy;
}

static int begin_team(void **state)
{
    (void)state;
    keel_clock_use_monotonic();
    return 0;
}

static int leave_team(void **state)
{
    (void)state;
    keel_thread.loop = NULL;
    return 0;
}

#define IN_TEAM(name) TEST_WITH(name, begin_team, leave_team)

#endif
