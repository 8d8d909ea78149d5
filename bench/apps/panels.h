/* Adaptive quadrature over a cell of the unit square, whose integrand has peaks that wander:
 *
 *   panels of the last time -> halved where Simpson's rule errs, joined where it does not need them
 *   -> panels of this time, their sum
 *
 * A cell keeps its panels from one time to the next. What becomes of it depends on its calls alone:
 * nothing but + - * / is used. Knows no MPI. */
#ifndef BENCH_APPS_PANELS_H
#define BENCH_APPS_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PANELS_LEVEL_MAX 20

/* What all cells have in common. */
struct panels_task {
    int across;       /* cells in a row, and rows of cells */
    double tolerance; /* error of the integral over the unit square at one time, about */
    double narrow;    /* width of the peaks */
};

/* Panels in depth-first order of a quadtree, by their levels: 0 is the whole cell. */
struct panels_cell {
    uint64_t number; /* row by row */
    double integral; /* over space, at the last time */
    double total;    /* of all times */
    int count, room;
    uint8_t *level;
};

/* A cell that is one panel. */
void panels_make(struct panels_cell *cell, uint64_t number);

void panels_free(struct panels_cell *cell);

/* The integral at a time, from 0; peaks come back after about 1. Returns how often the integrand
 * was looked at. */
uint64_t panels_integrate(const struct panels_task *task, struct panels_cell *cell, double time);

/* The cell as bytes. */
size_t panels_size(const struct panels_cell *cell);
void panels_pack(const struct panels_cell *cell, void *buffer);

/* False: no memory, and *cell is empty. */
bool panels_unpack(struct panels_cell *cell, const void *buffer);

/* The integrand. */
double panels_value(const struct panels_task *task, double x, double y, double time);

#endif
