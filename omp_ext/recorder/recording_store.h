/* Where the recording of this process is kept: at one address for good, grown on demand, in memory,
 * or in a file beside that of the report.
 *
 * A file is never sparse: what the recorder may write to has its blocks, so that a full disk is
 * seen when the memory grows and not when it is written to. Calls must not overlap. */
#ifndef OMP_EXT_RECORDER_RECORDING_STORE_H
#define OMP_EXT_RECORDER_RECORDING_STORE_H

#include <stddef.h>

/* The name of the report's file, absolute, as the program may change its folder: as it was at the
 * first call, when recording begins. NULL: standard error; a message has told of a name that is too
 * long. */
const char *keel_report_file_name(void);

/* Memory with room for at least `bytes`; of a file, a regular one of that name is replaced. rank:
 * of this process in its job; -1: there is none. Where there can be no file, a message says so.
 * NULL, after a message: there is no memory. */
void *keel_recording_store_open(size_t bytes, int rank);

/* Makes room for at least `bytes` in all; 0 or an errno, and what was there stays. */
int keel_recording_store_grow(size_t bytes);

/* Removes the file, if it is still there under its name. The memory stays. */
void keel_recording_store_remove(void);

#endif
