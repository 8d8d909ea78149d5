/* The plane cut into regions: pieces of a Hilbert curve that have as many particles each at first,
 * so that neighbouring regions are neighbours in the plane. */
#ifndef BENCH_PAPERS_DIR_FG95_REGIONS_H
#define BENCH_PAPERS_DIR_FG95_REGIONS_H

#include <stdint.h>

#include "bench/papers_dir/fg95/cluster.h"

struct regions {
    int count;
    uint32_t *cut; /* region r is the curve from cut[r] to before cut[r + 1] */
};

/* Cuts the curve; where there are more regions than particles, also between these. */
void regions_cut(struct regions *regions, int count, const struct particle *particle,
                 int particles);

/* The region that a particle is in. */
int regions_find(const struct regions *regions, const struct particle *particle);

void regions_close(struct regions *regions);

#endif
