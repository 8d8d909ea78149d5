/* What a run of a program leaves behind, its standard output and files that it writes, beside those
 * of a reference. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_RESULTS_H
#define OMP_EXT_COMMAND_PROGRAMS_RESULTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/command/programs/comparison.h"

/* Fields without a note are set by who begins, and don't change. */
struct keel_results {
    char folder[PATH_MAX]; /* absolute; of the files below */
    size_t outputs;        /* files beside stdout */
    char **output;
    struct keel_comparison how;     /* left_out aside */
    struct keel_left_out *left_out; /* of stdout and of each file; changes */
    size_t reference;               /* which one is kept and compared with; changes; 0: the first */
};

/* Where two results differ first. */
struct keel_results_difference {
    size_t file; /* 0 is stdout, others are output[file - 1] */
    struct keel_difference difference;
};

/* Makes the folder, TMPDIR/NAME-XXXXXX or in /tmp, and room for what is left out. False: a message
 * has said why. */
bool keel_results_begin(struct keel_results *results, const char *name);

/* Removes the folder. */
void keel_results_end(struct keel_results *results);

/* "FOLDER/NAME". Static memory, until the next call. */
const char *keel_results_path(const struct keel_results *results, const char *name);

/* Where standard output of runs goes: keel_results_path(). */
const char *keel_results_stdout(const struct keel_results *results);

/* Makes what the last run has left the reference, the first one with nothing left out. False:
 * errno. */
bool keel_results_keep(struct keel_results *results);

/* Whether the last run has left the same as the reference; else *difference is where not. */
bool keel_results_equal(const struct keel_results *results,
                        struct keel_results_difference *difference);

/* Leaves out of comparisons what the last run has otherwise than the reference. False: too much
 * differs. */
bool keel_results_leave_out(struct keel_results *results);

/* "stdout" or the file's name. */
const char *keel_results_name(const struct keel_results *results, size_t file);

#endif
