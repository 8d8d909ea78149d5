/* Loops that somebody watches: what is counted, compared with the time that bodies took and the
 * time around the loop. */
#ifndef TESTS_OMP_EXT_LENDING_WATCHED_H
#define TESTS_OMP_EXT_LENDING_WATCHED_H

#include <omp.h>
#include <stdatomic.h>
#include <time.h>

#include "tests/omp_ext/lending/lender.h"

enum { BODY_MS = 5, PATIENCE_MS = 10000 };

static const struct keel_loop_counters *work;

static inline uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* At least BODY_MS. */
static inline void body(void)
{
    for (uint64_t end_ns = now_ns() + BODY_MS * 1000000u; now_ns() < end_ns;) {
        usleep(1000);
    }
}

/* Waits for another thread, though not for ever. */
static inline bool comes(const atomic_uint *event)
{
    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        if (*event > 0) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

static inline const struct keel_loop_counters *watch(void)
{
    return libkeel()->count_loops();
}

struct span {
    uint64_t loops, busy_ns, start_ns;
};

static inline struct span span_begin(void)
{
    return (struct span){work->loops, work->busy_ns, now_ns()};
}

/* `loops` have ended since, and in the time that counts `bodies` followed one another. */
static inline void span_end(struct span span, unsigned loops, unsigned bodies, const char *name)
{
    uint64_t wall_ns = now_ns() - span.start_ns;
    uint64_t least_ns = bodies * BODY_MS * (uint64_t)1000000;
    uint64_t busy_ns = work->busy_ns - span.busy_ns;
    uint64_t ended = work->loops - span.loops;

    CHECK(ended == loops, "%s: %llu loops were counted instead of %u", name,
          (unsigned long long)ended, loops);
    CHECK(busy_ns >= least_ns, "%s: %llu ns were counted, bodies took %llu", name,
          (unsigned long long)busy_ns, (unsigned long long)least_ns);
    CHECK(busy_ns <= wall_ns, "%s: %llu ns were counted in %llu", name, (unsigned long long)busy_ns,
          (unsigned long long)wall_ns);
}

#define PRAGMA(text) _Pragma(#text)

#define COMBINED(name, loops, clauses)                                     \
    {                                                                      \
        struct span span = span_begin();                                   \
        PRAGMA(omp parallel for clauses) for (unsigned i = 0; i < 40; i++) \
        {                                                                  \
            if (i == 39) {                                                 \
                body();                                                    \
            }                                                              \
        }                                                                  \
        span_end(span, loops, loops, name);                                \
    }

/* Holds back all threads but 0 before the loop, so that 0 gets some of it. The call also keeps the
 * compiler from making a combined loop of a region and the loop in it. */
struct first {
    atomic_uint taken;
};

static inline void await_first(struct first *first)
{
    if (omp_get_thread_num() > 0) {
        CHECK(comes(&first->taken), "thread 0 got no iteration");
    }
}

/* Thread 0 computes in its first iteration. */
static inline void first_body(struct first *first)
{
    if (omp_get_thread_num() == 0 && atomic_fetch_add(&first->taken, 1) == 0) {
        body();
    }
}

__attribute__((noinline)) static void orphan(struct first *first, int count)
{
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < count; i++) {
        first_body(first);
    }
}

static inline void outside_of_regions(void)
{
    struct first first = {0};
    struct span span = span_begin();

    orphan(&first, 40);
    span_end(span, 1, 1, "outside of regions");
    span = span_begin();
    orphan(&first, 0);
    span_end(span, 1, 0, "outside of regions, without iterations");
}

__attribute__((noinline)) static void inner_combined(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 4; i++) {
        usleep(500);
    }
}

__attribute__((noinline)) static void inner_in_region(void)
{
    struct first first = {0};

#pragma omp parallel num_threads(2)
    orphan(&first, 4);
}

static inline void begin(void)
{
    inner_combined();
    inner_in_region();
    work = watch();
    CHECK(work->loops == 0 && work->busy_ns == 0, "loops were counted that nobody watched");
}

#endif
