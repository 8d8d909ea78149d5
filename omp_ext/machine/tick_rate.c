/* The duration of a tick. */
#include "omp_ext/machine/tick_rate.h"

#define WINDOW_GROWTH 8        /* each window is so many times as long as the one before */
#define WINDOW_MAX_NS 4e9      /* a window that long is complete: the next begins at its end */
#define ESTABLISHED_NS 1e7     /* rates over so long windows are exact far beyond TOLERANCE */
#define TOLERANCE 0.01         /* of a new rate to an established one */
#define NEXT_WINDOW_NS 1000000 /* after a doubt */

void keel_tick_rate_begin(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    *rate = (struct keel_tick_rate){.base = *moment};
}

static bool agrees(const struct keel_tick_rate *rate, double ns_per_tick)
{
    double ratio = ns_per_tick / rate->ns_per_tick;

    return rate->window_ns < ESTABLISHED_NS || (ratio > 1 - TOLERANCE && ratio < 1 + TOLERANCE);
}

/* Keeps the rate, which may be the best there is, and begins a window in the new surroundings. */
static void doubt(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    double next_ticks = rate->ns_per_tick > 0 ? NEXT_WINDOW_NS / rate->ns_per_tick : 0;

    rate->base = *moment;
    rate->doubted = true;
    rate->refine_at = moment->ticks + (uint64_t)next_ticks;
}

static void accept(struct keel_tick_rate *rate, const struct keel_moment *moment, double window_ns,
                   uint64_t window_ticks)
{
    rate->ns_per_tick = window_ns / (double)window_ticks;
    rate->window_ns = window_ns;
    rate->doubted = false;
    rate->refine_at = rate->base.ticks + WINDOW_GROWTH * window_ticks;
    if (window_ns >= WINDOW_MAX_NS) {
        rate->base = *moment;
        rate->refine_at = moment->ticks + window_ticks;
    }
}

void keel_tick_rate_refine(struct keel_tick_rate *rate, const struct keel_moment *moment)
{
    uint64_t window_ticks = moment->ticks - rate->base.ticks;
    double window_ns = (double)(moment->ns - rate->base.ns);

    if (moment->ticks <= rate->base.ticks || moment->ns < rate->base.ns) {
        doubt(rate, moment);
    } else if (window_ns >= KEEL_TICK_RATE_WINDOW_NS) {
        if (rate->doubted || agrees(rate, window_ns / (double)window_ticks)) {
            accept(rate, moment, window_ns, window_ticks);
        } else {
            doubt(rate, moment);
        }
    }
}
