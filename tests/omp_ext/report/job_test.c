/* Processes in any order: which belong together, in which order, and who is missing. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_job.h"
#include "tests/support/unit.h"

#define RANK(of, number, name)                                                \
    {                                                                         \
        .job = name, .rank = number, .ranks = of, .program = "p", .host = "h" \
    }

/* Sorts copies of the addresses of `process`. */
static const struct keel_report_process **sorted(const struct keel_report_process *process,
                                                 size_t count)
{
    static const struct keel_report_process *order[32];

    for (size_t i = 0; i < count; i++) {
        order[i] = &process[i];
    }
    keel_report_job_sort(order, count);
    return order;
}

TEST(ranks_come_in_order_and_programs_by_themselves_last)
{
    const struct keel_report_process process[] = {RANK(1, 0, ""), RANK(3, 2, "a"), RANK(3, 0, "a"),
                                                  RANK(1, 0, ""), RANK(3, 1, "a")};
    const size_t wanted[] = {2, 4, 1, 0, 3};
    const struct keel_report_process **order = sorted(process, 5);
    struct keel_report_job job = keel_report_job_first(order, 5);

    for (size_t i = 0; i < 5; i++) {
        assert_ptr_equal(order[i], &process[wanted[i]]);
    }
    assert_int_equal(job.count, 3);
    assert_int_equal(keel_report_job_first(order + 3, 2).count, 1);
    assert_int_equal(keel_report_job_first(order + 5, 0).count, 0);
}

TEST(two_jobs_of_one_program_stay_apart)
{
    const struct keel_report_process process[] = {RANK(2, 1, "b"), RANK(2, 0, "a"), RANK(2, 0, "b"),
                                                  RANK(2, 1, "a")};
    const struct keel_report_process **order = sorted(process, 4);

    assert_int_equal(keel_report_job_first(order, 4).count, 2);
    assert_string_equal(order[0]->job, "a");
    assert_string_equal(order[1]->job, "a");
    assert_string_equal(order[2]->job, "b");
}

/* As where parts of two runs are given together, and no launcher has told them apart. */
TEST(a_rank_that_comes_twice_begins_another_job)
{
    const struct keel_report_process process[] = {RANK(2, 0, ""), RANK(2, 0, ""), RANK(2, 1, ""),
                                                  RANK(2, 1, "")};
    const struct keel_report_process **order = sorted(process, 4);

    assert_int_equal(keel_report_job_first(order, 4).count, 2);
    assert_ptr_equal(order[0], &process[0]);
    assert_ptr_equal(order[1], &process[2]);
    assert_int_equal(keel_report_job_first(order + 2, 2).count, 2);
}

static size_t missing_of(const struct keel_report_process *process, size_t count, char *text,
                         size_t size)
{
    struct keel_report_job job = keel_report_job_first(sorted(process, count), count);

    return keel_report_job_missing(&job, text, size);
}

TEST(missing_ranks_are_named)
{
    const struct keel_report_process some[] = {RANK(9, 2, "a"), RANK(9, 0, "a"), RANK(9, 6, "a")};
    const struct keel_report_process all[] = {RANK(2, 1, "a"), RANK(2, 0, "a")};
    const struct keel_report_process last[] = {RANK(2147483647, 2147483646, "a")};
    char text[64];

    assert_int_equal(missing_of(some, 3, text, sizeof text), 6);
    assert_string_equal(text, "1, 3 to 5, 7 to 8");
    assert_int_equal(missing_of(all, 2, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(missing_of(last, 1, text, sizeof text), 2147483646);
    assert_string_equal(text, "0 to 2147483645");
}

TEST(a_list_that_is_too_long_says_so)
{
    struct keel_report_process process[20];
    char text[64];

    for (int i = 0; i < 20; i++) {
        process[i] = (struct keel_report_process)RANK(40, 2 * i, "a");
    }
    assert_int_equal(missing_of(process, 20, text, sizeof text), 20);
    assert_true(strlen(text) < sizeof text);
    assert_string_equal(text + strlen(text) - 5, ", ...");
    assert_null(strstr(text, "..., ..."));
}

TEST(processes_of_a_node)
{
    struct keel_report_process process[] = {RANK(3, 0, "a"), RANK(3, 1, "a"), RANK(3, 2, "a")};
    const struct keel_report_process *of_host[3];

    process[1].host = "other";
    struct keel_report_job job = keel_report_job_first(sorted(process, 3), 3);
    assert_int_equal(keel_report_job_host(&job, 0, of_host), 2);
    assert_ptr_equal(of_host[1], &process[2]);
    assert_int_equal(keel_report_job_host(&job, 1, of_host), 1);
    assert_int_equal(keel_report_job_host(&job, 2, of_host), 0);
}
