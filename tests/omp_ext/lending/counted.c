/* Once another library wants it, each scheduled loop counts once and loops in its body do not; what
 * is counted lies between the time that bodies took and the time around the loop. `counted [WORD]`:
 * overridden, for explicit clauses; cancelled, for loops that are cancelled; region, for those of
 * regions that began before that; clocks, for how often loops read the clock. */
#define _GNU_SOURCE
#define COUNTED
#include <omp.h>
#include <stdatomic.h>
#include <time.h>

#include "omp_ext/gomp/worksharing.h"
#include "tests/omp_ext/lending/lender.h"

enum { BODY_MS = 5, PATIENCE_MS = 10000 };

static const struct keel_loop_counters *work;

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* At least BODY_MS. */
static void body(void)
{
    for (uint64_t end_ns = now_ns() + BODY_MS * 1000000u; now_ns() < end_ns;) {
        usleep(1000);
    }
}

/* Waits for another thread, though not for ever. */
static bool comes(const atomic_uint *event)
{
    for (int ms = 0; ms < PATIENCE_MS; ms++) {
        if (*event > 0) {
            return true;
        }
        usleep(1000);
    }
    return false;
}

static const struct keel_loop_counters *count(void)
{
    return libkeel()->count_loops();
}

struct span {
    uint64_t loops, busy_ns, start_ns;
};

static struct span span_begin(void)
{
    return (struct span){work->loops, work->busy_ns, now_ns()};
}

/* `loops` have ended since, and in the time that counts `bodies` followed one another. */
static void span_end(struct span span, unsigned loops, unsigned bodies, const char *name)
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

static void await_first(struct first *first)
{
    if (omp_get_thread_num() > 0) {
        CHECK(comes(&first->taken), "thread 0 got no iteration");
    }
}

/* Thread 0 computes in its first iteration. */
static void first_body(struct first *first)
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

static void outside_of_regions(void)
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

static void begin(void)
{
    inner_combined();
    inner_in_region();
    work = count();
    CHECK(work->loops == 0 && work->busy_ns == 0, "loops were counted that were not wanted");
}

#pragma weak keel_worksharing_begin
#pragma weak keel_worksharing_next
#pragma weak keel_worksharing_end

/* --- combined parallel loops: from fork to join --- */

static void combined(unsigned threads)
{
    COMBINED("combined", 1, schedule(runtime) num_threads(threads))
    COMBINED("monotonic", 1, schedule(monotonic : runtime) num_threads(threads))
    COMBINED("static", 0, schedule(static) num_threads(threads))
    COMBINED("dynamic", 0, schedule(dynamic) num_threads(threads))
}

static void no_iterations(void)
{
    struct span span = span_begin();

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 0; i++) {
        body();
    }
    span_end(span, 1, 0, "no iterations");
}

/* --- loops of a region: thread 0, until it gets no more --- */

#define REGION(name, loops, ...)                  \
    {                                             \
        struct first first = {0};                 \
        struct span span = span_begin();          \
        PRAGMA(omp parallel num_threads(threads)) \
        {                                         \
            await_first(&first);                  \
            __VA_ARGS__                           \
        }                                         \
        span_end(span, loops, loops, name);       \
    }
#define IN_REGION(name, loops, clauses, ...) \
    REGION(name, loops, PRAGMA(omp for clauses) __VA_ARGS__)

#define FORTY(type)                 \
    for (type i = 0; i < 40; i++) { \
        first_body(&first);         \
    }

/* As code that the plugin has made begins a loop without a schedule. */
static void of_the_plugin(unsigned threads)
{
    static struct keel_worksharing_loop loop = {&loop.none, 0};
    struct span span = span_begin();
    struct first first = {0};
    atomic_uint sum = 0;

#pragma omp parallel num_threads(threads)
    {
        long start, end;
        await_first(&first);
        unsigned begun = keel_worksharing_begin(&loop, KEEL_WORKSHARING_STATIC, threads, 0, 40, 1,
                                                0, &start, &end);
        CHECK(begun != 0, "the program has to divide the loop itself");
        for (bool taken = (begun & KEEL_WORKSHARING_CHUNK) != 0; taken;
             taken = keel_worksharing_next(&start, &end)) {
            for (long i = start; i < end; i++) {
                first_body(&first);
                sum += (unsigned)i;
            }
        }
        keel_worksharing_end();
    }
    span_end(span, 1, 1, "of the plugin");
    CHECK(sum == 780, "the sum is %u", sum);
}

