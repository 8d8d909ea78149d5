/* Reports as JSON, and files that they are written to and read from. Any thread. */
#ifndef OMP_EXT_REPORT_REPORT_FILE_H
#define OMP_EXT_REPORT_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/text/report_text.h"

#define KEEL_REPORT_VERSION 1 /* of the JSON; changes where a reader would go wrong */
#define KEEL_REPORT_REASON_MAX 192

/* --- JSON, as omp_ext/README.md describes it under "The report as JSON" ---
 *
 *   processes -> [writer] -> text -> [reader] -> document */

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

/* --- files --- */

/* Writes the text: to a new file beside `path` that then takes its place, so that nobody sees half
 * of it and a full disk leaves what was there; or, where keel_trace_file_is_plain() is false, to
 * what `path` names. NULL: to standard error. Returns 0 or an errno. No signal comes of it. */
int keel_report_file_write(const char *path, const char *text, size_t length);

/* All of a regular file, aligned to 64, to be freed. NULL: `reason`, KEEL_REPORT_REASON_MAX bytes,
 * says why not. */
char *keel_report_file_contents(const char *path, size_t *length, char *reason);

/* Reads a report as keel_report_read() does. */
bool keel_report_file_read(const char *path, struct keel_report_document *document, char *reason);

/* Writes the processes, sorted as by keel_report_job_sort(), to `path` as keel_report_file_write()
 * does: JSON where the name says so or `json`, else text. Returns 0 or an errno. */
int keel_report_output(const struct keel_report_process *const *process, size_t count,
                       const char *path, bool json, struct keel_report_text_options options);

/* --- folders of files that processes leave for one that reads them, and removes all --- */

/* Calls take(path, name, context) for each file in it. */
void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context);

/* Removes the folder with all that is in it. */
void keel_report_folder_remove(const char *folder);

#endif
