/* Ratios and their intervals as people read them. Pure. */
#ifndef OMP_EXT_COMMAND_COMPARE_STATISTICS_WORDING_H
#define OMP_EXT_COMMAND_COMPARE_STATISTICS_WORDING_H

#include <stddef.h>

#include "omp_ext/command/compare/statistics/ratio.h"

#define KEEL_WORDING_MAX 80

/* "12 % (10 to 14) faster", which takes 12 % less time, or "40 % (38 to 42) slower", which takes 40
 * % more; without brackets where nothing is told apart; "as fast" for a ratio of 1. In
 * text[KEEL_WORDING_MAX], which is returned. */
const char *keel_wording_of(const struct keel_ratio *ratio, char *text);

/* "0.881 (0.860 to 0.901)". */
const char *keel_wording_ratio(const struct keel_ratio *ratio, char *text);

#endif
