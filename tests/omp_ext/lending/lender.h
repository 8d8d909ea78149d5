/* A lender for programs of these tests: lends parts of a loop in chunks of any size and order, and
 * counts who comes and goes. */
#ifndef TESTS_OMP_EXT_LENDING_LENDER_H
#define TESTS_OMP_EXT_LENDING_LENDER_H

#include <pthread.h>
#include <sched.h>

#include "omp_ext/lending/lending.h"
#include "schedules/loop/schedule.h"
#include "tests/support/schedules.h"

/* How a loan goes out. Fields that are not stated mean: all of it, one by one, to whoever asks. */
struct terms {
    uint64_t iterations;  /* of the loop */
    uint64_t first, last; /* lends these alone; 0, 0: all */
    uint64_t chunk;       /* iterations; 0: 1 */
    uint64_t order;       /* chunk numbers go out in steps of this, and the last one at the end */
    unsigned threads;     /* of the team; 0: any */
    bool refuses_odd;     /* lends nothing to threads of odd numbers */
    bool gathers;         /* no thread gets a chunk before all threads have come */
};

enum { WORKERS_MAX = 64 };

struct loan;

struct worker {
    struct loan *loan;
    uint64_t last; /* of the last chunk */
    bool over;     /* next() has said false */
};

struct loan {
    struct terms terms;
    uint64_t chunks;
    uint64_t drawn; /* chunks that have been asked for */
    struct worker workers[WORKERS_MAX];
    unsigned joined, refused, finished, abandoned;
    uintptr_t site;
    char schedule[32]; /* "": none was asked for */
    bool in_order;
};

static void loan_begin(struct loan *loan, struct terms terms)
{
    *loan = (struct loan){.terms = terms};
    if (terms.last == 0 && terms.first == 0) {
        loan->terms.last = terms.iterations;
    }
    loan->terms.chunk = terms.chunk > 0 ? terms.chunk : 1;
    loan->terms.order = terms.order > 0 ? terms.order : 1;
    loan->chunks =
        (loan->terms.last - loan->terms.first + loan->terms.chunk - 1) / loan->terms.chunk;
}

static void loan_describe(struct loan *loan, const struct keel_lending_thread *thread)
{
    const struct terms *terms = &loan->terms;

    CHECK(thread->iterations == terms->iterations, "%llu iterations instead of %llu",
          (unsigned long long)thread->iterations, (unsigned long long)terms->iterations);
    CHECK(terms->threads == 0 || thread->threads == terms->threads, "%u threads instead of %u",
          thread->threads, terms->threads);
    CHECK(thread->thread < thread->threads, "thread %u of %u", thread->thread, thread->threads);
    if (thread->thread == 0) {
        loan->site = thread->site;
        loan->in_order = thread->in_order;
        snprintf(loan->schedule, sizeof loan->schedule, "%s",
                 thread->spec != NULL ? thread->spec->schedule->name : "");
    }
}

static void *loan_join(void *lent, const struct keel_lending_thread *thread)
{
    struct loan *loan = (struct loan *)lent;

    loan_describe(loan, thread);
    if (loan->terms.refuses_odd && thread->thread % 2 == 1) {
        __atomic_add_fetch(&loan->refused, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    unsigned worker = __atomic_fetch_add(&loan->joined, 1, __ATOMIC_RELAXED);
    loan->workers[worker].loan = loan;
    return &loan->workers[worker];
}

/* Chunk numbers go out as k * order modulo their number less one, a prime factor of which `order`
 * must not be; the chunk that ends the loop comes last. */
static uint64_t loan_chunk(const struct loan *loan, uint64_t drawn)
{
    return drawn == loan->chunks - 1 ? drawn : drawn * loan->terms.order % (loan->chunks - 1);
}

static bool loan_next(void *taken, uint64_t *first, uint64_t *last)
{
    struct worker *worker = (struct worker *)taken;
    struct loan *loan = worker->loan;

    CHECK(!worker->over, "asked again after the end");
    while (loan->terms.gathers &&
           __atomic_load_n(&loan->joined, __ATOMIC_RELAXED) < loan->terms.threads) {
        sched_yield();
    }
    uint64_t drawn = __atomic_fetch_add(&loan->drawn, 1, __ATOMIC_RELAXED);
    if (drawn >= loan->chunks) {
        worker->over = true;
        return false;
    }
    *first = loan->terms.first + loan_chunk(loan, drawn) * loan->terms.chunk;
    *last = *first + loan->terms.chunk;
    if (*last > loan->terms.last) {
        *last = loan->terms.last;
    }
    return true;
}

static void loan_leave(void *taken, bool finished)
{
    struct worker *worker = (struct worker *)taken;

    CHECK(worker->loan != NULL, "a thread leaves twice");
    CHECK(finished == worker->over, "a thread leaves as if it %s",
          finished ? "had ended" : "had not");
    __atomic_add_fetch(finished ? &worker->loan->finished : &worker->loan->abandoned, 1,
                       __ATOMIC_RELAXED);
    worker->loan = NULL;
}

static const struct keel_lender lender = {loan_join, loan_next, loan_leave, NULL};

static const struct keel_lending *libkeel(void)
{
    const struct keel_lending *(*meet)(uint32_t, uint32_t *) =
        (const struct keel_lending *(*)(uint32_t, uint32_t *))find_function("keel_lending_meet");
    uint32_t newest;

    return meet(KEEL_LENDING_VERSION, &newest);
}

static bool lend(struct loan *loan)
{
    return libkeel()->lend_next(&lender, loan);
}

static bool withdraw(struct loan *loan)
{
    return libkeel()->withdraw(loan);
}

/* The loop has taken the loan, and all its threads have run to its end. */
static void loan_over(struct loan *loan, const char *loop)
{
    CHECK(!withdraw(loan), "%s: the offer still stands", loop);
    CHECK(loan->joined + loan->refused > 0, "%s: no thread came", loop);
    CHECK(loan->terms.threads == 0 || loan->joined + loan->refused == loan->terms.threads,
          "%s: %u of %u threads came", loop, loan->joined + loan->refused, loan->terms.threads);
    CHECK(loan->finished == loan->joined && loan->abandoned == 0,
          "%s: of %u threads, %u finished and %u abandoned it", loop, loan->joined, loan->finished,
          loan->abandoned);
}

/* What was lent was executed once, and nothing else. */
static void loan_marks(struct loan *loan, struct marks *marks, const char *loop)
{
    uint64_t lent = 0;

    for (uint64_t i = 0; i < marks->count; i++) {
        bool own = i >= loan->terms.first && i < loan->terms.last && loan->joined > 0;
        lent += own;
        if (marks->times[i] != own) {
            CHECK(0, "%s: iteration %llu of %llu was executed %u times instead of %d", loop,
                  (unsigned long long)i, (unsigned long long)marks->count, marks->times[i], own);
            break;
        }
    }
    free(marks->times);
}

/* Offers a loop, whose iterations are marked. */
__attribute__((unused)) static void offer(struct loan *loan, struct terms terms,
                                          struct marks *marks)
{
    loan_begin(loan, terms);
    marks_begin(marks, terms.iterations);
    CHECK(lend(loan), "the offer is refused");
}

__attribute__((unused)) static void loan_done(struct loan *loan, struct marks *marks,
                                              const char *loop)
{
    loan_over(loan, loop);
    loan_marks(loan, marks, loop);
}

#ifndef COUNTED
/* A loop that is called from regions and from outside of them. */
__attribute__((noinline, unused)) static void orphan(struct marks *marks, int count)
{
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < count; i++) {
        marks_hit(marks, (uint64_t)i);
    }
}
#endif

#endif
