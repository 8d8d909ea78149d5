/* What a clause says about chunks holds under every schedule: all borders are multiples of its size
 * from the loop's beginning, the end of the loop excepted. The program calls libgomp's entry points
 * as compilers do, so that it sees each chunk. `grain CHECK SCHEDULE...`, under libkeel.so with
 * KEEL_OVERRIDE=dynamic,guided; says what is wrong. */
#include <limits.h>
#include <sched.h>

#include "tests/support/helpers.h"
#include "tests/support/schedules.h"

typedef unsigned long long ull;
typedef void body(void *);

/* --- one loop --- */

#define MOST 2000

/* A loop over long, or over unsigned long long. */
static struct loop {
    uint64_t start, end, step; /* modulo 2^64 */
    bool up;
    uint64_t iterations;
    long chunk;
    uint64_t grains[2]; /* that borders have to keep to; 1: any does */
    unsigned char times[MOST];
} loop;

/* The number of the iteration that has this value; that behind the last one has any other. */
static uint64_t number_of(uint64_t value)
{
    uint64_t distance = loop.up ? value - loop.start : loop.start - value;
    uint64_t step = loop.up ? loop.step : -loop.step;

    CHECK(distance % step == 0, "%llu is no value of the loop", (ull)value);
    return distance / step;
}

static void ran(uint64_t first_value, uint64_t end_value)
{
    uint64_t first = number_of(first_value);
    uint64_t last = end_value == loop.end ? loop.iterations : number_of(end_value);

    CHECK(first < last && last <= loop.iterations, "chunk [%llu, %llu)", (ull)first, (ull)last);
    for (unsigned i = 0; i < 2; i++) {
        CHECK(first % loop.grains[i] == 0, "chunk [%llu, %llu) begins between multiples of %llu",
              (ull)first, (ull)last, (ull)loop.grains[i]);
        CHECK(last % loop.grains[i] == 0 || last == loop.iterations,
              "chunk [%llu, %llu) ends between multiples of %llu", (ull)first, (ull)last,
              (ull)loop.grains[i]);
    }
    for (uint64_t i = first; i < last && last <= MOST; i++) {
        __atomic_add_fetch(&loop.times[i], 1, __ATOMIC_RELAXED);
    }
    if (first % 5 == 0) {
        sched_yield(); /* others come to take something over */
    }
}

/* --- how it is started: libgomp's entry points --- */

#define SIGNED long, long, long
#define UNSIGNED bool, ull, ull, ull
#define OUT(type) type *, type *

#define DECLARE(name)                                           \
    bool GOMP_loop_##name##_start(SIGNED, long, OUT(long));     \
    bool GOMP_loop_##name##_next(OUT(long));                    \
    bool GOMP_loop_ull_##name##_start(UNSIGNED, ull, OUT(ull)); \
    bool GOMP_loop_ull_##name##_next(OUT(ull));

