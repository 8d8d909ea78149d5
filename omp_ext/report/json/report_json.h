/* Figures as JSON. "The report as JSON" in omp_ext/README.md says what stands in it.
 *
 *   processes -> [writer] -> text -> [reader] -> document
 *
 * Any thread. */
#ifndef OMP_EXT_REPORT_JSON_REPORT_JSON_H
#define OMP_EXT_REPORT_JSON_REPORT_JSON_H

#include <stddef.h>

#include "omp_ext/report/report_document.h"

#define KEEL_REPORT_VERSION 1 /* of what is written; changes where a reader would go wrong */
#define KEEL_REPORT_REASON_MAX 192

/* The text, to be freed, with a line end; NULL: memory is short. The processes are sorted as by
 * keel_report_job_sort(). Numbers have a decimal point in any locale; what is no number is 0. */
char *keel_report_json(const struct keel_report_process *const *process, size_t count,
                       size_t *length);

/* Adds the processes of the report in the first `length` bytes of `text`, which someone else may
 * have written or damaged. Members that are not known are left out, those that are missing are 0,
 * "" or empty. False: it is no report, is newer than this Keel, or says what can't be: `reason`,
 * KEEL_REPORT_REASON_MAX bytes, names what and where, to be put behind the name of a file, and
 * nothing is added. What is read is within bounds: regions are loops of the process, ranks are
 * below `ranks`, times are finite and not negative. */
bool keel_report_read(const char *text, size_t length, struct keel_report_document *document,
                      char *reason);

#endif
