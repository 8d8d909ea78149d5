/* keel model sweep: the results of a model for each value of a parameter, or a grid of one result
 * for two. */
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/model/columns.h"
#include "omp_ext/command/model/grid.h"

/* --- one row per point --- */

static void print_titles(struct keel_columns *columns, const struct keel_task *task)
{
    const struct keel_model *model = task->values.model;
    char title[KEEL_VALUES_TEXT_MAX];

    for (unsigned i = 0; i < task->swepts; i++) {
        const struct keel_model_parameter *info = &model->parameter[task->swept[i].parameter];
        keel_columns_title(columns->csv, info->name, info->unit, title);
        keel_columns_cell(columns, keel_columns_width_of(info, &task->swept[i], title), title);
    }
    for (unsigned i = 0; i < task->results; i++) {
        const struct keel_model_result *info = &model->result[task->result[i]];
        keel_columns_title(columns->csv, info->name, info->unit, title);
        keel_columns_cell(columns, keel_columns_width(title), title);
    }
    keel_columns_end_row(columns);
}

static void print_swept(struct keel_columns *columns, const struct keel_range *range, size_t place,
                        const struct keel_model *model, unsigned width)
{
    char text[KEEL_VALUES_TEXT_MAX];

    keel_values_write(&model->parameter[range->parameter], &range->value[place],
                      keel_columns_digits(columns->csv), text);
    keel_columns_cell(columns, width, text);
}

static void print_result(struct keel_columns *columns, const struct keel_model_result *info,
                         double value, unsigned width)
{
    char text[KEEL_VALUES_TEXT_MAX];

    keel_values_write_result(info, value, keel_columns_digits(columns->csv), text);
    keel_columns_cell(columns, width, text);
}

static unsigned swept_width(const struct keel_task *task, unsigned i)
{
    const struct keel_model_parameter *info =
        &task->values.model->parameter[task->swept[i].parameter];
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_title(false, info->name, info->unit, title);
    return keel_columns_width_of(info, &task->swept[i], title);
}

static unsigned result_width(const struct keel_task *task, unsigned wanted)
{
    const struct keel_model_result *info = &task->values.model->result[task->result[wanted]];
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_title(false, info->name, info->unit, title);
    return keel_columns_width(title);
}

static void print_rows(struct keel_columns *columns, const struct keel_task *task,
                       const struct keel_grid *grid)
{
    const struct keel_model *model = task->values.model;
    unsigned width[KEEL_SWEPT_MAX] = {0};

    print_titles(columns, task);
    for (unsigned i = 0; i < task->swepts; i++) {
        width[i] = swept_width(task, i);
    }
    for (size_t point = 0; point < grid->rows * grid->columns; point++) {
        size_t place[] = {point / grid->columns, point % grid->columns};
        for (unsigned i = 0; i < task->swepts; i++) {
            print_swept(columns, &task->swept[i], place[i], model, width[i]);
        }
        for (unsigned i = 0; i < task->results; i++) {
            print_result(columns, &model->result[task->result[i]],
                         keel_grid_at(grid, task, place[0], place[1], i), result_width(task, i));
        }
        keel_columns_end_row(columns);
    }
}

/* --- a grid --- */

/* Of one result: a row for each value of the first parameter, a column for each of the second. */
static void print_grid(struct keel_columns *columns, const struct keel_task *task,
                       const struct keel_grid *grid, unsigned wanted)
{
    const struct keel_model *model = task->values.model;
    const struct keel_model_result *info = &model->result[task->result[wanted]];
    const struct keel_range *across = &task->swept[1];
    unsigned left = swept_width(task, 0), width = swept_width(task, 1);
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_title(false, info->name, info->unit, title);
    printf("%s: a row for each %s, a column for each %s\n", title,
           model->parameter[task->swept[0].parameter].name,
           model->parameter[across->parameter].name);
    keel_columns_cell(columns, left, "");
    for (size_t j = 0; j < grid->columns; j++) {
        print_swept(columns, across, j, model, width);
    }
    keel_columns_end_row(columns);
    for (size_t i = 0; i < grid->rows; i++) {
        print_swept(columns, &task->swept[0], i, model, left);
        for (size_t j = 0; j < grid->columns; j++) {
            print_result(columns, info, keel_grid_at(grid, task, i, j, wanted), width);
        }
        keel_columns_end_row(columns);
    }
}

/* Without --result, of the result that `optimise` minimises. */
static void print_grids(struct keel_columns *columns, const struct keel_task *task,
                        const struct keel_grid *grid, bool all)
{
    for (unsigned i = 0; i < task->results; i++) {
        if (all || task->result[i] == task->values.model->minimised) {
            print_grid(columns, task, grid, i);
        }
    }
}

static int sweep(const struct keel_request *request, const struct keel_task *task)
{
    struct keel_columns columns = {.csv = request->csv};
    struct keel_grid grid;
    bool good = keel_grid_begin(&grid, task);

    if (good && task->swepts == 2 && !request->csv) {
        print_grids(&columns, task, &grid, request->wanteds > 0);
    } else if (good) {
        print_rows(&columns, task, &grid);
    }
    keel_grid_end(&grid);
    return good ? 0 : KEEL_EXIT_USAGE;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        KEEL_REQUEST_CSV, KEEL_REQUEST_RESULT, KEEL_REQUEST_SOURCES, {0}};
    static const struct argp grammar = {
        .options = options,
        .parser = keel_request_take,
        .args_doc = "MODEL NAME=FROM:TO[:STEPS|:xFACTOR] [NAME=VALUE...]",
        .doc =
            "Prints what MODEL predicts for each of several values of a parameter, or of two."
            "\v"
            "NAME=A/B/... takes these values, words too, and NAME=every all words, or the values "
            "that `keel model optimise' tries. STEPS equal steps lead from FROM to TO, or each "
            "value is FACTOR times the one before it. With two such parameters: a table of one "
            "result, a row for each value of the first, a column for each of the second.",
    };
    struct keel_request request = {0};
    struct keel_task task;

    keel_request_read(argc, argv, &grammar, &request);
    int code =
        keel_task_begin(&task, &request, KEEL_SWEPT_MAX) ? sweep(&request, &task) : KEEL_EXIT_USAGE;
    keel_task_end(&task);
    return code;
}

const struct keel_subcommand keel_model_sweep = {
    .name = "sweep",
    .summary = "predict for several values of a parameter, or of two",
    .run = run,
};
