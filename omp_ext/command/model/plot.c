/* keel model plot: a picture of a sweep. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/model/grid.h"
#include "omp_ext/command/parts/picture.h"
#include "omp_ext/support/message.h"

#define SERIES_MAX 64

struct drawing {
    const struct keel_task *task;
    const struct keel_grid *grid;
    FILE *script;
    double low, high; /* finite results */
};

/* --- the parts of a script --- */

static const struct keel_model_parameter *swept(const struct keel_task *task, unsigned axis)
{
    return &task->values.model->parameter[task->swept[axis].parameter];
}

static bool is_numeric(const struct keel_task *task, unsigned axis)
{
    enum keel_model_kind kind = swept(task, axis)->kind;

    return kind == KEEL_MODEL_REAL || kind == KEEL_MODEL_COUNT;
}

/* In gnuplot's double quotes. */
static void print_quoted(FILE *script, const char *text)
{
    fputc('"', script);
    for (; *text != '\0'; text++) {
        fprintf(script, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('"', script);
}

static void print_label(FILE *script, const char *axis, const char *name, const char *unit)
{
    char text[KEEL_VALUES_TEXT_MAX];

    snprintf(text, sizeof text, "%s%s%s", name, unit[0] != '\0' ? ", " : "", unit);
    fprintf(script, "set %slabel ", axis);
    print_quoted(script, text);
    fputc('\n', script);
}

/* gnuplot warns where all values are the same. */
static void print_flat(FILE *script, const char *axis, double low, double high)
{
    double around = low != 0 ? fabs(low) / 2 : 1;

    if (low == high) {
        fprintf(script, "set %srange [%.17g:%.17g]\n", axis, low - around, low + around);
    }
}

/* Words stand at 0, 1, 2 ... */
static void print_axis(const struct drawing *drawing, const char *axis, unsigned place)
{
    const struct keel_range *range = &drawing->task->swept[place];
    const struct keel_model_parameter *info = swept(drawing->task, place);
    char text[KEEL_VALUES_TEXT_MAX];

    print_label(drawing->script, axis, info->name, info->unit);
    if (range->by_factor) {
        fprintf(drawing->script, "set logscale %s\n", axis);
    }
    if (is_numeric(drawing->task, place)) {
        double first = range->value[0].number;
        print_flat(drawing->script, axis, first, range->count == 1 ? first : INFINITY);
        return;
    }
    fprintf(drawing->script, "set %stics () rotate by -40\nset %srange [-0.6:%zu.6]\n", axis, axis,
            range->count - 1);
    for (size_t i = 0; i < range->count; i++) {
        keel_values_write(info, &range->value[i], 5, text);
        fprintf(drawing->script, "set %stics add (", axis);
        print_quoted(drawing->script, text);
        fprintf(drawing->script, " %zu)\n", i);
    }
}

static double position(const struct keel_task *task, unsigned axis, size_t place)
{
    return is_numeric(task, axis) ? task->swept[axis].value[place].number : (double)place;
}

/* Infinite results are left out. */
static void print_point(const struct drawing *drawing, size_t row, size_t column, unsigned wanted)
{
    double value = keel_grid_at(drawing->grid, drawing->task, row, column, wanted);

    if (isinf(value)) {
        fprintf(drawing->script, " never");
    } else {
        fprintf(drawing->script, " %.17g", value);
    }
}

static void begin(const struct drawing *drawing, const char *title)
{
    fprintf(drawing->script,
            "set terminal pngcairo noenhanced size 900,600 font 'sans,10'\n"
            "set datafile missing 'never'\nset grid\nset key outside top center horizontal\n"
            "set title ");
    print_quoted(drawing->script, title);
    fputc('\n', drawing->script);
}

static const struct keel_model_result *result_of(const struct drawing *drawing, unsigned wanted)
{
    return &drawing->task->values.model->result[drawing->task->result[wanted]];
}

/* --- one parameter: each result against it --- */

static void draw_line(const struct drawing *drawing)
{
    const struct keel_task *task = drawing->task;

    print_axis(drawing, "x", 0);
    print_flat(drawing->script, "y", drawing->low, drawing->high);
    if (task->results == 1) {
        print_label(drawing->script, "y", result_of(drawing, 0)->name, result_of(drawing, 0)->unit);
    }
    fprintf(drawing->script, "$data << END\n");
    for (size_t i = 0; i < drawing->grid->rows; i++) {
        fprintf(drawing->script, "%.17g", position(task, 0, i));
        for (unsigned k = 0; k < task->results; k++) {
            print_point(drawing, i, 0, k);
        }
        fputc('\n', drawing->script);
    }
    fprintf(drawing->script, "END\nset style fill solid 0.5\nset boxwidth 0.7\n%splot ",
            is_numeric(task, 0) ? "" : "set yrange [0:*]\n");
    for (unsigned k = 0; k < task->results; k++) {
        fprintf(drawing->script, "%s$data using 1:%u with %s title \"%s\"", k > 0 ? ", " : "",
                k + 2,
                is_numeric(task, 0)  ? "linespoints pointtype 7 pointsize 0.5"
                : task->results == 1 ? "boxes"
                                     : "points pointsize 1.5",
                result_of(drawing, k)->name);
    }
}

/* --- two numbers: a map --- */

static void draw_map(const struct drawing *drawing)
{
    const struct keel_task *task = drawing->task;

    print_axis(drawing, "x", 0);
    print_axis(drawing, "y", 1);
    print_flat(drawing->script, "cb", drawing->low, drawing->high);
    print_label(drawing->script, "cb", result_of(drawing, 0)->name, result_of(drawing, 0)->unit);
    fprintf(drawing->script, "$data << END\n");
    for (size_t i = 0; i < drawing->grid->rows; i++) {
        for (size_t j = 0; j < drawing->grid->columns; j++) {
            fprintf(drawing->script, "%.17g %.17g", position(task, 0, i), position(task, 1, j));
            print_point(drawing, i, j, 0);
            fputc('\n', drawing->script);
        }
        fputc('\n', drawing->script);
    }
    fprintf(drawing->script, "END\nset view map\nset autoscale xfix\nset autoscale yfix\nset pm3d "
                             "corners2color mean\nunset key\n"
                             "splot $data using 1:2:3 with pm3d");
}

/* --- words among the two: a line per value of the other --- */

static void draw_series(const struct drawing *drawing)
{
    const struct keel_task *task = drawing->task;
    unsigned along = is_numeric(task, 1) && !is_numeric(task, 0) ? 1 : 0, other = 1 - along;
    char text[KEEL_VALUES_TEXT_MAX];

    print_axis(drawing, "x", along);
    print_flat(drawing->script, "y", drawing->low, drawing->high);
    print_label(drawing->script, "y", result_of(drawing, 0)->name, result_of(drawing, 0)->unit);
    fprintf(drawing->script, "set key outside right top vertical\n$data << END\n");
    for (size_t i = 0; i < task->swept[along].count; i++) {
        fprintf(drawing->script, "%.17g", position(task, along, i));
        for (size_t j = 0; j < task->swept[other].count; j++) {
            print_point(drawing, along == 0 ? i : j, along == 0 ? j : i, 0);
        }
        fputc('\n', drawing->script);
    }
    fprintf(drawing->script, "END\nplot ");
    for (size_t j = 0; j < task->swept[other].count; j++) {
        keel_values_write(swept(task, other), &task->swept[other].value[j], 5, text);
        fprintf(drawing->script, "%s$data using 1:%zu with linespoints pointsize 0.7 title ",
                j > 0 ? ", " : "", j + 2);
        print_quoted(drawing->script, text);
    }
}

/* --- the whole --- */

/* False and a message where there is nothing to draw. */
static bool find_extent(struct drawing *drawing)
{
    const struct keel_grid *grid = drawing->grid;

    drawing->low = INFINITY;
    drawing->high = -INFINITY;
    for (size_t i = 0; i < grid->rows * grid->columns * drawing->task->results; i++) {
        if (isfinite(grid->result[i])) {
            drawing->low = fmin(drawing->low, grid->result[i]);
            drawing->high = fmax(drawing->high, grid->result[i]);
        }
    }
    if (drawing->low > drawing->high) {
        keel_message("%s: no value of %s is finite; nothing is drawn",
                     drawing->task->values.model->name, result_of(drawing, 0)->name);
    }
    return drawing->low <= drawing->high;
}

static char *write_script(struct drawing *drawing)
{
    const struct keel_task *task = drawing->task;
    char *text = NULL;
    size_t size;

    drawing->script = open_memstream(&text, &size);
    if (drawing->script == NULL) {
        keel_message("no memory for a picture");
        return NULL;
    }
    begin(drawing, task->values.model->name);
    if (task->swepts == 1) {
        draw_line(drawing);
    } else if (is_numeric(task, 0) && is_numeric(task, 1)) {
        draw_map(drawing);
    } else {
        draw_series(drawing);
    }
    fputc('\n', drawing->script);
    fclose(drawing->script);
    return text;
}

/* Without --result the one that `optimise` minimises; of two parameters, one. */
static bool take_results(struct keel_task *task, const struct keel_request *request)
{
    if (request->wanteds == 0) {
        task->results = 1;
        task->result[0] = task->values.model->minimised;
    }
    if (task->swepts == 2 && task->results > 1) {
        keel_message("%s: a picture of two parameters shows one result, not %u; nothing is drawn",
                     task->values.model->name, task->results);
        return false;
    }
    return true;
}

static bool is_drawable(const struct keel_task *task)
{
    bool map = task->swepts == 2 && is_numeric(task, 0) && is_numeric(task, 1);

    for (unsigned axis = 0; axis < task->swepts; axis++) {
        size_t count = task->swept[axis].count;
        bool series = task->swepts == 2 && !map;
        if ((map && count < 2) || (series && count > SERIES_MAX && !is_numeric(task, axis))) {
            keel_message(
                "%s: %zu value%s of %s can't be drawn, from %d to %d can; nothing is drawn",
                task->values.model->name, count, count == 1 ? "" : "s", swept(task, axis)->name,
                map ? 2 : 1, map ? KEEL_GRID_POINTS_MAX : SERIES_MAX);
            return false;
        }
    }
    return true;
}

static int draw(const struct keel_task *task, const char *path)
{
    struct keel_grid grid = {0};
    struct drawing drawing = {.task = task, .grid = &grid};
    bool good = keel_grid_begin(&grid, task) && find_extent(&drawing);
    char *script = good ? write_script(&drawing) : NULL;

    keel_grid_end(&grid);
    bool drawn = script != NULL && keel_picture_write(script, path);
    free(script);
    return drawn ? 0 : good ? KEEL_EXIT_MISSING : KEEL_EXIT_USAGE;
}

static int plot(struct keel_task *task, const struct keel_request *request)
{
    if (request->output == NULL) {
        keel_message("no file for the picture is stated (-o FILE.png); nothing is drawn");
        return KEEL_EXIT_USAGE;
    }
    if (!take_results(task, request) || !is_drawable(task)) {
        return KEEL_EXIT_USAGE;
    }
    return draw(task, request->output);
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "FILE.png", 0, "The file for the picture", 0},
        KEEL_REQUEST_RESULT,
        KEEL_REQUEST_SOURCES,
        {0}};
    static const struct argp grammar = {
        .options = options,
        .parser = keel_request_take,
        .args_doc = "MODEL NAME=FROM:TO[:STEPS|:xFACTOR] [NAME=VALUE...] -o FILE.png",
        .doc = "Draws what MODEL predicts for several values of a parameter, or of two, by gnuplot."
               "\v"
               "Values are stated as for `keel model sweep'. Two parameters that are numbers give "
               "a map in colours, words and a number a line per word.",
    };
    struct keel_request request = {0};
    struct keel_task task;

    keel_request_read(argc, argv, &grammar, &request);
    int code =
        keel_task_begin(&task, &request, KEEL_SWEPT_MAX) ? plot(&task, &request) : KEEL_EXIT_USAGE;
    keel_task_end(&task);
    return code;
}

const struct keel_subcommand keel_model_plot = {
    .name = "plot",
    .summary = "draw a sweep",
    .run = run,
};
