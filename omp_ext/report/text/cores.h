/* Teams that have fewer cores than threads: what to write instead. */
#ifndef OMP_EXT_REPORT_TEXT_CORES_H
#define OMP_EXT_REPORT_TEXT_CORES_H

#include <stdio.h>

#include "omp_ext/report/job.h"

/* Prints a note for the job where a team of T threads may use fewer cores than T, or the ranks of a
 * node together have more threads than it has cores; nothing otherwise. */
void keel_report_print_cores(FILE *stream, const struct keel_report_job *job);

#endif
