/* Sums of a report, and the advice by them. */
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_text.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* Of a job of that process alone. */
static struct keel_report_summary summary_of(const struct keel_report_process *process)
{
    return keel_report_summarise(&process, 1);
}

/* --- sums and efficiencies: computed by hand, and invariants for any data --- */

TEST(a_loop_without_threads_loses_nothing)
{
    struct keel_report_loop loop = {.threads = 4, .elapsed_s = 3};
    struct keel_report_loss loss = keel_report_loss_of(&loop);

    assert_near(loss.lost_s, 0);
    assert_near(loss.imbalance_percent, 0);
}

/* Measured times may add up to more than the elapsed time. Waiting counts before claiming, and
 * their sum is at most the lost time. */
TEST(a_loop_claims_no_more_than_it_loses)
{
    static const struct keel_report_thread threads[2] = {
        {.busy_s = 3, .waited_s = 0.5, .claiming_s = 1}, {.busy_s = 4, .claiming_s = 1}};
    const struct keel_report_loop loop = {.threads = 2, .thread = threads, .elapsed_s = 4};
    struct keel_report_loss loss = keel_report_loss_of(&loop);

    assert_near(loss.lost_s, 1);
    assert_near(loss.waited_s, 0.5);
    assert_near(loss.claiming_s, 0.5);
    assert_near(loss.other_s, 0);
}

/* Two threads of a program, none of them the initial one, open regions of two threads at a time: 3
 * of 4 s. The initial one opens none. */
TEST(teams_that_run_at_the_same_time_are_counted)
{
    static const struct keel_report_thread threads[2] = {{.busy_s = 5, .waited_s = 1},
                                                         {.busy_s = 3, .waited_s = 3}};
    const struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .region = -1, .threads = 2, .thread = threads, .elapsed_s = 6};
    const struct keel_report_process process = {
        .elapsed_s = 4, .serial_s = 4, .threads = 2, .loop = &region, .loop_count = 1};
    struct keel_report_summary summary = summary_of(&process);

    assert_int_equal(summary.threads, 4);
    assert_near(summary.useful_s, 8);
    assert_near(summary.waited_s, 4);
    assert_near(summary.serial_s, 0);
    assert_near(summary.efficiency.parallel, 0.5);
}

/* The same regions take 4.02 s of 4: clocks differ, and it was one team at a time. By 4.05 s, there
 * were two. */
TEST(hardly_more_than_one_team_is_one)
{
    static const struct keel_report_thread threads[2] = {{.busy_s = 4}, {.busy_s = 4}};
    struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .region = -1, .threads = 2, .thread = threads};
    const struct keel_report_process process = {
        .elapsed_s = 4, .serial_s = 1, .threads = 2, .loop = &region, .loop_count = 1};

    region.elapsed_s = 4.02;
    assert_int_equal(summary_of(&process).threads, 2);
    region.elapsed_s = 4.05;
    assert_int_equal(summary_of(&process).threads, 4);
}

/* Its time is part of that of the enclosing region. */
TEST(a_nested_region_does_not_count_again)
{
    const struct keel_report_thread thread = {.busy_s = 3};
    struct keel_report_loop region[] = {
        {.kind = KEEL_REPORT_REGION, .elapsed_s = 4, .threads = 1, .thread = &thread},
        {.kind = KEEL_REPORT_REGION,
         .elapsed_s = 4,
         .threads = 1,
         .thread = &thread,
         .nested = true},
    };
    const struct keel_report_process process = {
        .elapsed_s = 8, .threads = 1, .loop = region, .loop_count = 2};

    assert_near(summary_of(&process).useful_s, 3);
}

TEST(nothing_at_all)
{
    struct keel_report_summary summary = keel_report_summarise(NULL, 0);

    assert_near(summary.useful_s, 0);
    assert_near(summary.efficiency.parallel, 1);
}

/* 10 s of two threads, 3 s before and 1 s after a region of 6 s. Ranks wait for 0.5 s outside, and
 * in the region for 4 s, in which one thread waits for ranks and the other at the region's end. */
