/* What is measured of an instance of a loop is what its chunks and threads took, to the ns; and how
 * quick the way is in which it runs. The threads of a team take turns in a loop, so that all of it
 * repeats: the test plays libgomp, the threads, and the clock. */
#include <string.h>

#include "omp_ext/loop/loop_open.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/helpers.h"
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
    now_ns[turn] += READING_NS;
    *time = (struct timespec){.tv_sec = 1 + (time_t)(now_ns[turn] / 1000000000),
                              .tv_nsec = (long)(now_ns[turn] % 1000000000)};
    return 0;
}

/* --- libgomp --- */

static keel_ull next_ticket, own_ticket[TEAM], tickets;
static _Alignas(64) char construct[256]; /* what the team shares */

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
    *memory = construct;
    return false;
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
    assert_true(up && start == 0 && incr == 1 && chunk == 1);
    tickets = end;
    return kind == KEEL_GFS_STATIC ? draw_own_ticket(istart, iend) : draw_ticket(istart, iend);
}

static const struct keel_libgomp libgomp = {
    .omp_get_num_threads = team_size,
    .omp_get_thread_num = thread_number,
    .GOMP_loop_start = start_construct,
    .GOMP_loop_ull_ordered_start = start_tickets,
    .GOMP_loop_ull_ordered_static_next = draw_own_ticket,
    .GOMP_loop_ull_ordered_dynamic_next = draw_ticket,
    .schedules = true,
    .shares = true,
};

/* --- the team --- */

static struct keel_loop loops[TEAM];
static struct keel_combined combined;
static const char code[65]; /* loops are called from there */

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

enum way { SEPARATE, COMBINED };

static enum keel_opened open_loop(enum way way, const struct keel_start *start,
                                  const struct keel_policy *policy)
{
    if (way == COMBINED) {
        keel_thread.loop->mode = KEEL_LOOP_COMBINED;
        keel_thread.loop->combined = &combined;
        return KEEL_OPENED;
    }
    return keel_loop_open(&libgomp, start, policy);
}

static struct keel_start start_of(struct keel_space space)
{
    return (struct keel_start){
        .space = space, .construct = {.place = {.caller = &code[1]}, .grain = 1}, .chunk = 1};
}

/* All threads begin; a combined loop has `combined` for that. */
static void open_by_all(enum way way, struct keel_space space, const struct keel_policy *policy)
{
    const struct keel_start start = start_of(space);

    begin_instance();
    combined = (struct keel_combined){
        .space = space, .policy = policy, .libgomp = &libgomp, .place = {.caller = &code[1]}};
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
    keel_clock_use_monotonic();
    return 0;
}

static int leave_team(void **state)
{
    keel_thread.loop = NULL;
    return 0;
}

#define IN_TEAM(name) TEST_WITH(name, begin_team, leave_team)

/* --- what is measured --- */

static struct keel_measurement_view seen;
static struct keel_cost seen_cost;

static void look(const struct keel_measurement_view *view, void *context)
{
    seen = *view;
    seen_cost = *view->cost;
}

static void look_at(struct keel_measurements *measurements)
{
    keel_slow_lock();
    keel_measurement_each(measurements, NULL, look, NULL);
    keel_slow_unlock();
}

/* Each chunk is timed from its claim to the next one, by a reading at each end. */
static void check_cost(uint64_t iterations)
{
    uint64_t work_ns = 0, chunks = 0;

    for (uint32_t t = 0; t < TEAM; t++) {
        work_ns += run.iterations[t] * ITERATION_NS * (t + 1);
        chunks += run.chunks[t];
    }
    assert_int_equal(seen_cost.chunks, chunks);
    assert_int_equal(seen_cost.iterations, iterations);
    assert_near(seen_cost.time_ns, (double)(work_ns + READING_NS * chunks));
    assert_near(seen_cost.overhead_ns, (double)(READING_NS * chunks));
}

static const struct keel_call_site site = {.caller = &code[1]};

/* Runs an instance from 0 on as the site has it. */
static void run_measured(struct keel_measurements *measurements, const struct keel_policy *wanted,
                         long iterations, uint32_t late)
{
    open_by_all(SEPARATE, keel_space_long(0, iterations, 1),
                keel_measurement_policy(measurements, &site, wanted, false));
    run_all((uint64_t)iterations, late);
    look_at(measurements);
}

IN_TEAM(chunks_of_measured_loops_are_timed)
{
    static struct keel_measurements measurements;

    run_measured(&measurements, policy_of("fac"), 100, TEAM);
    check_cost(100);
    assert_non_null(seen.completed);
}

/* The pace of each thread, and the time that it rests on. */
static void check_paces(void)
{
    const struct keel_record *record = atomic_load(&seen.records->first);

    assert_non_null(record);
    assert_int_equal(record->threads, TEAM);
    for (uint32_t t = 0; t < TEAM; t++) {
        double work_ns = ITERATION_NS * (t + 1), pace_ns = record->worker[t].pace_ns;
        assert_near(record->worker[t].busy_ns,
                    work_ns * (double)run.iterations[t] + READING_NS * (double)run.chunks[t]);
        assert_true(pace_ns > work_ns && pace_ns <= work_ns + 2 * READING_NS);
    }
}

