/* Runs loops of 100 iterations in teams of one, which take every chunk themselves, and prints where
 * the chunks of each begin:
 *
 *     show_chunks LOOP...
 *
 * A LOOP is the name of a function below; `set_dynamic_3` calls omp_set_schedule, `ask:SPEC`
 * calls keel_set_schedule. Each loop also checks that its iterations were executed exactly once.
 * Tests find the loops' lines by their comments. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "tests/support/checks.h"

/* --- what libgomp's or Keel's `next` functions give to the threads --- */

/* Definitions in the program itself come first, and pass on to what comes next. Start functions are
 * left alone, so that Keel sees the places that call them. */
typedef unsigned long long ull;
typedef bool next_function(long *, long *);
typedef bool next_ull_function(ull *, ull *);

enum { CHUNK_LOG_MAX = 4096 };

/* First values of the chunks of the loop that runs, in the order of their arrival. A loop of its
 * own, as opposed to a combined one, gets its first chunk from its start function: that one is
 * missing. */
static long chunk_log_start[CHUNK_LOG_MAX];
static unsigned chunk_log_count;

static void note(long start)
{
    unsigned place = __atomic_fetch_add(&chunk_log_count, 1, __ATOMIC_RELAXED);

    if (place < CHUNK_LOG_MAX) {
        chunk_log_start[place] = start;
    }
}

