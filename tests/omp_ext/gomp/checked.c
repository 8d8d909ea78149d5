/* What KEEL_CHECK does to a program: prints how often each of two loops, written for static shares,
 * is run by other threads than those, and what a missing barrier lets through; argument: rounds.
 * With "one": whether one thread runs all of a loop. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 64

static int a[N];

static int is_elsewhere(int i)
{
    return omp_get_thread_num() != i * omp_get_num_threads() / N;
}

/* Whether one thread runs all of a loop. */
static int print_owners(void)
{
    int owner[N], others = 0;

#pragma omp parallel for num_threads(2) schedule(runtime)
    for (int i = 0; i < N; i++) {
        owner[i] = omp_get_thread_num();
    }
    for (int i = 1; i < N; i++) {
        others += owner[i] != owner[0];
    }
    puts(others == 0 ? "one thread" : "several threads");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "one") == 0) {
        return print_owners();
    }
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    int first = 0, second = 0, early = 0;

    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        {
#pragma omp for schedule(runtime) nowait
            for (int i = 0; i < N; i++) { /* first */
                __atomic_fetch_add(&first, is_elsewhere(i), __ATOMIC_RELAXED);
                __atomic_store_n(&a[i], round + 1, __ATOMIC_RELAXED);
            }
#pragma omp for schedule(runtime)
            for (int i = 0; i < N; i++) { /* second */
                __atomic_fetch_add(&second, is_elsewhere(i), __ATOMIC_RELAXED);
                if (__atomic_load_n(&a[i], __ATOMIC_RELAXED) != round + 1) {
                    __atomic_fetch_add(&early, 1, __ATOMIC_RELAXED);
                }
            }
        }
    }
    printf("first %s, second %s, early %s\n", first > 0 ? "moved" : "static",
           second > 0 ? "moved" : "static", early > 0 ? "seen" : "none");
    return 0;
}
