/* All combinations of candidates, then numbers between them around the best. */
#include "omp_ext/command/model/search.h"

#include <math.h>
#include <string.h>

#include "omp_ext/support/message.h"

#define LEVELS 4  /* how often the distance between tried numbers shrinks around the best one */
#define POINTS 16 /* numbers in each */
#define ROUNDS 2  /* over all parameters */

static bool is_number(const struct keel_values *values, unsigned parameter)
{
    enum keel_model_kind kind = values->model->parameter[parameter].kind;

    return kind == KEEL_MODEL_REAL || kind == KEEL_MODEL_COUNT;
}

static bool matters(const struct keel_values *values, unsigned parameter)
{
    return values->model->takes == NULL || values->model->takes(values->value, parameter);
}

/* --- one combination --- */

/* Takes the present values over if they cost less than the row. */
static bool try_values(struct keel_search *search, struct keel_search_row *row)
{
    double result[KEEL_MODEL_RESULTS_MAX];

    if (!keel_values_evaluate(&search->values, result)) {
        return false;
    }
    double cost = result[search->values.model->minimised];
    if (cost < row->cost) {
        row->cost = cost;
        memcpy(row->value, search->values.value, sizeof row->value);
    }
    return true;
}

/* Keeps rows in order; drops the last where there are too many. */
static void keep(struct keel_search *search, const struct keel_search_row *row)
{
    unsigned place = search->rows;

    while (place > 0 && row->cost < search->row[place - 1].cost) {
        place--;
    }
    if (place == KEEL_SEARCH_ROWS_MAX) {
        return;
    }
    search->rows += search->rows < KEEL_SEARCH_ROWS_MAX;
    memmove(&search->row[place + 1], &search->row[place],
            (search->rows - place - 1) * sizeof *search->row);
    search->row[place] = *row;
}

/* --- numbers between candidates --- */

/* The candidates on either side of a number. */
static void neighbours(const struct keel_range *range, double number, double *low, double *high)
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

static bool refine_number(struct keel_search *search, const struct keel_range *range,
                          struct keel_search_row *row)
{
    unsigned parameter = range->parameter;
    bool whole = search->values.model->parameter[parameter].kind == KEEL_MODEL_COUNT;
    double low, high;

    neighbours(range, row->value[parameter].number, &low, &high);
    for (int level = 0; level < LEVELS && high > low; level++) {
        double step = (high - low) / POINTS;
        step = whole ? fmax(1, ceil(step)) : step;
        memcpy(search->values.value, row->value, sizeof row->value);
        for (int i = 0; low + i * step <= high; i++) {
            search->values.value[parameter].number = low + i * step;
            if (!try_values(search, row)) {
                return false;
            }
        }
        double best = row->value[parameter].number;
        low = fmax(low, best - step);
        high = fmin(high, best + step);
        if (whole && step == 1) {
            break;
        }
    }
    return true;
}

static bool refine(struct keel_search *search, struct keel_search_row *row)
{
    for (int round = 0; round < ROUNDS && isfinite(row->cost); round++) {
        for (unsigned i = search->words; i < search->frees; i++) {
            memcpy(search->values.value, row->value, sizeof row->value);
            if (matters(&search->values, search->range[i].parameter) &&
                !refine_number(search, &search->range[i], row)) {
                return false;
            }
        }
    }
    return true;
}

/* --- all combinations --- */

static bool try_numbers(struct keel_search *search, unsigned depth, struct keel_search_row *row)
{
    if (depth == search->frees) {
        struct keel_search_row single = {.cost = INFINITY};
        bool good = try_values(search, search->words > 0 ? row : &single);
        if (good && search->words == 0) {
            keep(search, &single);
        }
        return good;
    }
    const struct keel_range *range = &search->range[depth];
    struct keel_model_value *value = &search->values.value[range->parameter], before = *value;
    if (!matters(&search->values, range->parameter)) {
        return try_numbers(search, depth + 1, row);
    }
    bool good = true;
    for (size_t i = 0; i < range->count && good; i++) {
        *value = range->value[i];
        good = try_numbers(search, depth + 1, row);
    }
    *value = before;
    return good;
}

/* The best numbers for the words as they are. */
static bool try_row(struct keel_search *search)
{
    struct keel_model_value before[KEEL_MODEL_PARAMETERS_MAX];
    struct keel_search_row row = {.cost = INFINITY};

    memcpy(before, search->values.value, sizeof before);
    memcpy(row.value, before, sizeof before);
    bool good = try_numbers(search, search->words, &row) && refine(search, &row);
    memcpy(search->values.value, before, sizeof before);
    if (good) {
        keep(search, &row);
    }
    return good;
}

static bool try_words(struct keel_search *search, unsigned depth)
{
    if (depth == search->words) {
        return try_row(search);
    }
    const struct keel_range *range = &search->range[depth];
    struct keel_model_value *value = &search->values.value[range->parameter], before = *value;
    if (!matters(&search->values, range->parameter)) {
        return try_words(search, depth + 1);
    }
    bool good = true;
    for (size_t i = 0; i < range->count && good; i++) {
        *value = range->value[i];
        good = try_words(search, depth + 1);
    }
    *value = before;
    return good;
}

/* Where only numbers are free, the best row also gets the numbers between candidates. */
static bool search_numbers(struct keel_search *search)
{
    struct keel_search_row best = {.cost = INFINITY};

    if (!try_numbers(search, 0, &best)) {
        return false;
    }
    best = search->row[0];
    if (!refine(search, &best)) {
        return false;
    }
    if (best.cost < search->row[0].cost) {
        keep(search, &best);
    }
    return true;
}

/* --- what is free --- */

/* Words first: numbers may have an influence for some of them only. */
static bool take_free(struct keel_search *search, const unsigned *free, unsigned frees,
                      bool numbers)
{
    for (unsigned i = 0; i < frees; i++) {
        if (is_number(&search->values, free[i]) != numbers) {
            continue;
        }
        if (!keel_range_candidates(&search->values, free[i], &search->range[search->frees])) {
            return false;
        }
        search->frees++;
        search->words += !numbers;
    }
    return true;
}

static bool are_few(const struct keel_search *search)
{
    double tries = 1;

    for (unsigned i = 0; i < search->frees; i++) {
        tries *= (double)search->range[i].count;
    }
    if (tries > KEEL_SEARCH_TRIES_MAX) {
        keel_message("%s: %.0f combinations to try, more than %d; nothing is predicted "
                     "(state values, or name fewer parameters by --free)",
                     search->values.model->name, tries, KEEL_SEARCH_TRIES_MAX);
    }
    return tries <= KEEL_SEARCH_TRIES_MAX;
}

bool keel_search_begin(struct keel_search *search, const struct keel_values *values,
                       const unsigned *free, unsigned frees)
{
    *search = (struct keel_search){.values = *values};
    if (!take_free(search, free, frees, false) || !take_free(search, free, frees, true) ||
        !are_few(search)) {
        return false;
    }
    return search->words > 0 ? try_words(search, 0) : search_numbers(search);
}

void keel_search_end(struct keel_search *search)
{
    for (unsigned i = 0; i < search->frees; i++) {
        keel_range_end(&search->range[i]);
    }
}
