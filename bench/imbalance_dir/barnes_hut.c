/* Forces among the bodies of a star cluster by Barnes and Hut's octree (Nature 324, 1986): bodies
 * in the crowded middle meet more cells than those outside. Bodies are numbered in the order of the
 * tree, so that neighbours cost alike.
 *
 * The cluster is a Plummer sphere of mass 1 and radius 1, whose potential energy is -3 pi / 32; an
 * iteration returns its body's share of it. */
#include "bench/imbalance_dir/kernel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/support/memory.h"

#define BODIES 1500      /* at scale 1 */
#define RADIUS_MAX 10.0  /* the sphere has no end; 1.5 % of its mass lie outside of this */
#define OPENING 0.5      /* a cell seen under a smaller size / distance counts as one body */
#define SOFTENING 1e-6   /* added to the squared distance */
#define CELL_EMPTY (-1l) /* no body in the cell, or no cell there */

struct cell {
    double centre[3], half;
    double mass, at[3]; /* at: the centre of mass */
    long body;          /* the only one in it, or CELL_EMPTY */
    long child[8];
};

static size_t bodies;
static double (*position)[3], (*acceleration)[3];
static struct cell *cells;
static long cell_count, cell_room;

static long cell_new(const double centre[3], double half)
{
    if (cell_count == cell_room) {
        long room = cell_room == 0 ? 1024 : 2 * cell_room;
        struct cell *more = memory_new(room, sizeof *more);
        if (cell_count > 0) {
            memcpy(more, cells, (size_t)cell_count * sizeof *more);
        }
        free(cells);
        cells = more;
        cell_room = room;
    }
    struct cell *cell = &cells[cell_count];
    *cell = (struct cell){.half = half, .body = CELL_EMPTY};
    memcpy(cell->centre, centre, sizeof cell->centre);
    for (int c = 0; c < 8; c++) {
        cell->child[c] = CELL_EMPTY;
    }
    return cell_count++;
}

/* The child of `parent` in which `at` lies; made if need be, which may move `cells`. */
static long child_at(long parent, const double at[3])
{
    double centre[3], half = cells[parent].half / 2;
    int which = 0;

    for (int d = 0; d < 3; d++) {
        bool upper = at[d] >= cells[parent].centre[d];
        which |= upper << d;
        centre[d] = cells[parent].centre[d] + (upper ? half : -half);
    }
    if (cells[parent].child[which] == CELL_EMPTY) {
        long child = cell_new(centre, half);
        cells[parent].child[which] = child;
    }
    return cells[parent].child[which];
}

/* Mass counts the bodies in the cell, and `at` sums their positions, until the tree is complete. */
static void cell_add(long cell, long body)
{
    cells[cell].mass += 1;
    for (int d = 0; d < 3; d++) {
        cells[cell].at[d] += position[body][d];
    }
}

/* A body goes down to an empty cell, and takes along the one that it meets alone on its way. No
 * two bodies are in one place, so they part somewhere. */
static void insert(long cell, long body)
{
    while (cells[cell].mass > 0) {
        long other = cells[cell].body;
        if (other != CELL_EMPTY) {
            cells[cell].body = CELL_EMPTY;
            long child = child_at(cell, position[other]);
            cells[child].body = other;
            cell_add(child, other);
        }
        cell_add(cell, body);
        cell = child_at(cell, position[body]);
    }
    cells[cell].body = body;
    cell_add(cell, body);
}

static void build_tree(void)
{
    cell_count = 0;
    cell_new((double[3]){0, 0, 0}, RADIUS_MAX);
    for (size_t body = 0; body < bodies; body++) {
        insert(0, (long)body);
    }
    for (long c = 0; c < cell_count; c++) {
        for (int d = 0; d < 3; d++) {
            cells[c].at[d] /= cells[c].mass;
        }
        cells[c].mass /= (double)bodies;
    }
}

/* Radius, then a direction, by the inverse of their distributions (Aarseth, Henon & Wielen 1974).
 */
static void place_bodies(void)
{
    double inside = pow(1 + 1 / (RADIUS_MAX * RADIUS_MAX), -1.5);

    for (size_t b = 0; b < bodies; b++) {
        double part = inside * (0.5 + (double)b) / (double)bodies;
        double radius = 1 / sqrt(pow(part, -2.0 / 3) - 1);
        double z = 2 * kernel_random_at(4, b) - 1;
        double angle = 2 * M_PI * kernel_random_at(5, b);
        position[b][0] = radius * sqrt(1 - z * z) * cos(angle);
        position[b][1] = radius * sqrt(1 - z * z) * sin(angle);
        position[b][2] = radius * z;
    }
}

/* Appends the positions of the bodies below `cell` to sorted[count], ...; returns the new count. */
static size_t collect(long cell, double (*sorted)[3], size_t count)
{
    if (cells[cell].body != CELL_EMPTY) {
        memcpy(sorted[count++], position[cells[cell].body], sizeof *sorted);
    }
    for (int c = 0; c < 8; c++) {
        if (cells[cell].child[c] != CELL_EMPTY) {
            count = collect(cells[cell].child[c], sorted, count);
        }
    }
    return count;
}

size_t barnes_hut_prepare(double scale)
{
    bodies = kernel_scaled(BODIES, scale, 16);
    position = memory_new(bodies, sizeof *position);
    acceleration = memory_new(bodies, sizeof *acceleration);
    double(*sorted)[3] = memory_new(bodies, sizeof *sorted);
    place_bodies();
    build_tree();
    collect(0, sorted, 0);
    free(position);
    position = sorted;
    build_tree();
    return bodies;
}

/* Adds what `cell` does to `body`; returns its part of the potential. */
static double attract(long body, const struct cell *cell)
{
    double from[3], square = 0, potential = 0;

    if (cell->body == body) {
        return 0;
    }
    for (int d = 0; d < 3; d++) {
        from[d] = cell->at[d] - position[body][d];
        square += from[d] * from[d];
    }
    if (cell->body == CELL_EMPTY && 4 * cell->half * cell->half > OPENING * OPENING * square) {
        for (int c = 0; c < 8; c++) {
            if (cell->child[c] != CELL_EMPTY) {
                potential += attract(body, &cells[cell->child[c]]);
            }
        }
        return potential;
    }
    double inverse = 1 / sqrt(square + SOFTENING);
    for (int d = 0; d < 3; d++) {
        acceleration[body][d] += cell->mass * from[d] * inverse * inverse * inverse;
    }
    return -cell->mass * inverse;
}

double barnes_hut_run(size_t body)
{
    memset(acceleration[body], 0, sizeof acceleration[body]);
    return attract((long)body, &cells[0]) / (2 * (double)bodies);
}
