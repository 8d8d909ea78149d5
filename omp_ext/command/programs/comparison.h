/* Whether two outputs of a program are the same, and where they differ first. */
#ifndef OMP_EXT_COMMAND_PROGRAMS_COMPARISON_H
#define OMP_EXT_COMMAND_PROGRAMS_COMPARISON_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_LEFT_OUT_MAX 4096 /* lines */
#define KEEL_EXCERPT_MAX 64

/* Lines that are not compared, by number from 1, increasing. */
struct keel_left_out {
    size_t count;
    uint64_t line[KEEL_LEFT_OUT_MAX];
};

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

#endif