/* Which the compiler starts by GOMP_loop_start. */
static void with_memory(unsigned threads)
{
    long total = 0;

    IN_REGION("task reduction", 1, schedule(runtime) reduction(task, + : total),
              for (long i = 0; i < 40; i++) {
                  first_body(&first);
                  total += i;
              })
    CHECK(total == 780, "the sum is %ld", total);
}

static void in_region(unsigned threads)
{
    IN_REGION("loop", 1, schedule(runtime), FORTY(long))
    IN_REGION("monotonic loop", 1, schedule(monotonic : runtime), FORTY(long))
    IN_REGION("ordered", 1, schedule(runtime) ordered, FORTY(long))
    IN_REGION("static loop", 0, schedule(static), FORTY(long))
    IN_REGION("dynamic loop", 0, schedule(dynamic), FORTY(long))
    REGION("orphaned", 1, orphan(&first, 40);)
    IN_REGION(
        "doacross", 1, schedule(runtime) ordered(1), for (long i = 0; i < 40; i++) {
            first_body(&first);
            PRAGMA(omp ordered depend(source))
            PRAGMA(omp ordered depend(sink : i - 1))
        })
    of_the_plugin(threads);
    with_memory(threads);
}

static void several_in_a_region(void)
{
    struct first first[3] = {0};
    struct span span = span_begin();

#pragma omp parallel num_threads(3)
    {
        await_first(&first[0]);
        orphan(&first[0], 40);
        orphan(&first[1], 40);
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 40; i++) {
            first_body(&first[2]);
        }
        orphan(&first[2], 0);
    }
    span_end(span, 3, 1, "three in a region");
}

/* Thread 0 does not wait for the others in what is counted: thread 1 ends its iteration only once
 * the loop has been counted. */
static void without_waiting_for_others(void)
{
    uint64_t before = work->loops;
    struct first first = {0};
    atomic_uint here = 0;

#pragma omp parallel num_threads(2)
    {
        await_first(&first);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            first_body(&first);
            if (omp_get_thread_num() == 0) {
                CHECK(comes(&here), "thread 1 got no iteration");
            } else if (here++ == 0) {
                for (int ms = 0; work->loops == before && ms < PATIENCE_MS; ms++) {
                    usleep(1000);
                }
                CHECK(work->loops == before + 1, "thread 0 is counted until all are through");
            }
        }
    }
}

/* --- loops in loops --- */

typedef void inner_loops(void);

__attribute__((noinline)) static void inner_in_target(void)
{
    struct first first = {0};

#pragma omp target map(tofrom : first)
    orphan(&first, 4);
}

static void in_combined(inner_loops *inner)
{
    struct span span = span_begin();

#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 4; i++) {
        body();
        inner();
    }
    span_end(span, 1, 1, "combined");
}

/* Threads but 0 are in the first loop for longer. */
static void in_loops_of_a_region(inner_loops *inner)
{
    struct span span = span_begin();
    struct first first = {0}, second = {0};

#pragma omp parallel num_threads(3)
    {
        await_first(&first);
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < 6; i++) {
            first_body(&first);
            usleep(1000 * (unsigned)omp_get_thread_num());
            inner();
        }
        await_first(&second);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 6; i++) {
            first_body(&second);
            inner();
        }
    }
    span_end(span, 2, 2, "loops of a region");
}

static void two_levels_below(inner_loops *inner)
{
    struct span span = span_begin();

#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(2)
        inner();
        body();
    }
    span_end(span, 1, 1, "region in a combined loop");
}

/* Where there is no loop around them, they count themselves. */
static void in_plain_region(inner_loops *inner)
{
    struct span span = span_begin();

#pragma omp parallel num_threads(2)
#pragma omp single
    inner();
    span_end(span, 1, 0, "plain region");
}

static void nested(inner_loops *inner, const char *name)
{
    snprintf(check_context, sizeof check_context, ", %s in it", name);
    in_combined(inner);
    in_loops_of_a_region(inner);
    two_levels_below(inner);
    in_plain_region(inner);
    check_context[0] = '\0';
}

/* --- other ways in --- */

static void *run_host_thread(void *unused)
{
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 4; i++) {
        body();
    }
    return unused;
}

