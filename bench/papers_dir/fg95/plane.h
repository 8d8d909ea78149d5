/* The plane cut into domains, one for each processor, as Franklin and Govindan have it (PAPERS.md
 * F5, F7): by orthogonal recursive bisection into rectangles, or by a Hilbert curve.
 *
 *   particles in cells -> cuts -> owner of each cell -> who is next to whom
 *   a processor gives another one what lies beyond a line -> owner of each cell
 *
 * Cells are small against the distance of particles, and smaller where these are closer to each
 * other: a place x counts as x / (1 + |x|), in each direction. Pure; ranks that know the same cuts
 * and lines have the same domains. */
#ifndef BENCH_PAPERS_DIR_FG95_PLANE_H
#define BENCH_PAPERS_DIR_FG95_PLANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/papers_dir/fg95/cluster.h"
#include "schedules/balance/neighbours.h"

/* --- a curve that passes all squares, so that squares near to each other on it are near to each
 * other in the plane (Hilbert 1891) --- */

/* How many squares of 2^order x 2^order, order <= 16, the curve has passed when it is at the one
 * at (x, y), each 0 .. 2^order - 1. */
static inline uint32_t curve_to(unsigned order, uint32_t x, uint32_t y)
{
    uint32_t passed = 0;

    for (uint32_t side = (1u << order) / 2; side > 0; side /= 2) {
        uint32_t right = (x & side) > 0, upper = (y & side) > 0;
        passed += side * side * ((3 * right) ^ upper);
        if (!upper) { /* this quarter is turned */
            uint32_t turned = right ? ~x : x;
            x = right ? ~y : y;
            y = turned;
        }
    }
    return passed;
}

/* --- domains --- */

#define PLANE_ORDER 8
#define PLANE_SIDE (1 << PLANE_ORDER) /* cells in each direction */
#define PLANE_CELLS (PLANE_SIDE * PLANE_SIDE)
#define PLANE_OWNERS_MAX 64

enum plane_shape { PLANE_BOXES, PLANE_CURVE };

struct plane {
    enum plane_shape shape;
    int owners; /* 1 .. PLANE_OWNERS_MAX */
    uint8_t owner[PLANE_CELLS];
};

/* The cell that a place is in. */
int plane_cell(const double at[2]);

/* --- all domains anew --- */

/* Where to cut so that each owner has particles in proportion to its power, to the nearest row of
 * cells (boxes) or cell (curve); owners - 1 cuts. count: particles in each cell. */
void plane_cut(const struct plane *plane, const int *count, const double *power, int *cut);

/* Sets every cell's owner. */
void plane_paint(struct plane *plane, const int *cut);

/* next[i * owners + j]: whether cells of i and j touch. */
void plane_neighbours(const struct plane *plane, bool *next);

/* The same with each owner next to those before and behind it, wherever they lie. */
void plane_line(int owners, bool *next);

/* --- a part of a domain --- */

/* A gift: cells of `from` whose key is above `bound` go to `to`. */
struct plane_gift {
    int32_t from, to;
    int32_t particles; /* in them; with all domains anew: what `to` gets of them */
    int32_t painted;   /* owners are known already */
    double key[3];     /* times x, y and the place on the curve: the key of a cell */
    double bound;
};

/* The key by which a cell is the nearer to `to`'s middle the larger it is; along the curve: the
 * nearer to its end (to > from) or its beginning. */
void plane_set_key(const struct plane *plane, struct plane_gift *gift, const double middle[2],
                   const double of_other[2]);

double plane_key(const struct plane_gift *gift, int cell);

/* Which of `staying` own particles go if nearly `tasks` of them are to: those in one cell stay
 * together. Sorts them so that these are the last ones, sets the gift's key and bound, and returns
 * the first of them. at: all particles, as of the last exchange, when the domain was as it is. */
int plane_choose(const struct plane *plane, struct plane_gift *gift, const double (*at)[2],
                 int particles, struct particle *own, int staying, int tasks);

/* Gives cells, as of `before`, which has been the owner of each before all gifts of this step. */
void plane_give(struct plane *plane, const uint8_t *before, const struct plane_gift *gift);

/* --- who gives whom --- */

/* F2: what an owner is to have of all tasks. */
double plane_ideal(int owners, const double *power, int owner, int tasks);

/* F3 or F4 */
struct plane_rule {
    bool random; /* else diffusion */
    double threshold, alpha;
    uint64_t seed;
};

/* What `owner` gives to those next to it, by Keel's balancers: it and they are all of whom it
 * knows, and random's threshold is of the ideal of all. tasks: its own and, under diffusion, those
 * of its neighbours; all: the sum of everybody's. Returns how many transfers there are. */
size_t plane_transfers(const struct plane_rule *rule, int owners, const bool *next,
                       const double *power, int owner, const int *tasks, int all, uint64_t step,
                       struct keel_transfer transfer[PLANE_OWNERS_MAX]);

#endif
