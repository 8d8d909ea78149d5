/* keel model optimise: a model at all combinations of candidates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"

#define TRIES_MAX 1000000 /* combinations of candidates */
#define ROWS_MAX 200      /* of optimise; all are printed as comma-separated values, */
#define ROWS_SHOWN 10     /* these in a table */
#define WIDTH_MIN 10      /* of a column */

/* --- tables --- */

/* Rows of right-aligned columns, or of comma-separated values. */
struct table {
    bool csv;
    size_t columns, cells;
    char **cell; /* a row after the other */
};

static void add(struct table *table, const char *text)
{
    if ((table->cells & (table->cells - 1)) == 0) {
        size_t room = table->cells > 0 ? 2 * table->cells : 1;
        table->cell = realloc(table->cell, room * sizeof *table->cell);
    }
    char *copy = table->cell != NULL ? strdup(text) : NULL;
    if (copy == NULL) {
        keel_message("no memory for a table; nothing is predicted");
        exit(KEEL_EXIT_MISSING);
    }
    table->cell[table->cells++] = copy;
}

/* "time, s"; in CSV without the unit. */
static void add_title(struct table *table, const char *name, const char *unit)
{
    char text[KEEL_MODEL_TEXT_MAX];

    snprintf(text, sizeof text, "%s%s%s", name, !table->csv && unit[0] != '\0' ? ", " : "",
             table->csv ? "" : unit);
    add(table, text);
}

static void add_value(struct table *table, const struct keel_model_parameter *parameter,
                      const struct keel_model_value *value)
{
    char text[KEEL_MODEL_TEXT_MAX];

    keel_model_write(parameter, value, table->csv ? 10 : 5, text);
    add(table, text);
}

static void add_number(struct table *table, double number)
{
    char text[KEEL_MODEL_TEXT_MAX];

    keel_model_write_number(number, table->csv ? 10 : 5, text);
    add(table, text);
}

static size_t width_of(const struct table *table, size_t column)
{
    size_t width = WIDTH_MIN;

    for (size_t i = column; i < table->cells; i += table->columns) {
        width = strlen(table->cell[i]) > width ? strlen(table->cell[i]) : width;
    }
    return width;
}

static void print_table(const struct table *table)
{
    int *width = calloc(table->columns, sizeof *width);

    for (size_t i = 0; width != NULL && i < table->columns; i++) {
        width[i] = (int)width_of(table, i);
    }
    for (size_t i = 0; width != NULL && i < table->cells; i++) {
        size_t column = i % table->columns;
        const char *text = table->cell[i];
        if (table->csv) { /* words may hold commas: specs of schedules and lists do */
            printf(strpbrk(text, ",\"") != NULL ? "\"%s\"" : "%s", text);
        } else {
            printf("%*s", width[column], text);
        }
        fputs(column + 1 == table->columns ? "\n" : table->csv ? "," : "  ", stdout);
    }
    free(width);
}

/* --- optimise --- */

struct row {
    double cost; /* the first result */
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
};

/* Rows: of each combination of words that are free the best numbers, or, where only numbers are
 * free, each combination; by cost, the first found first among equals. */
struct search {
    struct keel_model_values values; /* what is not free, and what is tried now */
    unsigned frees, words;           /* how many are free; of these, words, which come first */
    struct keel_model_range range[KEEL_MODEL_PARAMETERS_MAX];
    unsigned rows;
    struct row row[ROWS_MAX + 1];
};

/* Takes the present values over if they cost less than the row. */
static bool try_values(struct search *search, struct row *row)
{
    double result[KEEL_MODEL_RESULTS_MAX];

    if (!keel_model_evaluate(&search->values, result)) {
        return false;
    }
    if (result[0] < row->cost) {
        row->cost = result[0];
        memcpy(row->value, search->values.value, sizeof row->value);
    }
    return true;
}

/* Keeps rows in order; drops the last where there are too many. */
static void keep(struct search *search, const struct row *row)
{
    unsigned place = search->rows;

    while (place > 0 && row->cost < search->row[place - 1].cost) {
        place--;
    }
    memmove(&search->row[place + 1], &search->row[place],
            (search->rows - place) * sizeof *search->row);
    search->row[place] = *row;
    search->rows += search->rows < ROWS_MAX;
}

/* All combinations of free parameters from `depth` on. `row`: gets the best one; NULL: each of
 * words, or of numbers where there are no words, is a row of its own. */
