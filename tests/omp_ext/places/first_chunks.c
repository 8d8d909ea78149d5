/* first_chunks THREADS ITERATIONS [nested|alone]: prints the first chunk that each thread of a team
 * gets of a loop: "thread first last", and runs the loop to its end. nested: in a team within
 * another. alone: the last thread runs all but the others' first chunks; prints whose block it
 * takes from first, where blocks are equal. */
#include <omp.h>

#include "tests/support/checks.h"

enum { THREADS_MAX = 64 };

extern bool GOMP_loop_nonmonotonic_runtime_start(long, long, long, long *, long *);
extern bool GOMP_loop_nonmonotonic_runtime_next(long *, long *);
extern void GOMP_loop_end(void);

static void print_first_chunks(int threads, long iterations, bool alone)
{
    long victim = -1;
    long first[THREADS_MAX], last[THREADS_MAX];
    struct marks marks = marks_of((uint64_t)iterations);

    check_any_order = true;
#pragma omp parallel num_threads(threads)
    {
        int thread = omp_get_thread_num();
        long start = 0, end = 0;
        bool taken = GOMP_loop_nonmonotonic_runtime_start(0, iterations, 1, &start, &end);

        first[thread] = start;
        last[thread] = end;
        /* no thread takes a second chunk before everybody has one */
#pragma omp barrier
        if (alone && thread == threads - 1) {
            while (taken) {
                for (long i = start; i < end; i++) {
                    marks_hit(&marks, (uint64_t)i);
                }
                victim =
                    victim < 0 && start < first[thread] ? start * threads / iterations : victim;
                taken = GOMP_loop_nonmonotonic_runtime_next(&start, &end);
            }
        }
        if (alone) {
#pragma omp barrier
        }
        while (taken) {
            for (long i = start; i < end; i++) {
                marks_hit(&marks, (uint64_t)i);
            }
            taken = GOMP_loop_nonmonotonic_runtime_next(&start, &end);
        }
        GOMP_loop_end();
    }
    marks_end(&marks, "the loop");
    for (int i = 0; i < threads && !alone; i++) {
        printf("%d %ld %ld\n", i, first[i], last[i]);
    }
    if (alone) {
        printf("%ld\n", victim);
    }
}

int main(int argc, char **argv)
{
    int threads = argc > 2 ? atoi(argv[1]) : 0;

    if (threads < 1 || threads > THREADS_MAX) {
        return 2;
    }
    if (argc > 3 && strcmp(argv[3], "nested") == 0) {
#pragma omp parallel num_threads(2)
#pragma omp master
        print_first_chunks(threads, atol(argv[2]), false);
    } else {
        print_first_chunks(threads, atol(argv[2]), argc > 3);
    }
    return check_status();
}
