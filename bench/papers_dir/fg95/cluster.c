#include "bench/papers_dir/fg95/cluster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/support.h"

#define RADIUS_MAX 10.0  /* the profile has no end; 1 % of the mass lies outside of this */
#define SOFTENING 0.0025 /* added to squared distances: a body is about 0.05 wide */
#define LEAF_PARTICLES 4 /* a cell with more is cut in four */
#define DEPTH_MAX 40     /* where particles are as good as in one place */

/* A number in [0, 1). */
static double draw(uint64_t *state)
{
    return random_fraction(random_next(state));
}

/* Nearly a normal distribution of variance 1. */
static double draw_normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += draw(state);
    }
    return sum;
}

/* Any direction, of length 1: from a point in the circle (von Neumann). */
static void draw_direction(uint64_t *state, double direction[2])
{
    double square;

    do {
        direction[0] = 2 * draw(state) - 1;
        direction[1] = 2 * draw(state) - 1;
        square = direction[0] * direction[0] + direction[1] * direction[1];
    } while (square >= 1 || square < 1e-6);
    direction[0] /= sqrt(square);
    direction[1] /= sqrt(square);
}

/* Takes the mean out of each of the four columns. */
static void bring_to_rest(struct particle *particle, int count)
{
    for (int d = 0; d < 2; d++) {
        double at = 0, speed = 0;
        for (int p = 0; p < count; p++) {
            at += particle[p].at[d] / count;
            speed += particle[p].speed[d] / count;
        }
        for (int p = 0; p < count; p++) {
            particle[p].at[d] -= at;
            particle[p].speed[d] -= speed;
        }
    }
}

/* Radii by the inverse of M(r). */
void cluster_make(struct particle *particle, int count, uint64_t seed)
{
    double inside = RADIUS_MAX * RADIUS_MAX / (1 + RADIUS_MAX * RADIUS_MAX);
    uint64_t state = seed;

    for (int p = 0; p < count; p++) {
        double mass = inside * (0.5 + p) / count, direction[2];
        double radius = sqrt(mass / (1 - mass));
        particle[p] = (struct particle){.number = p};
        draw_direction(&state, direction);
        for (int d = 0; d < 2; d++) {
            particle[p].at[d] = radius * direction[d];
            particle[p].speed[d] = 0.5 * draw_normal(&state);
        }
    }
    bring_to_rest(particle, count);
}

static double square_between(const double a[2], const double b[2])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

void tree_open(struct tree *tree, int particles)
{
    *tree = (struct tree){.particles = particles,
                          .at = memory_new(particles, sizeof *tree->at),
                          .order = memory_new(particles, sizeof *tree->order),
                          .sorted = memory_new(particles, sizeof *tree->sorted)};
}

void tree_close(struct tree *tree)
{
    free(tree->at);
    free(tree->order);
    free(tree->sorted);
    free(tree->cell);
}

/* A cell for order[first] .. order[last - 1], which keep their order. */
static int cell_new(struct tree *tree, int first, int last, double size)
{
    double mass = 1.0 / tree->particles;

    tree->cell = memory_grow(tree->cell, &tree->room, tree->cells + 1, sizeof *tree->cell);
    struct cell *cell = &tree->cell[tree->cells];
    *cell =
        (struct cell){.size = size, .first = first, .last = last, .mass = mass * (last - first)};
    for (int d = 0; d < 2; d++) {
        for (int i = first; i < last; i++) {
            cell->at[d] += tree->at[tree->order[i]][d];
        }
        cell->at[d] /= last - first;
    }
    return tree->cells++;
}

/* Which quarter of a square round `middle` a place is in. */
static int quarter(const double at[2], const double middle[2])
{
    return (at[0] >= middle[0]) + 2 * (at[1] >= middle[1]);
}

/* Sorts order[first] .. by quarter; part q is [from[q], from[q + 1]) then. */
static void cut_in_four(struct tree *tree, int first, int last, const double middle[2], int from[5])
{
    int next[4], count[4] = {0};

    for (int i = first; i < last; i++) {
        count[quarter(tree->at[tree->order[i]], middle)]++;
    }
    from[0] = first;
    for (int q = 0; q < 4; q++) {
        next[q] = from[q];
        from[q + 1] = from[q] + count[q];
    }
    for (int i = first; i < last; i++) {
        tree->sorted[next[quarter(tree->at[tree->order[i]], middle)]++] = tree->order[i];
    }
    memcpy(&tree->order[first], &tree->sorted[first], (size_t)(last - first) * sizeof(int));
}

static void build(struct tree *tree, int first, int last, const double middle[2], double size,
                  int depth)
{
    int from[5], cell = cell_new(tree, first, last, size);

    if (last - first > LEAF_PARTICLES && depth < DEPTH_MAX) {
        cut_in_four(tree, first, last, middle, from);
        for (int q = 0; q < 4; q++) {
            double inside[2] = {middle[0] + (q % 2 ? size : -size) / 4,
                                middle[1] + (q / 2 ? size : -size) / 4};
            if (from[q] < from[q + 1]) {
                build(tree, from[q], from[q + 1], inside, size / 2, depth + 1);
            }
        }
    }
    tree->cell[cell].behind = tree->cells;
}

void tree_build(struct tree *tree)
{
    double half = 1;

    for (int p = 0; p < tree->particles; p++) {
        tree->order[p] = p;
        for (int d = 0; d < 2; d++) {
            half = fmax(half, fabs(tree->at[p][d]));
        }
    }
    tree->cells = 0;
    if (tree->particles > 0) {
        build(tree, 0, tree->particles, (double[2]){0, 0}, 2 * half, 0);
    }
}

static void attract(struct particle *particle, const double at[2], double mass)
{
    double strength = mass / (square_between(at, particle->at) + SOFTENING);

    for (int d = 0; d < 2; d++) {
        particle->pull[d] += strength * (at[d] - particle->at[d]);
    }
}

/* The particle itself may be among them: it does nothing to itself. */
static int64_t attract_one_by_one(const struct tree *tree, const struct cell *leaf,
                                  struct particle *particle)
{
    for (int i = leaf->first; i < leaf->last; i++) {
        attract(particle, tree->at[tree->order[i]], 1.0 / tree->particles);
    }
    return leaf->last - leaf->first;
}

int64_t tree_pull(const struct tree *tree, double opening, struct particle *particle)
{
    int64_t looked_at = 0;
    int c = 0;

    particle->pull[0] = particle->pull[1] = 0;
    while (c < tree->cells) {
        const struct cell *cell = &tree->cell[c];
        double square = square_between(cell->at, particle->at);
        if (cell->size * cell->size < opening * opening * square) {
            attract(particle, cell->at, cell->mass);
            looked_at++;
            c = cell->behind;
        } else {
            if (cell->behind == c + 1) {
                looked_at += attract_one_by_one(tree, cell, particle);
            }
            c++;
        }
    }
    return looked_at;
}

void particle_kick(struct particle *particle, double time)
{
    for (int d = 0; d < 2; d++) {
        particle->speed[d] += time * particle->pull[d];
    }
}

void particle_drift(struct particle *particle, double time)
{
    for (int d = 0; d < 2; d++) {
        particle->at[d] += time * particle->speed[d];
    }
}
