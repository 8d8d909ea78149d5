/* Entry points of work-sharing loops. They only translate arguments.
 *
 * The compiler calls *_start once and *_next until one of them returns false. The variants for
 * monotonic, nonmonotonic and unstated order are one: every schedule gives each thread increasing
 * chunks. */
#include "omp_ext/entry.h"
#include "omp_ext/loop.h"

static bool overrides(unsigned clause)
{
    return keel_loop_active() && (keel_settings()->override & clause) != 0;
}

/* Whether GOMP_loop_start and its relatives were given a schedule that Keel decides about. GFS_AUTO
 * stands for a runtime schedule with the nonmonotonic modifier; schedule(auto) itself is static by
 * then. */
static bool decides(long kind)
{
    switch (kind & ~KEEL_GFS_MONOTONIC) {
    case KEEL_GFS_RUNTIME:
    case KEEL_GFS_AUTO:
        return true;
    case KEEL_GFS_DYNAMIC:
        return overrides(KEEL_OVERRIDE_DYNAMIC);
    case KEEL_GFS_GUIDED:
        return overrides(KEEL_OVERRIDE_GUIDED);
    default:
        return false;
    }
}

typedef void opener(const struct keel_libgomp *, const struct keel_space *,
                    const struct keel_policy *, const struct keel_extras *);

/* Starts this thread's part if the loop is Keel's; otherwise the loop is libgomp's from here on. */
static struct keel_loop *open_loop(opener *open, const void *caller,
                                   const struct keel_libgomp *libgomp, struct keel_space space,
                                   struct keel_extras extras)
{
    const struct keel_policy *policy =
        keel_loop_active() ? keel_loop_policy(libgomp, caller, NULL) : NULL;

    if (policy == NULL) {
        keel_loop_leave();
        return NULL;
    }
    open(libgomp, &space, policy, &extras);
    return keel_thread.loop;
}

/* One start function: PASS calls libgomp's. */
#define START(open, wanted, space, extras, PASS)                                         \
    const struct keel_libgomp *libgomp = keel_libgomp(KEEL_CALLER);                      \
    struct keel_loop *loop = NULL;                                                       \
                                                                                         \
    if (wanted) {                                                                        \
        loop = open_loop(open, KEEL_CALLER, libgomp, space, (struct keel_extras)extras); \
    } else {                                                                             \
        keel_loop_leave();                                                               \
    }                                                                                    \
    return loop != NULL ? NEXT_OF(loop) : libgomp->PASS

/* One next function. Passing on stands in a function of its own so that the quick cases need no
 * stack frame: what a function stores, the next atomic operation has to wait for. */
#define NEXTS(name, type)                                                                        \
    static                                                                                       \
        __attribute__((noinline)) bool pass_##name(type *istart, type *iend, const void *caller) \
    {                                                                                            \
        return keel_libgomp(caller)->name(istart, iend);                                         \
    }                                                                                            \
    KEEL_ENTRY bool name(type *istart, type *iend)                                               \
    {                                                                                            \
        struct keel_loop *loop = keel_loop_own();                                                \
                                                                                                 \
        return loop != NULL ? NEXT_OF(loop) : pass_##name(istart, iend, KEEL_CALLER);            \
    }

#define NEXT_OF(loop) keel_loop_next(loop, (keel_bound *)istart, (keel_bound *)iend)

#define NO_EXTRAS  \
    {              \
        NULL, NULL \
    }

/* --- schedule(runtime), and explicit clauses where KEEL_OVERRIDE names them --- */

/* The four functions of a kind of loop. CHUNK_LONG, CHUNK_ULL and CHUNK: the chunk parameter of an
 * explicit clause, if any. */
