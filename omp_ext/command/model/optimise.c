/* keel model optimise: the policy and the parameters with the best predicted result, those that
 * come next, and what each choice is worth. */
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/model/columns.h"
#include "omp_ext/command/model/search.h"
#include "omp_ext/support/message.h"

#define ROWS 10 /* printed; as comma-separated values, all */
#define SAVES "best saves, %"
#define SAVES_CSV "best_saves_percent"

/* --- what is free --- */

struct chosen {
    unsigned count;
    unsigned parameter[KEEL_SEARCH_FREE_MAX];
};

static bool choose(struct chosen *chosen, const struct keel_model *model, unsigned parameter)
{
    if (chosen->count == KEEL_SEARCH_FREE_MAX) {
        keel_message("%s: more than %d free parameters; nothing is predicted", model->name,
                     KEEL_SEARCH_FREE_MAX);
        return false;
    }
    for (unsigned i = 0; i < chosen->count; i++) {
        if (chosen->parameter[i] == parameter) {
            keel_message("%s: --free names %s twice; nothing is predicted", model->name,
                         model->parameter[parameter].name);
            return false;
        }
    }
    chosen->parameter[chosen->count++] = parameter;
    return true;
}

static bool choose_named(struct chosen *chosen, const struct keel_model *model, const char *names)
{
    while (true) {
        size_t length = strcspn(names, ",");
        int parameter = keel_models_parameter(model, names, length);
        if (parameter < 0 || !choose(chosen, model, (unsigned)parameter)) {
            return false;
        }
        if (names[length] == '\0') {
            return true;
        }
        names += length + 1;
    }
}

/* What the model lets choose, but for what is stated. */
static bool choose_unstated(struct chosen *chosen, const struct keel_values *values)
{
    for (unsigned i = 0; i < keel_models_parameters(values->model); i++) {
        if (values->model->parameter[i].chosen && values->origin[i] != KEEL_MODEL_STATED &&
            !choose(chosen, values->model, i)) {
            return false;
        }
    }
    if (chosen->count == 0) {
        keel_message("%s: all that could be chosen is stated; nothing is predicted (see --free)",
                     values->model->name);
    }
    return chosen->count > 0;
}

/* --- printing --- */

/* Part of `cost` that the best saves, in percent. */
static double saved(double cost, double best)
{
    return cost > best ? 100 * (1 - best / cost) : 0;
}

static unsigned free_width(const struct keel_search *search, unsigned i)
{
    const struct keel_model_parameter *info =
        &search->values.model->parameter[search->range[i].parameter];
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_title(false, info->name, info->unit, title);
    return keel_columns_width_of(info, &search->range[i], title);
}

/* Values without an influence beside these words are not shown. */
static void print_value(struct keel_columns *columns, const struct keel_search *search,
                        const struct keel_search_row *row, unsigned i)
{
    const struct keel_model *model = search->values.model;
    unsigned parameter = search->range[i].parameter;
    char text[KEEL_VALUES_TEXT_MAX] = "-";

    if (model->takes == NULL || model->takes(row->value, parameter)) {
        keel_values_write(&model->parameter[parameter], &row->value[parameter],
                          keel_columns_digits(columns->csv), text);
    }
    keel_columns_cell(columns, free_width(search, i), text);
}

static void print_cost(struct keel_columns *columns, const struct keel_search *search, double cost)
{
    const struct keel_model_result *info =
        &search->values.model->result[search->values.model->minimised];
    char text[KEEL_VALUES_TEXT_MAX];

    keel_values_write_result(info, cost, keel_columns_digits(columns->csv), text);
    keel_columns_cell(columns, keel_columns_width(""), text);
    snprintf(text, sizeof text, "%.*g", columns->csv ? KEEL_COLUMNS_DIGITS_CSV : 3,
             saved(cost, search->row[0].cost));
    keel_columns_cell(columns, (unsigned)strlen(SAVES), text);
}

static void print_cost_titles(struct keel_columns *columns, const struct keel_model *model)
{
    const struct keel_model_result *info = &model->result[model->minimised];
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_title(columns->csv, info->name, info->unit, title);
    keel_columns_cell(columns, keel_columns_width(title), title);
    keel_columns_cell(columns, (unsigned)strlen(SAVES), columns->csv ? SAVES_CSV : SAVES);
    keel_columns_end_row(columns);
}

