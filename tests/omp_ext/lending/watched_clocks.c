/* How often loops read the clock: never until somebody watches, and then twice for each loop. */
#define _GNU_SOURCE
#include "tests/omp_ext/lending/watched.h"

static atomic_ulong clock_reads; /* of all threads */

/* Comes before the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    static _Atomic(int (*)(clockid_t, struct timespec *)) next;

    clock_reads++;
    if (next == NULL) {
        int (*found)(clockid_t, struct timespec *);
        void *symbol = dlsym(RTLD_NEXT, "clock_gettime");
        memcpy(&found, &symbol, sizeof found);
        next = found;
    }
    return next(clock, now);
}

enum { LOOPS = 20 };

static void expect_reads(unsigned long before, unsigned each, const char *loops)
{
    unsigned long reads = clock_reads - before;

    CHECK(check_has_counter() ? reads == each * LOOPS : reads >= each * LOOPS,
          "%lu clock reads in %d %s", reads, LOOPS, loops);
}

/* `each` for a loop, none for a chunk. */
static void clocks(unsigned each)
{
    unsigned long before = clock_reads;

    for (int k = 0; k < LOOPS; k++) {
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (int i = 0; i < 1000; i++) {
            __asm__ volatile("");
        }
    }
    expect_reads(before, each, "combined loops");
    before = clock_reads;
#pragma omp parallel num_threads(2)
    for (int k = 0; k < LOOPS; k++) {
#pragma omp for schedule(runtime)
        for (int i = 0; i < 1000; i++) {
            __asm__ volatile("");
        }
    }
    expect_reads(before, each, "loops");
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    clocks(0);
    begin();
    clocks(2);
    return check_status();
}
