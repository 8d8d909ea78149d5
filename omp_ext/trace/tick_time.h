/* Moments in ticks (clock.h) as moments of CLOCK_MONOTONIC, which all processes of a node share.
 *
 * A moment has one time for good: what a piece of the trace says of it, later pieces say, too, and
 * what was before it stays before it. Else parts would not lie within the whole. So the rate that
 * clock.c works out counts from the moment on when it is known, and what the result is off by then
 * is made up for little by little. */
#ifndef OMP_EXT_TRACE_TICK_TIME_H
#define OMP_EXT_TRACE_TICK_TIME_H

#include <stdint.h>

/* Takes the present into account. Returns it, ticks: earlier ones may be asked for. Any thread; one
 * at a time. */
uint64_t keel_tick_time_refine(void);

/* ns of CLOCK_MONOTONIC at `ticks`. Any thread that has refined, or come after one. */
int64_t keel_tick_time_ns(uint64_t ticks);

#endif
