/* What Keel keeps is bounded: `bounded_memory` is about thousands of different loops, of iteration
 * counts, of teams and of threads, which leave the heap as large as the first few hundred did;
 * `bounded_memory sites` about more loops than the 4096 that Keel keeps notes about, under
 * schedules that have to be measured at each. */
#include <pthread.h>

#define COUNTED_MEMORY
#include "tests/support/schedules.h"

static void loop(long count, int threads)
{
    uint64_t sum = 0, wanted = (uint64_t)count * (uint64_t)(count - 1) / 2;

#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(threads)
    for (long i = 0; i < count; i++) {
        sum += (uint64_t)i;
    }
    CHECK(sum == wanted, "%ld iterations sum up to %llu", count, (unsigned long long)sum);
}

static void iteration_counts(void)
{
    EACH_SCHEDULE(schedule)
    {
        set_schedule(*schedule);
        for (long n = 1; n < 1500; n++) {
            loop(n, 2);
        }
        long before = in_use();
        for (long n = 1500; n < 4000; n++) {
            loop(n, 2);
        }
        /* both threads may have filled the last of their 64 places for plans by now */
        long grown = in_use() - before;
        CHECK(grown < 200000, "%s: %ld bytes more after 2500 loops", *schedule, grown);
    }
}

static void *run_loop(void *unused)
{
    for (long n = 100; n < 140; n++) {
        loop(n, 2);
    }
    return unused;
}

static void threads_that_end(void)
{
    long before = 0;

    set_schedule("gss");
    for (int k = 0; k < 120; k++) {
        pthread_t thread;
        if (k == 20) {
            before = in_use();
        }
        pthread_create(&thread, NULL, run_loop, NULL);
        pthread_join(thread, NULL);
    }
    long grown = in_use() - before;
    CHECK(grown < 100000, "%ld bytes more after 100 threads", grown);
}

static void teams(void)
{
    long before = 0;

    set_schedule("fac2");
    for (int k = 0; k < 300; k++) {
        if (k == 100) {
            before = in_use();
        }
        loop(1000, 1 + k % 12);
    }
    long grown = in_use() - before;
    CHECK(grown < 200000, "%ld bytes more after 200 teams", grown);
}

/* A cancelled loop never ends: what it holds goes when the thread's next one begins. */
static void cancelled_loops(void)
{
    long before = 0;

    set_schedule("gss");
    CHECK(omp_get_cancellation(), "OMP_CANCELLATION is not set");
#pragma omp parallel num_threads(2)
    for (int k = 0; k < 2000; k++) {
        if (k == 500) {
#pragma omp barrier
#pragma omp single
            before = in_use();
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 100 + k; i++) {
#pragma omp cancel for
        }
    }
    long grown = in_use() - before;
    CHECK(grown < 100000, "%ld bytes more after 1500 cancelled loops", grown);
}

/* --- many sites: 5000 loops that differ in nothing but the address of their body --- */

#ifdef __x86_64__

enum { SITES = 5000, ITERATIONS = 40, JUMP = 5 /* bytes of a jump with a 32-bit distance */ };

extern void GOMP_parallel_loop_runtime(void (*)(void *), void *, unsigned, long, long, long,
                                       unsigned);
extern bool GOMP_loop_runtime_next(long *, long *);
extern void GOMP_loop_end_nowait(void);

extern char many_sites_body[];

__asm__(".text\n"
        ".globl many_sites_body\n"
        "many_sites_body:\n"
        ".rept 5000\n"
        ".byte 0xe9\n"
        ".long run_body - . - 4\n"
        ".endr\n");

__attribute__((used)) static void run_body(void *marks) __asm__("run_body");

static void run_body(void *marks)
{
    long start, end;

    while (GOMP_loop_runtime_next(&start, &end)) {
        for (long i = start; i < end; i++) {
            marks_hit(marks, (uint64_t)i);
        }
    }
    GOMP_loop_end_nowait();
}

static void run_site(unsigned site)
{
    struct marks marks = marks_of(ITERATIONS);
    void (*body)(void *) = (void (*)(void *))(many_sites_body + site * JUMP);

    GOMP_parallel_loop_runtime(body, &marks, 2, 0, ITERATIONS, 1, 0);
    marks_end(&marks, "one of many loops");
}

static void check_sites(void)
{
    static const char *const measured[] = {"fac", "fsc", "tap", "bold", "rate", "auto", "af"};

    /* by day three of them */
    for (unsigned i = 0; i < COUNT(measured); i += check_nightly() ? 1 : 3) {
        long before = 0;
        set_schedule(measured[i]);
        snprintf(check_context, sizeof check_context, ", %s", measured[i]);
        for (unsigned site = 0; site < SITES; site++) {
            if (site == 4200) {
                before = in_use();
            }
            run_site(site);
        }
        long grown = in_use() - before;
        CHECK(grown < 50000, "%ld bytes more after 800 loops", grown);
        for (unsigned site = 0; site < SITES; site++) {
            run_site(site);
        }
    }
}

#endif

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "sites") == 0) {
#ifdef __x86_64__
        check_sites();
        return check_status();
#else
        return 77;
#endif
    }
    mallopt(M_ARENA_MAX, 1);
    iteration_counts();
    threads_that_end();
    teams();
    cancelled_loops();
    return check_status();
}
