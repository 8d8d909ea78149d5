/* Keel's static schedule gives every thread the iterations that libgomp gives it. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "schedules/claim/plan.h"
#include "tests/schedules/support/specs.h"
#include "tests/support/unit.h"

#define ITERATIONS_MAX 1000

/* Which thread ran each iteration; -1: none. */
struct division {
    int owner[ITERATIONS_MAX];
};

static struct division divide_by_libgomp(int iterations, int threads, int chunk)
{
    struct division division;

    memset(&division, -1, sizeof division);
    omp_set_schedule(omp_sched_static, chunk);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < iterations; i++) {
        division.owner[i] = omp_get_thread_num();
    }
    return division;
}

static void note_claims(const struct keel_plan *plan, struct division *division)
{
    struct keel_claims claims = {0};
    struct keel_cursor cursor;
    uint64_t first, last;

    keel_cursor_begin(&cursor, plan);
    while (keel_claim(plan, &claims, &cursor, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            assert_int_equal(division->owner[i], -1);
            division->owner[i] = (int)plan->thread;
        }
    }
    assert_int_equal(claims.next, 0); /* own claims share nothing */
}

static struct division divide_by_keel(int iterations, int threads, int chunk)
{
    struct division division;
    char text[64] = "static";

    memset(&division, -1, sizeof division);
    if (chunk > 0) {
        snprintf(text, sizeof text, "static,%d", chunk);
    }
    struct keel_spec spec = specs_read(text);
    for (int i = 0; i < threads; i++) {
        struct keel_problem problem = {.spec = &spec,
                                       .iterations = (uint64_t)iterations,
                                       .threads = (uint64_t)threads,
                                       .thread = (uint64_t)i};
        struct keel_plan fallback, *plan = keel_plan_build(&problem, realloc, &fallback);
        note_claims(plan, &division);
        free(plan);
    }
    return division;
}

TEST(division_is_libgomps)
{
    static const int chunks[] = {0, 1, 3, 7, 50};
    static const int iterations[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 97, 100, 101, 999, 1000};

    for (int threads = 1; threads <= 9; threads++) {
        for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++) {
            for (size_t n = 0; n < sizeof iterations / sizeof iterations[0]; n++) {
                struct division wanted = divide_by_libgomp(iterations[n], threads, chunks[c]);
                struct division got = divide_by_keel(iterations[n], threads, chunks[c]);
                if (memcmp(&got, &wanted, sizeof got) != 0) {
                    fail_msg("N = %d, P = %d, chunk %d differs", iterations[n], threads, chunks[c]);
                }
            }
        }
    }
}

BEFORE_TESTS
{
    omp_set_dynamic(0);
}
