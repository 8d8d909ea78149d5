/* Objects that move between ranks. */
#ifndef OMP_EXT_REPORT_TEXT_OBJECTS_H
#define OMP_EXT_REPORT_TEXT_OBJECTS_H

#include <stdio.h>

#include "omp_ext/report/job.h"

/* Prints for each bag of objects what each rank has done, given and got, and what phases took
 * beside what the model says of them: the last ones, unless `all`. */
void keel_report_print_objects(FILE *stream, const struct keel_report_job *job, bool all);

#endif
