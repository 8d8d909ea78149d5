/* Delays of threads, for `keel check`. They become rarer with the number of instances, so that a
 * program with a million loops ends. */
#ifndef OMP_EXT_CHECK_DELAY_H
#define OMP_EXT_CHECK_DELAY_H

#include <stdbool.h>
#include <stdint.h>

struct keel_check_site;

/* Sleeps for `ns`, or until a signal. Leaves errno alone. */
void keel_delay_sleep(uint64_t ns);

/* Sleeps for less than 0.3 ms; `draw`: a random number. */
void keel_delay_sleep_briefly(uint64_t draw);

/* Whether the instance or region of that number, from 1, is delayed: the first 16 are, the n-th of
 * later ones with a probability of 16 / n. */
bool keel_delay_is_due(uint64_t draw, uint64_t number);

/* Once per thread, at the begin of an active region. May sleep. */
void keel_delay_region(const struct keel_check_site *region);

#endif
