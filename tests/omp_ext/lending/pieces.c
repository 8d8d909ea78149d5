/* Loops whose iterations are timed for a timer: each iteration is given once, after it has run,
 * on the thread that has run it, in pieces that are no longer than wanted; and the program runs as
 * ever. `pieces`: all checks. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdatomic.h>

#include "tests/omp_ext/lending/lender.h"

enum { MOST = 1000, PIECE = 7 };

static struct {
    uint64_t start;
    int64_t step;
    uint64_t iterations;
    atomic_uint begun;         /* parts of threads */
    atomic_uint ran[MOST];     /* iterations, by their numbers in the loop */
    atomic_uint told[MOST];    /* the same */
    _Atomic(int) thread[MOST]; /* that ran it */
    atomic_uint wrong;         /* times, lengths, threads or orders */
} seen;

static bool refuses;

static bool begin_loop(const struct keel_timed_loop *loop, struct keel_timed_thread *thread)
{
    seen.begun++;
    if (refuses || loop->start != seen.start || loop->step != seen.step ||
        loop->iterations != seen.iterations) {
        return false;
    }
    *thread = (struct keel_timed_thread){
        .context = &seen, .place = 1, .pace = 2, .share = 3, .piece = PIECE};
    return true;
}

static void took(const struct keel_timed_thread *thread, uint64_t first, uint64_t last,
                 double time_ns)
{
    bool fine = thread->context == &seen && thread->place == 1 && thread->pace == 2 &&
                thread->share == 3 && time_ns >= 0 && first < last && last <= seen.iterations &&
                last - first <= thread->piece && thread->piece >= PIECE;

    for (uint64_t i = first; fine && i < last; i++) {
        seen.told[i]++;
        fine = seen.ran[i] == 1 && seen.thread[i] == omp_get_thread_num();
    }
    seen.wrong += !fine;
}

static void expect(uint64_t start, int64_t step, uint64_t iterations)
{
    memset(&seen, 0, sizeof seen);
    seen.start = start;
    seen.step = step;
    seen.iterations = iterations;
}

static void body(uint64_t iteration)
{
    seen.thread[iteration] = omp_get_thread_num();
    seen.ran[iteration]++;
}

/* tells: the loop's iterations are given; otherwise none is. */
static void check(const char *name, bool tells)
{
    unsigned ran = 0, told = 0;

    for (uint64_t i = 0; i < seen.iterations; i++) {
        ran += seen.ran[i] == 1;
        told += seen.told[i] == 1;
    }
    CHECK(ran == seen.iterations, "%s: %u iterations ran once", name, ran);
    CHECK(told == (tells ? seen.iterations : 0), "%s: %u iterations were given once", name, told);
    CHECK(seen.wrong == 0, "%s: %u wrong pieces", name, seen.wrong);
}

static void plain(int threads, const char *name)
{
    expect(0, 1, 300);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < 300; i++) {
        body((uint64_t)i);
    }
    check(name, false);
}

static void combined(int threads)
{
    long last = -1;

    expect(100, 1, 500);
#pragma omp parallel for schedule(runtime) num_threads(threads) lastprivate(last)
    for (long i = 100; i < 600; i++) {
        body((uint64_t)(i - 100));
        last = i;
    }
    check("combined", true);
    CHECK(last == 599, "the last iteration is %ld", last);
    expect(50, -3, 17);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 50; i >= 0; i -= 3) {
        body((uint64_t)((50 - i) / 3));
    }
    check("combined, down", true);
    expect(0, 1, 0);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < (long)seen.iterations; i++) {
        body(0);
    }
    check("no iterations", true);
}

static void in_region(int threads)
{
    expect(UINT64_MAX - 1000, 3, 300);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime)
        for (unsigned long long i = UINT64_MAX - 1000; i < UINT64_MAX - 100; i += 3) {
            body((i - (UINT64_MAX - 1000)) / 3);
        }
    }
    check("wide", true);
    expect(1000, -1, 900);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime) nowait
        for (unsigned long long i = 1000; i > 100; i--) {
            body(1000 - i);
        }
    }
    check("wide, down", true);
    expect(0, 1, 300);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(runtime) ordered
        for (long i = 0; i < 300; i++) {
            body((uint64_t)i);
#pragma omp ordered
            (void)i;
        }
    }
    check("ordered", false);
}

/* A loop in the body of another one does not count. */
static void nested(int threads)
{
    expect(0, 1, 30);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (long i = 0; i < 30; i++) {
        body((uint64_t)i);
        atomic_int sum = 0;
#pragma omp parallel for schedule(runtime) num_threads(2)
        for (long k = 0; k < 30; k++) {
            sum += k == 7;
        }
        CHECK(sum == 1, "the loop within ran %d times", sum);
    }
    check("nested", true);
}

static void refused(int threads)
{
    refuses = true;
    plain(threads, "refused");
    CHECK(seen.begun > 0, "no timer was asked");
    refuses = false;
}

int main(void)
{
    static const struct keel_loop_timer timer = {.begin = begin_loop, .took = took};

    plain(omp_get_max_threads(), "before there is a timer");
    libkeel()->count_loops();
    libkeel()->time_loops(&timer);
    omp_set_max_active_levels(2);
    for (int threads = 1; threads <= 5; threads += 2) {
        for (int i = 0; i < 5; i++) { /* short loops settle */
            combined(threads);
            in_region(threads);
        }
        nested(threads);
        refused(threads);
    }
    libkeel()->time_loops(NULL);
    plain(omp_get_max_threads(), "without a timer again");
    return check_status();
}
