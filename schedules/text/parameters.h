/* Lists of parameters, as people write them behind a name: "fac2,16:min=4".
 *
 *   list = { ("," | ":") ( value | key "=" value ) }       values by position
 *
 * The reader of all of them: of schedules (loop/spec.c) and of policies among ranks
 * (ranks/shared_loop_policy.c, ranks/rows_policy.c). Pure; any thread. */
#ifndef SCHEDULES_TEXT_PARAMETERS_H
#define SCHEDULES_TEXT_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/text/text.h"

#define KEEL_PARAMETERS_POSITIONAL_MAX 2
#define KEEL_PARAMETERS_WORD_MAX 40 /* bytes of a value, terminator included */

/* What the owner of a list takes. Parameters are numbers below `count`. */
struct keel_parameters_known {
    const char *owner; /* for messages: the schedule or policy */
    unsigned count;    /* 0 .. 32 */
    unsigned accepted; /* a bit for each parameter that it takes */
    unsigned positional[KEEL_PARAMETERS_POSITIONAL_MAX]; /* the ones that values by position set */
    unsigned positionals;
    const char *(*name)(const void *into, unsigned parameter);
    /* Sets it in what is being read. False: `word` is not what it may be. A value that is too long
     * is "". */
    bool (*set)(void *into, unsigned parameter, const char *word);
    /* Writes what it may be and what happens now: "a whole number from 1 to 9; using 1". */
    void (*expect)(const void *into, unsigned parameter, char *text, size_t size);
    void *into;
};

/* Reads `list` to its end. *given gets the bit of each parameter that was set; one that has it
 * already is left as it is. What is wrong is left out, and the first such thing is written to
 * `problem`, of `size` bytes, which is "" before. */
void keel_parameters_read(struct keel_text list, const struct keel_parameters_known *known,
                          unsigned *given, char *problem, size_t size);

#endif
