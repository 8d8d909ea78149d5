/* Ticks as ns of CLOCK_MONOTONIC. */
#include "omp_ext/trace/tick_time.h"

#include <stdatomic.h>

#include "omp_ext/machine/clock.h"

#define STRETCHES_MAX 4096
#define STRETCH_MIN_NS 50000000 /* between two looks at both clocks */
#define STRETCH_PART 256        /* later: this part of the time so far */
#define AHEAD_NS \
    10000000 /* by then who looks at both clocks has told what it has seen, see below */
#define CATCH_UP_NS 500000000.0 /* in which an error is made up for */
#define CATCH_UP_MAX 0.05       /* of the rate */

/* f(t) = ns + (t - ticks) * rate + min(t - ticks, catch_up_ticks) * catch_up, up to the next one's
 * beginning. Never changes once `stretches` counts it. */
struct stretch {
    uint64_t ticks;
    double ns; /* since the first one */
    double rate;
    double catch_up;
    double catch_up_ticks;
};

static struct stretch stretch[STRETCHES_MAX];
static _Atomic unsigned stretches;
static uint64_t origin_ns; /* of the first one */

static double ns_in(const struct stretch *in, uint64_t ticks)
{
    double since = (double)(int64_t)(ticks - in->ticks);
    double caught = since < in->catch_up_ticks ? since : in->catch_up_ticks;

    return in->ns + since * in->rate + (caught > 0 ? caught : 0) * in->catch_up;
}

/* Both clocks at one moment: of a few readings, the one with the least time between two of the
 * counter. */
static uint64_t moment(uint64_t *ns)
{
    uint64_t best = 0, best_gap = UINT64_MAX;

    for (int i = 0; i < 3; i++) {
        uint64_t before = keel_clock_ticks(), read_ns = keel_clock_ns();
        uint64_t gap = keel_clock_ticks() - before;
        if (gap < best_gap) {
            best_gap = gap;
            best = before + gap / 2;
            *ns = read_ns;
        }
    }
    return best;
}

static void begin_stretch(struct stretch *next, uint64_t ticks, double ns, double error_ns)
{
    double rate = keel_clock_ns_per_tick();
    double catch_up = error_ns / CATCH_UP_NS;

    catch_up = catch_up > CATCH_UP_MAX    ? CATCH_UP_MAX
               : catch_up < -CATCH_UP_MAX ? -CATCH_UP_MAX
                                          : catch_up;
    *next = (struct stretch){.ticks = ticks, .ns = ns, .rate = rate};
    if (catch_up != 0) {
        next->catch_up = catch_up * rate;
        next->catch_up_ticks = error_ns / next->catch_up;
    }
}

/* A stretch begins some time ahead: others may ask for moments up to the present meanwhile, and get
 * the same answer before and after it is there. A thread that is held up for nearly as long before
 * it tells of the stretch gives it up. */
static void go_on(unsigned count, uint64_t ticks, double real_ns)
{
    const struct stretch *last = &stretch[count - 1];
    uint64_t ahead = (uint64_t)(AHEAD_NS / last->rate);
    double least_ns = real_ns / STRETCH_PART;

    least_ns = least_ns > STRETCH_MIN_NS ? least_ns : STRETCH_MIN_NS;
    if (real_ns - last->ns < least_ns || (int64_t)(ticks - last->ticks) <= 0) {
        return;
    }
    double ns = ns_in(last, ticks + ahead), error_ns = real_ns - ns_in(last, ticks);
    begin_stretch(&stretch[count], ticks + ahead, ns, error_ns);
    if (keel_clock_ticks() - ticks < ahead / 2) {
        atomic_store_explicit(&stretches, count + 1, memory_order_release);
    }
}

uint64_t keel_tick_time_refine(void)
{
    unsigned count = atomic_load_explicit(&stretches, memory_order_relaxed);
    uint64_t real_ns = 0, ticks = moment(&real_ns);

    if (count == 0) {
        origin_ns = real_ns;
        begin_stretch(&stretch[0], ticks, 0, 0);
        /* release: pairs with the acquire in keel_tick_time_ns() */
        atomic_store_explicit(&stretches, 1, memory_order_release);
        return ticks;
    }
    if (count < STRETCHES_MAX) {
        go_on(count, ticks, (double)(real_ns - origin_ns));
    }
    return ticks;
}

int64_t keel_tick_time_ns(uint64_t ticks)
{
    /* acquire: pairs with the release in keel_tick_time_refine() */
    unsigned number = atomic_load_explicit(&stretches, memory_order_acquire);

    if (number == 0) {
        return 0;
    }
    number--;
    while (number > 0 && (int64_t)(ticks - stretch[number].ticks) < 0) {
        number--;
    }
    double ns = ns_in(&stretch[number], ticks);
    return (int64_t)origin_ns + (int64_t)(ns >= 0 ? ns + 0.5 : ns - 0.5);
}