static void print_rows(struct keel_columns *columns, const struct keel_search *search)
{
    const struct keel_model *model = search->values.model;
    char title[KEEL_VALUES_TEXT_MAX];

    keel_columns_cell(columns, 4, columns->csv ? "rank" : "RANK");
    for (unsigned i = 0; i < search->frees; i++) {
        const struct keel_model_parameter *info = &model->parameter[search->range[i].parameter];
        keel_columns_title(columns->csv, info->name, info->unit, title);
        keel_columns_cell(columns, free_width(search, i), title);
    }
    print_cost_titles(columns, model);
    for (unsigned i = 0; i < search->rows && (columns->csv || i < ROWS); i++) {
        snprintf(title, sizeof title, "%u", i + 1);
        keel_columns_cell(columns, 4, title);
        for (unsigned k = 0; k < search->frees; k++) {
            print_value(columns, search, &search->row[i], k);
        }
        print_cost(columns, search, search->row[i].cost);
        keel_columns_end_row(columns);
    }
}

/* --- what choices are worth --- */

/* The best row with the choices `from` .. `to` - 1 put back. */
static bool print_without(struct keel_columns *columns, struct keel_search *search,
                          const struct keel_values *before, unsigned from, unsigned to)
{
    const struct keel_model *model = search->values.model;
    struct keel_search_row row = search->row[0];
    double result[KEEL_MODEL_RESULTS_MAX];

    for (unsigned i = from; i < to; i++) {
        unsigned parameter = search->range[i].parameter;
        row.value[parameter] = before->value[parameter];
    }
    memcpy(search->values.value, row.value, sizeof row.value);
    if (!keel_values_evaluate(&search->values, result)) {
        return false;
    }
    keel_columns_cell(columns, 4, "");
    for (unsigned i = 0; i < search->frees; i++) {
        print_value(columns, search, &row, i);
    }
    print_cost(columns, search, result[model->minimised]);
    keel_columns_end_row(columns);
    return true;
}

/* Choices without an influence on the best row are worth nothing. */
static bool print_worth(struct keel_columns *columns, struct keel_search *search,
                        const struct keel_values *before)
{
    const struct keel_model *model = search->values.model;
    const struct keel_model_value *best = search->row[0].value;
    unsigned shown = 0;

    puts("\nThe best with one choice put back to what it was before, then with all:");
    for (unsigned i = 0; i < search->frees; i++) {
        if (model->takes != NULL && !model->takes(best, search->range[i].parameter)) {
            continue;
        }
        shown++;
        if (!print_without(columns, search, before, i, i + 1)) {
            return false;
        }
    }
    return shown == 1 || print_without(columns, search, before, 0, search->frees);
}

static bool optimise(const struct keel_request *request, const struct keel_task *task)
{
    static struct keel_search search;
    struct keel_columns columns = {.csv = request->csv};
    struct chosen chosen = {0};

    if (!(request->free != NULL ? choose_named(&chosen, task->values.model, request->free)
                                : choose_unstated(&chosen, &task->values))) {
        return false;
    }
    bool good = keel_search_begin(&search, &task->values, chosen.parameter, chosen.count);
    if (good) {
        print_rows(&columns, &search);
        good = request->csv || print_worth(&columns, &search, &task->values);
    }
    keel_search_end(&search);
    return good;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"free", 'f', "NAME,...", 0,
         "Choose these parameters; otherwise those that the model "
         "lets choose and that are not stated",
         0},
        KEEL_REQUEST_CSV,
        KEEL_REQUEST_SOURCES,
        {0}};
    static const struct argp grammar = {
        .options = options,
        .parser = keel_request_take,
        .args_doc = "MODEL [NAME=VALUE...]",
        .doc = "Finds the policy and the parameters for which MODEL predicts the least time.\v"
               "All combinations of candidates are tried, then numbers between them around the "
               "best one. Where words are free, as policies are, each is shown with its best "
               "numbers. The last table tells what each choice is worth: the best with that "
               "choice put back to its stated value or default. `best saves' is the part of a "
               "row's time that the best one saves.",
    };
    struct keel_request request = {0};
    struct keel_task task;

    keel_request_read(argc, argv, &grammar, &request);
    bool good = keel_task_begin(&task, &request, 0) && optimise(&request, &task);
    keel_task_end(&task);
    return good ? 0 : KEEL_EXIT_USAGE;
}

const struct keel_subcommand keel_model_optimise = {
    .name = "optimise",
    .summary = "find the policy and the parameters that take least time",
    .run = run,
};
