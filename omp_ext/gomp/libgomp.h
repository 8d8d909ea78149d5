/* The real libgomp behind Keel's entry points.
 *
 * A process may hold no libgomp yet, one, or several: two shared objects loaded with RTLD_LOCAL may
 * each bring their own copy. Each call goes to the copy that its caller would have reached without
 * Keel. */
#ifndef OMP_EXT_GOMP_LIBGOMP_H
#define OMP_EXT_GOMP_LIBGOMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned long long keel_ull; /* the type in libgomp's interface */

/* Schedule kinds of GOMP_loop_start and its relatives (libgomp's enum gomp_schedule_type). */
enum { KEEL_GFS_RUNTIME, KEEL_GFS_STATIC, KEEL_GFS_DYNAMIC, KEEL_GFS_GUIDED, KEEL_GFS_AUTO };
#define KEEL_GFS_MONOTONIC 0x80000000L

/* What `cancel for` names its construct (gcc: gomp-constants.h, GOMP_CANCEL_LOOP). */
#define KEEL_GOMP_CANCEL_LOOP 2

/* Everything that Keel calls: X(result, name, parameters). A loop with step `incr` runs from
 * `start` to before `end`. */
#define KEEL_LIBGOMP_RUNTIME(X, name)                                     \
    X(bool, GOMP_loop_##name##_start, (long, long, long, long *, long *)) \
    X(bool, GOMP_loop_##name##_next, (long *, long *))                    \
    X(bool, GOMP_loop_ull_##name##_start,                                 \
      (bool, keel_ull, keel_ull, keel_ull, keel_ull *, keel_ull *))       \
    X(bool, GOMP_loop_ull_##name##_next, (keel_ull *, keel_ull *))

#define KEEL_LIBGOMP_CHUNKED(X, name)                                           \
    X(bool, GOMP_loop_##name##_start, (long, long, long, long, long *, long *)) \
    X(bool, GOMP_loop_##name##_next, (long *, long *))                          \
    X(bool, GOMP_loop_ull_##name##_start,                                       \
      (bool, keel_ull, keel_ull, keel_ull, keel_ull, keel_ull *, keel_ull *))   \
    X(bool, GOMP_loop_ull_##name##_next, (keel_ull *, keel_ull *))

#define KEEL_LIBGOMP_START(X, name)                                                             \
    X(bool, GOMP_loop_##name,                                                                   \
      (long, long, long, long, long, long *, long *, uintptr_t *, void **))                     \
    X(bool, GOMP_loop_ull_##name,                                                               \
      (bool, keel_ull, keel_ull, keel_ull, long, keel_ull, keel_ull *, keel_ull *, uintptr_t *, \
       void **))

#define KEEL_LIBGOMP_DOACROSS(X, name)                                                   \
    X(bool, GOMP_loop_doacross_##name##_start, (unsigned, long *, long, long *, long *)) \
    X(bool, GOMP_loop_ull_doacross_##name##_start,                                       \
      (unsigned, keel_ull *, keel_ull, keel_ull *, keel_ull *))

#define KEEL_LIBGOMP_FUNCTIONS(X)                                                                 \
    KEEL_LIBGOMP_RUNTIME(X, runtime)                                                              \
    KEEL_LIBGOMP_RUNTIME(X, ordered_runtime)                                                      \
    KEEL_LIBGOMP_CHUNKED(X, dynamic)                                                              \
    KEEL_LIBGOMP_CHUNKED(X, guided)                                                               \
    KEEL_LIBGOMP_CHUNKED(X, ordered_static)                                                       \
    KEEL_LIBGOMP_CHUNKED(X, ordered_dynamic)                                                      \
    KEEL_LIBGOMP_CHUNKED(X, ordered_guided)                                                       \
    KEEL_LIBGOMP_START(X, start)                                                                  \
    KEEL_LIBGOMP_START(X, ordered_start)                                                          \
    KEEL_LIBGOMP_DOACROSS(X, static)                                                              \
    KEEL_LIBGOMP_DOACROSS(X, dynamic)                                                             \
    KEEL_LIBGOMP_DOACROSS(X, guided)                                                              \
    X(bool, GOMP_loop_doacross_runtime_start, (unsigned, long *, long *, long *))                 \
    X(bool, GOMP_loop_ull_doacross_runtime_start, (unsigned, keel_ull *, keel_ull *, keel_ull *)) \
    X(bool, GOMP_loop_doacross_start,                                                             \
      (unsigned, long *, long, long, long *, long *, uintptr_t *, void **))                       \
    X(bool, GOMP_loop_ull_doacross_start,                                                         \
      (unsigned, keel_ull *, long, keel_ull, keel_ull *, keel_ull *, uintptr_t *, void **))       \
    X(void, GOMP_loop_end, (void))                                                                \
    X(bool, GOMP_loop_end_cancel, (void))                                                         \
    X(void, GOMP_loop_end_nowait, (void))                                                         \
    X(void, GOMP_barrier, (void))                                                                 \
    X(bool, GOMP_barrier_cancel, (void))                                                          \
    X(void, GOMP_sections_end, (void))                                                            \
    X(bool, GOMP_sections_end_cancel, (void))                                                     \
    X(void, GOMP_parallel, (void (*)(void *), void *, unsigned, unsigned))                        \
    X(unsigned, GOMP_parallel_reductions, (void (*)(void *), void *, unsigned, unsigned))         \
    X(void, GOMP_parallel_sections, (void (*)(void *), void *, unsigned, unsigned, unsigned))     \
    X(void, GOMP_parallel_loop_runtime,                                                           \
      (void (*)(void *), void *, unsigned, long, long, long, unsigned))                           \
    X(void, GOMP_parallel_loop_static,                                                            \
      (void (*)(void *), void *, unsigned, long, long, long, long, unsigned))                     \
    X(void, GOMP_parallel_loop_dynamic,                                                           \
      (void (*)(void *), void *, unsigned, long, long, long, long, unsigned))                     \
    X(void, GOMP_parallel_loop_guided,                                                            \
      (void (*)(void *), void *, unsigned, long, long, long, long, unsigned))                     \
    X(void, GOMP_parallel_start, (void (*)(void *), void *, unsigned))                            \
    X(void, GOMP_parallel_end, (void))                                                            \
    X(void, GOMP_parallel_sections_start, (void (*)(void *), void *, unsigned, unsigned))         \
    X(void, GOMP_parallel_loop_runtime_start,                                                     \
      (void (*)(void *), void *, unsigned, long, long, long))                                     \
    X(void, GOMP_parallel_loop_static_start,                                                      \
      (void (*)(void *), void *, unsigned, long, long, long, long))                               \
    X(void, GOMP_parallel_loop_dynamic_start,                                                     \
      (void (*)(void *), void *, unsigned, long, long, long, long))                               \
    X(void, GOMP_parallel_loop_guided_start,                                                      \
      (void (*)(void *), void *, unsigned, long, long, long, long))                               \
    X(void, GOMP_target_ext,                                                                      \
      (int, void (*)(void *), size_t, void **, size_t *, unsigned short *, unsigned, void **,     \
       void **))                                                                                  \
    X(bool, GOMP_cancel, (int, bool))                                                             \
    X(bool, GOMP_cancellation_point, (int))                                                       \
    X(int, omp_get_num_threads, (void))                                                           \
    X(int, omp_get_level, (void))                                                                 \
    X(int, omp_get_thread_num, (void))                                                            \
    X(void, omp_get_schedule, (int *, int *))                                                     \
    X(void, omp_set_schedule, (int, int))                                                         \
    X(void, omp_set_schedule_, (const int32_t *, const int32_t *))                                \
    X(void, omp_set_schedule_8_, (const int32_t *, const int64_t *))

/* One copy of libgomp. Functions that an old one lacks are NULL. */
struct keel_libgomp {
#define KEEL_FIELD(result, name, parameters) result(*name) parameters;
    KEEL_LIBGOMP_FUNCTIONS(KEEL_FIELD)
#undef KEEL_FIELD
    bool complete; /* has everything; Keel schedules no loops of a copy that lacks something */
};

extern _Atomic(const struct keel_libgomp *) keel_libgomp_global;

/* The slow end of keel_libgomp. */
const struct keel_libgomp *keel_libgomp_find(const void *caller);

/* The one copy that all callers reach; NULL: not known, or there is more than one. */
static inline const struct keel_libgomp *keel_libgomp_known(void)
{
    /* acquire: pairs with the release in find_global() */
    return atomic_load_explicit(&keel_libgomp_global, memory_order_acquire);
}

/* The copy that the code at `caller` would call without Keel. Any thread, also before constructors
 * have run. */
static inline const struct keel_libgomp *keel_libgomp(const void *caller)
{
    const struct keel_libgomp *global = keel_libgomp_known();

    return __builtin_expect(global != NULL, 1) ? global : keel_libgomp_find(caller);
}

#endif
