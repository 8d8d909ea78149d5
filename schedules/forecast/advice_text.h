/* Advice on a loop (advice.h), as people read it. Pure; any thread. */
#ifndef SCHEDULES_FORECAST_ADVICE_TEXT_H
#define SCHEDULES_FORECAST_ADVICE_TEXT_H

#include <stddef.h>

#include "schedules/forecast/advice.h"

#define KEEL_ADVICE_TEXT_MAX 160 /* bytes that hold any of these texts, terminator included */

/* What to write for the suggested schedule: "fac2", "steal,64"; "" without one. */
void keel_advice_write_schedule(const struct keel_advice *advice, char *text);

/* What to do, and what that gains: "fac2: 0.41 s less, by its cost profile", "steal: up to 0.41 s
 * less", "chunks cost as much as iterations: try steal,64 (up to 30 ms less)", "nothing to gain";
 * "" where nothing is known. */
void keel_advice_write(const struct keel_advice *advice, char *text);

#endif
