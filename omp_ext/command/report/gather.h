/* The reports of processes that `keel report` finds in files, and what it makes of them. */
#ifndef OMP_EXT_COMMAND_REPORT_GATHER_H
#define OMP_EXT_COMMAND_REPORT_GATHER_H

#include "omp_ext/command/report/request.h"
#include "omp_ext/report/files/collection.h"

/* Adds what a file holds. False, after a message: it holds no report. */
bool keel_gather_file(struct keel_report_collection *collection, const char *path);

/* Adds what processes have left in the folder; what can't be read is left out, after a message. */
void keel_gather_folder(struct keel_report_collection *collection, const char *folder);

/* Writes all of it as asked for; without a file, to standard output where `shown`, else to standard
 * error. False, after a message: it can't be written. */
bool keel_gather_write(const struct keel_report_collection *collection,
                       const struct keel_report_request *request, bool shown);

#endif
