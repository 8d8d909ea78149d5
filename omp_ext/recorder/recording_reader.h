/* Figures of a recording, whether the process that makes it still runs or was killed.
 *
 *   bytes of a recording (recording_format.h) -> keel_recording_figures() -> report_figures.h
 *
 * The bytes may have been cut off, or be anything else: they are not trusted. */
#ifndef OMP_EXT_RECORDER_RECORDING_READER_H
#define OMP_EXT_RECORDER_RECORDING_READER_H

#include <stddef.h>

#include "omp_ext/report/report_figures.h"

/* Figures of the recording in `bytes`, which has to be aligned to 64. claim_s: what it takes to get
 * a chunk. What nobody has recorded, such as suggestions, is 0 or "". NULL: it is no recording
 * (errno EINVAL), or memory is short (ENOMEM). Free them by keel_recording_figures_free(); `bytes`
 * is not used any longer. */
struct keel_report_process *keel_recording_figures(const void *bytes, size_t length,
                                                   double claim_s);

void keel_recording_figures_free(struct keel_report_process *process);

/* The same from a file. NULL: errno says why. */
struct keel_report_process *keel_recording_figures_of_file(const char *path, double claim_s);

/* What it takes to get a chunk where nobody has measured that, s. */
#define KEEL_RECORDING_CLAIM_S 1e-7

#endif
