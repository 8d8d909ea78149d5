/* A sweep: the results of a model at each value of one or two parameters. */
#ifndef OMP_EXT_COMMAND_MODEL_GRID_H
#define OMP_EXT_COMMAND_MODEL_GRID_H

#include "omp_ext/command/model/request.h"

#define KEEL_GRID_POINTS_MAX 1000000

/* Point (i, j) has value i of the first swept parameter and value j of the second; with one, j is
 * 0. */
struct keel_grid {
    size_t rows, columns;
    double *result; /* from malloc, rows * columns * task->results, in the order of task->result */
};

/* False, and a message: nothing is swept, there are too many points, or the model can't take a
 * point. End it in either case. */
bool keel_grid_begin(struct keel_grid *grid, const struct keel_task *task);

void keel_grid_end(struct keel_grid *grid);

/* One of the wanted results, by its place among them. */
double keel_grid_at(const struct keel_grid *grid, const struct keel_task *task, size_t row,
                    size_t column, unsigned wanted);

#endif