DECLARE(dynamic)
DECLARE(guided)
DECLARE(nonmonotonic_dynamic)
DECLARE(nonmonotonic_guided)
DECLARE(ordered_dynamic)
DECLARE(ordered_guided)
bool GOMP_loop_start(SIGNED, long, long, OUT(long), uintptr_t *, void **);
bool GOMP_loop_ull_start(UNSIGNED, long, ull, OUT(ull), uintptr_t *, void **);
bool GOMP_loop_ordered_start(SIGNED, long, long, OUT(long), uintptr_t *, void **);
void GOMP_loop_end(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_parallel(body *, void *, unsigned, unsigned);

#define DECLARE_COMBINED(name) \
    void GOMP_parallel_loop_##name(body *, void *, unsigned, SIGNED, long, unsigned);

DECLARE_COMBINED(dynamic)
DECLARE_COMBINED(guided)
DECLARE_COMBINED(nonmonotonic_dynamic)
DECLARE_COMBINED(nonmonotonic_guided)

enum { DYNAMIC = 2, GUIDED = 3 }; /* as GOMP_loop_start has them */

#define LONG_LOOP (long)loop.start, (long)loop.end, (long)loop.step
#define ULL_LOOP loop.up, loop.start, loop.end, loop.step

/* What a thread does in a region of its own, or as the body of a combined loop. */
#define BODY_WITHIN(name, type, begin, next, enter, leave) \
    static void name(void *unused)                         \
    {                                                      \
        type first, last;                                  \
        bool more = begin;                                 \
                                                           \
        (void)unused;                                      \
        while (more) {                                     \
            enter;                                         \
            ran((uint64_t)first, (uint64_t)last);          \
            leave;                                         \
            more = next(&first, &last);                    \
        }                                                  \
        GOMP_loop_end();                                   \
    }

#define BODY(name, type, begin, next) BODY_WITHIN(name, type, begin, next, (void)0, (void)0)
#define ORDERED_BODY(name, type, begin, next) \
    BODY_WITHIN(name, type, begin, next, GOMP_ordered_start(), GOMP_ordered_end())

#define BODIES(name)                                                                        \
    BODY(name##_body, long, GOMP_loop_##name##_start(LONG_LOOP, loop.chunk, &first, &last), \
         GOMP_loop_##name##_next)                                                           \
    BODY(ull_##name##_body, ull,                                                            \
         GOMP_loop_ull_##name##_start(ULL_LOOP, (ull)loop.chunk, &first, &last),            \
         GOMP_loop_ull_##name##_next)

BODIES(dynamic)
BODIES(guided)
BODIES(nonmonotonic_dynamic)
BODIES(nonmonotonic_guided)

static bool start_with_memory(long kind, long *first, long *last)
{
    void *memory = (void *)40; /* bytes that the loop wants to share */

    return GOMP_loop_start(LONG_LOOP, kind, loop.chunk, first, last, NULL, &memory);
}

static bool ull_start_with_memory(long kind, ull *first, ull *last)
{
    void *memory = (void *)40;

    return GOMP_loop_ull_start(ULL_LOOP, kind, (ull)loop.chunk, first, last, NULL, &memory);
}

BODY(memory_dynamic_body, long, start_with_memory(DYNAMIC, &first, &last),
     GOMP_loop_nonmonotonic_dynamic_next)
BODY(memory_guided_body, long, start_with_memory(GUIDED, &first, &last),
     GOMP_loop_nonmonotonic_guided_next)
BODY(ull_memory_dynamic_body, ull, ull_start_with_memory(DYNAMIC, &first, &last),
     GOMP_loop_ull_nonmonotonic_dynamic_next)

ORDERED_BODY(ordered_dynamic_body, long,
             GOMP_loop_ordered_dynamic_start(LONG_LOOP, loop.chunk, &first, &last),
             GOMP_loop_ordered_dynamic_next)
ORDERED_BODY(ordered_guided_body, long,
             GOMP_loop_ordered_guided_start(LONG_LOOP, loop.chunk, &first, &last),
             GOMP_loop_ordered_guided_next)
ORDERED_BODY(ull_ordered_dynamic_body, ull,
             GOMP_loop_ull_ordered_dynamic_start(ULL_LOOP, (ull)loop.chunk, &first, &last),
             GOMP_loop_ull_ordered_dynamic_next)
ORDERED_BODY(memory_ordered_body, long,
             GOMP_loop_ordered_start(LONG_LOOP, DYNAMIC, loop.chunk, &first, &last, NULL,
                                     &(void *){(void *)24}),
             GOMP_loop_ordered_dynamic_next)

/* The body of a combined loop gets its chunks by `next` alone, and asks nothing of the end. */
#define COMBINED_BODY(name)                              \
    static void combined_##name##_body(void *unused)     \
    {                                                    \
        long first, last;                                \
                                                         \
        (void)unused;                                    \
        while (GOMP_loop_##name##_next(&first, &last)) { \
            ran((uint64_t)first, (uint64_t)last);        \
        }                                                \
    }

COMBINED_BODY(dynamic)
COMBINED_BODY(guided)
COMBINED_BODY(nonmonotonic_dynamic)
COMBINED_BODY(nonmonotonic_guided)

#define COMBINED(name)                                                                          \
    static void combined_##name(unsigned threads)                                               \
    {                                                                                           \
        GOMP_parallel_loop_##name(combined_##name##_body, NULL, threads, LONG_LOOP, loop.chunk, \
                                  0);                                                           \
    }

COMBINED(dynamic)
COMBINED(guided)
COMBINED(nonmonotonic_dynamic)
COMBINED(nonmonotonic_guided)

/* Each form is a combined loop, or the body of a region. */
static const struct form {
    const char *name;
    void (*combined)(unsigned threads);
    body *in_region;
    bool wide; /* over unsigned long long */
} forms[] = {
    {"dynamic", NULL, dynamic_body, false},
    {"guided", NULL, guided_body, false},
    {"nonmonotonic dynamic", NULL, nonmonotonic_dynamic_body, false},
    {"nonmonotonic guided", NULL, nonmonotonic_guided_body, false},
    {"dynamic, ull", NULL, ull_dynamic_body, true},
    {"guided, ull", NULL, ull_guided_body, true},
    {"nonmonotonic dynamic, ull", NULL, ull_nonmonotonic_dynamic_body, true},
    {"nonmonotonic guided, ull", NULL, ull_nonmonotonic_guided_body, true},
    {"dynamic with memory", NULL, memory_dynamic_body, false},
    {"guided with memory", NULL, memory_guided_body, false},
    {"dynamic with memory, ull", NULL, ull_memory_dynamic_body, true},
    {"ordered dynamic", NULL, ordered_dynamic_body, false},
    {"ordered guided", NULL, ordered_guided_body, false},
    {"ordered dynamic, ull", NULL, ull_ordered_dynamic_body, true},
    {"ordered dynamic with memory", NULL, memory_ordered_body, false},
    {"combined dynamic", combined_dynamic, NULL, false},
    {"combined guided", combined_guided, NULL, false},
    {"combined nonmonotonic dynamic", combined_nonmonotonic_dynamic, NULL, false},
    {"combined nonmonotonic guided", combined_nonmonotonic_guided, NULL, false},
};

static void run_form(const struct form *form, unsigned threads)
{
    if (form->combined != NULL) {
        form->combined(threads);
    } else {
        GOMP_parallel(form->in_region, NULL, threads, 0);
    }
}

/* --- loops and chunk sizes --- */

static struct draws draws;
static uint64_t seed;

/* Beginnings and steps; of steps that do not fit, the loop has fewer iterations. */
static const struct {
    uint64_t start, step;
    bool up;
} spaces[] = {
    {0, 1, true},
    {(uint64_t)-1000, 7, true},
    {5, 3, true},
    {1000, -(uint64_t)1, false},
    {40000, -(uint64_t)13, false},
    {(uint64_t)LONG_MAX - 100000, 3, true}, /* ends close to where long does */
    {(uint64_t)LONG_MIN + 100000, -(uint64_t)3, false},
};

static const struct {
    uint64_t start, step;
    bool up;
} ull_spaces[] = {
    {0, 1, true},
    {ULLONG_MAX - 100000, 7, true},
    {(uint64_t)LONG_MAX - 100, 3, true},
    {ULLONG_MAX, -(uint64_t)1, false},
    {100000, -(uint64_t)13, false},
};

/* The bound is not the value behind the last one if it need not be. */
static void make_loop(const struct form *form, uint64_t iterations, long chunk, uint64_t own_grain)
{
    unsigned number = (unsigned)draws_below(&draws, form->wide ? COUNT(ull_spaces) : COUNT(spaces));
    uint64_t start = form->wide ? ull_spaces[number].start : spaces[number].start;
    uint64_t step = form->wide ? ull_spaces[number].step : spaces[number].step;
    bool up = form->wide ? ull_spaces[number].up : spaces[number].up;
    uint64_t slack = iterations > 0 ? draws_below(&draws, up ? step : -step) : 0;

    memset(loop.times, 0, sizeof loop.times);
    loop.start = start;
    loop.step = step;
    loop.up = up;
    loop.iterations = iterations;
    loop.end = start + iterations * step + (up ? -slack : slack);
    loop.chunk = chunk;
    loop.grains[0] = chunk > 0 ? (uint64_t)chunk : 1;
    loop.grains[1] = own_grain;
}

static long draw_chunk(uint64_t iterations)
{
    const long chunks[] = {
        1,    3,       64, 7, 101, (long)iterations - 1, (long)iterations, (long)iterations + 1,
        5000, LONG_MAX};
    long chunk = chunks[draws_below(&draws, COUNT(chunks))];

    return chunk > 0 ? chunk : 1;
}

static uint64_t draw_iterations(void)
{
    const uint64_t few[] = {0, 1, 2, 63, 64, 65, 1280};
    uint64_t number = draws_below(&draws, 2 * COUNT(few));

    return number < COUNT(few) ? few[number] : draws_below(&draws, MOST);
}

static void check_loop(const struct form *form, const char *schedule, unsigned threads)
{
    snprintf(check_context, sizeof check_context,
             ", %s, %s, %u threads, %llu iterations from %llu by %lld, chunk %ld, "
             "KEEL_TEST_SEED=%llu",
             form->name, schedule, threads, (ull)loop.iterations, (ull)loop.start,
             (long long)loop.step, loop.chunk, (ull)seed);
    memset(loop.times, 0, sizeof loop.times);
    run_form(form, threads);
    for (uint64_t i = 0; i < loop.iterations; i++) {
        CHECK(loop.times[i] == 1, "iteration %llu ran %u times", (ull)i, loop.times[i]);
    }
}

/* The grain that the schedule states. */
static uint64_t grain_of(const char *schedule)
{
    const char *stated = strstr(schedule, "grain=");

    return stated != NULL ? strtoull(stated + strlen("grain="), NULL, 10) : 1;
}

/* --- checks --- */

#define INSTANCES 3 /* of each loop: schedules that learn run otherwise from the second on */

/* Every form, at night with every team size. */
static void every_form(const char *schedule)
{
    for (unsigned threads = 1; threads <= 9; threads += check_nightly() ? 1 : 4) {
        for (unsigned i = 0; i < COUNT(forms); i++) {
            uint64_t iterations = draw_iterations();
            make_loop(&forms[i], iterations, draw_chunk(iterations), grain_of(schedule));
            for (unsigned k = 0; k < INSTANCES; k++) {
                check_loop(&forms[i], schedule, threads);
            }
        }
    }
}

/* Every form, with costs of its iterations. */
static void known_costs(const char *schedule)
{
    double cost[MOST];

    for (unsigned i = 0; i < 3 * COUNT(forms); i++) {
        const struct form *form = &forms[i % COUNT(forms)];
        uint64_t iterations = draw_iterations();
        for (uint64_t k = 0; k < iterations; k++) {
            cost[k] = draws_below(&draws, 4) == 0 ? 1e308 : (double)draws_below(&draws, 100);
        }
        make_loop(form, iterations, draw_chunk(iterations), grain_of(schedule));
        CHECK(set_costs(cost, iterations) == KEEL_OK, "the costs are refused");
        check_loop(form, schedule, 1 + i % 5);
    }
    set_costs(NULL, 0);
}

/* One word has one writer: a thread that adds a bit loses none of another's. */
static void bitmap(const char *schedule)
{
    enum { BITS = 320 };
    volatile uint64_t word[BITS / 64];
    unsigned wrong = 0, rounds = check_nightly() ? 2000 : 200;

    (void)schedule;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < BITS / 64; i++) {
            word[i] = 0;
        }
#pragma omp parallel for schedule(dynamic, 64) num_threads(3)
        for (unsigned i = 0; i < BITS; i++) {
            uint64_t seen = word[i / 64];
            if (i % 64 == round % 64) {
                /* whoever writes the same word, too, does it now */
                nanosleep(&(struct timespec){.tv_nsec = 1}, NULL);
            }
            word[i / 64] = seen | 1ull << i % 64;
        }
        bool right = true;
        for (unsigned i = 0; i < BITS / 64; i++) {
            right = right && word[i] == ~0ull;
        }
        wrong += !right;
    }
    CHECK(wrong == 0, "%u of %u rounds are wrong", wrong, rounds);
}

