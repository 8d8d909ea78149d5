/* Lists of speeds as text: "1,1,2,2". */
#ifndef OMP_EXT_COMMAND_MODEL_KINDS_SPEEDS_H
#define OMP_EXT_COMMAND_MODEL_KINDS_SPEEDS_H

#include <stdbool.h>
#include <stddef.h>

/* Holds a list of 4096 that keel_speeds_write writes. */
#define KEEL_SPEEDS_TEXT_MAX (4096 * 16)

/* Whether it is a list of numbers from 1e-6 to 1e6; if not, what is wrong, KEEL_MODEL_PROBLEM_MAX
 * bytes. */
bool keel_speeds_check(const char *text, char *problem);

/* Fills `speed` from a good list, repeated where it is shorter, cut where it is longer, scaled to a
 * mean of 1. Returns the mean before that. count >= 1. */
double keel_speeds_fill(const char *text, double *speed, size_t count);

/* The same as stated. */
void keel_speeds_read(const char *text, double *speed, size_t count);

void keel_speeds_write(const double *speed, size_t count, char *text);

#endif
