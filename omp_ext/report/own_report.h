/* The report of this process, written where KEEL_REPORT says.
 *
 *   figures -> [hand over] -> libkeel_report.so: [write] -> file, or standard error; ranks of one
 *     job: one report together
 *
 * libkeel_report.so, which alone contains a JSON library, is loaded only when there is a report to
 * write. */
#ifndef OMP_EXT_REPORT_OWN_REPORT_H
#define OMP_EXT_REPORT_OWN_REPORT_H

#include <stdbool.h>

#include "omp_ext/report/report_data.h"

#define KEEL_REPORT_ENDING_MAX 64 /* bytes that stay free behind it, for the names of other files */

/* Writes the name of its file into path[PATH_MAX], with the number of the process for each %p, and
 * absolute, as the program may change its folder. False: it is too long, and a message has told
 * that the report goes to standard error. */
bool keel_report_file_path(const char *name, char *path);

/* Has keel_report_write() of libkeel_report.so, from beside this library, write the report. False,
 * after a message: there is none. */
bool keel_report_hand_over(const struct keel_report_process *process, const char *file);

/* Writes the report of a process.
 *
 * `file`: NULL: a text on standard error. A name that ends in ".json": JSON; any other: a text. A
 * regular file is replaced as a whole; pipes, devices, and what the process writes to anyway are
 * written to.
 *
 * Where process->ranks is above 1, each rank writes its part, RANK.json, into the folder
 * FILE.parts-JOB, and the rank that finds all parts there merges them into FILE; where ranks never
 * come, the folder stays, for `keel report --from`. For standard error, pipes and devices, the
 * ranks of each node meet in a folder in TMPDIR, and the last one writes for all; where no launcher
 * tells what belongs together, each rank writes for itself.
 *
 * Returns 0, or an errno; a message has said so then. Threads and signals of the process are not
 * touched. Not for two threads at once. handled: as keel_message_handled(), that of the library
 * that calls; NULL: there is none. */
int keel_report_write(const struct keel_report_process *process, const char *file,
                      bool (*handled)(const char *text));

#endif
