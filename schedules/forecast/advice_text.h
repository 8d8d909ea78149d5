/* Advice on a loop (advice.h), as people read it. Pure; any thread. */
#ifndef SCHEDULES_FORECAST_ADVICE_TEXT_H
#define SCHEDULES_FORECAST_ADVICE_TEXT_H

#include <stddef.h>

#include "schedules/forecast/advice.h"

#define KEEL_ADVICE_TEXT_MAX 120 /* bytes that hold any of these texts, terminator included */

/* What to write for the suggested schedule: "fac2", "steal,64"; "" without one. */
void keel_advice_write_schedule(const struct keel_advice *advice, char *text);

/* What to do, without what it gains: "fac2", "chunks cost as much as iterations: try steal,64",
 * "nothing to gain"; "" where nothing is known. */
void keel_advice_write(const struct keel_advice *advice, char *text);

/* What that gains, and by what: "0.41 s less, by its cost profile", "up to 0.41 s less"; "" without
 * a suggestion. */
void keel_advice_write_gain(const struct keel_advice *advice, char *text);

#endif
