/* Loops that ranks share, and rows that move between them. */
#ifndef OMP_EXT_REPORT_TEXT_SHARED_H
#define OMP_EXT_REPORT_TEXT_SHARED_H

#include <stdio.h>

#include "omp_ext/report/job.h"

/* Prints for each shared loop what each rank has done and sent. */
void keel_report_print_shared(FILE *stream, const struct keel_report_job *job);

/* Prints for each set of rows what each rank has sent and got, and the decisions with their
 * reasons: the last ones, unless `all`. */
void keel_report_print_rows(FILE *stream, const struct keel_report_job *job, bool all);

#endif
