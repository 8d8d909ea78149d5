/* The table of loops in the text of a report. */
#ifndef OMP_EXT_REPORT_TEXT_LOOPS_H
#define OMP_EXT_REPORT_TEXT_LOOPS_H

#include <stdio.h>

#include "omp_ext/report/job.h"
#include "omp_ext/report/summary.h"

/* Prints the loops by what they lose; those that lose little in one line together, unless `all`. At
 * most `top` of them; 0: no limit. */
void keel_report_print_loops(FILE *stream, const struct keel_report_job *job,
                             const struct keel_report_summary *summary, bool all, size_t top);

#endif
