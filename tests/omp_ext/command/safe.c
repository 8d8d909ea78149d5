/* Loops whose results no schedule may change, all in one program. More of them run under KEEL_CHECK
 * in tests/omp_ext/gomp. */
#include <stdio.h>

#define N 2000

/* The value of the last iteration, and of its variable, come from whoever runs it. */
static void last_values(void)
{
    int i = 0, x = 0;
    long j = 0;

#pragma omp parallel for schedule(runtime) lastprivate(i, x)
    for (i = 0; i < N; i++) {
        x = 3 * i;
    }
    printf("last %d %d\n", i, x);
#pragma omp parallel for schedule(nonmonotonic : dynamic) lastprivate(j)
    for (j = N; j > 0; j -= 7) {
    }
    printf("last %ld\n", j);
}

static void in_order(void)
{
    int next = 0, wrong = 0;

#pragma omp parallel for schedule(runtime) ordered
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        wrong += next++ != i;
    }
#pragma omp parallel for schedule(dynamic, 3) ordered
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        wrong += next++ != N + i;
    }
    printf("out of order %d\n", wrong);
}

/* Each thread's iterations increase where the clause says so. */
static void monotonic(void)
{
    int wrong = 0;

#pragma omp parallel reduction(+ : wrong)
    {
        int before = -1;
#pragma omp for schedule(monotonic : dynamic)
        for (int i = 0; i < N; i++) {
            wrong += i <= before;
            before = i;
        }
    }
    printf("backwards %d\n", wrong);
}

static void sums(void)
{
    long critical = 0, atomic = 0, reduced = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : reduced)
    for (int i = 0; i < N; i++) {
#pragma omp critical
        critical += i;
#pragma omp atomic
        atomic += i;
        reduced += i;
    }
    printf("sums %ld %ld %ld\n", critical, atomic, reduced);
}

int main(void)
{
    last_values();
    in_order();
    monotonic();
    sums();
    return 0;
}
