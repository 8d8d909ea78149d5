/* The schedules, each with several sets of parameters, that the property tests run through. */
#ifndef KEEL_TESTS_SCHEDULES_LOOP_SPECS_H
#define KEEL_TESTS_SCHEDULES_LOOP_SPECS_H

#include "schedules/loop/spec.h"

/* Ended by NULL. */
extern const char *const specs_texts[];

/* Reads a spec; fails the running test when it is not good. What Keel would measure gets fixed
 * values: mu 100 ns, sigma 50 ns, overhead 200 ns. */
struct keel_spec specs_read(const char *text);

#endif
