/* An extension that ends its functions with calls of libgomp, which GCC makes jumps, so that they
 * return to whoever called the function: libkeel.so, libgomp or the host. For host.c. */
#include <omp.h>
#include <stdio.h>

#ifdef __cplusplus
#define EXPORT extern "C"
#else
#define EXPORT
#endif

enum { N = 64, THREADS = 3 };

static int times[N];
static int strangers; /* threads in a region that is not of this object's libgomp */
static int wanted, failures;

static void hit(int i)
{
    __atomic_add_fetch(&times[i], 1, __ATOMIC_RELAXED);
}

static void meet(int threads)
{
    if (omp_get_num_threads() != threads) {
        __atomic_add_fetch(&strangers, 1, __ATOMIC_RELAXED);
    }
}

/* --- forms, each of which runs the iterations once --- */

static void combined(void)
{
#pragma omp parallel for schedule(runtime) num_threads(THREADS)
    for (int i = 0; i < N; i++) {
        meet(THREADS);
        hit(i);
    }
}

/* LOOP(NAME, DIRECTIVE): a function that ends with that loop. */
#define LOOP(name, directive)                          \
    static __attribute__((noinline)) void name(void)   \
    {                                                  \
        _Pragma(directive) for (int i = 0; i < N; i++) \
        {                                              \
            hit(i);                                    \
        }                                              \
    }

LOOP(combined_dynamic, "omp parallel for schedule(dynamic, 2) num_threads(THREADS)")
LOOP(combined_guided, "omp parallel for schedule(monotonic : guided) num_threads(THREADS)")
LOOP(on_device, "omp target parallel for num_threads(THREADS) schedule(runtime)")
LOOP(orphan, "omp for schedule(runtime)")

static __attribute__((noinline)) void orphan_ull(void)
{
#pragma omp for schedule(runtime) nowait
    for (unsigned long long i = N; i > 0; i--) {
        hit((int)i - 1);
    }
}

static void in_region(void)
{
#pragma omp parallel num_threads(THREADS)
    orphan();
}

static void in_region_ull(void)
{
#pragma omp parallel num_threads(THREADS)
    orphan_ull();
}

static void barrier_last(void)
{
    int last = 0;
#pragma omp parallel num_threads(THREADS)
    {
        meet(THREADS);
#pragma omp for lastprivate(last)
        for (int i = 0; i < N; i++) {
            hit(i);
            last = i;
        }
#pragma omp barrier
    }
    failures += last != N - 1;
}

static void ordered_last(void)
{
    int next = 0;
#pragma omp parallel for ordered schedule(runtime) num_threads(THREADS)
    for (int i = 0; i < N; i++) {
#pragma omp ordered
        {
            failures += next++ != i;
            hit(i);
        }
    }
}

static void in_sections(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int i = 0; i < N / 2; i++) {
            hit(i);
        }
#pragma omp section
        for (int i = N / 2; i < N; i++) {
            hit(i);
        }
    }
}

static void in_tasks(void)
{
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp single
        for (int i = 0; i < N; i++) {
#pragma omp task
            hit(i);
        }
    }
}

static void doacross(void)
{
#pragma omp parallel for ordered(1) schedule(runtime) num_threads(THREADS)
    for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
        hit(i);
#pragma omp ordered depend(source)
    }
}

static void nested(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 8; i++) {
#pragma omp parallel for schedule(runtime) num_threads(THREADS)
        for (int j = 0; j < N / 8; j++) {
            meet(THREADS);
            hit(i * (N / 8) + j);
        }
    }
}

static void reset_schedule(void)
{
    orphan();
    omp_set_schedule(omp_sched_dynamic, 3);
}

static void (*volatile const forms[])(void) = {
    combined,     combined_dynamic, combined_guided, in_region, in_region_ull,
    barrier_last, ordered_last,     in_sections,     in_tasks,  doacross,
    on_device,    nested,           reset_schedule,
};

/* --- what the host calls --- */

/* Its own last call is one of libgomp, too. */
EXPORT void extension_tail(void)
{
    omp_set_max_active_levels(3);
    wanted++;
    in_region();
}

EXPORT int extension_run(void)
{
    omp_set_max_active_levels(3);
    for (unsigned f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        wanted++;
        forms[f]();
        for (int i = 0; i < N; i++) {
            if (times[i] != wanted) {
                printf("form %u, iteration %d: %d times, not %d\n", f, i, times[i], wanted);
                failures++;
                times[i] = wanted;
            }
        }
    }
    if (strangers > 0) {
        printf("%d threads in regions of another libgomp\n", strangers);
    }
    return failures + strangers;
}

/* Runs `other`, another extension's, on each thread of a team in turn, and goes on in the team. */
EXPORT int extension_around(int (*other)(void))
{
    int bad = 0;
#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
#pragma omp critical
        bad += other();
        meet(2);
#pragma omp barrier
        orphan();
    }
    wanted++;
    return bad;
}

#ifdef CONSTRUCTOR
/* While the object is being loaded. */
__attribute__((constructor)) static void begin(void)
{
    extension_tail();
    wanted++;
    nested();
}
#endif
