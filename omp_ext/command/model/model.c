/* keel model: what models predict for values of their parameters, and which values are best. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

#define CELL_MAX 1024 /* bytes */
#define ROWS_SHOWN 10 /* of optimise, in a table; all are printed as comma-separated values */
#define WIDTH_MIN 10  /* of a column there */

static const struct keel_model *const models[] = {
    &keel_model_loop,
    &keel_model_balance,
    &keel_model_objects,
    &keel_model_pipeline,
};

#define MODELS (sizeof models / sizeof *models)

const char *const keel_model_no_yes[2] = {"no", "yes"};

/* All functions that return false or a negative number have said why. */

/* --- names --- */

/* The place of a name in a table whose elements begin with a pointer to their names. */
static int find(const char *owner, const char *what, const char *name, size_t length,
                const void *table, size_t count, size_t size)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (size_t i = 0; i < count; i++) {
        const char *known = *(const char *const *)((const char *)table + i * size);
        if (strlen(known) == length && memcmp(known, name, length) == 0) {
            return (int)i;
        }
        keel_nearest_consider(&nearest, known, strlen(known));
    }
    keel_message("%s%sunknown %s '%.*s'%s; nothing is predicted", owner,
                 owner[0] != '\0' ? ": " : "", what, (int)length, name,
                 keel_nearest_hint(&nearest));
    return -1;
}

static int find_parameter(const struct keel_model *model, const char *name, size_t length)
{
    return find(model->name, "parameter", name, length, model->parameter, model->parameters,
                sizeof *model->parameter);
}

/* --- text to value --- */