TEST(waits_in_regions_are_not_serial)
{
    const struct keel_report_thread thread[2] = {{.busy_s = 2, .waited_s = 4},
                                                 {.busy_s = 1.5, .waited_s = 4.5}};
    const struct keel_report_loop region = {
        .kind = KEEL_REPORT_REGION, .elapsed_s = 6, .threads = 2, .thread = thread};
    const struct keel_report_process process = {.elapsed_s = 10,
                                                .serial_s = 4,
                                                .mpi_s = 4.5,
                                                .mpi_in_regions_s = 4,
                                                .threads = 2,
                                                .loop = &region,
                                                .loop_count = 1};
    struct keel_report_summary summary = summary_of(&process);

    assert_near(summary.mpi_s, 9);
    assert_near(summary.serial_s, 3.5);
    assert_near(summary.useful_s, 7);
    assert_near(summary.waited_s, 0.5);
    assert_near(summary.other_s, 0);
    assert_near(summary.efficiency.serial, 7.5 / 11);
}

/* --- any data --- */

#define TEAM 4
#define RANKS 3

static void draw_region(struct draws *draws, struct keel_report_loop *region,
                        struct keel_report_thread *thread)
{
    *region = (struct keel_report_loop){
        .kind = KEEL_REPORT_REGION,
        .elapsed_s = draws_real(draws) * 10,
        .threads = 1 + (uint32_t)draws_below(draws, TEAM),
        .thread = thread,
        .nested = draws_below(draws, 4) == 0,
    };
    for (uint32_t i = 0; i < region->threads; i++) {
        thread[i].busy_s = draws_real(draws) * 15; /* sometimes more than possible */
        thread[i].waited_s = draws_real(draws) * 10;
        thread[i].claiming_s = draws_real(draws);
    }
}

static void assert_factor(double factor)
{
    assert_true(factor >= 0 && factor <= 1);
}

static void check(const struct keel_report_summary *summary)
{
    const struct keel_report_efficiency *efficiency = &summary->efficiency;
    double capacity = (double)summary->threads * summary->elapsed_s;

    assert_factor(efficiency->balance);
    assert_factor(efficiency->overhead);
    if (summary->of_ranks) {
        assert_true(isnan(efficiency->parallel) && isnan(efficiency->mpi));
    } else {
        assert_factor(efficiency->parallel);
        assert_factor(efficiency->mpi);
        assert_factor(efficiency->serial);
        assert_near(efficiency->openmp,
                    efficiency->serial * efficiency->balance * efficiency->overhead);
        assert_true(is_near_unit(efficiency->parallel, efficiency->mpi * efficiency->openmp));
    }
    if (!summary->of_ranks && capacity > 0 && summary->useful_s > 0) {
        assert_true(is_near_unit(efficiency->parallel, summary->useful_s / capacity));
    }
    assert_true(is_near_unit(summary->useful_s + summary->serial_s + summary->waited_s +
                                 summary->claiming_s + summary->other_s + summary->mpi_s +
                                 summary->early_s,
                             capacity));
}

TEST(parts_add_up_and_factors_multiply_for_any_data)
{
    allow_exceptions();
    struct draws draws = draws_begin();

    for (int i = 0; i < 20000; i++) {
        struct keel_report_process process[RANKS];
        struct keel_report_loop region[RANKS][2];
        struct keel_report_thread thread[RANKS][2][TEAM];
        const struct keel_report_process *all[RANKS];
        int ranks = 1 + (int)draws_below(&draws, RANKS);
        memset(thread, 0, sizeof thread);
        for (int j = 0; j < RANKS; j++) {
            draw_region(&draws, &region[j][0], thread[j][0]);
            draw_region(&draws, &region[j][1], thread[j][1]);
            process[j] = (struct keel_report_process){
                .rank = j,
                .ranks = ranks,
                .elapsed_s = draws_real(&draws) * 20,
                .serial_s = draws_real(&draws) * 20,
                .mpi_s = draws_real(&draws) * 10 - 1,
                .mpi_in_regions_s = draws_real(&draws) * 10 - 1,
                .threads = (uint32_t)draws_below(&draws, TEAM + 1),
                .loop = region[j],
                .loop_count = draws_below(&draws, 3),
            };
            all[j] = &process[j];
        }
        struct keel_report_summary summary =
            keel_report_summarise(all, ranks == 1 ? 1 : 1 + draws_below(&draws, RANKS));
        check(&summary);
    }
}

