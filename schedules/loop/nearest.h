/* The word of a list that is spelt most like a given one, for messages about bad input. */
#ifndef KEEL_SCHEDULES_LOOP_NEAREST_H
#define KEEL_SCHEDULES_LOOP_NEAREST_H

#include <stddef.h>

#define KEEL_NEAREST_MAX 32 /* longer words are compared by their first characters */

struct keel_nearest {
    char wanted[KEEL_NEAREST_MAX];
    size_t wanted_length;
    char best[KEEL_NEAREST_MAX];
    size_t best_distance; /* edits between wanted and best; SIZE_MAX before the first offer */
};

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length);

/* Takes the word as the new best if it needs fewer edits than every word before it. */
void keel_nearest_offer(struct keel_nearest *nearest, const char *word, size_t length);

#endif