/* NaN: no number of this unit. */
static double number_of(const char *text, const char *unit)
{
    static const struct {
        const char *text;
        double factor;
    } suffix[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    size_t suffixes = strcmp(unit, "s") == 0 ? sizeof suffix / sizeof *suffix : 1;
    double number;
    size_t length = keel_number_begin(text, &number);

    for (size_t i = 0; length > 0 && i < suffixes; i++) {
        if (strcmp(text + length, suffix[i].text) == 0) {
            return number * suffix[i].factor;
        }
    }
    return NAN;
}

static struct keel_model_value word_at(const struct keel_model_parameter *parameter, double place)
{
    return (struct keel_model_value){.number = place, .text = parameter->word[(size_t)place]};
}

static bool read_number(const struct keel_model *model, unsigned place, const char *text,
                        struct keel_model_value *value)
{
    const struct keel_model_parameter *parameter = &model->parameter[place];
    bool whole = parameter->kind == KEEL_MODEL_COUNT;

    value->number = number_of(text, parameter->unit);
    if (value->number >= parameter->low && value->number <= parameter->high &&
        (!whole || value->number == floor(value->number))) {
        return true;
    }
    keel_message("%s: %s '%s' is not a %s from %.15g to %.15g%s%s; nothing is predicted",
                 model->name, parameter->name, text, whole ? "whole number" : "number",
                 parameter->low, parameter->high, parameter->unit[0] != '\0' ? " " : "",
                 parameter->unit);
    return false;
}

/* NAME=VALUE, which has to live as long as the values. */
static bool take_word(struct keel_model_values *values, const char *name)
{
    const struct keel_model *model = values->model;
    const char *text = strchr(name, '=');
    char problem[KEEL_MODEL_TEXT_MAX] = "";

    if (text == NULL) {
        keel_message("%s: '%s' is not NAME=VALUE; nothing is predicted", model->name, name);
        return false;
    }
    int place = find_parameter(model, name, (size_t)(text++ - name));
    if (place < 0) {
        return false;
    }
    const struct keel_model_parameter *parameter = &model->parameter[place];
    if (strcmp(values->origin[place], "stated") == 0) {
        keel_message("%s: %s is stated twice; nothing is predicted", model->name, parameter->name);
        return false;
    }
    values->origin[place] = "stated";
    if (parameter->kind == KEEL_MODEL_WORD) {
        int word = find(model->name, parameter->name, text, strlen(text), parameter->word,
                        (size_t)parameter->high + 1, sizeof *parameter->word);
        if (word >= 0) {
            values->value[place] = word_at(parameter, word);
        }
        return word >= 0;
    }
    if (parameter->kind != KEEL_MODEL_TEXT) {
        return read_number(model, (unsigned)place, text, &values->value[place]);
    }
    values->value[place].text = text;
    if (!parameter->check(text, problem)) {
        keel_message("%s: %s '%s': %s; nothing is predicted", model->name, parameter->name, text,
                     problem);
        return false;
    }
    return true;
}

static bool begin(struct keel_model_values *values, const char *name)
{
    const char *known[MODELS];

    for (size_t i = 0; i < MODELS; i++) {
        known[i] = models[i]->name;
    }
    int place = find("", "model", name, strlen(name), known, MODELS, sizeof *known);
    if (place < 0) {
        return false;
    }
    *values = (struct keel_model_values){.model = models[place]};
    for (unsigned i = 0; i < values->model->parameters; i++) {
        const struct keel_model_parameter *parameter = &values->model->parameter[i];
        values->origin[i] = "default";
        values->value[i] = parameter->kind == KEEL_MODEL_WORD
                               ? word_at(parameter, parameter->standard)
                               : (struct keel_model_value){.number = parameter->standard,
                                                           .text = parameter->standard_text};
    }
    return true;
}

void keel_model_set(struct keel_model_values *values, const char *name,
                    struct keel_model_value value)
{
    int place = find_parameter(values->model, name, strlen(name));

    values->value[place] = value;
    values->origin[place] = "trace";
}

/* --- evaluating --- */

static void fill(const struct keel_model_values *values, void *input)
{
    for (unsigned i = 0; i < values->model->parameters; i++) {
        const struct keel_model_parameter *parameter = &values->model->parameter[i];
        void *member = (char *)input + parameter->offset;
        double number = values->value[i].number;
        switch (parameter->type) {
        case KEEL_MODEL_DOUBLE:
            *(double *)member = number;
            break;
        case KEEL_MODEL_UINT32:
            *(uint32_t *)member = (uint32_t)number;
            break;
        case KEEL_MODEL_UINT64:
            *(uint64_t *)member = (uint64_t)number;
            break;
        case KEEL_MODEL_BOOL:
            *(bool *)member = number != 0;
            break;
        case KEEL_MODEL_STRING:
            *(const char **)member = values->value[i].text;
            break;
        }
    }
}

/* Room for a struct input, all 0. */
#define INPUT(name) _Alignas(max_align_t) char name[KEEL_MODEL_INPUT_MAX] = {0}

/* Whether a parameter has an influence beside the words of the others. */
static bool has_influence(const struct keel_model_values *values, unsigned parameter)
{
    const char *when = values->model->parameter[parameter].when;
    char list[KEEL_MODEL_TEXT_MAX], word[KEEL_MODEL_TEXT_MAX];

    if (when == NULL) {
        return true;
    }
    size_t length = strcspn(when, "=");
    int other = find_parameter(values->model, when, length);
    snprintf(list, sizeof list, " %s ", when + length + 1);
    snprintf(word, sizeof word, " %s ", values->value[other].text);
    return strstr(list, word) != NULL;
}

/* All results. */
static bool evaluate(const struct keel_model_values *values, double *result)
{
    const struct keel_model *model = values->model;
    char problem[KEEL_MODEL_TEXT_MAX] = "";
    INPUT(input);

    fill(values, input);
    bool good = model->evaluate(input, result, problem);
    if (!good) {
        keel_message("%s: %s; nothing is predicted", model->name, problem);
    }
    return good;
}

/* Text of KEEL_MODEL_TEXT_MAX bytes; numbers in so many digits. */
static void write_number(double number, int digits, char *text)
{
    if (isinf(number)) {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "infinite");
    } else {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "%.*g", digits, number == 0 ? 0 : number);
    }
}

static void write_value(const struct keel_model_parameter *parameter,
                        const struct keel_model_value *value, int digits, char *text)
{
    if (value->text != NULL) {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "%s", value->text);
    } else {
        write_number(value->number, parameter->kind == KEEL_MODEL_COUNT ? 15 : digits, text);
    }
}

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

static void list(const struct keel_model_values *values)
{
    const struct keel_model *model = values->model;
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
        write_value(parameter, &values->value[i], 5, standard);
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
}