/* A program may reduce in tasks: the loop's own memory and its grain come together. */
static void task_reduction(const char *schedule)
{
    (void)schedule;
    for (unsigned k = 0; k < 20; k++) {
        long iterations = (long)draws_below(&draws, 500), sum = 0;
        bool seen[500] = {false};
#pragma omp parallel num_threads(1 + (int)(k % 4))
#pragma omp for schedule(dynamic, 7) reduction(task, + : sum)
        for (long i = 0; i < iterations; i++) {
            seen[i] = true;
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            sum += i;
        }
        for (long i = 0; i < iterations; i++) {
            CHECK(seen[i], "iteration %ld of %ld did not run", i, iterations);
        }
        CHECK(sum == iterations * (iterations - 1) / 2, "the sum is %ld", sum);
    }
}

/* Chunk sizes that are no sizes are the program's error, and separate nothing from nothing. */
static void no_size(const char *schedule)
{
    const long chunks[] = {0, -1, LONG_MIN};

    for (unsigned i = 0; i < COUNT(chunks); i++) {
        make_loop(&forms[15], 300, chunks[i], grain_of(schedule));
        check_loop(&forms[15], schedule, 3);
    }
}

/* Loops as long as they get, in chunks as large. */
static void longest(const char *schedule)
{
    const long chunks[] = {LONG_MAX, LONG_MAX - 1, 1l << 62, (1l << 61) + 12345};

    for (unsigned i = 0; i < COUNT(chunks); i++) {
        for (int down = 0; down < 2; down++) {
            make_loop(&forms[0], 0, chunks[i], grain_of(schedule));
            loop.start = (uint64_t)(down ? LONG_MAX : LONG_MIN);
            loop.end = (uint64_t)(down ? LONG_MIN : LONG_MAX);
            loop.step = down ? -(uint64_t)1 : 1;
            loop.up = !down;
            loop.iterations = UINT64_MAX;
            snprintf(check_context, sizeof check_context, ", %s, 2^64 - 1 iterations %s, chunk %ld",
                     schedule, down ? "down" : "up", chunks[i]);
            GOMP_parallel(dynamic_body, NULL, 2, 0);
            GOMP_parallel(nonmonotonic_guided_body, NULL, 3, 0);
        }
    }
}

static const struct {
    const char *name;
    void (*run)(const char *schedule);
} checks[] = {
    {"forms", every_form}, {"costs", known_costs},
    {"bitmap", bitmap},    {"task_reduction", task_reduction},
    {"no_size", no_size},  {"longest", longest},
};

int main(int argc, char **argv)
{
    bool found = false;

    seed = draws_seed();
    draws = (struct draws){seed};
    for (unsigned i = 0; i < COUNT(checks) && argc > 1; i++) {
        if (strcmp(argv[1], checks[i].name) == 0) {
            for (int k = 2; k < argc; k++) {
                snprintf(check_context, sizeof check_context, ", %s", argv[k]);
                set_schedule(argv[k]);
                checks[i].run(argv[k]);
                found = true;
            }
        }
    }
    CHECK(found, "no such check, or no schedule");
    return check_status();
}
