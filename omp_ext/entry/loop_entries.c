/* Entry points of work-sharing loops. They only translate arguments.
 *
 * The compiler calls *_start once and *_next until one of them returns false. Where the clause says
 * monotonic, and in code of compilers that knew no other order, each thread's iterations increase;
 * unstated order of runtime loops (maybe_nonmonotonic) may be any. For a plain dynamic or guided,
 * GCC calls what the word nonmonotonic would call, too: see keel_settings_keep_order(). */
#include "omp_ext/entry/entry.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/loop/timed_loop.h"

static bool overrides(unsigned clause)
{
    return keel_loop_active() && (keel_settings()->override & clause) != 0;
}

/* Whether GOMP_loop_start and its relatives were given a schedule that Keel decides about. GFS_AUTO
 * means a runtime schedule with the nonmonotonic modifier; schedule(auto) is static by then. */
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

static bool is_explicit(long kind)
{
    kind &= ~KEEL_GFS_MONOTONIC;
    return kind == KEEL_GFS_DYNAMIC || kind == KEEL_GFS_GUIDED;
}

static bool keeps_order(long kind)
{
    return (kind & KEEL_GFS_MONOTONIC) != 0 || (is_explicit(kind) && keel_settings_keep_order());
}

/* One start function: PASS calls libgomp's; the last arguments make a struct keel_start. */
#define START(open, wanted, PASS, ...)                                                           \
    const struct keel_libgomp *libgomp = keel_loop_libgomp_at_start(KEEL_CALLER);                \
                                                                                                 \
    if (keel_loop_is_known_off()) {                                                              \
        keel_loop_pass_to_libgomp();                                                             \
        return libgomp->PASS;                                                                    \
    }                                                                                            \
    const bool scheduled = (wanted) && keel_loop_active();                                       \
    const bool observed = keel_observed_attends(libgomp);                                        \
                                                                                                 \
    if (!scheduled && !observed) {                                                               \
        keel_loop_pass_to_libgomp();                                                             \
        return libgomp->PASS;                                                                    \
    }                                                                                            \
    const struct keel_start begun = {                                                            \
        .construct.place.caller = KEEL_CALLER, .istart = istart, .iend = iend, __VA_ARGS__};     \
    if (observed) {                                                                              \
        keel_observed_loop_before(libgomp, &begun, (open) == keel_loop_open_ordered);            \
    }                                                                                            \
    enum keel_opened opened = keel_start_loop(open, libgomp, &begun, scheduled);                 \
    bool taken = opened == KEEL_OPENED           ? NEXT_OF(keel_thread.loop)                     \
                 : opened == KEEL_OPENED_NOTHING ? libgomp->PASS                                 \
                                                 : keel_start_has_chunk(opened);                 \
    if (observed) {                                                                              \
        taken =                                                                                  \
            keel_observed_loop_opened(libgomp, &begun, keel_start_is_by_libgomp(opened), taken); \
    }                                                                                            \
    if (scheduled && taken && (open) == keel_loop_open && keel_timed_loop_wanted()) {            \
        keel_timed_loop_opened(libgomp, &begun);                                                 \
    }                                                                                            \
    return taken

#define SPACE_LONG .space = keel_space_long(start, end, incr)
#define SPACE_ULL .space = keel_space_ull(up, start, end, incr), .wide = true, .up = up

/* One next function. Finding libgomp is a function of its own so that the quick cases need no stack
 * frame: the next atomic operation would have to wait for its stores. */
#define NEXTS(name, type)                                                             \
    static __attribute__((noinline, cold)) bool find_##name(type *istart, type *iend, \
                                                            const void *caller)       \
    {                                                                                 \
        return keel_loop_libgomp(caller)->name(istart, iend);                         \
    }                                                                                 \
    KEEL_ENTRY bool name(type *istart, type *iend)                                    \
    {                                                                                 \
        struct keel_loop *loop = keel_loop_own();                                     \
                                                                                      \
        if (loop != NULL) {                                                           \
            return NEXT_OF(loop);                                                     \
        }                                                                             \
        const struct keel_libgomp *libgomp = keel_libgomp_known();                    \
        return libgomp != NULL ? libgomp->name(istart, iend)                          \
                               : find_##name(istart, iend, KEEL_CALLER);              \
    }

#define NEXT_OF(loop) keel_loop_next(loop, (keel_bound *)istart, (keel_bound *)iend)

/* --- schedule(runtime), and explicit clauses where KEEL_OVERRIDE names them --- */

/* The start functions of a kind of loop. target: libgomp's function for it. kind: a KIND_... below;
 * chunk: whether it comes WITH a chunk or has NO such parameter. */
