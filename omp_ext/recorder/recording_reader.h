/* Figures of a recording, whether the process that makes it still runs or was killed.
 *
 *   bytes of a recording (recording_format.h) -> keel_recording_figures() -> report_figures.h
 *
 * The bytes may have been cut off, or be anything else: they are not trusted. */
#ifndef OMP_EXT_RECORDER_RECORDING_READER_H
#define OMP_EXT_RECORDER_RECORDING_READER_H

#include <stddef.h>

#include "omp_ext/report/report_document.h"

/* Adds the process of the recording in `bytes`, which has to be aligned to 64, and is not used any
 * longer. The time for chunks is part of what threads are busy, and what nobody has recorded, such
 * as suggestions, is 0 or "". NULL: it is no recording, or memory is short. */
struct keel_report_process *keel_recording_figures(const void *bytes, size_t length,
                                                   struct keel_report_document *document);

#endif
