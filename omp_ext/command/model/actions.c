/* keel model: its command line, and the actions list and predict. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

#define CELL_MAX 1024 /* bytes */

/* --- list and predict --- */

static void print_model(const struct keel_model *model)
{
    const unsigned width[] = {14, keel_terminal_width() - 16};
    char what[CELL_MAX];

    snprintf(what, sizeof what, "%s (%s)", model->summary, model->source);
    keel_table_row(2, width, (const char *[]){model->name, what});
}

static void write_range(const struct keel_model_parameter *parameter, char *text)
{
    size_t length = 0;

    if (parameter->kind == KEEL_MODEL_TEXT) {
        snprintf(text, CELL_MAX, "see meaning");
    } else if (parameter->kind != KEEL_MODEL_WORD) {
        snprintf(text, CELL_MAX, "%.7g .. %.7g", parameter->low, parameter->high);
    }
    for (unsigned i = 0; parameter->kind == KEEL_MODEL_WORD && i <= parameter->high; i++) {
        length =
            keel_text_append(text, CELL_MAX, length, "%s%s", i > 0 ? " " : "", parameter->word[i]);
    }
}

static bool list(const struct keel_model_request *request)
{
    const struct keel_model *model = request->values.model;
    unsigned rest = keel_terminal_width() - 24;
    const unsigned width[] = {14, 4, rest / 4, rest / 4, rest - rest / 4 * 2};
    const unsigned result_width[] = {14, 4, keel_terminal_width() - 21};
    char range[CELL_MAX], standard[KEEL_MODEL_TEXT_MAX], text[CELL_MAX];

    print_model(model);
    putchar('\n');
    keel_table_row(5, width, (const char *[]){"PARAMETER", "UNIT", "RANGE", "DEFAULT", "MEANING"});
    for (size_t i = 0; i < model->parameters; i++) {
        const struct keel_model_parameter *parameter = &model->parameter[i];
        write_range(parameter, range);
        keel_model_write(parameter, &request->values.value[i], 5, standard);
        snprintf(text, sizeof text, "%s%s", parameter->text,
                 parameter->chosen ? "; `optimise' chooses it" : "");
        keel_table_row(5, width,
                       (const char *[]){parameter->name, parameter->unit, range, standard, text});
    }
    putchar('\n');
    keel_table_row(3, result_width, (const char *[]){"RESULT", "UNIT", "MEANING"});
    for (size_t i = 0; i < model->results; i++) {
        const struct keel_model_result *result = &model->result[i];
        snprintf(text, sizeof text, "%s%s", result->text,
                 i == 0 ? "; `optimise' makes it small" : "");
        keel_table_row(3, result_width, (const char *[]){result->name, result->unit, text});
    }
    return true;
}

static void print_values(const struct keel_model_values *values, const unsigned *width)
{
    char text[KEEL_MODEL_TEXT_MAX];

    keel_table_row(5, width, (const char *[]){"PARAMETER", "VALUE", "UNIT", "FROM", "MEANING"});
    for (unsigned i = 0; i < values->model->parameters; i++) {
        const struct keel_model_parameter *parameter = &values->model->parameter[i];
        const char *origin = values->origin[i] != NULL ? values->origin[i] : "stated";
        keel_model_write(parameter, &values->value[i], 5, text);
        if (keel_model_takes(values, i)) {
            keel_table_row(
                5, width,
                (const char *[]){parameter->name, text, parameter->unit, origin, parameter->text});
        }
    }
}

static bool predict(const struct keel_model_request *request)
{
    const unsigned width[] = {14, 12, 4, 8, keel_terminal_width() - 43};
    double result[KEEL_MODEL_RESULTS_MAX];
    char text[KEEL_MODEL_TEXT_MAX];

    if (!keel_model_evaluate(&request->values, result)) {
        return false;
    }
    if (request->csv) {
        puts("result,value,unit");
    } else {
        print_values(&request->values, width);
        putchar('\n');
        keel_table_row(5, width, (const char *[]){"RESULT", "VALUE", "UNIT", "", "MEANING"});
    }
    for (unsigned i = 0; i < request->results; i++) {
        const struct keel_model_result *info = &request->values.model->result[request->result[i]];
        keel_model_write_number(result[request->result[i]], request->csv ? 10 : 5, text);
        if (request->csv) {
            printf("%s,%s,%s\n", info->name, text, info->unit);
        } else {
            keel_table_row(5, width,
                           (const char *[]){info->name, text, info->unit, "", info->text});
        }
    }
    return true;
}

/* --- the command line --- */

struct line {
    struct keel_model_request request;
    const char *trace, *loop;                   /* words of options, or NULL */
    const char *wanted[KEEL_MODEL_RESULTS_MAX]; /* words of --result */
    unsigned wanteds;
    char **word; /* MODEL and NAME=VALUE, ended by NULL */
};

