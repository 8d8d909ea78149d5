/* The real libgomp behind Keel's entry points.
 *
 * A process may hold no libgomp yet, one, or several: two shared objects loaded with RTLD_LOCAL may
 * each bring their own copy. Each call goes to the copy that its caller would have reached without
 * Keel. A return address alone does not identify the caller, as GCC makes last calls jumps: it may
 * lie in libkeel.so, or in the program. The outlined function of a region is in the caller's
 * object; the threads of a region, and those that are in a loop, know whose they are (loop/loop.h).
 * */
#ifndef OMP_EXT_GOMP_LIBGOMP_H
#define OMP_EXT_GOMP_LIBGOMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct link_map;

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

/* What Keel can't do without. */
#define KEEL_LIBGOMP_NEEDED(X)                                             \
    KEEL_LIBGOMP_RUNTIME(X, runtime)                                       \
    X(void, GOMP_loop_end, (void))                                         \
    X(void, GOMP_barrier, (void))                                          \
    X(void, GOMP_parallel, (void (*)(void *), void *, unsigned, unsigned)) \
    X(int, omp_get_num_threads, (void))                                    \
    X(int, omp_get_level, (void))                                          \
    X(int, omp_get_max_threads, (void))                                    \
    X(int, omp_in_parallel, (void))                                        \
    X(int, omp_get_thread_num, (void))

/* What it needs of loops that the threads of a region start: since GCC 9. */
#define KEEL_LIBGOMP_SHARING(X)             \
    KEEL_LIBGOMP_START(X, start)            \
    KEEL_LIBGOMP_START(X, ordered_start)    \
    KEEL_LIBGOMP_CHUNKED(X, ordered_static) \
    KEEL_LIBGOMP_CHUNKED(X, ordered_dynamic)

/* What is only passed on. A name that is new goes here, or older copies have no loops of Keel's. */
#define KEEL_LIBGOMP_OPTIONAL(X)                                                                  \
    KEEL_LIBGOMP_RUNTIME(X, ordered_runtime)                                                      \
    KEEL_LIBGOMP_CHUNKED(X, dynamic)                                                              \
    KEEL_LIBGOMP_CHUNKED(X, guided)                                                               \
    KEEL_LIBGOMP_CHUNKED(X, ordered_guided)                                                       \
    KEEL_LIBGOMP_DOACROSS(X, static)                                                              \
    KEEL_LIBGOMP_DOACROSS(X, dynamic)                                                             \
    KEEL_LIBGOMP_DOACROSS(X, guided)                                                              \
    X(bool, GOMP_loop_doacross_runtime_start, (unsigned, long *, long *, long *))                 \
    X(bool, GOMP_loop_ull_doacross_runtime_start, (unsigned, keel_ull *, keel_ull *, keel_ull *)) \
    X(bool, GOMP_loop_doacross_start,                                                             \
      (unsigned, long *, long, long, long *, long *, uintptr_t *, void **))                       \
    X(bool, GOMP_loop_ull_doacross_start,                                                         \
      (unsigned, keel_ull *, long, keel_ull, keel_ull *, keel_ull *, uintptr_t *, void **))       \
    X(bool, GOMP_loop_end_cancel, (void))                                                         \
    X(void, GOMP_loop_end_nowait, (void))                                                         \
    X(bool, GOMP_barrier_cancel, (void))                                                          \
    X(void, GOMP_sections_end, (void))                                                            \
    X(bool, GOMP_sections_end_cancel, (void))                                                     \
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
    X(void, omp_get_schedule, (int *, int *))                                                     \
    X(void, omp_set_schedule, (int, int))                                                         \
    X(void, omp_set_schedule_, (const int32_t *, const int32_t *))                                \
    X(void, omp_set_schedule_8_, (const int32_t *, const int64_t *))

#define KEEL_LIBGOMP_FUNCTIONS(X) \
    KEEL_LIBGOMP_NEEDED(X) KEEL_LIBGOMP_SHARING(X) KEEL_LIBGOMP_OPTIONAL(X)

/* One copy of libgomp. A function that an old one lacks is replaced by one that ends the process,
 * as the dynamic linker would. */
struct keel_libgomp {
#define KEEL_FIELD(result, name, parameters) result(*name) parameters;
    KEEL_LIBGOMP_FUNCTIONS(KEEL_FIELD)
#undef KEEL_FIELD
    const struct link_map *object; /* the dynamic linker's record of it, kept for good */
    bool foreign;   /* another runtime in libgomp's place: Keel only passes calls on */
    bool schedules; /* Keel schedules loops that are combined with its regions, */
    bool shares;    /* and others */
};

extern _Atomic(const struct keel_libgomp *) keel_libgomp_global;

/* The one copy that all callers reach; NULL: not known, or there is more than one. */
static inline const struct keel_libgomp *keel_libgomp_known(void)
{
    /* acquire: pairs with the release in find_global() */
    return atomic_load_explicit(&keel_libgomp_global, memory_order_acquire);
}

/* The copy that the object around `code` would call without Keel, where there may be several. Where
 * the object has none of its own: `region`, or if that is NULL the first one of the process. */
const struct keel_libgomp *keel_libgomp_find(const void *code, const struct keel_libgomp *region);

/* The copy of a region or task, by its outlined function. Any thread, also before constructors have
 * run. */
static inline const struct keel_libgomp *keel_libgomp_of(void (*outlined)(void *))
{
    const struct keel_libgomp *global = keel_libgomp_known();

    return __builtin_expect(global != NULL, 1) ? global
                                               : keel_libgomp_find((const void *)outlined, NULL);
}

/* Prints a message if calls of libgomp do not come to Keel, as libgomp, or another runtime that has
 * its functions, comes before it. at_end: as the process ends; the message about libgomp comes only
 * then, if no call has come. */
void keel_libgomp_check_order(bool at_end);

/* --- what the dynamic linker has loaded, by the objects' own tables ---
 *
 * dlopen() and dlsym() would do, too, but each leaves a block on the program's heap, and so moves
 * libgomp's. */

struct link_map;

/* Whether the object itself defines the symbol. It stays loaded meanwhile, as it does if the
 * caller's code lies in it. Any thread, also before constructors have run. */
bool keel_link_map_defines(const struct link_map *object, const char *symbol);

/* Whether it was linked with a library whose name begins so. */
bool keel_link_map_needs(const struct link_map *object, const char *library);

/* Of those loaded beside `object`, the first one that defines the symbol; NULL: none does. Any
 * thread; does not wait for a thread that loads or unloads a library. */
const struct link_map *keel_link_map_first(const struct link_map *object, const char *symbol);

/* The object loaded beside `object` that the dynamic linker takes for the library; NULL if there is
 * none. */
const struct link_map *keel_link_map_named(const struct link_map *object, const char *library);

/* The first of `object` and the libraries that it needs, directly or not, in the order of the
 * dynamic linker's search, that defines the symbol; NULL if none does. */
const struct link_map *keel_link_map_reached(const struct link_map *object, const char *symbol);

/* Whether `one` was loaded before `other`, or is the same. */
bool keel_link_map_is_before(const struct link_map *one, const struct link_map *other);

#endif