static uint64_t first_chunk(uint32_t thread)
{
    keel_bound start, end;

    return next_chunk(thread, &start, &end) ? end - start : 0;
}

/* The first batch has half of the loop: 75 iterations. The next instance divides it by the paces of
 * the threads, 6 to 3 to 2 but for what looks at the clock take, and for little evidence. */
IN_TEAM(slower_threads_get_less_of_the_next_instance)
{
    static const char *const learning[] = {"awf", "awf-b", "awf-c", "awf-d", "awf-e"};
    static struct keel_measurements measurements[sizeof learning / sizeof *learning];

    for (unsigned i = 0; i < sizeof learning / sizeof *learning; i++) {
        const struct keel_policy *wanted = policy_of(learning[i]);
        run_measured(&measurements[i], wanted, 150, TEAM);
        check_cost(150);
        check_paces();
        open_by_all(SEPARATE, keel_space_long(0, 150, 1),
                    keel_measurement_policy(&measurements[i], &site, wanted, false));
        assert_in_range(first_chunk(0), 34, 41);
        assert_in_range(first_chunk(1), 19, 25);
        assert_in_range(first_chunk(2), 12, 15);
        for (uint32_t t = 0; t < TEAM; t++) {
            keel_loop_close(&loops[t]);
        }
    }
}

/* A thread that comes when nothing is left says nothing of its pace. Where a schedule learns what
 * claims take, that counts, too. */
IN_TEAM(adaptive_schedules_know_the_pace_of_each_thread)
{
    static const struct {
        const char *text;
        unsigned readings; /* of each chunk that count */
    } adaptive[] = {{"af", 1}, {"maf", 2}, {"rate", 1}};
    static struct keel_measurements measurements[sizeof adaptive / sizeof *adaptive];

    for (unsigned i = 0; i < sizeof adaptive / sizeof *adaptive; i++) {
        run_measured(&measurements[i], policy_of(adaptive[i].text), 150, 2);
        check_cost(150);
        const struct keel_record *record = atomic_load(&seen.records->first);
        assert_non_null(record);
        assert_true(record->blocks != NULL ? record->blocks->profile.seen[0] > 0
                                           : record->worker[0].known.variance_ns2 > 0);
        for (uint32_t t = 0; t < TEAM; t++) {
            double iterations = (double)run.iterations[t];
            double readings_ns = adaptive[i].readings * READING_NS * (double)run.chunks[t];
            assert_near(record->worker[t].known.mean_ns,
                        iterations == 0 ? 0 : ITERATION_NS * (t + 1) + readings_ns / iterations);
        }
    }
}

/* auto has tried each of its candidates after so many instances. */
IN_TEAM(adaptive_schedules_run_each_iteration_once)
{
    static const char *const adaptive[] = {
        "af",  "maf",     "aid",          "rate",           "afs",           "lds", "steal",
        "ich", "steal,3", "rate:grain=7", "steal:grain=50", "auto:grain=12", "auto"};

    for (unsigned i = 0; i < sizeof adaptive / sizeof *adaptive; i++) {
        const char *stated = strstr(adaptive[i], "grain=");
        grain = stated != NULL ? strtoul(stated + strlen("grain="), NULL, 10) : 1;
        for (uint32_t late = 0; late <= TEAM; late++) {
            struct keel_measurements measurements = {0};
            for (int instance = 0; instance < 25; instance++) {
                run_measured(&measurements, policy_of(adaptive[i]), 150, late);
            }
        }
    }
    grain = 1;
}

/* The others have left, so nothing is shared any more. */
IN_TEAM(a_thread_that_comes_last_finds_the_loop_closed)
{
    static struct keel_measurements measurements;
    const struct keel_start start = start_of(keel_space_long(0, 150, 1));
    const struct keel_policy *policy =
        keel_measurement_policy(&measurements, &site, policy_of("af"), false);

    begin_instance();
    memset(&run, 0, sizeof run);
    for (uint32_t t = 0; t < TEAM; t++) {
        run_as(t);
        assert_int_equal(keel_loop_open(&libgomp, &start, policy), KEEL_OPENED);
        while (run_chunk(t)) {
        }
        assert_int_equal(run.iterations[t], t == 0 ? 150 : 0);
    }
}

/* What has been measured lets short loops be tried with static shares, unless the program's clause
 * says how large chunks are, or the loop shares memory. */
