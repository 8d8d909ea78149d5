/* What a run of a program leaves behind, beside what a reference has left. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_RUN_RESULTS_H
#define OMP_EXT_COMMAND_PROGRAMS_RUN_RESULTS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- comparison --- */

/* Whether two outputs of a program are the same, and where they differ first. */

#define KEEL_LEFT_OUT_MAX 4096 /* lines */
#define KEEL_EXCERPT_MAX 64

/* Lines that are not compared, by number from 1, increasing. */
struct keel_left_out {
    size_t count;
    uint64_t line[KEEL_LEFT_OUT_MAX];
};

/* NULL: none. */
bool keel_left_out_has(const struct keel_left_out *left_out, uint64_t line);

struct keel_comparison {
    double tolerance;                     /* relative, of numbers in the text; 0: exact */
    const regex_t *ignored;               /* lines that match are not compared; NULL: none */
    const struct keel_left_out *left_out; /* NULL: none */
};

struct keel_difference {
    uint64_t line;                 /* number, from 1 */
    char wanted[KEEL_EXCERPT_MAX]; /* of the two lines, from shortly before where they differ */
    char got[KEEL_EXCERPT_MAX];
};

/* Whether two lines are the same: with a tolerance, text around numbers has to be equal, and
 * |x - y| <= tolerance * max(|x|, |y|). Pure. */
bool keel_lines_equal(const char *wanted, const char *got, double tolerance);

/* Compares files. A file that is not there differs from one that is, in line 1. Lines are compared
 * in pieces of 1 MiB. True: they are the same; else *difference (may be NULL) has the first one. */
bool keel_files_equal(const char *wanted, const char *got, const struct keel_comparison *how,
                      struct keel_difference *difference);

/* Adds the lines in which the files differ to `left_out`, which keeps its order. False: the files
 * don't have as many lines, or too many differ. */
bool keel_files_leave_out(const char *wanted, const char *got, const struct keel_comparison *how,
                          struct keel_left_out *left_out);

/* --- results --- */

/* What a run of a program leaves behind, its standard output and files that it writes, beside those
 * of a reference. */

#define KEEL_OUTPUTS_MAX 64

/* Fields without a note are set by who begins, and don't change. */
struct keel_results {
    char *folder;   /* absolute; of the files below */
    size_t outputs; /* files beside stdout */
    char *output[KEEL_OUTPUTS_MAX];
    struct keel_comparison how;     /* left_out aside */
    struct keel_left_out *left_out; /* of stdout and of each file; changes */
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

/* Prints which lines are left out, if any. */
void keel_results_print_left_out(const struct keel_results *results);

/* "stdout" or the file's name. */
const char *keel_results_name(const struct keel_results *results, size_t file);

#endif