#define LOOP_STARTS(name, target, open, wanted, kind, chunk)                                      \
    KEEL_ENTRY bool GOMP_loop_##name##_start(long start, long end, long incr,                     \
                                             CHUNK_LONG_##chunk long *istart, long *iend)         \
    {                                                                                             \
        START(open, wanted,                                                                       \
              GOMP_loop_##target##_start(start, end, incr, CHUNK_##chunk istart, iend),           \
              SPACE_LONG, KIND_##kind);                                                           \
    }                                                                                             \
    KEEL_ENTRY bool GOMP_loop_ull_##name##_start(                                                 \
        bool up, keel_ull start, keel_ull end, keel_ull incr, CHUNK_ULL_##chunk keel_ull *istart, \
        keel_ull *iend)                                                                           \
    {                                                                                             \
        START(open, wanted,                                                                       \
              GOMP_loop_ull_##target##_start(up, start, end, incr, CHUNK_##chunk istart, iend),   \
              SPACE_ULL, KIND_##kind);                                                            \
    }

/* The same with the functions that go on. */
#define LOOPS(name, open, wanted, kind, chunk)         \
    LOOP_STARTS(name, name, open, wanted, kind, chunk) \
    NEXTS(GOMP_loop_##name##_next, long)               \
    NEXTS(GOMP_loop_ull_##name##_next, keel_ull)

#define CHUNK_LONG_WITH long chunk,
#define CHUNK_ULL_WITH keel_ull chunk,
#define CHUNK_WITH chunk,
#define CHUNK_LONG_NO
#define CHUNK_ULL_NO
#define CHUNK_NO

/* How the clause reads for GOMP_loop_start. */
#define KIND_RUNTIME .kind = KEEL_GFS_RUNTIME
#define KIND_STATIC EXPLICIT(KEEL_GFS_STATIC)
#define KIND_DYNAMIC EXPLICIT(KEEL_GFS_DYNAMIC)
#define KIND_GUIDED EXPLICIT(KEEL_GFS_GUIDED)
#define EXPLICIT(clause) \
    .kind = clause, .chunk = (keel_ull)chunk, .construct.grain = KEEL_GRAIN_OF(chunk)
#define KIND_MONOTONIC_RUNTIME .construct.in_order = true, KIND_RUNTIME
#define KIND_MONOTONIC_DYNAMIC .construct.in_order = true, KIND_DYNAMIC
#define KIND_MONOTONIC_GUIDED .construct.in_order = true, KIND_GUIDED
#define KIND_UNSTATED_DYNAMIC .construct.in_order = keel_settings_keep_order(), KIND_DYNAMIC
#define KIND_UNSTATED_GUIDED .construct.in_order = keel_settings_keep_order(), KIND_GUIDED

#define OVERRIDES_DYNAMIC overrides(KEEL_OVERRIDE_DYNAMIC)
#define OVERRIDES_GUIDED overrides(KEEL_OVERRIDE_GUIDED)

LOOPS(runtime, keel_loop_open, true, MONOTONIC_RUNTIME, NO)
LOOPS(dynamic, keel_loop_open, OVERRIDES_DYNAMIC, MONOTONIC_DYNAMIC, WITH)
LOOPS(guided, keel_loop_open, OVERRIDES_GUIDED, MONOTONIC_GUIDED, WITH)
LOOPS(ordered_runtime, keel_loop_open_ordered, true, RUNTIME, NO)
LOOPS(ordered_dynamic, keel_loop_open_ordered, OVERRIDES_DYNAMIC, DYNAMIC, WITH)
LOOPS(ordered_guided, keel_loop_open_ordered, OVERRIDES_GUIDED, GUIDED, WITH)

LOOPS(ordered_static, keel_loop_open_ordered, false, STATIC, WITH)

LOOP_STARTS(nonmonotonic_runtime, runtime, keel_loop_open, true, RUNTIME, NO)
LOOP_STARTS(nonmonotonic_dynamic, dynamic, keel_loop_open, OVERRIDES_DYNAMIC, UNSTATED_DYNAMIC,
            WITH)
LOOP_STARTS(nonmonotonic_guided, guided, keel_loop_open, OVERRIDES_GUIDED, UNSTATED_GUIDED, WITH)

#define SAME_NEXTS(name, target)                                          \
    KEEL_ENTRY_ALIAS(GOMP_loop_##name##_next, GOMP_loop_##target##_next); \
    KEEL_ENTRY_ALIAS(GOMP_loop_ull_##name##_next, GOMP_loop_ull_##target##_next)

SAME_NEXTS(nonmonotonic_runtime, runtime);
SAME_NEXTS(maybe_nonmonotonic_runtime, runtime);
SAME_NEXTS(nonmonotonic_dynamic, dynamic);
SAME_NEXTS(nonmonotonic_guided, guided);
KEEL_ENTRY_ALIAS(GOMP_loop_maybe_nonmonotonic_runtime_start, GOMP_loop_nonmonotonic_runtime_start);
KEEL_ENTRY_ALIAS(GOMP_loop_ull_maybe_nonmonotonic_runtime_start,
                 GOMP_loop_ull_nonmonotonic_runtime_start);

/* --- with task reductions, or with memory that the construct shares --- */

/* Without istart the program works out its own static share: no chunk is wanted, and none is
 * Keel's. */
#define STARTS(name, open)                                                                       \
    KEEL_ENTRY bool GOMP_loop_##name(long start, long end, long incr, long kind, long chunk,     \
                                     long *istart, long *iend, uintptr_t *reductions,            \
                                     void **memory)                                              \
    {                                                                                            \
        START(open, istart != NULL && decides(kind),                                             \
              GOMP_loop_##name(start, end, incr, kind, chunk, istart, iend, reductions, memory), \
              SPACE_LONG, AS_GIVEN);                                                             \
    }                                                                                            \
    KEEL_ENTRY bool GOMP_loop_ull_##name(bool up, keel_ull start, keel_ull end, keel_ull incr,   \
                                         long kind, keel_ull chunk, keel_ull *istart,            \
                                         keel_ull *iend, uintptr_t *reductions, void **memory)   \
    {                                                                                            \
        START(open, istart != NULL && decides(kind),                                             \
              GOMP_loop_ull_##name(up, start, end, incr, kind, chunk, istart, iend, reductions,  \
                                   memory),                                                      \
              SPACE_ULL, AS_GIVEN);                                                              \
    }

#define AS_GIVEN                                                                               \
    .construct.in_order = keeps_order(kind), .kind = kind, .chunk = (keel_ull)chunk,           \
    .construct.grain = is_explicit(kind) ? KEEL_GRAIN_OF(chunk) : 1, .reductions = reductions, \
    .memory = memory

STARTS(start, keel_loop_open)
STARTS(ordered_start, keel_loop_open_ordered)

/* --- doacross: libgomp has to choose the chunks to know who waits for whom --- */

/* GFS_AUTO as in decides(). */
static bool is_runtime(long kind)
{
    kind &= ~KEEL_GFS_MONOTONIC;
    return kind == KEEL_GFS_RUNTIME || kind == KEEL_GFS_AUTO;
}

/* PASS calls libgomp's start function. What it hands out are iterations of the outermost loop,
 * counted from 0. */
#define DOACROSS(PASS, is_wide, loop_kind, loop_chunk)                                      \
    const struct keel_libgomp *libgomp = keel_loop_libgomp_at_start(KEEL_CALLER);           \
                                                                                            \
    keel_loop_pass_to_libgomp();                                                            \
    if (istart != NULL && is_runtime(loop_kind)) {                                          \
        if (keel_loan_is_pending()) {                                                       \
            keel_loan_pass(KEEL_CALLER);                                                    \
        }                                                                                   \
        keel_loop_time_before_loop(libgomp);                                                \
    }                                                                                       \
    if (!keel_observed_attends(libgomp)) {                                                  \
        return libgomp->PASS;                                                               \
    }                                                                                       \
    const struct keel_start begun = {.construct.place.caller = KEEL_CALLER,                 \
                                     .space = keel_space_ull(true, 0, (keel_ull)*count, 1), \
                                     .wide = is_wide,                                       \
                                     .up = true,                                            \
                                     .kind = loop_kind,                                     \
                                     .chunk = (keel_ull)(loop_chunk),                       \
                                     .istart = istart,                                      \
                                     .iend = iend};                                         \
    keel_observed_loop_before(libgomp, &begun, false);                                      \
    return keel_observed_loop_opened(libgomp, &begun, true, libgomp->PASS)

#define DOACROSS_STARTS(name, clause)                                                             \
    KEEL_ENTRY bool GOMP_loop_doacross_##name##_start(unsigned counts, long *count, long chunk,   \
                                                      long *istart, long *iend)                   \
    {                                                                                             \
        DOACROSS(GOMP_loop_doacross_##name##_start(counts, count, chunk, istart, iend), false,    \
                 clause, chunk);                                                                  \
    }                                                                                             \
    KEEL_ENTRY bool GOMP_loop_ull_doacross_##name##_start(                                        \
        unsigned counts, keel_ull *count, keel_ull chunk, keel_ull *istart, keel_ull *iend)       \
    {                                                                                             \
        DOACROSS(GOMP_loop_ull_doacross_##name##_start(counts, count, chunk, istart, iend), true, \
                 clause, chunk);                                                                  \
    }