/* --- the meaning of schedules' texts, and advice to loops without a suggestion --- */

static struct keel_report_thread thread[2];

/* Two threads, ten instances of 10 ms, of which the second one works half of the time. */
static struct keel_report_loop loop_under(const char *schedule)
{
    thread[0] = (struct keel_report_thread){.busy_s = 0.1, .iterations = 5000, .chunks = 10};
    thread[1] = (struct keel_report_thread){
        .busy_s = 0.05, .waited_s = 0.05, .iterations = 5000, .chunks = 10};
    return (struct keel_report_loop){
        .kind = KEEL_REPORT_LOOP,
        .function = "",
        .file = "",
        .place = "",
        .region = -1,
        .schedule = schedule,
        .under_keel = strncmp(schedule, "libgomp", 7) != 0,
        .suggestion = "",
        .instances = 10,
        .iterations = 10000,
        .elapsed_s = 0.1,
        .elapsed_squares_s2 = 0.001,
        .threads = 2,
        .thread = thread,
    };
}

static void assert_schedule(const char *text, const char *wanted)
{
    struct keel_report_loop loop = loop_under(text);
    struct keel_spec spec;
    char written[KEEL_SPEC_TEXT_MAX];

    assert_true(keel_report_schedule_of(&loop, &spec));
    keel_spec_write(&spec, written, sizeof written);
    assert_string_equal(written, wanted);
}

TEST(schedules_are_read)
{
    assert_schedule("fac2", "fac2");
    assert_schedule("css,16", "css,16");
    assert_schedule("rate:min=3", "rate,3");
    assert_schedule("auto: steal", "steal");
    assert_schedule("libgomp dynamic,1", "ss");
    assert_schedule("libgomp dynamic", "ss");
    assert_schedule("libgomp dynamic,16", "css,16");
    assert_schedule("libgomp guided,7", "gss,7");
    assert_schedule("libgomp static", "static");
    assert_schedule("libgomp static,40", "static,40");
    assert_schedule("static by the compiler", "static");
}

TEST(unknown_schedules_are_not_read)
{
    const char *const texts[] = {"", "random", "shared by ranks", "libgomp runtime",
                                 "fac2:grain=8"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct keel_report_loop loop = loop_under(texts[i]);
        struct keel_spec spec;
        assert_false(keel_report_schedule_of(&loop, &spec));
    }
    struct keel_report_loop loop = loop_under("fac2");
    struct keel_spec spec;
    loop.mixed = true;
    assert_false(keel_report_schedule_of(&loop, &spec));
}

TEST(measured_parameters_complete_schedules)
{
    struct keel_report_loop loop = loop_under("fac");
    struct keel_spec spec;

    loop.measured =
        (struct keel_report_measured){.iteration_s = 1e-6, .deviation_s = 2e-7, .claim_s = 1e-7};
    assert_true(keel_report_schedule_of(&loop, &spec));
    assert_int_equal(keel_spec_unmeasured(&spec), 0);
    assert_true(fabs(spec.value[KEEL_MU].real - 1000) < 1e-6);
    assert_true(fabs(spec.value[KEEL_SIGMA].real - 200) < 1e-6);
    assert_true(spec.min_measured);
    assert_int_equal(spec.value[KEEL_MIN].count, 4); /* lasts as long as 32 claims, rounded up */
}

static struct keel_advice advice_of(const struct keel_report_loop *loop)
{
    const struct keel_report_process process = {.loop_count = 1, .loop = loop};

    return keel_report_advice_of(&process, loop);
}

