/* Figures of made-up processes, with something else than 0 in every field. */
#ifndef TESTS_OMP_EXT_REPORT_SAMPLE_H
#define TESTS_OMP_EXT_REPORT_SAMPLE_H

#include "omp_ext/report/report_figures.h"

#define SAMPLE_RANKS_MAX 64

/* Rank `rank` of `ranks`, 10 s long, on node "alpha" or, from half of the ranks on, "beta". Two
 * threads; 2 s outside of regions; region 0 holds loop 1 and part 2, region 3 is by itself, loop 4
 * is nested in it. Higher ranks have more to do. Lasts as long as the process. */
struct keel_report_process sample_process(int rank, int ranks);

#endif