static bool predict(const struct keel_model_values *values, bool csv)
{
    const struct keel_model *model = values->model;
    const unsigned columns = keel_terminal_width();
    const unsigned width[] = {14, 12, 4, 8, columns > 53 ? columns - 43 : 10};
    double result[KEEL_MODEL_RESULTS_MAX];
    char text[KEEL_MODEL_TEXT_MAX];

    if (!evaluate(values, result)) {
        return false;
    }
    if (csv) {
        puts("result,value,unit");
        for (size_t i = 0; i < model->results; i++) {
            write_number(result[i], 10, text);
            printf("%s,%s,%s\n", model->result[i].name, text, model->result[i].unit);
        }
        return true;
    }
    keel_table_row(5, width, (const char *[]){"PARAMETER", "VALUE", "UNIT", "FROM", "MEANING"});
    for (unsigned i = 0; i < model->parameters; i++) {
        const struct keel_model_parameter *parameter = &model->parameter[i];
        write_value(parameter, &values->value[i], 5, text);
        if (has_influence(values, i)) {
            keel_table_row(5, width,
                           (const char *[]){parameter->name, text, parameter->unit,
                                            values->origin[i], parameter->text});
        }
    }
    putchar('\n');
    keel_table_row(5, width, (const char *[]){"RESULT", "VALUE", "UNIT", "", "MEANING"});
    for (size_t i = 0; i < model->results; i++) {
        const struct keel_model_result *info = &model->result[i];
        write_number(result[i], 5, text);
        keel_table_row(5, width, (const char *[]){info->name, text, info->unit, "", info->text});
    }
    return true;
}

/* --- optimise --- */

/* Several values of a parameter. */
struct range {
    unsigned parameter;
    size_t count;
    struct keel_model_value value[KEEL_MODEL_CANDIDATES_MAX];
};

struct row {
    size_t number; /* in the order in which they were found */
    double cost;   /* the first result */
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
};

/* Rows: of each combination of words that are free the best numbers, or, where only numbers are
 * free, each combination; by cost, the first found first among equals. */
struct search {
    struct keel_model_values values; /* what is not free, and what is tried now */
    unsigned frees, words;           /* how many are free; of these, words, which come first */
    struct range range[KEEL_MODEL_PARAMETERS_MAX];
    size_t rows;
    struct row *row;
};

static void find_candidates(const struct keel_model_values *values, struct range *range)
{
    const struct keel_model *model = values->model;
    const struct keel_model_parameter *parameter = &model->parameter[range->parameter];
    double number[KEEL_MODEL_CANDIDATES_MAX];
    INPUT(input);

    fill(values, input);
    if (parameter->tried != NULL) {
        range->count = keel_number_list(parameter->tried, parameter->low, parameter->high,
                                        KEEL_MODEL_CANDIDATES_MAX, number);
        for (size_t i = 0; i < range->count; i++) {
            range->value[i] = (struct keel_model_value){.number = number[i]};
        }
    } else if (model->candidates != NULL) {
        range->count = model->candidates(input, parameter->name, range->value);
    }
    if (range->count == 0 && parameter->kind == KEEL_MODEL_WORD) {
        for (; range->count <= parameter->high; range->count++) {
            range->value[range->count] = word_at(parameter, (double)range->count);
        }
    }
}

/* What the model lets choose and is not set. Words first: numbers may have an influence for some
 * of them only. */
static bool choose(struct search *search)
{
    const struct keel_model *model = search->values.model;

    for (int numbers = 0; numbers <= 1; numbers++) {
        for (unsigned i = 0; i < model->parameters; i++) {
            if (!model->parameter[i].chosen || strcmp(search->values.origin[i], "stated") == 0 ||
                (model->parameter[i].kind <= KEEL_MODEL_COUNT) != numbers) {
                continue;
            }
            struct range *range = &search->range[search->frees++];
            range->parameter = i;
            find_candidates(&search->values, range);
            search->words += !numbers;
        }
    }
    if (search->frees == 0) {
        keel_message("%s: all that could be chosen is stated; nothing is predicted", model->name);
    }
    return search->frees > 0;
}

static void add_row(struct search *search)
{
    search->row = keel_command_room(search->row, search->rows, sizeof *search->row);
    search->row[search->rows] = (struct row){.number = search->rows, .cost = INFINITY};
    memcpy(search->row[search->rows++].value, search->values.value, sizeof search->row->value);
}

/* Takes the present values over if they cost less than those of the last row. */
static bool try_values(struct search *search)
{
    struct row *row = &search->row[search->rows - 1];
    double result[KEEL_MODEL_RESULTS_MAX];

    if (!evaluate(&search->values, result)) {
        return false;
    }
    if (result[0] < row->cost) {
        row->cost = result[0];
        memcpy(row->value, search->values.value, sizeof row->value);
    }
    return true;
}

