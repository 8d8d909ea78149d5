/* A report in the form that the name of its file asks for. */
#ifndef OMP_EXT_REPORT_FILES_OUTPUT_H
#define OMP_EXT_REPORT_FILES_OUTPUT_H

#include "omp_ext/report/text/report_text.h"

/* Whether the name ends in ".json". */
bool keel_report_output_is_json(const char *path);

/* Writes the processes, sorted as by keel_report_job_sort(), to `path` as keel_report_file_write()
 * does: JSON where the name says so or `json`, else text. Returns 0 or an errno. */
int keel_report_output(const struct keel_report_process *const *process, size_t count,
                       const char *path, bool json, struct keel_report_text_options options);

#endif
