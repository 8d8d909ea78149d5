/* Stands between the loops of a program and Keel: definitions in the program itself come first,
 * and pass on to what comes next. Start functions are left alone, so that Keel sees the places
 * that call them. */
#include "tests/omp_ext/site/chunk_log.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

typedef unsigned long long ull;
typedef bool next_function(long *, long *);
typedef bool next_ull_function(ull *, ull *);

long chunk_log_start[CHUNK_LOG_MAX];
unsigned chunk_log_count;

void chunk_log_clear(void)
{
    chunk_log_count = 0;
}

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
