/* Reports as JSON, and reading and writing of report files. Any thread. */
#ifndef OMP_EXT_REPORT_REPORT_FILE_H
#define OMP_EXT_REPORT_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_text.h"

#define KEEL_REPORT_VERSION 1 /* of the JSON; changes if readers would misread it */
#define KEEL_REPORT_REASON_MAX 192

/* --- JSON, as omp_ext/README.md describes it under "The report as JSON" ---
 *
 *   processes -> [writer] -> text -> [reader] -> document */

/* Returns the text, to be freed, with a line end; NULL if memory is short. The processes are sorted
 * as by keel_report_job_sort(). Numbers have a decimal point in any locale; NAN and inf are 0. */
char *keel_report_json(const struct keel_report_process *const *process, size_t count,
                       size_t *length);

/* Adds the processes of the report in the first `length` bytes of `text`, which is not trusted.
 * Unknown members are ignored, missing ones are 0, "" or empty. Returns false and adds nothing if
 * it is no report, has another version or invalid values: `reason`, KEEL_REPORT_REASON_MAX bytes,
 * says what and where, to follow the name of a file. Values read are within bounds: regions are
 * loops of the process, ranks are below `ranks`, times are finite and not negative. */
bool keel_report_read(const char *text, size_t length, struct keel_report_document *document,
                      char *reason);

/* --- files --- */

/* Writes the text to a new file beside `path` that then replaces it, so that no process reads half
 * of it and a full disk leaves the old file; or, if keel_trace_file_is_plain() is false, to `path`
 * itself. path: NULL for standard error. Returns 0 or an errno. Raises no signal. */
int keel_report_file_write(const char *path, const char *text, size_t length);

/* Returns the contents of a regular file, aligned to 64, to be freed; NULL with `reason` as
 * above. */
char *keel_report_file_contents(const char *path, size_t *length, char *reason);

/* Reads a report as keel_report_read() does. */
bool keel_report_file_read(const char *path, struct keel_report_document *document, char *reason);

/* Writes the processes, sorted as by keel_report_job_sort(), to `path` as keel_report_file_write()
 * does: JSON if `json` is set or the name ends in ".json", otherwise text. Returns 0 or an
 * errno. */
int keel_report_output(const struct keel_report_process *const *process, size_t count,
                       const char *path, bool json, struct keel_report_text_options options);

/* --- folders of files that processes leave for the one that reads and removes them all --- */

/* Calls take(path, name, context) for each file in it. */
void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context);

/* Removes the folder with its contents. */
void keel_report_folder_remove(const char *folder);

#endif
