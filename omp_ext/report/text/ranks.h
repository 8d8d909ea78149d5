/* What ranks have done, and what moved between them. */
#ifndef OMP_EXT_REPORT_TEXT_RANKS_H
#define OMP_EXT_REPORT_TEXT_RANKS_H

#include <stdio.h>

#include "omp_ext/report/job.h"

/* Prints nodes and ranks, by what they lose; of many ranks those that lose most, unless `all`. */
void keel_report_print_ranks(FILE *stream, const struct keel_report_job *job, bool all);

#endif