IN_TEAM(short_loops_are_tried_with_static_shares)
{
    static struct keel_measurements measurements;
    const struct keel_policy *wanted = policy_of("fac");
    struct keel_start start = start_of(keel_space_long(0, 150, 1));
    void *memory = (void *)(uintptr_t)8;

    for (int instance = 0; instance < 4; instance++) {
        run_measured(&measurements, wanted, 150, TEAM);
        assert_false(loops[0].agreed->static_shares);
    }
    const struct keel_policy *policy = keel_measurement_policy(&measurements, &site, wanted, false);
    for (int shares_memory = 1; shares_memory >= 0; shares_memory--) {
        start.chunk = 0;
        start.memory = shares_memory ? &memory : NULL;
        begin_instance();
        run_as(0);
        assert_int_equal(keel_loop_open(&libgomp, &start, policy), KEEL_OPENED);
        assert_int_equal(loops[0].agreed->static_shares, !shares_memory);
        keel_loop_close(&loops[0]);
    }
}

/* --- static shares, timed --- */

static struct {
    unsigned calls;
    uint64_t threads, iterations;
    double last_ns, mean_ns, start_ns;
} trial;

void __wrap_keel_settled_learn(struct keel_settled_site *site, uint64_t threads,
                               uint64_t iterations, double last_ns, double mean_ns,
                               double start_ns);
void __wrap_keel_settled_learn(struct keel_settled_site *settled, uint64_t threads,
                               uint64_t iterations, double last_ns, double mean_ns, double start_ns)
{
    trial.calls++;
    trial.threads = threads;
    trial.iterations = iterations;
    trial.last_ns = last_ns;
    trial.mean_ns = mean_ns;
    trial.start_ns = start_ns;
}

/* The policy of static shares that are timed for a site. */
static struct keel_policy timed_shares(void)
{
    static struct keel_settled_site settled;
    const struct keel_spec spec = keel_spec_of(&keel_schedule_static);
    struct keel_policy policy = keel_policy_of(&spec);

    policy.static_shares = true;
    policy.trial = &settled;
    trial.calls = 0;
    return policy;
}

/* Ends count from where the first thread begins, by a reading that is the first of each. */
IN_TEAM(static_shares_are_timed_until_all_have_ended)
{
    const struct keel_policy policy = timed_shares();
    const uint32_t share[TEAM] = {17, 17, 16}, order[TEAM] = {2, 0, 1};
    double last_ns = 0, sum_ns = 0;

    open_by_all(SEPARATE, keel_space_long(0, 50, 1), &policy);
    memset(&run, 0, sizeof run);
    for (unsigned i = 0; i < TEAM; i++) {
        uint32_t t = order[i];
        double end_ns = share[t] * ITERATION_NS * (t + 1) + READING_NS;
        assert_int_equal(trial.calls, 0);
        assert_true(run_chunk(t));
        assert_int_equal(run.iterations[t], share[t]);
        assert_false(run_chunk(t));
        assert_int_equal(loops[t].mode, KEEL_LOOP_LIBGOMP);
        last_ns = end_ns > last_ns ? end_ns : last_ns;
        sum_ns += end_ns;
    }
    assert_int_equal(trial.calls, 1);
    assert_int_equal(trial.threads, TEAM);
    assert_int_equal(trial.iterations, 50);
    assert_near(trial.last_ns, last_ns);
    assert_true(is_within(trial.mean_ns, sum_ns / TEAM, 1e-3)); /* it counts whole ns */
    assert_near(trial.start_ns, 0);
}

IN_TEAM(what_starting_takes_is_timed_too)
{
    struct keel_policy policy = timed_shares();

    open_by_all(COMBINED, keel_space_long(0, 2, 1), &policy);
    run_all(2, TEAM);
    assert_int_equal(trial.calls, 1);
    assert_near(trial.start_ns, READING_NS);
    policy.trial = NULL;
    open_by_all(COMBINED, keel_space_long(0, 2, 1), &policy);
    run_all(2, TEAM);
    assert_int_equal(trial.calls, 1);
}

/* --- modes --- */

/* By which a loop is run whose threads take chunks in any order: as quick as it may be. */
IN_TEAM(loops_run_in_their_quickest_mode)
{
    static const struct {
        const char *text;
        enum keel_loop_mode mode;
    } planned[] = {
        {"static", KEEL_LOOP_OTHER},         {"ss", KEEL_LOOP_EQUAL},
        {"css,5", KEEL_LOOP_EQUAL},          {"gss", KEEL_LOOP_STEPS},
        {"tss,20,2", KEEL_LOOP_STEPS},       {"fac2:min=4", KEEL_LOOP_STEPS},
        {"mfsc", KEEL_LOOP_EQUAL},           {"wf2", KEEL_LOOP_WEIGHTED},
        {"css,10:grain=4", KEEL_LOOP_EQUAL}, {"wf2:grain=5", KEEL_LOOP_WEIGHTED},
    };

    for (unsigned p = 0; p < sizeof planned / sizeof *planned; p++) {
        open_by_all(SEPARATE, keel_space_long(0, 100, 1), policy_of(planned[p].text));
        for (uint32_t t = 0; t < TEAM; t++) {
            assert_int_equal(loops[t].mode, planned[p].mode);
            run_as(t);
            keel_loop_close(&loops[t]);
        }
    }
}
