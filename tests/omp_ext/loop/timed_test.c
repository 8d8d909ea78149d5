/* What is measured of an instance of a loop is what its chunks and threads took, to the ns. */
#include "omp_ext/site/measurement.h"
#include "omp_ext/site/site_record.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/registry.h"
#include "tests/omp_ext/loop/team.h"
#include "tests/support/near.h"

/* --- what is measured --- */

static struct keel_measurement_view seen;
static struct keel_cost seen_cost;

static void look(const struct keel_measurement_view *view, void *context)
{
    (void)context;
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
    (void)settled;
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
