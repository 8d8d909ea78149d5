/* Telling Keel's schedules in OMP_SCHEDULE from libgomp's. */
#ifndef OMP_EXT_SETTINGS_OMP_SCHEDULE_H
#define OMP_EXT_SETTINGS_OMP_SCHEDULE_H

#include <stdbool.h>

/* Whether this value of OMP_SCHEDULE names a schedule that Keel knows and libgomp does not. */
bool keel_omp_schedule_is_ours(const char *value);

#endif