#define LOGGED(name, type, function)                \
    bool name(type *start, type *end)               \
    {                                               \
        static function *next;                      \
        if (next == NULL) {                         \
            void *symbol = dlsym(RTLD_NEXT, #name); \
            memcpy(&next, &symbol, sizeof next);    \
        }                                           \
        bool taken = next(start, end);              \
        if (taken) {                                \
            note((long)*start);                     \
        }                                           \
        return taken;                               \
    }

#define LOGGED_BOTH(name)                                \
    LOGGED(GOMP_loop_##name##_next, long, next_function) \
    LOGGED(GOMP_loop_ull_##name##_next, ull, next_ull_function)

LOGGED_BOTH(runtime)
LOGGED_BOTH(maybe_nonmonotonic_runtime)
LOGGED_BOTH(nonmonotonic_runtime)
LOGGED_BOTH(dynamic)
LOGGED_BOTH(nonmonotonic_dynamic)
LOGGED_BOTH(guided)
LOGGED_BOTH(nonmonotonic_guided)
LOGGED_BOTH(ordered_runtime)
LOGGED_BOTH(ordered_dynamic)
LOGGED_BOTH(ordered_guided)

/* --- loops --- */

enum { ITERATIONS = 100 };

static struct marks marks;

static void hit(long i)
{
    marks_hit(&marks, (uint64_t)i);
}

static void combined(void)
{
#pragma omp parallel for schedule(runtime) num_threads(1) /* the combined loop */
    for (int i = 0; i < ITERATIONS; i++) {
        hit(i);
    }
}

static void separate(void)
{
#pragma omp parallel num_threads(1)
#pragma omp for schedule(runtime) /* the separate loop */
    for (int i = 0; i < ITERATIONS; i++) {
        hit(i);
    }
}

static void wide(void)
{
#pragma omp parallel for schedule(runtime) num_threads(1) /* the wide loop */
    for (unsigned long long i = 0; i < ITERATIONS; i++) {
        hit((long)i);
    }
}

static void serial(void)
{
#pragma omp for schedule(runtime) /* the serial loop */
    for (int i = 0; i < ITERATIONS; i++) {
        hit(i);
    }
}

static void ordered(void)
{
#pragma omp parallel for schedule(runtime) ordered num_threads(1)
    for (int i = 0; i < ITERATIONS; i++) {
#pragma omp ordered
        hit(i);
    }
}

static void two_loops(void)
{
#pragma omp parallel for schedule(runtime) num_threads(1) /* the first of two */
    for (int i = 0; i < ITERATIONS; i += 2) {
        hit(i / 2);
    }
#pragma omp parallel for schedule(runtime) num_threads(1) /* the second of two */
    for (int i = 0; i < ITERATIONS; i += 2) {
        hit(50 + i / 2);
    }
}

/* A function with a loop over that type. */
#define LOOP(name, directive, type)                              \
    static void name(void)                                       \
    {                                                            \
        _Pragma(directive) for (type i = 0; i < ITERATIONS; i++) \
        {                                                        \
            hit((long)i);                                        \
        }                                                        \
    }

LOOP(monotonic, "omp parallel for schedule(monotonic : runtime) num_threads(1)", int)
LOOP(nonmonotonic, "omp parallel for schedule(nonmonotonic : runtime) num_threads(1)", int)
LOOP(monotonic_dynamic, "omp parallel for schedule(monotonic : dynamic, 40)", int)
LOOP(monotonic_guided, "omp parallel for schedule(monotonic : guided, 60)", int)

/* The loops with an explicit clause, as each family of entry points has them. */
#define EXPLICIT(clause, spelled)                                                             \
    LOOP(clause, spelled(parallel for), int)                                                  \
    LOOP(clause##_separate, spelled(for), int)                                                \
    LOOP(clause##_wide, spelled(parallel for), ull)                                           \
    LOOP(clause##_ordered, spelled(parallel for ordered), int)                                \
    LOOP(clause##_wide_ordered, spelled(parallel for ordered), ull)                           \
    static void clause##_conditional(void)                                                    \
    {                                                                                         \
        static long last;                                                                     \
        _Pragma(spelled(for lastprivate(conditional : last))) for (int i = 0; i < ITERATIONS; \
                                                                   i++)                       \
        {                                                                                     \
            hit(i);                                                                           \
            last = i;                                                                         \
        }                                                                                     \
        CHECK(last == ITERATIONS - 1, "lastprivate is %ld", last);                            \
    }

#define TEXT(...) #__VA_ARGS__
#define DYNAMIC(construct) TEXT(omp construct schedule(dynamic, 40))
#define GUIDED(construct) TEXT(omp construct schedule(guided, 60))

EXPLICIT(dynamic, DYNAMIC)
EXPLICIT(guided, GUIDED)

#define NAMED(loop) LIST(#loop, loop)

static const struct loop {
    const char *name;
    void (*run)(void);
} loops[] =
    LIST(NAMED(combined), NAMED(separate), NAMED(wide), NAMED(monotonic), NAMED(nonmonotonic),
         NAMED(serial), NAMED(ordered), NAMED(two_loops), NAMED(dynamic), NAMED(dynamic_separate),
         NAMED(dynamic_wide), NAMED(dynamic_ordered), NAMED(dynamic_wide_ordered),
         NAMED(dynamic_conditional), NAMED(monotonic_dynamic), NAMED(guided),
         NAMED(guided_separate), NAMED(guided_wide), NAMED(guided_ordered),
         NAMED(guided_wide_ordered), NAMED(guided_conditional), NAMED(monotonic_guided));

static void show(const struct loop *loop)
{
    chunk_log_count = 0;
    marks_begin(&marks, ITERATIONS);
    loop->run();
    printf("%s:", loop->name);
    if (chunk_log_count == 0 || chunk_log_start[0] != 0) {
        printf(" 0");
    }
    for (unsigned i = 0; i < chunk_log_count; i++) {
        printf(" %ld", chunk_log_start[i]);
    }
    printf("\n");
    marks_end(&marks, loop->name);
}

static void ask(const char *spec)
{
    int (*set_schedule)(const char *) =
        (int (*)(const char *))dlsym(RTLD_DEFAULT, "keel_set_schedule");

    if (set_schedule != NULL) {
        printf("ask: %d\n", set_schedule(spec));
    }
}

static void obey(const char *word)
{
    if (strcmp(word, "set_dynamic_3") == 0) {
        omp_set_schedule(omp_sched_dynamic, 3);
        return;
    }
    if (strncmp(word, "ask:", 4) == 0) {
        ask(word + 4);
        return;
    }
    for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        if (strcmp(word, loops[i].name) == 0) {
            show(&loops[i]);
            return;
        }
    }
    CHECK(0, "no loop is called %s", word);
}

int main(int argc, char **argv)
{
    omp_set_num_threads(1);
    for (int i = 1; i < argc; i++) {
        obey(argv[i]);
    }
    return check_status();
}
