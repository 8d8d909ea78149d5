/* keel model predict: all results of a model for one set of values. */
#include <stdio.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/model/columns.h"
#include "omp_ext/command/parts/table.h"
#include "omp_ext/command/parts/terminal.h"

static const char *const origins[] = {
    [KEEL_MODEL_DEFAULT] = "default",
    [KEEL_MODEL_MACHINE] = "measured",
    [KEEL_MODEL_TRACE] = "trace",
    [KEEL_MODEL_STATED] = "stated",
};

static bool matters(const struct keel_values *values, unsigned parameter)
{
    return values->model->takes == NULL || values->model->takes(values->value, parameter);
}

static void print_values(const struct keel_values *values)
{
    const unsigned width[] = {14, 12, 4, 8, keel_terminal_width() - 43};
    char text[KEEL_VALUES_TEXT_MAX];

    keel_table_row(5, width, (const char *[]){"PARAMETER", "VALUE", "UNIT", "FROM", "MEANING"});
    for (unsigned i = 0; i < keel_models_parameters(values->model); i++) {
        const struct keel_model_parameter *parameter = &values->model->parameter[i];
        if (matters(values, i)) {
            keel_values_write(parameter, &values->value[i], KEEL_COLUMNS_DIGITS, text);
            keel_table_row(5, width,
                           (const char *[]){parameter->name, text, parameter->unit,
                                            origins[values->origin[i]], parameter->text});
        }
    }
}

static void print_results(const struct keel_task *task, const double *result)
{
    const unsigned width[] = {14, 12, 4, keel_terminal_width() - 34};
    char text[KEEL_VALUES_TEXT_MAX];

    keel_table_row(4, width, (const char *[]){"RESULT", "VALUE", "UNIT", "MEANING"});
    for (unsigned i = 0; i < task->results; i++) {
        const struct keel_model_result *info = &task->values.model->result[task->result[i]];
        keel_values_write_result(info, result[task->result[i]], KEEL_COLUMNS_DIGITS, text);
        keel_table_row(4, width, (const char *[]){info->name, text, info->unit, info->text});
    }
}

static void print_csv(const struct keel_task *task, const double *result)
{
    char text[KEEL_VALUES_TEXT_MAX];

    puts("result,value,unit");
    for (unsigned i = 0; i < task->results; i++) {
        const struct keel_model_result *info = &task->values.model->result[task->result[i]];
        keel_values_write_result(info, result[task->result[i]], KEEL_COLUMNS_DIGITS_CSV, text);
        printf("%s,%s,%s\n", info->name, text, info->unit);
    }
}

static int predict(const struct keel_request *request, const struct keel_task *task)
{
    double result[KEEL_MODEL_RESULTS_MAX];

    if (!keel_values_evaluate(&task->values, result)) {
        return KEEL_EXIT_USAGE;
    }
    if (request->csv) {
        print_csv(task, result);
    } else {
        print_values(&task->values);
        putchar('\n');
        print_results(task, result);
    }
    return 0;
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        KEEL_REQUEST_CSV, KEEL_REQUEST_RESULT, KEEL_REQUEST_SOURCES, {0}};
    static const struct argp grammar = {
        .options = options,
        .parser = keel_request_take,
        .args_doc = "MODEL [NAME=VALUE...]",
        .doc = "Prints what MODEL predicts for these values of its parameters.\v"
               "`keel model list MODEL' shows the parameters. Seconds take the suffixes ms, us "
               "and ns. What is not stated comes from the trace, the measured costs of the "
               "machine, or a default.",
    };
    struct keel_request request = {0};
    struct keel_task task;

    keel_request_read(argc, argv, &grammar, &request);
    int code = keel_task_begin(&task, &request, 0) ? predict(&request, &task) : KEEL_EXIT_USAGE;
    keel_task_end(&task);
    return code;
}

const struct keel_subcommand keel_model_predict = {
    .name = "predict",
    .summary = "predict the results of a model",
    .run = run,
};
