/* The report of this process, written to the file that KEEL_REPORT names.
 *
 *   report data -> [hand over] -> libkeel_report.so: [write] -> file or standard error; one report
 *     for all ranks of a job
 *
 * libkeel_report.so, which alone contains a JSON library, is loaded only when there is a report to
 * write. */
#ifndef OMP_EXT_REPORT_OWN_REPORT_H
#define OMP_EXT_REPORT_OWN_REPORT_H

#include <stdbool.h>

#include "omp_ext/report/report_data.h"

#define KEEL_REPORT_ENDING_MAX 64 /* bytes reserved for endings of other files' names */

/* Writes the absolute name of the report's file to path[PATH_MAX], with the process number for each
 * %p. Returns false if it is too long, after the message that the report goes to standard error. */
bool keel_report_file_path(const char *name, char *path);

/* Writes the report by keel_report_write() of libkeel_report.so, which is in this library's folder.
 * Returns false, after a message, if there is no report. */
bool keel_report_hand_over(const struct keel_report_process *process, const char *file);

/* Writes the report of a process.
 *
 * `file`: NULL for text on standard error; a name that ends in ".json" for JSON, any other for
 * text. A regular file is replaced as a whole; pipes, devices, and files that the process itself
 * writes to are written to.
 *
 * If process->ranks > 1, each rank writes its part, RANK.json, into the folder FILE.parts-JOB, and
 * the rank that finds all parts there merges them into FILE; if parts never arrive, the folder
 * stays, for `keel report --from`. For standard error, pipes and devices, the ranks of each node
 * use a folder in TMPDIR, and the last one writes for all; if no launcher names the job, each rank
 * writes for itself.
 *
 * Returns 0 or, after a message, an errno. Threads and signals of the process are not touched.
 * Calls must not overlap. handled: keel_message_handled() of the calling library, or NULL. */
int keel_report_write(const struct keel_report_process *process, const char *file,
                      bool (*handled)(const char *text));

#endif
