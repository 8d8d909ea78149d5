/* Loops of drawn forms and lengths, in regions of drawn sizes. Prints the expected contents of
 * their trace, as trace_facts does: "instances COUNTxITERATIONS ...". */
#include <omp.h>

#include "tests/support/helpers.h"

#define REGIONS 12
#define LOOPS_MAX 8
#define FORMS 9

static volatile double sink;

static void work(long i)
{
    double sum = 0;

    for (long k = 0; k < 20 + i % 50; k++) {
        sum += (double)k;
    }
    sink = sum;
}

struct loop {
    unsigned form;
    long iterations, chunk;
};

#define FORM(number, clauses, head, ...) \
    case number:                         \
        _Pragma(clauses) for head        \
        {                                \
            __VA_ARGS__;                 \
        }                                \
        break;

/* The forms that call libgomp; a thread's part in one. */
static void run(const struct loop *loop)
{
    long n = loop->iterations;
    unsigned long long wide = (unsigned long long)n;

    switch (loop->form) {
        FORM(0, "omp for schedule(runtime)", (long i = 0; i < n; i++), work(i))
        FORM(1, "omp for schedule(runtime) nowait", (long i = 3 * n; i > 0; i -= 3), work(i))
        FORM(2, "omp for schedule(runtime)", (unsigned long long i = 7; i < 7 + wide; i++),
             work((long)i))
        FORM(3, "omp for schedule(dynamic, loop->chunk)", (long i = 0; i < n; i++), work(i))
        FORM(4, "omp for schedule(guided, loop->chunk) nowait", (long i = 0; i < n; i++), work(i))
        FORM(5, "omp for schedule(monotonic : dynamic, loop->chunk)",
             (unsigned long long i = wide; i > 0; i--), work((long)i))
        FORM(6, "omp for schedule(runtime) ordered", (long i = 0; i < n; i++),
             _Pragma("omp ordered") work(i))
        FORM(7, "omp for schedule(nonmonotonic : runtime) nowait", (long i = -n; i < n; i += 2),
             work(i + n))
        FORM(8, "omp for schedule(dynamic, loop->chunk) ordered", (long i = 0; i < n; i++),
             _Pragma("omp ordered") work(i))
    }
#pragma omp barrier
}

static int by_number(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;

    return x < y ? -1 : x > y;
}

static void print_instances(long *iterations, int count)
{
    qsort(iterations, (size_t)count, sizeof *iterations, by_number);
    printf("instances");
    for (int from = 0, to; from < count; from = to) {
        for (to = from; to < count && iterations[to] == iterations[from]; to++) {
        }
        printf(" %dx%ld", to - from, iterations[from]);
    }
    printf("\n");
}

int main(void)
{
    struct draws draws = draws_begin();
    struct loop loop[LOOPS_MAX];
    static long all[REGIONS * (LOOPS_MAX + 2)];
    int count = 0;

    for (int region = 0; region < REGIONS; region++) {
        int threads = 1 + (int)draws_below(&draws, 5);
        int loops = 1 + (int)draws_below(&draws, LOOPS_MAX);
        long combined = (long)draws_below(&draws, 300);
        for (int k = 0; k < loops; k++) {
            loop[k] =
                (struct loop){(unsigned)draws_below(&draws, FORMS), (long)draws_below(&draws, 200),
                              1 + (long)draws_below(&draws, 9)};
            all[count++] = loop[k].iterations;
        }
#pragma omp parallel num_threads(threads)
        for (int k = 0; k < loops; k++) {
            run(&loop[k]);
        }
#pragma omp parallel for num_threads(threads) schedule(runtime)
        for (long i = 0; i < combined; i++) {
            work(i);
        }
        all[count++] = combined;
        run(&loop[0]); /* in no region */
        all[count++] = loop[0].iterations;
    }
    print_instances(all, count);
    return 0;
}
