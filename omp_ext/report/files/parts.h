/* Ranks that write one report together: each writes its part, and the one that finds all parts
 * there merges them.
 *
 *   figures of a rank -> part (JSON) --- all there? ---> merged report, in place of the parts
 *
 * Parts stand beside the report's file as FILE.RANK, or in a folder of the job in TMPDIR, where the
 * ranks of a node meet. Those of ranks whose job never completes stay. */
#ifndef OMP_EXT_REPORT_FILES_PARTS_H
#define OMP_EXT_REPORT_FILES_PARTS_H

#include "omp_ext/report/figures.h"

/* Writes the rank's part beside `file`, and merges them all into `file` where this rank finds the
 * parts of the same job there first. Returns 0 or an errno. */
int keel_report_parts_beside(const struct keel_report_process *process, const char *file);

/* Writes the rank's part to `folder`, which is made (folder.h); where the parts of
 * `expected` ranks are there, merges them to `file` (NULL: standard error) and removes the folder.
 * Returns 0 or an errno. */
int keel_report_parts_in_folder(const struct keel_report_process *process, const char *folder,
                                unsigned expected, const char *file);

#endif