static void host_threads(void)
{
    struct span span = span_begin();

    for (int k = 0; k < 2; k++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, run_host_thread, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
    }
    span_end(span, 2, 4, "loops of host threads");
}

static void lent(void)
{
    struct span span = span_begin();
    struct marks marks;
    struct loan loan;

    loan_begin(&loan, (struct terms){.iterations = 30, .chunk = 4});
    marks_begin(&marks, 30);
    lend(&loan);
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 30; i++) {
        if (i == 7) {
            body();
        }
        marks_hit(&marks, (uint64_t)i);
    }
    span_end(span, 1, 1, "lent");
    loan_over(&loan, "lent");
    loan_marks(&loan, &marks, "lent");
}

/* --- explicit clauses: KEEL_OVERRIDE=dynamic --- */

static void overridden(void)
{
    unsigned threads = 2;

    COMBINED("dynamic", 1, schedule(dynamic) num_threads(threads))
    COMBINED("monotonic dynamic", 1, schedule(monotonic : dynamic) num_threads(threads))
    COMBINED("guided", 0, schedule(guided, 3) num_threads(threads))
    IN_REGION("dynamic loop", 1, schedule(dynamic, 3), FORTY(long))
    IN_REGION("ordered dynamic loop", 1, schedule(dynamic) ordered, FORTY(long))
}

/* --- all of it --- */

static void everything(void)
{
    for (unsigned threads = 1; threads < 4; threads += 2) {
        snprintf(check_context, sizeof check_context, ", %u threads", threads);
        combined(threads);
        in_region(threads);
        check_context[0] = '\0';
    }
    no_iterations();
    outside_of_regions();
    several_in_a_region();
    without_waiting_for_others();
    nested(inner_combined, "a combined loop");
    nested(inner_in_region, "a region's loop");
    nested(inner_in_target, "a target region's loop");
    host_threads();
    lent();
}

/* --- cancellation: OMP_CANCELLATION=true --- */

static void cancelled_in_region(unsigned threads)
{
    struct first first = {0}, next = {0};
    struct span span = span_begin();

#pragma omp parallel num_threads(threads)
    {
        await_first(&first);
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            first_body(&first);
#pragma omp cancel for
        }
        orphan(&next, 40);
    }
    span_end(span, 2, 1, "cancelled loop and another one");
}

static void cancelled_combined(void)
{
    struct span span = span_begin();

#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 40; i++) {
        body();
#pragma omp cancel for
    }
    span_end(span, 1, 1, "cancelled combined");
}

/* Thread 0 is in a loop while its region is cancelled. */
static void cancelled_region(void)
{
    struct span span = span_begin();
    struct first first = {0};

#pragma omp parallel num_threads(2)
    {
        await_first(&first);
        if (omp_get_thread_num() == 1) {
#pragma omp cancel parallel
        }
#pragma omp for schedule(runtime)
        for (int i = 0; i < 40; i++) {
            first_body(&first);
        }
    }
    span_end(span, 1, 1, "loop of a cancelled region");
}

static void cancelled(void)
{
    for (unsigned threads = 1; threads < 4; threads++) {
        cancelled_in_region(threads);
    }
    cancelled_combined();
    cancelled_region();
    COMBINED("combined, after all", 1, schedule(runtime) num_threads(2))
    outside_of_regions();
}

/* --- beginning to count --- */

/* What began before does not count; what begins later in the same region does. */
static void begin_in_region(void)
{
    struct first early = {0}, late = {0};

#pragma omp parallel num_threads(2)
    {
        await_first(&early);
        orphan(&early, 40);
#pragma omp barrier
#pragma omp master
        work = count();
#pragma omp barrier
        await_first(&late);
        orphan(&late, 40);
    }
    span_end((struct span){0}, 1, 1, "region that began before");
    CHECK(count() == work, "the counters have moved");
}

/* --- reads of the clock: none until another library wants it, then two for each loop --- */

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

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";

    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    if (strcmp(what, "region") == 0) {
        begin_in_region();
        return check_status();
    }
    if (strcmp(what, "clocks") == 0) {
        clocks(0);
    }
    begin();
    if (strcmp(what, "clocks") == 0) {
        clocks(2);
    } else if (strcmp(what, "overridden") == 0) {
        overridden();
    } else if (strcmp(what, "cancelled") == 0) {
        cancelled();
    } else {
        everything();
    }
    return check_status();
}