DOACROSS_STARTS(static, KEEL_GFS_STATIC)
DOACROSS_STARTS(dynamic, KEEL_GFS_DYNAMIC)
DOACROSS_STARTS(guided, KEEL_GFS_GUIDED)

KEEL_ENTRY bool GOMP_loop_doacross_runtime_start(unsigned counts, long *count, long *istart,
                                                 long *iend)
{
    DOACROSS(GOMP_loop_doacross_runtime_start(counts, count, istart, iend), false, KEEL_GFS_RUNTIME,
             0);
}

KEEL_ENTRY bool GOMP_loop_ull_doacross_runtime_start(unsigned counts, keel_ull *count,
                                                     keel_ull *istart, keel_ull *iend)
{
    DOACROSS(GOMP_loop_ull_doacross_runtime_start(counts, count, istart, iend), true,
             KEEL_GFS_RUNTIME, 0);
}

KEEL_ENTRY bool GOMP_loop_doacross_start(unsigned counts, long *count, long kind, long chunk,
                                         long *istart, long *iend, uintptr_t *reductions,
                                         void **memory)
{
    DOACROSS(GOMP_loop_doacross_start(counts, count, kind, chunk, istart, iend, reductions, memory),
             false, kind, chunk);
}

KEEL_ENTRY bool GOMP_loop_ull_doacross_start(unsigned counts, keel_ull *count, long kind,
                                             keel_ull chunk, keel_ull *istart, keel_ull *iend,
                                             uintptr_t *reductions, void **memory)
{
    DOACROSS(
        GOMP_loop_ull_doacross_start(counts, count, kind, chunk, istart, iend, reductions, memory),
        true, kind, chunk);
}