static void assert_advice(const struct keel_report_loop *loop, const char *wanted)
{
    struct keel_advice advice = advice_of(loop);
    char text[KEEL_ADVICE_TEXT_MAX];

    keel_advice_write(&advice, text);
    assert_string_equal(text, wanted);
}

TEST(measurements_lead_to_advice)
{
    struct keel_report_loop loop = loop_under("libgomp static");

    assert_advice(&loop, "fac2: up to 25 ms less");
    loop.schedule = "static by the compiler";
    assert_advice(&loop,
                  "built with Keel's plugin: run it under `keel run -s fac2` (up to 25 ms less)");
    loop.kind = KEEL_REPORT_PART;
    assert_advice(&loop, "if it is a loop with static shares: compile with `keel cflags`, then try "
                         "fac2 (up to 25 ms less)");
    loop.kind = KEEL_REPORT_REGION;
    thread[1].busy_s = 0.001;
    assert_advice(&loop, "serial part: one thread works, the others wait");
    loop = loop_under("shared by ranks"); /* its threads wait for other ranks, too */
    assert_advice(&loop, "");
    loop = loop_under("fac2");
    thread[1] = thread[0];
    assert_advice(&loop, "nothing to gain");
}

/* The last eighth has nearly all costs. */
TEST(costs_along_the_loop_lead_to_forecasts)
{
    double costs[KEEL_PROFILE_BINS];
    struct keel_report_loop loop = loop_under("static");

    for (int i = 0; i < KEEL_PROFILE_BINS; i++) {
        costs[i] = i < KEEL_PROFILE_BINS / 8 * 7 ? 0.1 : 7.3;
    }
    loop.measured = (struct keel_report_measured){
        .iteration_s = 15e-6, .claim_s = 1e-7, .costs = costs, .costs_count = KEEL_PROFILE_BINS};
    /* Of 1000 iterations of 15 us, the second half takes 14.25 ms of 15: measured were 10 ms, and
     * 7.5 are ideal. */
    struct keel_advice advice = advice_of(&loop);
    assert_int_equal(advice.evidence, KEEL_ADVICE_FORECAST);
    assert_non_null(advice.schedule);
    assert_true(advice.gain_s > 0.018 && advice.gain_s < 0.025);
}

TEST(regions_with_loops_leave_advice_to_these)
{
    struct keel_report_loop loops[3] = {loop_under("static by the compiler"), loop_under("fac2"),
                                        loop_under("gss")};
    const struct keel_report_process process = {.loop_count = 3, .loop = loops};

    loops[0].kind = KEEL_REPORT_REGION;
    loops[1].region = 0;
    assert_int_not_equal(advice_of(&loops[0]).evidence, KEEL_ADVICE_NOT_KNOWN);
    assert_int_equal(keel_report_advice_of(&process, &loops[0]).evidence, KEEL_ADVICE_NOT_KNOWN);
    assert_int_not_equal(keel_report_advice_of(&process, &loops[1]).evidence,
                         KEEL_ADVICE_NOT_KNOWN);
}

/* --- all of a process --- */

TEST_WITH(loops_get_suggestions_in_any_locale, NULL, back_to_c_locale)
{
    for (int turkish = 0; turkish < 2; turkish++) {
        struct keel_report_loop loop = loop_under("libgomp static");
        const struct keel_report_process process = {.loop = &loop, .loop_count = 1, .threads = 2};
        struct keel_report_document document = {0};
        if (turkish) {
            enter_turkish_locale();
        }
        keel_report_complete(&document, &process);
        assert_string_equal(loop.suggestion, "fac2: up to 25 ms less");
        assert_true(loop.gain_s > 0.02 && loop.gain_s <= 0.025);
        keel_report_document_free(&document);
    }
    assert_turkish_locale();
}

/* Of 0.1 s, ten chunks take 1 us each under `rate`, whose chunks are timed, and no more than half
 * of the time. */
