/* What tasks take, as the tests of PAPERS.md, R7 to R9, have them.
 *
 *   text, number of tasks -> [weights] -> seconds of each task, in the order of their numbers
 *
 * Pure, but for the file that it reads. */
#ifndef BENCH_PAPERS_DIR_PREMA05_WEIGHTS_H
#define BENCH_PAPERS_DIR_PREMA05_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/model/objects_terms.h"

#define WEIGHTS_REGIONS_MAX 4097 /* one more than a file may have */

/* Fills weight_s[0 .. tasks - 1], which add up to `total_s`. `text`:
 *   linear:RATIO         from light to RATIO times as heavy, increasing
 *   heavy:PART:RATIO     the last PART percent are RATIO times as heavy as the others
 *   measured:FILE        of the squares of a plane, row by row, separated by commas; cut into tasks
 *                        of as many squares, or equal parts of squares, each
 * RATIO >= 1, 0 <= PART <= 100. False: it says none of these, or the file is none. */
bool weights_make(const char *text, uint32_t tasks, double total_s, double *weight_s);

/* The two classes of weights in any order (R3). False: as of keel_bimodal_split(). */
bool weights_split(const double *weight_s, uint32_t tasks, struct keel_bimodal *classes);

/* Replaces each weight by the mean of its class. False likewise. */
bool weights_two_classes(uint32_t tasks, double *weight_s);

#endif
