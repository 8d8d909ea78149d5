/* The report of this process: its file's name, as KEEL_REPORT has it, and who writes it. */
#ifndef OMP_EXT_REPORT_OWN_REPORT_H
#define OMP_EXT_REPORT_OWN_REPORT_H

#include <stdbool.h>

#include "omp_ext/report/report_figures.h"

#define KEEL_REPORT_ENDING_MAX 64 /* bytes that stay free behind it, for the names of other files */

/* Writes it into path[PATH_MAX], with the number of the process for each %p, and absolute, as the
 * program may change its folder. False: it is too long, and a message has told that the report goes
 * to standard error. */
bool keel_report_file_path(const char *name, char *path);

/* Has libkeel_report.so, from beside this library, write the report; see write.h. False, after a
 * message: there is none. */
bool keel_report_hand_over(const struct keel_report_process *process, const char *file);

#endif
