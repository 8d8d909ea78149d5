/* Entry points for loops of programs that were built with the plugin. They only translate
 * arguments. Where start returns 0, the program runs the loop as it was written, by itself. */
#include "omp_ext/gomp/worksharing.h"

#include "omp_ext/entry/entry.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/site/mode.h"

_Static_assert((int)KEEL_WORKSHARING_STATIC == KEEL_GFS_STATIC &&
                   (int)KEEL_WORKSHARING_DYNAMIC == KEEL_GFS_DYNAMIC &&
                   (int)KEEL_WORKSHARING_GUIDED == KEEL_GFS_GUIDED,
               "kinds are passed on to libgomp");

/* Whether the team is in a region that Keel does not know, or has passed on. */
static inline bool is_unknown(unsigned threads)
{
    return keel_thread.loop == NULL && (threads != 1 || keel_libgomp_known() == NULL);
}

/* The copy of libgomp that the caller's team belongs to; NULL: one that Keel does not interpose,
 * such as a copy in the program itself. */
static const struct keel_libgomp *libgomp_of_team(const void *caller, unsigned threads)
{
    const struct keel_libgomp *libgomp = keel_loop_libgomp_at_start(caller);

    return !libgomp->foreign && libgomp->omp_get_num_threads() == (int)threads ? libgomp : NULL;
}

static bool keeps_order(unsigned flags)
{
    return (flags & KEEL_WORKSHARING_IN_ORDER) != 0 ||
           ((flags & KEEL_WORKSHARING_UNSTATED_ORDER) != 0 && keel_settings_keep_order());
}

/* The mode of a loop; NULL: its schedule may come to want costs, and then be another one. */
static struct keel_mode *mode_of(struct keel_worksharing_loop *loop)
{
    return keel_settings()->schedules.wants_costs ? NULL : keel_mode_of(loop);
}

/* The program's answer. */
static unsigned state_of(enum keel_opened opened, const struct keel_start *start)
{
    switch (opened) {
    case KEEL_OPENED_NOTHING:
        return 0;
    case KEEL_OPENED:
        return KEEL_WORKSHARING_KEEL | (keel_loop_next(keel_thread.loop, start->istart, start->iend)
                                            ? KEEL_WORKSHARING_CHUNK
                                            : 0);
    default:
        return KEEL_WORKSHARING_KEEL | (keel_start_has_chunk(opened) ? KEEL_WORKSHARING_CHUNK : 0);
    }
}

/* A loop that the program runs by itself begins when it comes to libgomp. */
static void note_opened(const struct keel_libgomp *libgomp, enum keel_opened opened, unsigned state,
                        const struct keel_start *start)
{
    if (state == 0) {
        keel_observed_loop_forget();
    } else {
        keel_observed_loop_opened(libgomp, start, keel_start_is_by_libgomp(opened),
                                  (state & KEEL_WORKSHARING_CHUNK) != 0);
    }
}

static unsigned begin(const struct keel_libgomp *libgomp, unsigned flags,
                      const struct keel_start *start)
{
    if (libgomp == NULL) {
        return 0;
    }
    bool observed = keel_observed_attends(libgomp);
    if (observed) {
        keel_observed_loop_before(libgomp, start, (flags & KEEL_WORKSHARING_ORDERED) != 0);
    }
    enum keel_opened opened =
        keel_start_loop(flags & KEEL_WORKSHARING_ORDERED ? keel_loop_open_ordered : keel_loop_open,
                        libgomp, start, keel_loop_active());
    unsigned state = state_of(opened, start);
    if (observed) {
        note_opened(libgomp, opened, state, start);
    }
    if ((state & KEEL_WORKSHARING_CHUNK) != 0 && (flags & KEEL_WORKSHARING_ORDERED) == 0 &&
        keel_timed_loop_wanted()) {
        keel_timed_loop_opened(libgomp, start);
    }
    return state;
}

/* The fields of the loop are made only where somebody reads them. */
#define START(fields)                                                          \
    if (!keel_loop_attends()) {                                                \
        return 0;                                                              \
    }                                                                          \
    if (is_unknown(threads)) {                                                 \
        keel_loop_needs_keel();                                                \
        return 0;                                                              \
    }                                                                          \
    const struct keel_start begun = {fields,                                   \
                                     .construct.place.caller = KEEL_CALLER,    \
                                     .construct.in_order = keeps_order(flags), \
                                     .mode = mode_of(loop),                    \
                                     .flags = flags,                           \
                                     .kind = flags & KEEL_WORKSHARING_KIND,    \
                                     .construct.grain = KEEL_GRAIN_OF(chunk),  \
                                     .chunk = (keel_ull)chunk,                 \
                                     .istart = istart,                         \
                                     .iend = iend};                            \
    return begin(libgomp_of_team(KEEL_CALLER, threads), flags, &begun)

#define SPACE_LONG .space = keel_space_long(start, end, incr)
#define SPACE_ULL .space = keel_space_ull(up, start, end, incr), .wide = true, .up = up

KEEL_ENTRY unsigned keel_worksharing_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                           unsigned threads, long start, long end, long incr,
                                           long chunk, long *istart, long *iend)
{
    START(SPACE_LONG);
}

KEEL_ENTRY unsigned keel_worksharing_ull_begin(struct keel_worksharing_loop *loop, unsigned flags,
                                               unsigned threads, bool up, keel_ull start,
                                               keel_ull end, keel_ull incr, keel_ull chunk,
                                               keel_ull *istart, keel_ull *iend)
{
    START(SPACE_ULL);
}

/* A static chunk has come with the start of the loop. */
#define NEXT(name)                                                             \
    struct keel_loop *loop = keel_loop_own();                                  \
                                                                               \
    if (loop != NULL) {                                                        \
        return keel_loop_next(loop, (keel_bound *)istart, (keel_bound *)iend); \
    }                                                                          \
    return keel_loop_libgomp(KEEL_CALLER)->name(istart, iend)

KEEL_ENTRY bool keel_worksharing_next(long *istart, long *iend)
{
    NEXT(GOMP_loop_runtime_next);
}

KEEL_ENTRY bool keel_worksharing_ull_next(keel_ull *istart, keel_ull *iend)
{
    NEXT(GOMP_loop_ull_runtime_next);
}

KEEL_ENTRY void keel_worksharing_end(void)
{
    keel_start_end(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}

KEEL_ENTRY bool keel_worksharing_end_cancel(void)
{
    return keel_start_end_cancel(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}

KEEL_ENTRY void keel_worksharing_end_nowait(void)
{
    keel_start_end_nowait(keel_loop_libgomp_at_end(KEEL_CALLER), KEEL_CALLER);
}
