/* The lines of a trace file, cut into fields at commas. */
#ifndef OMP_EXT_COMMAND_MODEL_KINDS_RECORDED_H
#define OMP_EXT_COMMAND_MODEL_KINDS_RECORDED_H

#include <stdbool.h>
#include <stddef.h>

#define KEEL_RECORDED_FIELDS_MAX 16
#define KEEL_RECORDED_LINES_MAX 10000000

struct keel_recorded_line {
    size_t number; /* in the file, from 1 */
    unsigned fields;
    char *field[KEEL_RECORDED_FIELDS_MAX]; /* without the blanks around them */
};

/* Without empty lines, those that begin with '#', and a first line whose last field is no number,
 * which is a header. */
struct keel_recorded {
    const char *path;
    size_t count; /* >= 1 */
    struct keel_recorded_line *line;
    char *text; /* what the fields lie in */
};

/* Reads the file; false, and a message: it can't be read, or there is nothing in it. */
bool keel_recorded_read(const char *path, struct keel_recorded *trace);

void keel_recorded_end(struct keel_recorded *trace);

/* Field `field` of a line as a number from `low` to `high`; false, and what is wrong,
 * KEEL_MODEL_PROBLEM_MAX bytes, where it is none. */
bool keel_recorded_number(const struct keel_recorded_line *line, unsigned field, double low,
                          double high, double *number, char *problem);

/* The same for whole numbers up to 2^53. */
bool keel_recorded_count(const struct keel_recorded_line *line, unsigned field, double low,
                         double high, double *number, char *problem);

#endif
