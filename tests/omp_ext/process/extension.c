/* A shared object that brings OpenMP into a program that has none, as extensions of Python do:
 * extension_run returns the number of failures. */
#include <omp.h>
#include <stdio.h>

#include "tests/support/check.h"

static void loops(int threads)
{
    struct marks combined, separate, ordered, dynamic, nested;
    int next = 0;

    marks_begin(&combined, 300);
    marks_begin(&separate, 100);
    marks_begin(&ordered, 60);
    marks_begin(&dynamic, 80);
    marks_begin(&nested, 8 * 9);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 300; i++) {
        marks_hit(&combined, (uint64_t)i);
    }
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime) nowait
        for (unsigned long long i = 200; i > 0; i -= 2) {
            marks_hit(&separate, (200 - i) / 2);
        }
#pragma omp for schedule(runtime) ordered
        for (long i = 0; i < 60; i++) {
            marks_hit(&ordered, (uint64_t)i);
#pragma omp ordered
            {
                CHECK(next == i, "ordered region %ld, turn of %d", i, next);
                next = (int)i + 1;
            }
        }
#pragma omp for schedule(dynamic, 3)
        for (int i = 0; i < 80; i++) {
            marks_hit(&dynamic, (uint64_t)i);
        }
    }
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < 8; i++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int j = 0; j < 9; j++) {
            __atomic_add_fetch(&nested.times[i * 9 + j], 1, __ATOMIC_RELAXED);
        }
    }
    marks_end(&combined, "combined");
    marks_end(&separate, "separate");
    marks_end(&ordered, "ordered");
    marks_end(&dynamic, "dynamic");
    marks_end(&nested, "nested");
}

int extension_run(void)
{
    omp_set_max_active_levels(2);
    for (int threads = 1; threads < 5; threads++) {
        loops(threads);
    }
    omp_set_schedule(omp_sched_dynamic, 2);
    loops(3);
    return (int)check_failures;
}
