/* A folder in which processes that run at the same time leave what shall be brought together.
 *
 *   each: [make], write files; [is_complete]? one: [claim], read, [remove]
 */
#ifndef OMP_EXT_REPORT_FILES_FOLDER_H
#define OMP_EXT_REPORT_FILES_FOLDER_H

#include <stdbool.h>

/* The name of a job's folder in TMPDIR or /tmp, or beside the file `beside` where that is given, to
 * be freed: all its processes on the host that call with the same `purpose`, and none else, get the
 * same. NULL: memory is short. */
char *keel_report_folder_of_job(const char *beside, const char *purpose, const char *job,
                                const char *host);

/* Makes the folder unless it is there. 0 or an errno: EPERM where it is somebody else's, or a link,
 * so that others can't choose where files go. */
int keel_report_folder_make(const char *folder);

/* How many files in it have a name that begins with a digit and ends so. */
unsigned keel_report_folder_count(const char *folder, const char *ending);

/* Takes the folder away from all others, under a new name, to be freed. Only one process gets it;
 * the others get NULL. */
char *keel_report_folder_claim(const char *folder);

/* Calls take(path, name, context) for each file in it. */
void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context);

/* Removes the folder with all that is in it. */
void keel_report_folder_remove(const char *folder);

#endif
