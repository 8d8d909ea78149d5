/* Which loops KEEL_EXPLAIN tells of, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "omp_ext/explain/loops.h"

#define LOOPS_MAX 40

static struct keel_report_loop loop[LOOPS_MAX];
static struct keel_report_thread threads[2];
static char functions[LOOPS_MAX][8];
static struct keel_report_process process = {.loop = loop};

/* Loops at lines 1, 2, ... that take these times. */
static void set_loops(const double *elapsed_s, size_t count)
{
    process.loop_count = count;
    for (size_t i = 0; i < count; i++) {
        snprintf(functions[i], sizeof functions[i], "f%zu", i);
        loop[i] = (struct keel_report_loop){
            .kind = KEEL_REPORT_LOOP,
            .function = functions[i],
            .file = "/home/somebody/heart.c",
            .line = (unsigned)i + 1,
            .place = "",
            .region = -1,
            .schedule = "fac2",
            .instances = 2,
            .iterations = 10,
            .elapsed_s = elapsed_s[i],
            .threads = 2,
            .thread = threads,
        };
    }
}

static void assert_names(const struct keel_explained_loops *loops, const char *names)
{
    char text[1000] = "";

    for (size_t i = 0; i < loops->count; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%s ", i == loops->shown ? "| " : "",
                 loops->loop[i].name);
    }
    assert_string_equal(text, names);
}

static void loops_that_take_most_come_first_and_make_up_most(void **state)
{
    const double elapsed_s[] = {0.03, 0.5, 0.01, 0.46};

    (void)state;
    set_loops(elapsed_s, 4);
    struct keel_explained_loops loops = keel_explained_loops_of(&process);
    /* 0.96 of 1.00 s */
    assert_names(&loops, "heart.c:2 (f1) heart.c:4 (f3) | heart.c:1 (f0) heart.c:3 (f2) ");
    assert_true(loops.elapsed_s > 0.999 && loops.elapsed_s < 1.001);
    keel_explained_loops_free(&loops);
}

static void one_loop_at_least_and_a_dozen_at_most(void **state)
{
    double elapsed_s[LOOPS_MAX];

    (void)state;
    for (size_t count = 0; count <= LOOPS_MAX; count++) {
        for (size_t i = 0; i < count; i++) {
            elapsed_s[i] = 1;
        }
        set_loops(elapsed_s, count);
        struct keel_explained_loops loops = keel_explained_loops_of(&process);
        assert_int_equal(loops.count, count);
        assert_int_equal(loops.shown,
                         count < KEEL_EXPLAIN_LOOPS_MAX ? count : KEEL_EXPLAIN_LOOPS_MAX);
        keel_explained_loops_free(&loops);
    }
    elapsed_s[0] = 0; /* of no length that a clock could see */
    set_loops(elapsed_s, 1);
    struct keel_explained_loops loops = keel_explained_loops_of(&process);
    assert_int_equal(loops.shown, 1);
    keel_explained_loops_free(&loops);
}

static void regions_are_told_of_by_what_is_in_them(void **state)
{
    const double elapsed_s[] = {1.5, 1, 0.7, 0.6};

    (void)state;
    set_loops(elapsed_s, 4);
    loop[0].kind = loop[2].kind = KEEL_REPORT_REGION;
    loop[1].region = 0;
    loop[3].instances = 0; /* nothing has run there */
    struct keel_explained_loops loops = keel_explained_loops_of(&process);
    assert_names(&loops, "heart.c:2 (f1) heart.c:3 (f2) ");
    keel_explained_loops_free(&loops);
}

static void a_place_is_told_of_once(void **state)
{
    const double elapsed_s[] = {0.2, 0.5, 0.3};
    struct keel_report_thread four[4] = {[0] = {.busy_s = 1}, [3] = {.busy_s = 8, .chunks = 3}};

    (void)state;
    threads[0] = (struct keel_report_thread){.busy_s = 4, .waited_s = 2, .iterations = 5};
    set_loops(elapsed_s, 3);
    loop[1].line = loop[2].line = 1;
    loop[1].function = loop[2].function = "f0";
    loop[2].kind = KEEL_REPORT_PART; /* something else at the same line */
    loop[1].threads = 4;
    loop[1].thread = four;
    loop[1].schedule = "gss";
    struct keel_explained_loops loops = keel_explained_loops_of(&process);
    assert_names(&loops, "heart.c:1 (f0) heart.c:1 (f0) ");
    const struct keel_report_loop *sum = &loops.loop[0].figures;
    assert_true(sum->elapsed_s > 0.699 && sum->elapsed_s < 0.701);
    assert_int_equal(sum->instances, 4);
    assert_int_equal(sum->iterations, 20);
    assert_int_equal(sum->threads, 4);
    assert_true(sum->thread[0].busy_s == 5 && sum->thread[0].waited_s == 2);
    assert_true(sum->thread[3].busy_s == 8 && sum->thread[3].chunks == 3);
    assert_string_equal(sum->schedule, "gss"); /* of what takes longest there */
    assert_true(sum->mixed);
    assert_false(loops.loop[1].figures.mixed);
    keel_explained_loops_free(&loops);
    threads[0] = (struct keel_report_thread){0};
}

static void without_lines_places_go_by_address(void **state)
{
    const double elapsed_s[] = {0.5, 0.4, 0.3};

    (void)state;
    set_loops(elapsed_s, 3);
    for (size_t i = 0; i < 3; i++) {
        loop[i].file = "";
        loop[i].line = 0;
        loop[i].function = i < 2 ? "f" : "";
    }
    loop[0].place = "heart+0x10";
    loop[1].place = "heart+0x20";
    loop[2].place = "heart+0x30";
    struct keel_explained_loops loops = keel_explained_loops_of(&process);
    assert_names(&loops, "f f heart+0x30 ");
    keel_explained_loops_free(&loops);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_take_most_come_first_and_make_up_most),
        cmocka_unit_test(one_loop_at_least_and_a_dozen_at_most),
        cmocka_unit_test(regions_are_told_of_by_what_is_in_them),
        cmocka_unit_test(a_place_is_told_of_once),
        cmocka_unit_test(without_lines_places_go_by_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
