/* What recording itself has taken, where it could not be kept low. */
#ifndef OMP_EXT_REPORT_TEXT_RECORDING_H
#define OMP_EXT_REPORT_TEXT_RECORDING_H

#include <stdio.h>

#include "omp_ext/report/job.h"

/* Prints a note where recording has taken 1 % of a process's time or more: of short regions some
 * instances stand for the others, but what is within a longer region is all recorded. */
void keel_report_print_recording(FILE *stream, const struct keel_report_job *job);

#endif
