/* The word of a list that is spelt most like a given one, for messages about bad input. */
#ifndef SCHEDULES_TEXT_NEAREST_H
#define SCHEDULES_TEXT_NEAREST_H

#include <stddef.h>

#define KEEL_NEAREST_MAX 32 /* longer words are compared by their first characters */

struct keel_nearest {
    char wanted[KEEL_NEAREST_MAX];
    size_t wanted_length;
    char best[KEEL_NEAREST_MAX];
    /* Letters that are put in, left out, replaced, or exchanged with their neighbour between wanted
     * and best; SIZE_MAX before the first offer. */
    size_t best_edits;
    size_t best_distance; /* the same, but at most 1 where one of both begins with the other */
    char hint[KEEL_NEAREST_MAX + 20];
};

void keel_nearest_begin(struct keel_nearest *nearest, const char *wanted, size_t length);

/* Takes the word as the new best if its distance is less than that of every word before it, or the
 * same and it needs fewer edits. */
void keel_nearest_consider(struct keel_nearest *nearest, const char *word, size_t length);

/* Part of a message: ", nearest is 'gss'", or "" where the best is not nearly what was wanted: more
 * than a third of the letters differ, and more than one. Lasts as long as `nearest`. */
const char *keel_nearest_hint(struct keel_nearest *nearest);

#endif
