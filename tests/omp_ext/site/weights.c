/* Under wf2 each thread gets its share of the first batch, half of the loop, by its weight. The
 * environment has KEEL_SCHEDULE=wf2 and KEEL_WEIGHTS=1,3. */
#include <omp.h>
#include <stdbool.h>

#include "tests/support/check.h"

extern bool GOMP_loop_runtime_start(long, long, long, long *, long *);
extern bool GOMP_loop_runtime_next(long *, long *);
extern void GOMP_loop_end(void);

static void first_chunks(long iterations, long wanted[2])
{
    struct marks marks = marks_of((uint64_t)iterations);

#pragma omp parallel num_threads(2)
    {
        int thread = omp_get_thread_num();
        long start, end;
        bool taken = GOMP_loop_runtime_start(0, iterations, 1, &start, &end);

        CHECK(taken && end - start == wanted[thread],
              "thread %d of 2 gets %ld iterations, wanted %ld", thread, end - start,
              wanted[thread]);
        /* nobody takes a second chunk of the first batch before everybody has one */
#pragma omp barrier
        while (taken) {
            for (long i = start; i < end; i++) {
                marks_hit(&marks, (uint64_t)i);
            }
            taken = GOMP_loop_runtime_next(&start, &end);
        }
        GOMP_loop_end();
    }
    marks_end(&marks, "weighted loop");
}

int main(void)
{
    first_chunks(1000, (long[]){125, 375});
    first_chunks(8, (long[]){1, 3});
    first_chunks(1000000, (long[]){125000, 375000});
    return check_status();
}
