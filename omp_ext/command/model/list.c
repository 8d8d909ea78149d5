/* keel model list: the models, what they want to know and what they tell. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/command/model/kinds/models.h"
#include "omp_ext/command/model/values.h"
#include "omp_ext/command/parts/table.h"
#include "omp_ext/command/parts/terminal.h"
#include "schedules/text/text.h"

#define TEXT_MAX 1024

static void print_names(void)
{
    const unsigned width[] = {14, keel_terminal_width() - 16};

    for (const struct keel_model *const *model = keel_models; *model != NULL; model++) {
        char what[TEXT_MAX];
        snprintf(what, sizeof what, "%s (%s)", (*model)->summary, (*model)->source);
        keel_table_row(2, width, (const char *[]){(*model)->name, what});
    }
}

static void write_words(const struct keel_model_parameter *parameter, char *text)
{
    const char *word;
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; (word = parameter->word(i)) != NULL; i++) {
        length = keel_text_append(text, TEXT_MAX, length, "%s%s", i > 0 ? " " : "", word);
    }
}

static void write_range(const struct keel_model_parameter *parameter, char *text)
{
    switch (parameter->kind) {
    case KEEL_MODEL_WORD:
        write_words(parameter, text);
        return;
    case KEEL_MODEL_TEXT:
        snprintf(text, TEXT_MAX, "see meaning");
        return;
    case KEEL_MODEL_REAL:
    case KEEL_MODEL_COUNT:
        break;
    }
    snprintf(text, TEXT_MAX, "%.7g .. %.7g%s%s", parameter->low, parameter->high,
             parameter->unit[0] != '\0' ? " " : "", parameter->unit);
}

/* What the parameter is when nobody states it. */
static void write_default(const struct keel_values *values, unsigned place, char *text)
{
    const struct keel_model_parameter *parameter = &values->model->parameter[place];
    char value[KEEL_VALUES_TEXT_MAX];

    keel_values_write(parameter, &values->value[place], 5, value);
    snprintf(text, TEXT_MAX, "%s%s%s%s", value, parameter->costs ? "\nmachine's " : "",
             parameter->costs ? keel_machine_costs[parameter->cost].name : "",
             parameter->traced ? "\nor by trace" : "");
}

static void print_parameters(const struct keel_values *values)
{
    unsigned rest = keel_terminal_width() - 14 - 4;
    const unsigned width[] = {14, rest / 4, rest / 4, rest - rest / 4 * 2};
    char range[TEXT_MAX], standard[TEXT_MAX], text[TEXT_MAX];

    keel_table_row(4, width, (const char *[]){"PARAMETER", "RANGE", "DEFAULT", "MEANING"});
    for (unsigned i = 0; i < keel_models_parameters(values->model); i++) {
        const struct keel_model_parameter *parameter = &values->model->parameter[i];
        write_range(parameter, range);
        write_default(values, i, standard);
        snprintf(text, sizeof text, "%s%s", parameter->text,
                 parameter->chosen ? "; `optimise' chooses it" : "");
        keel_table_row(4, width, (const char *[]){parameter->name, range, standard, text});
    }
}

static void print_results(const struct keel_model *model)
{
    const unsigned width[] = {14, 4, keel_terminal_width() - 21};
    char text[TEXT_MAX];

    keel_table_row(3, width, (const char *[]){"RESULT", "UNIT", "MEANING"});
    for (unsigned i = 0; model->result[i].name != NULL; i++) {
        snprintf(text, sizeof text, "%s%s", model->result[i].text,
                 i == model->minimised ? "; `optimise' makes it small" : "");
        keel_table_row(3, width,
                       (const char *[]){model->result[i].name, model->result[i].unit, text});
    }
}

static int print_one(const char *name, const struct keel_values_sources *sources)
{
    const struct keel_model *model = keel_models_find(name);
    struct keel_values values;

    if (model == NULL || !keel_values_begin(&values, model, sources)) {
        return KEEL_EXIT_USAGE;
    }
    const unsigned width[] = {14, keel_terminal_width() - 16};
    keel_table_row(2, width, (const char *[]){model->name, model->summary});
    keel_table_row(2, width, (const char *[]){"source", model->source});
    keel_table_row(2, width,
                   (const char *[]){"trace", model->trace != NULL ? model->trace : "none"});
    putchar('\n');
    print_parameters(&values);
    putchar('\n');
    print_results(model);
    keel_values_end(&values);
    return 0;
}

struct asked {
    const char *name; /* NULL: all */
    struct keel_values_sources sources;
};

static error_t take(int key, char *word, struct argp_state *state)
{
    struct asked *asked = state->input;

    switch (key) {
    case 'c':
        asked->sources.costs = word;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0) {
            argp_usage(state);
        }
        asked->name = word;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"costs", 'c', "FILE", 0, "Machine costs; otherwise what `keel model calibrate' has kept",
         0},
        {0},
    };
    static const struct argp grammar = {
        .options = options,
        .parser = take,
        .args_doc = "[MODEL]",
        .doc = "Lists the models, or one with its parameters, their defaults and its results.",
    };
    struct asked asked = {0};

    argp_parse(&grammar, argc, argv, 0, NULL, &asked);
    if (asked.name != NULL) {
        return print_one(asked.name, &asked.sources);
    }
    print_names();
    return 0;
}

const struct keel_subcommand keel_model_list = {
    .name = "list",
    .summary = "show the models, their parameters and results",
    .run = run,
};
