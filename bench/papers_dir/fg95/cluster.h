/* A cluster of stars in the plane and its gravity, by Barnes and Hut's tree (Nature 324, 1986).
 *
 *   cluster_make() -> particles -> [tree] -> pulls -> kicks and drifts -> particles ...
 *
 * Gravity of the plane: the force falls like 1/distance, the potential grows like its logarithm.
 * The cluster is Plummer's as it is seen in the plane, M(r) = r^2 / (1 + r^2); with speeds of
 * variance 1/4 in each direction it is in balance everywhere (Ostriker, ApJ 140, 1964). Units: its
 * mass, its radius and the constant of gravity are 1.
 *
 * Whatever is computed is the same to the last bit wherever and in whatever order it is computed:
 * particles are added up by number, and nothing but + - * / and square roots are used. */
#ifndef BENCH_PAPERS_DIR_FG95_CLUSTER_H
#define BENCH_PAPERS_DIR_FG95_CLUSTER_H

#include <stdint.h>

struct particle {
    int64_t number; /* 0 .. particles - 1 */
    double at[2], speed[2];
    double pull[2]; /* acceleration at `at` */
};

/* `count` particles of mass 1/count, numbered, at rest as a whole; nothing is known of pulls. */
void cluster_make(struct particle *particle, int count, uint64_t seed);

/* A square with particles order[first] .. order[last - 1] in it. */
struct cell {
    double at[2], mass; /* their centre of mass */
    double size;        /* side of the square */
    int first, last;
    int behind; /* cells [this + 1, behind) are parts of this one; none: a leaf */
};

struct tree {
    int particles;
    double (*at)[2]; /* where each particle is, by its number */
    int *order;
    struct cell *cell; /* each before its parts */
    int cells, room;
    int *sorted; /* scratch */
};

/* Room for that many particles. */
void tree_open(struct tree *tree, int particles);

/* Builds the tree from tree->at. */
void tree_build(struct tree *tree);

/* Sets the pull of all others on a particle of the tree: cells that look smaller than `opening`
 * (size / distance, 0 to 0.7, so that none is used for a particle inside of it) count as one
 * body; 0: every pair by itself. Returns how many bodies were looked at. */
int64_t tree_pull(const struct tree *tree, double opening, struct particle *particle);

void tree_close(struct tree *tree);

/* Half of a leapfrog step with its half of the time, and a whole one. */
void particle_kick(struct particle *particle, double time);
void particle_drift(struct particle *particle, double time);

#endif
