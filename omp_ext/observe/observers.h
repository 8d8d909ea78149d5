/* Who observes regions and loops, see observe.h. */
#ifndef OMP_EXT_OBSERVE_OBSERVERS_H
#define OMP_EXT_OBSERVE_OBSERVERS_H

#include <stdbool.h>

/* Asks all of them whether they take part, the first time; returns whether any does. Any thread. */
bool keel_observers_begin(void);

#endif
