/* The word of a list that is spelt most like a given one, for messages about bad input. */
#ifndef SCHEDULES_TEXT_NEAREST_H
#define SCHEDULES_TEXT_NEAREST_H

#include <stdbool.h>
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

/* Environment variables that begin like Keel's, and that Keel does not know.
 *
 *   environment, names in a table -> [unknown] -> a message for each, with the nearest known name
 *
 * Pure: the environment is an argument. Any thread. */

/* The names that are known. */
struct keel_unknown_table {
    bool (*is_ours)(const char *entry);  /* of an entry "NAME=value": whether the table is asked */
    const char *(*name)(size_t number);  /* 0, 1 ...; NULL: there are no more */
    void (*report)(const char *problem); /* gets "NAME: no such variable, nearest is ..." */
};

#define KEEL_UNKNOWN_PROBLEM_MAX 512 /* longer ones are cut off */

/* Reports each entry of `environment` (ended by NULL; NULL: empty) whose name is not in the table.
 * */
void keel_unknown_report_all(char *const *environment, const struct keel_unknown_table *table);

#endif
