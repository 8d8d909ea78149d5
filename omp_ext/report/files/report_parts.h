/* Ranks that write one report together: each writes its part into a folder of the job, and the one
 * that finds all parts there merges them.
 *
 *   figures of a rank -> part (JSON) --- all there? ---> merged report, in place of the folder
 *
 * The folder is beside the report's file, or in TMPDIR, where the ranks of a node meet (folder.h).
 * Parts of ranks whose job never completes stay. */
#ifndef OMP_EXT_REPORT_FILES_REPORT_PARTS_H
#define OMP_EXT_REPORT_FILES_REPORT_PARTS_H

#include "omp_ext/report/report_figures.h"

/* Writes the rank's part to `folder`, which is made; where the parts of `expected` ranks are there,
 * merges them into `file` (NULL: standard error) and removes the folder. of_node: they are those of
 * a node. Returns 0 or an errno. */
int keel_report_parts(const struct keel_report_process *process, const char *folder,
                      unsigned expected, const char *file, bool of_node);

#endif