static int by_cost(const void *a, const void *b)
{
    const struct row *first = a, *second = b;

    return first->cost != second->cost
               ? (first->cost > second->cost) - (first->cost < second->cost)
               : (first->number > second->number) - (first->number < second->number);
}

/* All combinations of free parameters from `depth` on. Each one of words, or of numbers where there
 * are no words, begins a row. */
static bool try_from(struct search *search, unsigned depth)
{
    bool good = true;

    if (depth == (search->words > 0 ? search->words : search->frees)) {
        add_row(search);
    }
    if (depth == search->frees) {
        return try_values(search);
    }
    const struct range *range = &search->range[depth];
    struct keel_model_value *value = &search->values.value[range->parameter], before = *value;
    if (!has_influence(&search->values, range->parameter)) {
        return try_from(search, depth + 1);
    }
    for (size_t i = 0; i < range->count && good; i++) {
        *value = range->value[i];
        good = try_from(search, depth + 1);
    }
    *value = before;
    return good;
}

/* Columns: the rank, what is free, the first result, what the best saves. */
static void write_title(const struct search *search, unsigned column, bool csv, char *text)
{
    const struct keel_model *model = search->values.model;
    const char *name = model->result[0].name, *unit = model->result[0].unit;

    if (column == 0 || column == search->frees + 2) {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "%s",
                 column == 0 ? "rank"
                 : csv       ? "best_saves_percent"
                             : "best saves, %");
        return;
    }
    if (column <= search->frees) {
        name = model->parameter[search->range[column - 1].parameter].name;
        unit = model->parameter[search->range[column - 1].parameter].unit;
    }
    snprintf(text, KEEL_MODEL_TEXT_MAX, "%s%s%s", name, !csv && unit[0] != '\0' ? ", " : "",
             csv ? "" : unit);
}

/* Values without an influence beside the words of a row are not shown. */
static void write_cell(const struct search *search, size_t row, unsigned column, bool csv,
                       char *text)
{
    struct keel_model_values values = search->values;
    double cost = search->row[row].cost, best = search->row[0].cost;
    int digits = csv ? 10 : 5;

    if (column == 0) {
        write_number((double)row + 1, digits, text);
    } else if (column == search->frees + 1) {
        write_number(cost, digits, text);
    } else if (column == search->frees + 2) {
        write_number(cost > best ? 100 * (1 - best / cost) : 0, digits, text);
    } else {
        unsigned place = search->range[column - 1].parameter;
        memcpy(values.value, search->row[row].value, sizeof values.value);
        snprintf(text, KEEL_MODEL_TEXT_MAX, "-");
        if (has_influence(&values, place)) {
            write_value(&values.model->parameter[place], &values.value[place], digits, text);
        }
    }
}

static void print_rows(const struct search *search, bool csv)
{
    size_t rows = csv || search->rows < ROWS_SHOWN ? search->rows : ROWS_SHOWN;
    unsigned columns = search->frees + 3;
    int width[KEEL_MODEL_PARAMETERS_MAX + 3] = {0};
    char text[KEEL_MODEL_TEXT_MAX];

    /* a first time for the widths */
    for (unsigned printed = 0; printed < 2; printed++) {
        for (size_t i = 0; i < (rows + 1) * columns; i++) {
            unsigned column = (unsigned)(i % columns);
            if (i < columns) {
                write_title(search, column, csv, text);
            } else {
                write_cell(search, i / columns - 1, column, csv, text);
            }
            if (printed == 0) {
                int wide = (int)strlen(text) > WIDTH_MIN ? (int)strlen(text) : WIDTH_MIN;
                width[column] = wide > width[column] ? wide : width[column];
                continue;
            }
            if (csv) { /* words may hold commas: specs of schedules and lists do */
                printf(strpbrk(text, ",\"") != NULL ? "\"%s\"" : "%s", text);
            } else {
                printf("%*s", width[column], text);
            }
            fputs(column + 1 == columns ? "\n" : csv ? "," : "  ", stdout);
        }
    }
}

static bool optimise(const struct keel_model_values *values, bool csv)
{
    static struct search search;

    search.values = *values;
    if (!choose(&search) || !try_from(&search, 0)) {
        return false;
    }
    qsort(search.row, search.rows, sizeof *search.row, by_cost);
    print_rows(&search, csv);
    return true;
}

