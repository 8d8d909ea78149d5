/* How far a comparison is, to standard error: one line that changes on a terminal, else a line for
 * each round. */
#ifndef OMP_EXT_COMMAND_COMPARE_PROGRESS_H
#define OMP_EXT_COMMAND_COMPARE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct keel_progress {
    bool terminal;
    bool shown; /* a line stands on the terminal */
};

struct keel_progress keel_progress_begin(void);

/* A round begins, 0: the one for warming up; `left_s`: of the budget. */
void keel_progress_round(struct keel_progress *progress, size_t round, double left_s);

/* Run `run` of `runs` of the round begins. */
void keel_progress_run(struct keel_progress *progress, size_t round, size_t run, size_t runs,
                       const char *candidate, double left_s);

/* Clears the line. */
void keel_progress_end(struct keel_progress *progress);

#endif