#define LOOPS(name, open, wanted, CHUNK_LONG, CHUNK_ULL, CHUNK)                             \
    KEEL_ENTRY bool GOMP_loop_##name##_start(long start, long end, long incr,               \
                                             CHUNK_LONG long *istart, long *iend)           \
    {                                                                                       \
        START(open, wanted, keel_space_long(start, end, incr), NO_EXTRAS,                   \
              GOMP_loop_##name##_start(start, end, incr, CHUNK istart, iend));              \
    }                                                                                       \
    NEXTS(GOMP_loop_##name##_next, long)                                                    \
    KEEL_ENTRY bool GOMP_loop_ull_##name##_start(bool up, keel_ull start, keel_ull end,     \
                                                 keel_ull incr, CHUNK_ULL keel_ull *istart, \
                                                 keel_ull *iend)                            \
    {                                                                                       \
        START(open, wanted, keel_space_ull(up, start, end, incr), NO_EXTRAS,                \
              GOMP_loop_ull_##name##_start(up, start, end, incr, CHUNK istart, iend));      \
    }                                                                                       \
    NEXTS(GOMP_loop_ull_##name##_next, keel_ull)

#define CHUNK_LONG long chunk,
#define CHUNK_ULL keel_ull chunk,
#define CHUNK chunk,

LOOPS(runtime, keel_loop_open, true, , , )
LOOPS(dynamic, keel_loop_open, overrides(KEEL_OVERRIDE_DYNAMIC), CHUNK_LONG, CHUNK_ULL, CHUNK)
LOOPS(guided, keel_loop_open, overrides(KEEL_OVERRIDE_GUIDED), CHUNK_LONG, CHUNK_ULL, CHUNK)
LOOPS(ordered_runtime, keel_loop_open_ordered, true, , , )
LOOPS(ordered_dynamic, keel_loop_open_ordered, overrides(KEEL_OVERRIDE_DYNAMIC), CHUNK_LONG,
      CHUNK_ULL, CHUNK)
LOOPS(ordered_guided, keel_loop_open_ordered, overrides(KEEL_OVERRIDE_GUIDED), CHUNK_LONG,
      CHUNK_ULL, CHUNK)

#define SAME_LOOPS(name, target)                                                    \
    KEEL_ENTRY_ALIAS(GOMP_loop_##name##_start, GOMP_loop_##target##_start);         \
    KEEL_ENTRY_ALIAS(GOMP_loop_##name##_next, GOMP_loop_##target##_next);           \
    KEEL_ENTRY_ALIAS(GOMP_loop_ull_##name##_start, GOMP_loop_ull_##target##_start); \
    KEEL_ENTRY_ALIAS(GOMP_loop_ull_##name##_next, GOMP_loop_ull_##target##_next)

SAME_LOOPS(nonmonotonic_runtime, runtime);
SAME_LOOPS(maybe_nonmonotonic_runtime, runtime);
SAME_LOOPS(nonmonotonic_dynamic, dynamic);
SAME_LOOPS(nonmonotonic_guided, guided);

/* --- with task reductions, or with memory that the construct shares --- */

/* Without istart the program works out its own static share: no chunk is wanted, and none is
 * Keel's. */
#define STARTS(name, open)                                                                         \
    KEEL_ENTRY bool GOMP_loop_##name(long start, long end, long incr, long kind, long chunk,       \
                                     long *istart, long *iend, uintptr_t *reductions,              \
                                     void **memory)                                                \
    {                                                                                              \
        START(open, istart != NULL && decides(kind), keel_space_long(start, end, incr), EXTRAS,    \
                                                                                                   \
              GOMP_loop_##name(start, end, incr, kind, chunk, istart, iend, reductions, memory));  \
    }                                                                                              \
    KEEL_ENTRY bool GOMP_loop_ull_##name(bool up, keel_ull start, keel_ull end, keel_ull incr,     \
                                         long kind, keel_ull chunk, keel_ull *istart,              \
                                         keel_ull *iend, uintptr_t *reductions, void **memory)     \
    {                                                                                              \
        START(open, istart != NULL && decides(kind), keel_space_ull(up, start, end, incr), EXTRAS, \
                                                                                                   \
              GOMP_loop_ull_##name(up, start, end, incr, kind, chunk, istart, iend, reductions,    \
                                   memory));                                                       \
    }

#define EXTRAS             \
    {                      \
        reductions, memory \
    }

STARTS(start, keel_loop_open)
STARTS(ordered_start, keel_loop_open_ordered)

/* --- doacross: libgomp has to choose the chunks to know who waits for whom --- */

KEEL_ENTRY bool GOMP_loop_doacross_runtime_start(unsigned counts, long *count, long *istart,
                                                 long *iend)
{
    keel_loop_leave();
    return keel_libgomp(KEEL_CALLER)->GOMP_loop_doacross_runtime_start(counts, count, istart, iend);
}

KEEL_ENTRY bool GOMP_loop_ull_doacross_runtime_start(unsigned counts, keel_ull *count,
                                                     keel_ull *istart, keel_ull *iend)
{
    keel_loop_leave();
    return keel_libgomp(KEEL_CALLER)
        ->GOMP_loop_ull_doacross_runtime_start(counts, count, istart, iend);
}

KEEL_ENTRY bool GOMP_loop_doacross_start(unsigned counts, long *count, long kind, long chunk,
                                         long *istart, long *iend, uintptr_t *reductions,
                                         void **memory)
{
    keel_loop_leave();
    return keel_libgomp(KEEL_CALLER)
        ->GOMP_loop_doacross_start(counts, count, kind, chunk, istart, iend, reductions, memory);
}

KEEL_ENTRY bool GOMP_loop_ull_doacross_start(unsigned counts, keel_ull *count, long kind,
                                             keel_ull chunk, keel_ull *istart, keel_ull *iend,
                                             uintptr_t *reductions, void **memory)
{
    keel_loop_leave();
    return keel_libgomp(KEEL_CALLER)
        ->GOMP_loop_ull_doacross_start(counts, count, kind, chunk, istart, iend, reductions,
                                       memory);
}