/* --- speeds --- */

#define SPEED_LOW 1e-6
#define SPEED_HIGH 1e6

bool keel_model_check_speeds(const char *text, char *problem)
{
    snprintf(problem, KEEL_MODEL_TEXT_MAX, "not a list of numbers from %g to %g", SPEED_LOW,
             SPEED_HIGH);
    return keel_number_list(text, SPEED_LOW, SPEED_HIGH, 0, NULL) > 0;
}

double keel_model_speeds(const char *text, double *speed, size_t count)
{
    size_t stated = keel_number_list(text, SPEED_LOW, SPEED_HIGH, count, speed);
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        speed[i] = i < stated ? speed[i] : speed[i - stated];
        sum += speed[i];
    }
    return sum;
}

/* --- the command line --- */

enum action { LIST, PREDICT, OPTIMISE };

struct line {
    bool csv;
    const char *trace, *loop; /* words of options, or NULL */
    char **word;              /* MODEL and NAME=VALUE, ended by NULL */
};

static const struct keel_option options[] = {
    {"csv", 's', NULL, "Print comma-separated values", 0, keel_take_flag,
     .at = offsetof(struct line, csv)},
    {"trace", 't', "FILE", "What KEEL_TRACE has recorded, for the model loop", 0, keel_take_text,
     .at = offsetof(struct line, trace)},
    {"loop", 'l', "PLACE",
     "Which loop of a trace: its name, its end (hydro.c:42), or a part of it; without it, that "
     "with "
     "most work",
     0, keel_take_text, .at = offsetof(struct line, loop)},
    {0},
};

static bool take_words(const struct line *line, struct keel_model_values *values)
{
    if (!begin(values, line->word[0])) {
        return false;
    }
    if (line->trace != NULL && values->model->take_trace == NULL) {
        keel_message("%s: --trace '%s': this model takes no trace; nothing is predicted",
                     values->model->name, line->trace);
        return false;
    }
    bool good = line->trace == NULL || values->model->take_trace(line->trace, line->loop, values);
    for (char **word = line->word + 1; good && *word != NULL; word++) {
        good = take_word(values, *word);
    }
    return good;
}

static int run(const struct keel_command_line *form, enum action action, int argc, char **argv)
{
    struct line line = {0};
    struct keel_model_values values;

    keel_command_line_read(form, argc, argv, &line);
    if (line.word == NULL) {
        for (size_t i = 0; i < MODELS; i++) {
            print_model(models[i]);
        }
        return 0;
    }
    if (!take_words(&line, &values)) {
        return KEEL_EXIT_USAGE;
    }
    if (action == LIST) {
        list(&values);
        return 0;
    }
    bool done = action == PREDICT ? predict(&values, line.csv) : optimise(&values, line.csv);
    return done ? 0 : KEEL_EXIT_USAGE;
}

static int run_list(int argc, char **argv)
{
    static const struct keel_command_line form = {
        .words_at = offsetof(struct line, word),
        .form = "[MODEL]",
        .text = "Lists the models, or one with its parameters, their defaults and its results.",
    };

    return run(&form, LIST, argc, argv);
}

static int run_predict(int argc, char **argv)
{
    static const struct keel_command_line form = {
        .options = options,
        .words_at = offsetof(struct line, word),
        .least = 1,
        .form = "MODEL [NAME=VALUE...]",
        .text = "Prints what MODEL predicts for these values of its parameters.\v"
                "`keel model list MODEL' shows the parameters. Seconds take the suffixes ms, us "
                "and ns. What is not stated comes from the trace, or is a default.",
    };

    return run(&form, PREDICT, argc, argv);
}

static int run_optimise(int argc, char **argv)
{
    static const struct keel_command_line form = {
        .options = options,
        .words_at = offsetof(struct line, word),
        .least = 1,
        .form = "MODEL [NAME=VALUE...]",
        .text =
            "Finds the policy and the parameters for which MODEL predicts the least time.\v"
            "All combinations of candidates are tried. Where words are free, as policies are, "
            "each is shown with its best numbers. `best saves' is the part of a row's time that "
            "the best one saves.",
    };

    return run(&form, OPTIMISE, argc, argv);
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
    .notes = "`keel model ACTION --help' explains each.",
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