static bool try_from(struct search *search, unsigned depth, struct row *row)
{
    if (row == NULL && depth == (search->words > 0 ? search->words : search->frees)) {
        struct row own = {.cost = INFINITY};
        memcpy(own.value, search->values.value, sizeof own.value);
        bool good = try_from(search, depth, &own);
        if (good) {
            keep(search, &own);
        }
        return good;
    }
    if (depth == search->frees) {
        return try_values(search, row);
    }
    const struct keel_model_range *range = &search->range[depth];
    struct keel_model_value *value = &search->values.value[range->parameter], before = *value;
    if (!keel_model_takes(&search->values, range->parameter)) {
        return try_from(search, depth + 1, row);
    }
    bool good = true;
    for (size_t i = 0; i < range->count && good; i++) {
        *value = range->value[i];
        good = try_from(search, depth + 1, row);
    }
    *value = before;
    return good;
}

/* Those of --free, or what the model lets choose and is not set. */
static bool choose(const struct keel_model_values *values, const char *names, bool *chosen)
{
    const struct keel_model *model = values->model;
    bool any = false;

    for (unsigned i = 0; names == NULL && i < model->parameters; i++) {
        chosen[i] = model->parameter[i].chosen && values->origin[i] != NULL;
        any |= chosen[i];
    }
    while (names != NULL) {
        size_t length = strcspn(names, ",");
        int parameter = keel_model_parameter(model, names, length);
        if (parameter < 0) {
            return false;
        }
        any = chosen[parameter] = true;
        names = names[length] == ',' ? names + length + 1 : NULL;
    }
    if (!any) {
        keel_message("%s: all that could be chosen is stated; nothing is predicted (see --free)",
                     model->name);
    }
    return any;
}

/* Words first: numbers may have an influence for some of them only. */
static bool take_candidates(struct search *search, const bool *chosen)
{
    const struct keel_model *model = search->values.model;
    double tries = 1;

    for (int numbers = 0; numbers <= 1; numbers++) {
        for (unsigned i = 0; i < model->parameters; i++) {
            struct keel_model_range *range = &search->range[search->frees];
            if (!chosen[i] || (model->parameter[i].kind <= KEEL_MODEL_COUNT) != numbers) {
                continue;
            }
            if (!keel_model_candidates(&search->values, i, range)) {
                return false;
            }
            search->frees++;
            search->words += !numbers;
            tries *= (double)range->count;
        }
    }
    if (tries > TRIES_MAX) {
        keel_message("%s: %.0f combinations to try, more than %d; nothing is predicted "
                     "(state values, or name fewer parameters by --free)",
                     model->name, tries, TRIES_MAX);
    }
    return tries <= TRIES_MAX;
}

/* Values without an influence beside the words of a row are not shown. */
static void print_rows(const struct search *search, bool csv)
{
    struct keel_model_values values = search->values;
    const struct keel_model *model = values.model;
    struct table table = {.csv = csv, .columns = search->frees + 3};
    double best = search->row[0].cost;

    add(&table, "rank");
    for (unsigned i = 0; i < search->frees; i++) {
        const struct keel_model_parameter *parameter =
            &model->parameter[search->range[i].parameter];
        add_title(&table, parameter->name, parameter->unit);
    }
    add_title(&table, model->result[0].name, model->result[0].unit);
    add(&table, csv ? "best_saves_percent" : "best saves, %");
    for (unsigned k = 0; k < search->rows && (csv || k < ROWS_SHOWN); k++) {
        double cost = search->row[k].cost;
        memcpy(values.value, search->row[k].value, sizeof values.value);
        add_number(&table, k + 1);
        for (unsigned i = 0; i < search->frees; i++) {
            unsigned parameter = search->range[i].parameter;
            if (keel_model_takes(&values, parameter)) {
                add_value(&table, &model->parameter[parameter], &values.value[parameter]);
            } else {
                add(&table, "-");
            }
        }
        add_number(&table, cost);
        add_number(&table, cost > best ? 100 * (1 - best / cost) : 0);
    }
    print_table(&table);
}

bool keel_model_optimise(const struct keel_model_request *request)
{
    static struct search search;
    bool chosen[KEEL_MODEL_PARAMETERS_MAX] = {0};

    search.values = request->values;
    if (!choose(&search.values, request->free, chosen) || !take_candidates(&search, chosen) ||
        !try_from(&search, 0, NULL)) {
        return false;
    }
    print_rows(&search, request->csv);
    return true;
}
