/* The name of a report's file, as KEEL_REPORT has it. */
#ifndef OMP_EXT_REPORT_FILE_NAME_H
#define OMP_EXT_REPORT_FILE_NAME_H

#include <stdbool.h>

#define KEEL_REPORT_ENDING_MAX 64 /* bytes that stay free behind it, for the names of other files */

/* Writes it into path[PATH_MAX], with the number of the process for each %p, and absolute, as the
 * program may change its folder. False: it is too long, and a message has told that the report goes
 * to standard error. */
bool keel_report_file_path(const char *name, char *path);

#endif
