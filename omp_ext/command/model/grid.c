/* A sweep. */
#include "omp_ext/command/model/grid.h"

#include <stdlib.h>

#include "omp_ext/support/message.h"

static bool make_room(struct keel_grid *grid, const struct keel_task *task)
{
    grid->rows = task->swept[0].count;
    grid->columns = task->swepts > 1 ? task->swept[1].count : 1;
    if (grid->rows > KEEL_GRID_POINTS_MAX / grid->columns) {
        keel_message("a sweep of %zu by %zu values, more than %d; nothing is predicted", grid->rows,
                     grid->columns, KEEL_GRID_POINTS_MAX);
        return false;
    }
    grid->result = malloc(grid->rows * grid->columns * task->results * sizeof *grid->result);
    if (grid->result == NULL) {
        keel_message("no memory for a sweep of %zu by %zu values", grid->rows, grid->columns);
    }
    return grid->result != NULL;
}

static bool fill(struct keel_grid *grid, const struct keel_task *task)
{
    struct keel_values values = task->values;
    double all[KEEL_MODEL_RESULTS_MAX], *next = grid->result;

    for (size_t i = 0; i < grid->rows; i++) {
        values.value[task->swept[0].parameter] = task->swept[0].value[i];
        for (size_t j = 0; j < grid->columns; j++) {
            if (task->swepts > 1) {
                values.value[task->swept[1].parameter] = task->swept[1].value[j];
            }
            if (!keel_values_evaluate(&values, all)) {
                return false;
            }
            for (unsigned k = 0; k < task->results; k++) {
                *next++ = all[task->result[k]];
            }
        }
    }
    return true;
}

bool keel_grid_begin(struct keel_grid *grid, const struct keel_task *task)
{
    *grid = (struct keel_grid){0};
    if (task->swepts == 0) {
        keel_message("%s: no parameter has several values (NAME=FROM:TO or NAME=A/B/...); "
                     "nothing is predicted",
                     task->values.model->name);
        return false;
    }
    return make_room(grid, task) && fill(grid, task);
}

void keel_grid_end(struct keel_grid *grid)
{
    free(grid->result);
}

double keel_grid_at(const struct keel_grid *grid, const struct keel_task *task, size_t row,
                    size_t column, unsigned wanted)
{
    return grid->result[(row * grid->columns + column) * task->results + wanted];
}
