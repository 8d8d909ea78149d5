#include "bench/papers_dir/fg95/regions.h"

#include <stdlib.h>

#include "bench/papers_dir/fg95/curve.h"
#include "bench/support/memory.h"

#define ORDER 16    /* the curve passes 2^16 x 2^16 squares */
#define RADIUS 12.0 /* of these; what is outside counts as on their edge */

static uint32_t square_of(double at)
{
    double squares = 1u << ORDER, place = (at / RADIUS + 1) / 2 * squares;

    return (uint32_t)(place < 0 ? 0 : place < squares ? place : squares - 1);
}

static uint32_t key_of(const struct particle *particle)
{
    return curve_to(ORDER, square_of(particle->at[0]), square_of(particle->at[1]));
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

/* Particle i begins at `place` i. */
static uint32_t key_at(const uint32_t *key, int particles, double place)
{
    int i = (int)place;
    double end = i + 1 < particles ? key[i + 1] : UINT32_MAX;

    return (uint32_t)(key[i] + (place - i) * (end - key[i]));
}

void regions_cut(struct regions *regions, int count, const struct particle *particle, int particles)
{
    uint32_t *key = memory_new(particles, sizeof *key);

    *regions = (struct regions){count, memory_new(count, sizeof *regions->cut)};
    for (int p = 0; p < particles; p++) {
        key[p] = key_of(&particle[p]);
    }
    qsort(key, (size_t)particles, sizeof *key, compare_keys);
    for (int r = 0; r < count; r++) {
        regions->cut[r] = r > 0 ? key_at(key, particles, (double)particles * r / count) : 0;
    }
    free(key);
}

int regions_find(const struct regions *regions, const struct particle *particle)
{
    uint32_t key = key_of(particle);
    int low = 0, high = regions->count;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(regions->cut[middle] <= key ? &low : &high) = middle;
    }
    return low;
}

void regions_close(struct regions *regions)
{
    free(regions->cut);
}
