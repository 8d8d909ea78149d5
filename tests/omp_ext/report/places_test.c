/* Loops of a job, each place once. */
#include <stddef.h>
#include <stdlib.h>

#include "omp_ext/report/report_places.h"
#include "tests/support/unit.h"

static struct keel_report_loop loop_at(const char *place, double elapsed_s,
                                       const struct keel_report_thread *thread, uint32_t threads)
{
    return (struct keel_report_loop){.kind = KEEL_REPORT_LOOP,
                                     .function = "f",
                                     .place = place,
                                     .region = -1,
                                     .schedule = "fac2",
                                     .instances = 2,
                                     .iterations = 10,
                                     .elapsed_s = elapsed_s,
                                     .threads = threads,
                                     .thread = thread};
}

static struct keel_report_place *places_of(const struct keel_report_loop *loop, size_t loops,
                                           int ranks, size_t *count)
{
    struct keel_report_process process = {.loop_count = loops, .loop = loop, .ranks = ranks};
    const struct keel_report_process *each[] = {&process, &process};
    struct keel_report_job job = {each, (size_t)ranks};

    return keel_report_places(&job, count);
}

TEST(a_place_adds_up_in_a_process_and_is_the_longest_of_ranks)
{
    const struct keel_report_thread two[2] = {{.busy_s = 4}, {.busy_s = 1}};
    const struct keel_report_thread four[4] = {[0] = {.busy_s = 1}, [3] = {.busy_s = 8}};
    struct keel_report_loop loop[3] = {loop_at("heart.c:1", 5, two, 2),
                                       loop_at("heart.c:1", 8, four, 4),
                                       loop_at("heart.c:1", 1, two, 2)};

    loop[2].kind = KEEL_REPORT_PART; /* something else at the same line */
    loop[1].schedule = "gss";
    for (int ranks = 1; ranks <= 2; ranks++) {
        size_t count;
        struct keel_report_place *place = places_of(loop, 3, ranks, &count);
        assert_int_equal(count, 2);
        assert_int_equal(place[0].loop->kind, KEEL_REPORT_LOOP);
        assert_true(place[0].elapsed_s == 13);
        assert_true(place[0].lost_s == ranks * (5 + 23));
        assert_int_equal(place[0].instances, 4);
        assert_int_equal(place[0].iterations, ranks * 20);
        assert_string_equal(place[0].loop->schedule, "gss"); /* of what loses most there */
        assert_true(place[0].mixed);
        assert_int_equal(place[1].loop->kind, KEEL_REPORT_PART);
        assert_false(place[1].mixed);
        free(place);
    }
}

TEST(a_region_has_what_its_loops_leave)
{
    const struct keel_report_thread two[2] = {{.busy_s = 1}, {.busy_s = 1}};
    struct keel_report_loop loop[3] = {loop_at("heart.c:1", 3, two, 2),
                                       loop_at("heart.c:2", 2, two, 2),
                                       loop_at("heart.c:3", 2, two, 2)};
    size_t count;

    loop[0].kind = loop[2].kind = KEEL_REPORT_REGION;
    loop[1].region = 0;
    struct keel_report_place *place = places_of(loop, 3, 1, &count);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_true(place[i].is_rest == (place[i].loop == &loop[0]));
        assert_true(place[i].elapsed_s == (place[i].is_rest ? 1 : 2));
    }
    free(place);
}

TEST(places_that_are_not_known_stay_apart)
{
    struct keel_report_loop loop[4] = {loop_at("", 1, NULL, 2), loop_at("", 1, NULL, 2),
                                       loop_at("a+0x10", 1, NULL, 2),
                                       loop_at("a+0x20", 1, NULL, 2)};
    size_t count;

    free(places_of(loop, 4, 1, &count));
    assert_int_equal(count, 4);
    assert_null(places_of(NULL, 0, 1, &count));
    assert_int_equal(count, 0);
}