/* --- the end of every loop that libgomp hands out, and of Keel's --- */

KEEL_ENTRY_RUNTIME_ONLY("GOMP_loop_end@GOMP_1.0") void keel_entry_loop_end(void)
{
    keel_start_end(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}

KEEL_ENTRY_RUNTIME_ONLY("GOMP_loop_end_cancel@GOMP_4.0") bool keel_entry_loop_end_cancel(void)
{
    return keel_start_end_cancel(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}

KEEL_ENTRY_RUNTIME_ONLY("GOMP_loop_end_nowait@GOMP_1.0") void keel_entry_loop_end_nowait(void)
{
    keel_start_end_nowait(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}

/* --- barriers: code before one does not run beside code behind it --- */

/* An entry point that waits for the team: WAIT is libgomp's; KEEP keeps what it returns. */
#define BARRIER(KEEP, WAIT, ...)                                         \
    const struct keel_libgomp *libgomp = keel_loop_libgomp(KEEL_CALLER); \
                                                                         \
    keel_check_passed_barrier(&keel_thread.check);                       \
    if (!keel_observed_has_part()) {                                     \
        return libgomp->WAIT();                                          \
    }                                                                    \
    keel_observed_loop_arrive(KEEL_OBSERVED_BARRIER, KEEL_CALLER);       \
    KEEP libgomp->WAIT();                                                \
    keel_observed_loop_leave(KEEL_OBSERVED_BARRIER, KEEL_CALLER);        \
    return __VA_ARGS__

KEEL_ENTRY_RUNTIME_ONLY("GOMP_barrier@GOMP_1.0") void keel_entry_barrier(void)
{
    if (keel_static_regions_are_wanted() && keel_static_region_pass(KEEL_CALLER)) {
        return;
    }
    BARRIER(, GOMP_barrier);
}

KEEL_ENTRY_RUNTIME_ONLY("GOMP_barrier_cancel@GOMP_4.0") bool keel_entry_barrier_cancel(void)
{
    BARRIER(bool cancelled =, GOMP_barrier_cancel, cancelled);
}

KEEL_ENTRY_RUNTIME_ONLY("GOMP_sections_end@GOMP_1.0") void keel_entry_sections_end(void)
{
    BARRIER(, GOMP_sections_end);
}

KEEL_ENTRY_RUNTIME_ONLY("GOMP_sections_end_cancel@GOMP_4.0")
bool keel_entry_sections_end_cancel(void)
{
    BARRIER(bool cancelled =, GOMP_sections_end_cancel, cancelled);
}

/* --- cancellation --- */

/* A thread whose loop is cancelled claims no chunk of it any more, and may wait for the others of
 * its team before its next call that Keel sees. */
static bool leave_if(bool cancelled, int construct)
{
    if (cancelled && construct == KEEL_GOMP_CANCEL_LOOP) {
        keel_loop_pass_to_libgomp();
    }
    return cancelled;
}

KEEL_ENTRY bool GOMP_cancel(int construct, bool cancels)
{
    return leave_if(keel_loop_libgomp(KEEL_CALLER)->GOMP_cancel(construct, cancels), construct);
}

KEEL_ENTRY bool GOMP_cancellation_point(int construct)
{
    return leave_if(keel_loop_libgomp(KEEL_CALLER)->GOMP_cancellation_point(construct), construct);
}
