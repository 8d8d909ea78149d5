/* A comparison as a picture by gnuplot: the time of each run over the reference's in the same
 * round, and the middle half of them. */
#ifndef OMP_EXT_COMMAND_COMPARE_FILES_CHART_H
#define OMP_EXT_COMMAND_COMPARE_FILES_CHART_H

#include <stdbool.h>

#include "omp_ext/command/compare/session.h"

/* Whether the name ends as the pictures do that can be drawn: .png or .svg. */
bool keel_chart_is_drawable(const char *path);

/* False: a message has said why not. */
bool keel_chart_write(const char *path, const struct keel_session *session);

#endif
