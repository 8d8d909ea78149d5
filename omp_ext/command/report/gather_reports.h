/* Reports and recordings of processes, gathered. */
#ifndef OMP_EXT_COMMAND_REPORT_GATHER_REPORTS_H
#define OMP_EXT_COMMAND_REPORT_GATHER_REPORTS_H

#include "omp_ext/command/programs/programs.h"
#include "omp_ext/report/report_document.h"
#include "omp_ext/report/text/report_text.h"

/* --- request --- */

/* What `keel report` was asked for. */

struct keel_report_request {
    struct keel_options options;
    const char *output; /* NULL: none was named */
    bool json;
    struct keel_report_text_options text;
    bool from; /* the program's words are files */
};

/* --- gather --- */

/* The reports of processes that `keel report` finds in files, and what it makes of them.
 *
 *   reports (JSON), recordings of killed processes -> [file, folder] -> document -> [write]
 */

/* Adds what a file holds: a report, or a recording. False, after a message: neither. */
bool keel_gather_file(struct keel_report_document *reports, const char *path);

/* Adds what processes have left in the folder; what can't be read is left out, after a message. */
void keel_gather_folder(struct keel_report_document *reports, const char *folder);

/* Writes all of it as asked for; without a file, to standard output where `shown`, else to standard
 * error. False, after a message: it can't be written. */
bool keel_gathered_write(struct keel_report_document *reports,
                         const struct keel_report_request *request, bool shown);

#endif
