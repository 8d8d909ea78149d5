/* keel model sweep and optimise: a model at many values of its parameters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/command/parts/parts.h"
#include "omp_ext/support/message.h"

#define POINTS_MAX 1000000 /* of a sweep */
#define TRIES_MAX 1000000  /* combinations of candidates */
#define ROWS_MAX 200       /* of optimise; all are printed as comma-separated values, */
#define ROWS_SHOWN 10      /* these in a table */
#define LEVELS 4           /* how often the distance between tried numbers shrinks */
#define POINTS 16          /* numbers in each level, around the best one */
#define ROUNDS 2           /* over all parameters */
#define WIDTH_MIN 10       /* of a column */

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

/* --- sweep --- */

/* All results at each point, from malloc; NULL, and a message: there are none. */
static double *evaluate_all(struct keel_model_values values, size_t rows, size_t columns)
{
    const struct keel_model_range *swept = values.swept;
    size_t results = values.model->results;
    double *all = NULL;

    if (rows > POINTS_MAX / columns) {
        keel_message("a sweep of %zu by %zu values, more than %d; nothing is predicted", rows,
                     columns, POINTS_MAX);
    } else if ((all = calloc(rows * columns, results * sizeof *all)) == NULL) {
        keel_message("no memory for a sweep of %zu by %zu values", rows, columns);
    }
    for (size_t point = 0; all != NULL && point < rows * columns; point++) {
        values.value[swept[0].parameter] = swept[0].value[point / columns];
        if (values.swepts > 1) {
            values.value[swept[1].parameter] = swept[1].value[point % columns];
        }
        if (!keel_model_evaluate(&values, all + point * results)) {
            free(all);
            all = NULL;
        }
    }
    return all;
}

/* A row per point. */
static void print_points(const struct keel_model_request *request, const double *all, size_t points,
                         size_t across)
{
    const struct keel_model *model = request->values.model;
    const struct keel_model_range *swept = request->values.swept;
    unsigned swepts = request->values.swepts;
    struct table table = {.csv = request->csv, .columns = swepts + request->results};

    for (unsigned i = 0; i < swepts; i++) {
        const struct keel_model_parameter *parameter = &model->parameter[swept[i].parameter];
        add_title(&table, parameter->name, parameter->unit);
    }
    for (unsigned i = 0; i < request->results; i++) {
        const struct keel_model_result *result = &model->result[request->result[i]];
        add_title(&table, result->name, result->unit);
    }
    for (size_t point = 0; point < points; point++) {
        size_t at[] = {point / across, point % across};
        for (unsigned i = 0; i < swepts; i++) {
            add_value(&table, &model->parameter[swept[i].parameter], &swept[i].value[at[i]]);
        }
        for (unsigned i = 0; i < request->results; i++) {
            add_number(&table, all[point * model->results + request->result[i]]);
        }
    }
    print_table(&table);
}

/* One result: a row for each value of the first parameter, a column for each of the second. */
static void print_grid(const struct keel_model_values *values, const double *all, unsigned place)
{
    const struct keel_model *model = values->model;
    const struct keel_model_result *result = &model->result[place];
    const struct keel_model_range *down = &values->swept[0], *across = &values->swept[1];
    const struct keel_model_parameter *row = &model->parameter[down->parameter],
                                      *column = &model->parameter[across->parameter];
    struct table table = {.columns = across->count + 1};

    printf("%s%s%s: a row for each %s, a column for each %s\n", result->name,
           result->unit[0] != '\0' ? ", " : "", result->unit, row->name, column->name);
    add(&table, "");
    for (size_t j = 0; j < across->count; j++) {
        add_value(&table, column, &across->value[j]);
    }
    for (size_t i = 0; i < down->count; i++) {
        add_value(&table, row, &down->value[i]);
        for (size_t j = 0; j < across->count; j++) {
            add_number(&table, all[(i * across->count + j) * model->results + place]);
        }
    }
    print_table(&table);
}

bool keel_model_sweep(const struct keel_model_request *request)
{
    const struct keel_model_values *values = &request->values;

    if (values->swepts == 0) {
        keel_message("%s: no parameter has several values (NAME=FROM:TO or NAME=A/B/...); "
                     "nothing is predicted",
                     values->model->name);
        return false;
    }
    size_t rows = values->swept[0].count, across = values->swepts > 1 ? values->swept[1].count : 1;
    double *all = evaluate_all(*values, rows, across);
    if (all != NULL && values->swepts == 2 && !request->csv) {
        for (unsigned i = 0; i < (request->all ? 1 : request->results); i++) {
            print_grid(values, all, request->result[i]);
        }
    } else if (all != NULL) {
        print_points(request, all, rows * across, across);
    }
    free(all);
    return all != NULL;
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

/* The candidates on either side of a number. */
static void find_neighbours(const struct keel_model_range *range, double number, double *low,
                            double *high)
{
    *low = *high = number;
    for (size_t i = 0; i < range->count; i++) {
        double other = range->value[i].number;
        if (other < number && (other > *low || *low == number)) {
            *low = other;
        }
        if (other > number && (other < *high || *high == number)) {
            *high = other;
        }
    }
}

/* Tries numbers between the candidates on either side of the row's. */
static bool refine_number(struct search *search, const struct keel_model_range *range,
                          struct row *row)
{
    unsigned parameter = range->parameter;
    bool whole = search->values.model->parameter[parameter].kind == KEEL_MODEL_COUNT;
    double low, high, step = 0;

    find_neighbours(range, row->value[parameter].number, &low, &high);
    for (int level = 0; level < LEVELS && high > low && !(whole && step == 1); level++) {
        step = (high - low) / POINTS;
        step = whole ? fmax(1, ceil(step)) : step;
        memcpy(search->values.value, row->value, sizeof row->value);
        for (int i = 0; low + i * step <= high; i++) {
            search->values.value[parameter].number = low + i * step;
            if (!try_values(search, row)) {
                return false;
            }
        }
        low = fmax(low, row->value[parameter].number - step);
        high = fmin(high, row->value[parameter].number + step);
    }
    return true;
}

static bool refine(struct search *search, struct row *row)
{
    for (int round = 0; round < ROUNDS && isfinite(row->cost); round++) {
        for (unsigned i = search->words; i < search->frees; i++) {
            memcpy(search->values.value, row->value, sizeof row->value);
            if (keel_model_takes(&search->values, search->range[i].parameter) &&
                !refine_number(search, &search->range[i], row)) {
                return false;
            }
        }
    }
    return true;
}

/* All combinations of free parameters from `depth` on. `row`: gets the best one; NULL: each of
 * words, or of numbers where there are no words, is a row of its own. */
static bool try_from(struct search *search, unsigned depth, struct row *row)
{
    struct row own = {.cost = INFINITY};

    if (row == NULL && depth == (search->words > 0 ? search->words : search->frees)) {
        struct keel_model_values before = search->values;
        memcpy(own.value, before.value, sizeof own.value);
        bool good = try_from(search, depth, &own) && (search->words == 0 || refine(search, &own));
        search->values = before;
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

/* Where only numbers are free, the best row also gets the numbers between candidates. */
static bool refine_best(struct search *search)
{
    struct row best = search->row[0];
    bool good = refine(search, &best);

    if (good && best.cost < search->row[0].cost) {
        keep(search, &best);
    }
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
        !try_from(&search, 0, NULL) || (search.words == 0 && !refine_best(&search))) {
        return false;
    }
    print_rows(&search, request->csv);
    return true;
}
