/* A comparison as comma-separated values: a line for each run, and for each loop in it. */
#ifndef OMP_EXT_COMMAND_COMPARE_FILES_CSV_H
#define OMP_EXT_COMMAND_COMPARE_FILES_CSV_H

#include <stdbool.h>

#include "omp_ext/command/compare/session.h"

/* Columns: place, schedule, round, order, wall_s, user_s, system_s, resident_kib. `place` is empty
 * for the whole program; round 0 is for warming up; of loops only wall_s is there. False: a message
 * has said why not. */
bool keel_compare_csv_write(const char *path, const struct keel_session *session);

#endif
