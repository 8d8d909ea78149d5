/* Figures as JSON. "The report as JSON" in omp_ext/README.md says what stands in it.
 *
 *   processes -> [writer] -> text -> [reader] -> processes
 */
#ifndef OMP_EXT_REPORT_JSON_REPORT_WRITER_H
#define OMP_EXT_REPORT_JSON_REPORT_WRITER_H

#include <stddef.h>

#include "omp_ext/report/report_figures.h"

#define KEEL_REPORT_VERSION 1 /* of what is written; changes where a reader would go wrong */

/* The text, to be freed, with a line end; NULL: memory is short. The processes are sorted as by
 * keel_report_job_sort(). Numbers have a decimal point in any locale; what is no number is 0. Any
 * thread. */
char *keel_report_json(const struct keel_report_process *const *process, size_t count,
                       size_t *length);

#endif
