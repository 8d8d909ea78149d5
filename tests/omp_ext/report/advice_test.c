/* Advice by the figures of a report: what the texts of schedules mean, what figures say, and that
 * loops without a suggestion get one. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/text/report_text.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/omp_ext/report/sample.h"
#include "tests/support/turkish_locale.h"
#include "tests/support/unit.h"

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

TEST(some_are_not)
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

TEST(measured_parameters_complete_them)
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

TEST(figures_lead_to_advice)
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
        .iteration_s = 15e-6, .claim_s = 1e-7, .costs = costs, .cost_count = KEEL_PROFILE_BINS};
    /* Of 1000 iterations of 15 us, the second half takes 14.25 ms of 15: seen were 10 ms, and 7.5
     * are ideal. */
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
TEST(chunks_have_cost_what_a_claim_is_known_to_cost)
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

#define RANKS 4

static bool cores_are_shared;

/* The advice on a job of 10 s whose ranks work so long, and for the rest are in MPI; hosts: a
 * letter for each, ? where nothing is known of a rank. */
static const char *advice_on(const char *hosts, const double *work_s)
{
    static char text[KEEL_RANK_ADVICE_MAX];
    static struct keel_report_process ranks[RANKS];
    const struct keel_report_process *job[RANKS];
    char host[RANKS][2];
    size_t all = strlen(hosts), count = strcspn(hosts, "?");

    for (size_t i = 0; i < count; i++) {
        host[i][0] = hosts[i];
        host[i][1] = '\0';
        ranks[i] = (struct keel_report_process){.host = host[i],
                                                .rank = (int)i,
                                                .ranks = (int)all,
                                                .mpi_seen = work_s[i] >= 0,
                                                .elapsed_s = 10,
                                                .mpi_s = 10 - fmax(work_s[i], 0),
                                                .shared_threads = cores_are_shared ? 4 : 0};
        job[i] = &ranks[i];
    }
    keel_rank_advice_write(&(struct keel_report_job){job, count}, text);
    return text;
}

#define ADVICE_ON(hosts, ...) advice_on(hosts, (const double[RANKS]){__VA_ARGS__})

TEST(ranks_of_a_node_are_to_share_its_cores)
{
    assert_string_equal(ADVICE_ON("aa", 9, 3),
                        "ranks' work is as 3.0:1 on one node: share this node's cores, keel run "
                        "--share-cores -- mpirun ... (up to 3.000 s less)");
    /* b's ranks have as much work as a's */
    assert_non_null(strstr(ADVICE_ON("abab", 9, 6, 3, 6), "as 3.0:1 on one node"));
    assert_non_null(strstr(ADVICE_ON("aa", 0, 9), "as 100.0:1 on one node"));
}

TEST(ranks_that_share_cores_already_are_not_told_to)
{
    cores_are_shared = true;
    assert_string_equal(ADVICE_ON("aa", 9, 3), "");
    assert_non_null(strstr(ADVICE_ON("ab", 9, 3), "nodes' work"));
    cores_are_shared = false;
}

TEST(ranks_of_several_nodes_are_to_be_balanced)
{
    assert_string_equal(ADVICE_ON("ab", 9, 3),
                        "nodes' work is as 3.0:1: balance with keel_mpi rows or shared loops (up "
                        "to 3.000 s less)");
    assert_non_null(strstr(ADVICE_ON("aabb", 9, 7, 4, 4), "nodes' work is as 2.0:1"));
    assert_non_null(strstr(ADVICE_ON("aabb", 9, 1, 4, 4), "on one node"));
}

TEST(equal_ranks_that_are_in_mpi_are_told_that_sums_do_not_say_why)
{
    const char *text = ADVICE_ON("ab", 6, 6.4);

    assert_memory_equal(text, "ranks have about equal work: ", 29);
    assert_non_null(strstr(text, "KEEL_TRACE"));
    assert_string_equal(text, ADVICE_ON("aa", 9.4, 9.4));
    assert_non_null(strstr(ADVICE_ON("aa", 9, 7.9), "on one node"));
}

TEST(ranks_that_hardly_wait_get_no_advice)
{
    assert_string_equal(ADVICE_ON("aa", 10, 9.1), "");
    assert_string_equal(ADVICE_ON("ab", 9.6, 9.6), "");
}

TEST(ranks_of_which_not_all_is_known_get_none)
{
    assert_string_equal(ADVICE_ON("aa", 9, -1), "");
    assert_string_equal(ADVICE_ON("a", 3), "");
    assert_string_equal(ADVICE_ON("aa?", 9, 3), "");
}
