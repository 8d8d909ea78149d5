/* The schedules, each with several sets of parameters, that the property tests run through. */
#ifndef TESTS_SCHEDULES_SUPPORT_SPECS_H
#define TESTS_SCHEDULES_SUPPORT_SPECS_H

#include "schedules/loop/spec.h"

/* Ended by NULL. */
extern const char *const specs_texts[];

/* Reads a spec; fails the running test when it is not good. What Keel would measure gets fixed
 * values: mu 100 ns, sigma 50 ns, overhead 200 ns. */
struct keel_spec specs_read(const char *text);

#endif
