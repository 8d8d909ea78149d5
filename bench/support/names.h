/* Names that samples bear, each once, in the order of the first samples that bear them: the cases
 * of a report, or the variants of a case. They are the rows and columns of its tables. */
#ifndef BENCH_SUPPORT_NAMES_H
#define BENCH_SUPPORT_NAMES_H

#include <stddef.h>

#define NAMES_MAX 256

/* Starts as {0}. The texts stay where they are, in the samples. */
struct names {
    size_t count;
    const char *name[NAMES_MAX];
};

/* The place of `name`, which is added at the end if it is new. Gives up, see give_up.h, if there
 * are more than NAMES_MAX. */
size_t names_add(struct names *names, const char *name);

/* For names that come in another order in each round. */
void names_sort_by_text(struct names *names);

/* By the numbers that names start with; the others count as 0. */
void names_sort_by_number(struct names *names);

#endif
