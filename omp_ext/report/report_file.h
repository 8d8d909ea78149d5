/* Files that reports are written to and read from. Any thread. */
#ifndef OMP_EXT_REPORT_REPORT_FILE_H
#define OMP_EXT_REPORT_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/json/report_json.h"
#include "omp_ext/report/text/report_text.h"

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
