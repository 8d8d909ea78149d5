/* Loops without a suggestion get one; what was said before stays. */
#include <stddef.h>
#include <string.h>

#include "omp_ext/report/report_advice.h"
#include "tests/omp_ext/report/sample.h"
#include "tests/support/near.h"
#include "tests/support/turkish_locale.h"
#include "tests/support/unit.h"

/* One thread of two is busy for twice as long; 100 instances. */
static const struct keel_report_thread unbalanced[] = {
    {.busy_s = 10, .waited_s = 0, .iterations = 5000, .chunks = 100},
    {.busy_s = 5, .waited_s = 5, .iterations = 5000, .chunks = 100},
};

static const struct keel_report_loop loops[] = {
    {
        .kind = KEEL_REPORT_LOOP,
        .place = "a.c:3",
        .region = -1,
        .schedule = "libgomp static",
        .suggestion = "",
        .instances = 100,
        .iterations = 10000,
        .elapsed_s = 10,
        .elapsed_squares_s2 = 1,
        .threads = 2,
        .thread = unbalanced,
    },
    {
        .kind = KEEL_REPORT_LOOP,
        .place = "a.c:9",
        .region = -1,
        .schedule = "libgomp static",
        .suggestion = "what was said",
        .gain_s = 0.25,
        .instances = 100,
        .iterations = 10000,
        .elapsed_s = 10,
        .elapsed_squares_s2 = 1,
        .threads = 2,
        .thread = unbalanced,
    },
};

static const struct keel_report_process process = {.loop = loops, .loop_count = 2, .threads = 2};

TEST(a_loop_gets_a_suggestion_and_its_gain)
{
    struct keel_report_suggestions made = keel_report_suggestions_for(&process);
    const struct keel_report_loop *loop = made.process.loop;

    assert_int_equal(made.process.loop_count, 2);
    assert_non_null(strstr(loop[0].suggestion, "s less"));
    assert_true(loop[0].gain_s > 1 && loop[0].gain_s <= 2.5);
    assert_string_equal(loop[0].place, "a.c:3");
    assert_ptr_equal(loop[0].thread, unbalanced);
    assert_string_equal(loops[0].suggestion, "");
    keel_report_suggestions_free(&made);
}

TEST(what_was_said_stays)
{
    struct keel_report_suggestions made = keel_report_suggestions_for(&process);

    assert_string_equal(made.process.loop[1].suggestion, "what was said");
    assert_near(made.process.loop[1].gain_s, 0.25);
    keel_report_suggestions_free(&made);
}

TEST_WITH(gains_have_a_point_in_any_locale, NULL, back_to_c_locale)
{
    enter_turkish_locale();
    struct keel_report_suggestions made = keel_report_suggestions_for(&process);
    assert_turkish_locale();
    assert_null(strchr(made.process.loop[0].suggestion, ','));
    keel_report_suggestions_free(&made);
}

TEST(any_loops_will_do)
{
    struct keel_report_process sample = sample_process(0, 1), nothing = {.loop_count = 0};
    struct keel_report_suggestions made = keel_report_suggestions_for(&sample);

    assert_int_equal(made.process.loop_count, sample.loop_count);
    keel_report_suggestions_free(&made);
    made = keel_report_suggestions_for(&nothing);
    assert_int_equal(made.process.loop_count, 0);
    keel_report_suggestions_free(&made);
}
