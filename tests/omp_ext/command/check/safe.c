/* Loops whose results no schedule may change, all in one program. */
#include <omp.h>
#include <stdio.h>

#define N 2000

static int count[N];

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

static void tasks(void)
{
    long sum = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < N; i++) {
#pragma omp task firstprivate(i) shared(sum)
            {
#pragma omp atomic
                sum += i;
            }
        }
#pragma omp taskwait
    }
    printf("tasks %ld\n", sum);
}

/* With OMP_CANCELLATION or without: the loop ends. */
static void cancelled(void)
{
    int seen = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++) {
            if (i == N / 2) {
#pragma omp atomic write
                seen = 1;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    printf("cancelled %d\n", seen);
}

/* Rows in the loop of another team, teams within teams. */
static void nested(void)
{
    long sum = 0;

    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (int row = 0; row < 20; row++) {
        long part = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : part)
        for (int i = 0; i < 100; i++) {
            part += row * i;
        }
        sum += part;
    }
    printf("nested %ld\n", sum);
}

/* With a barrier in between, whoever runs what; each iteration runs once. */
static void pair(void)
{
    int wrong = 0;

#pragma omp parallel
    {
#pragma omp for schedule(runtime)
        for (int i = 0; i < N; i++) {
            count[i]++;
        }
#pragma omp for schedule(runtime) reduction(+ : wrong)
        for (int i = 0; i < N; i++) {
            wrong += count[i] != 1;
        }
    }
    printf("wrong %d\n", wrong);
}

int main(void)
{
    last_values();
    in_order();
    monotonic();
    sums();
    tasks();
    cancelled();
    nested();
    pair();
    return 0;
}