TEST(chunks_cost_as_much_as_a_claim)
{
    const double claim_s[] = {1e-6, 1};

    for (int i = 0; i < 2; i++) {
        struct keel_report_loop loop = loop_under("rate");
        const struct keel_report_process process = {.loop = &loop, .loop_count = 1, .threads = 2};
        struct keel_report_document document = {0};
        loop.measured.claim_s = claim_s[i];
        keel_report_complete(&document, &process);
        assert_true(fabs(thread[0].claiming_s - fmin(10 * claim_s[i], 0.05)) < 1e-12);
        assert_true(fabs(thread[0].busy_s + thread[0].claiming_s - 0.1) < 1e-12);
        keel_report_document_free(&document);
    }
}

/* --- ranks --- */

#define ADVISED_RANKS 4

/* The advice on a job of 10 s whose ranks work that long, and are in MPI for the rest; hosts: a
 * character for each rank, ? if it is missing; work: -1 if its calls were not measured. */
struct advised {
    const char *hosts;
    double work_s[ADVISED_RANKS];
    const char *wanted; /* the beginning of the advice; "" if there is none */
    bool cores_are_shared;
};

static void assert_advised(const struct advised *advised)
{
    struct keel_report_process ranks[ADVISED_RANKS];
    const struct keel_report_process *job[ADVISED_RANKS];
    char text[KEEL_RANK_ADVICE_MAX], host[ADVISED_RANKS][2];
    size_t all = strlen(advised->hosts), count = strcspn(advised->hosts, "?");

    for (size_t i = 0; i < count; i++) {
        double work_s = advised->work_s[i];
        host[i][0] = advised->hosts[i];
        host[i][1] = '\0';
        ranks[i] =
            (struct keel_report_process){.host = host[i],
                                         .rank = (int)i,
                                         .ranks = (int)all,
                                         .mpi_seen = work_s >= 0,
                                         .elapsed_s = 10,
                                         .mpi_s = 10 - fmax(work_s, 0),
                                         .shared_threads = advised->cores_are_shared ? 4 : 0};
        job[i] = &ranks[i];
    }
    keel_rank_advice_write(&(struct keel_report_job){job, count}, text);
    if (strncmp(text, advised->wanted, strlen(advised->wanted)) != 0 ||
        (advised->wanted[0] == '\0') != (text[0] == '\0')) {
        fail_msg("%s: '%s', wanted '%s'", advised->hosts, text, advised->wanted);
    }
}

TEST(ranks_that_wait_get_advice)
{
#define ON_A_NODE "one node: share this node's cores, keel run --share-cores -- mpirun ... (up to "
#define ROWS "balance with keel_mpi rows or shared loops (up to "
    static const struct advised cases[] = {
        {"aa", {9, 3}, "ranks' work is as 3.0:1 on " ON_A_NODE "3.000 s less)", false},
        /* b's ranks have as much work as a's */
        {"abab", {9, 6, 3, 6}, "ranks' work is as 3.0:1 on one node", false},
        {"aa", {0, 9}, "ranks' work is as 100.0:1 on one node", false},
        {"aabb", {9, 1, 4, 4}, "ranks' work is as 9.0:1 on one node", false},
        {"aa", {9, 7.9}, "ranks' work is as 1.1:1 on one node", false},
        {"ab", {9, 3}, "nodes' work is as 3.0:1: " ROWS "3.000 s less)", false},
        {"aabb", {9, 7, 4, 4}, "nodes' work is as 2.0:1", false},
        /* sums do not show why */
        {"ab", {6, 6.4}, "ranks have about equal work: what MPI takes is transfer", false},
        {"aa", {9.4, 9.4}, "ranks have about equal work: what MPI takes is transfer", false},
        /* they hardly wait */
        {"aa", {10, 9.1}, "", false},
        {"ab", {9.6, 9.6}, "", false},
        /* not all is known */
        {"aa", {9, -1}, "", false},
        {"a", {3}, "", false},
        {"aa?", {9, 3}, "", false},
        {"aa", {9, 3}, "", true},
        {"ab", {9, 3}, "nodes' work", true},
        {"aa", {9.8, 9.9}, "ranks have about equal work: they gain nothing from shared", true},
        {"aa", {6, 6.4}, "ranks have about equal work: they gain nothing from shared", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_advised(&cases[i]);
    }
}