static const struct argp_option options[] = {
    {"csv", 's', NULL, 0, "Print comma-separated values", 0},
    {"result", 'r', "NAME", 0, "predict: only this result; may be repeated", 0},
    {"free", 'f', "NAME,...", 0,
     "optimise: choose these parameters; otherwise those that the model lets choose and that are "
     "not stated",
     0},
    {"trace", 't', "FILE", 0, "What KEEL_TRACE has recorded, for the model loop", 0},
    {"loop", 'l', "NAME", 0, "Which loop of a trace with several", 0},
    {0},
};

static error_t take(int key, char *word, struct argp_state *state)
{
    struct line *line = state->input;

    switch (key) {
    case 's':
        line->request.csv = true;
        return 0;
    case 't':
        line->trace = word;
        return 0;
    case 'l':
        line->loop = word;
        return 0;
    case 'f':
        line->request.free = word;
        return 0;
    case 'r':
        if (line->wanteds == KEEL_MODEL_RESULTS_MAX) {
            argp_error(state, "--result: more than %d times", KEEL_MODEL_RESULTS_MAX);
        }
        line->wanted[line->wanteds++] = word;
        return 0;
    case ARGP_KEY_ARGS:
        line->word = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool take_trace(struct keel_model_values *values, const struct line *line)
{
    if (values->model->take_trace == NULL) {
        keel_message("%s: --trace '%s': this model takes no trace; nothing is predicted",
                     values->model->name, line->trace);
        return false;
    }
    return values->model->take_trace(line->trace, line->loop, values);
}

static bool take_results(struct keel_model_request *request, const struct line *line)
{
    const struct keel_model *model = request->values.model;
    bool all = line->wanteds == 0;

    request->results = all ? (unsigned)model->results : line->wanteds;
    for (unsigned i = 0; i < request->results; i++) {
        int result = all ? (int)i : keel_model_result(model, line->wanted[i]);
        if (result < 0) {
            return false;
        }
        request->result[i] = (unsigned)result;
    }
    return true;
}

static bool take_words(struct line *line)
{
    struct keel_model_values *values = &line->request.values;

    if (!keel_model_begin(values, line->word[0]) ||
        (line->trace != NULL && !take_trace(values, line))) {
        return false;
    }
    for (char **word = line->word + 1; *word != NULL; word++) {
        if (!keel_model_take(values, *word)) {
            return false;
        }
    }
    return take_results(&line->request, line);
}

static int run(int argc, char **argv, const struct argp *grammar,
               bool (*act)(const struct keel_model_request *request))
{
    static struct line line;

    argp_parse(grammar, argc, argv, 0, NULL, &line);
    return take_words(&line) && act(&line.request) ? 0 : KEEL_EXIT_USAGE;
}

/* --- the actions --- */

#define WORDS "MODEL [NAME=VALUE...]"

static int run_list(int argc, char **argv)
{
    static const struct argp grammar = {
        .parser = take,
        .args_doc = "[MODEL]",
        .doc = "Lists the models, or one with its parameters, their defaults and its results.",
    };

    if (argc > 1) {
        return run(argc, argv, &grammar, list);
    }
    for (const struct keel_model *const *model = keel_models; *model != NULL; model++) {
        print_model(*model);
    }
    return 0;
}

static int run_predict(int argc, char **argv)
{
    static const struct argp grammar = {
        options,
        .parser = take,
        .args_doc = WORDS,
        .doc = "Prints what MODEL predicts for these values of its parameters.\v"
               "`keel model list MODEL' shows the parameters. Seconds take the suffixes ms, us "
               "and ns. What is not stated comes from the trace, or is a default.",
    };

    return run(argc, argv, &grammar, predict);
}

static int run_optimise(int argc, char **argv)
{
    static const struct argp grammar = {
        options,
        .parser = take,
        .args_doc = WORDS,
        .doc = "Finds the policy and the parameters for which MODEL predicts the least time.\v"
               "All combinations of candidates are tried. Where words are free, as policies are, "
               "each is shown with its best numbers. `best saves' is the part of a row's time that "
               "the best one saves.",
    };

    return run(argc, argv, &grammar, keel_model_optimise);
}

static const struct keel_subcommand action[] = {
    {"list", "show the models, their parameters and results", run_list},
    {"predict", "predict the results of a model", run_predict},
    {"optimise", "find the policy and the parameters that take least time", run_optimise},
};

static const struct keel_subcommand *const actions[] = {&action[0], &action[1], &action[2]};

static const struct keel_menu menu = {
    .called = "keel model",
    .entry = "an action",
    .title = "Actions",
    .form = "ACTION [ARGUMENT...]",
    .text = "Predicts what a loop or a job will take, by the formulas that programs under Keel "
            "choose by.\v ",
    .notes = "`keel model ACTION --help' tells more about each.",
    .count = sizeof actions / sizeof actions[0],
    .subcommand = actions,
};

static int choose_action(int argc, char **argv)
{
    return keel_menu_run(&menu, argc, argv);
}

const struct keel_subcommand keel_subcommand_model = {
    .name = "model",
    .summary = "predict what a loop or a job will take, and choose its policy",
    .run = choose_action,
};
