/* What libkeel.so reports of loops, from several processes, comes together. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "tests/support/unit.h"

static struct keel_loops read_text(const char *text)
{
    char path[] = "/tmp/keel-report-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    struct keel_loops loops;

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    keel_loops_read(path, &loops);
    unlink(path);
    return loops;
}

static void free_loops(struct keel_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        free(loops->name[i]);
    }
    for (size_t i = 0; i < loops->regions; i++) {
        free(loops->region[i]);
    }
    free(loops->name);
    free(loops->region);
    free(loops->open_end);
}

TEST(nothing)
{
    struct keel_loops loops = read_text("");

    assert_int_equal(loops.count + loops.regions + loops.open_ends + loops.threads, 0);
}

TEST(loops_in_the_order_of_lines)
{
    struct keel_loops loops = read_text("loop\teos.cc:53 (f)\t2\nloop\teos.cc:9 (f)\t4\n"
                                        "loop\teos.cc:53 (f)\t2\n"
                                        "after\teos.cc:9 (f)\teos.cc:53 (f)\n"
                                        "after\teos.cc:9 (f)\teos.cc:53 (f)\n"
                                        "after\teos.cc:7 (f)\teos.cc:53 (f)\n");

    assert_int_equal(loops.count, 2);
    assert_string_equal(keel_loops_name(&loops, 0), "eos.cc:9 (f)");
    assert_string_equal(keel_loops_name(&loops, 1), "eos.cc:53 (f)");
    assert_int_equal(loops.threads, 4);
    assert_int_equal(loops.open_ends, 1);
    assert_int_equal(loops.open_end[0].before, 0);
    assert_int_equal(loops.open_end[0].after, 1);
    free_loops(&loops);
}

TEST(regions_without_loops_come_first)
{
    struct keel_loops loops = read_text("region\tparallel region a.c:1\nloop\ta.c:2\t2\n"
                                        "reached\tparallel region a.c:1\n"
                                        "region\tparallel region a.c:30\n"
                                        "region\tparallel region a.c:4\n");

    assert_int_equal(loops.regions, 3);
    assert_int_equal(loops.unreached, 2);
    assert_string_equal(keel_loops_name(&loops, 1), "parallel region a.c:4");
    assert_string_equal(keel_loops_name(&loops, 2), "parallel region a.c:30");
    assert_string_equal(keel_loops_name(&loops, 3), "parallel region a.c:1");
    free_loops(&loops);
}

BEFORE_TESTS
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
}
