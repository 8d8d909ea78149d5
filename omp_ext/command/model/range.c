/* The values that a sweep gives a parameter. */
#define _GNU_SOURCE
#include "omp_ext/command/model/range.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

#define STEPS 10        /* of a range that does not say */
#define STEPS_WHOLE 32  /* whole numbers that are no further apart are all taken */
#define CANDIDATES 1024 /* of a model's own */
#define TRIED 24        /* numbers that are tried over a range without candidates */

static bool is_numeric(const struct keel_model_parameter *parameter)
{
    return parameter->kind == KEEL_MODEL_REAL || parameter->kind == KEEL_MODEL_COUNT;
}

bool keel_range_is(const struct keel_model *model, unsigned parameter, const char *text)
{
    return strchr(text, '/') != NULL || strcmp(text, "every") == 0 ||
           (is_numeric(&model->parameter[parameter]) && strchr(text, ':') != NULL);
}

/* --- putting values together --- */

static bool begin(struct keel_range *range, unsigned parameter, size_t room)
{
    *range = (struct keel_range){.parameter = parameter};
    range->value = room <= KEEL_RANGE_VALUES_MAX + 1 ? calloc(room, sizeof *range->value) : NULL;
    if (range->value == NULL) {
        keel_message("more than %d values in a range; nothing is predicted", KEEL_RANGE_VALUES_MAX);
    }
    return range->value != NULL;
}

void keel_range_end(struct keel_range *range)
{
    free(range->value);
    *range = (struct keel_range){0};
}

/* Whole numbers are rounded, and not repeated. */
static void add_number(struct keel_range *range, const struct keel_model_parameter *parameter,
                       double number)
{
    if (parameter->kind == KEEL_MODEL_COUNT) {
        number = round(number);
    }
    if (range->count == 0 || range->value[range->count - 1].number != number) {
        range->value[range->count++] = (struct keel_model_value){.number = number};
    }
}

/* --- lists --- */

static bool read_list(const struct keel_model *model, unsigned place, char *text,
                      struct keel_range *range)
{
    size_t room = 1;

    for (const char *c = text; *c != '\0'; c++) {
        room += *c == '/';
    }
    if (!begin(range, place, room)) {
        return false;
    }
    for (char *item; (item = strsep(&text, "/")) != NULL;) {
        if (!keel_values_read(model, place, item, &range->value[range->count++])) {
            keel_range_end(range);
            return false;
        }
    }
    return true;
}

/* --- FROM:TO --- */

struct ends {
    double from, to;
};

static bool complain(const struct keel_model *model, unsigned place, const char *text,
                     const char *wrong)
{
    keel_message("%s: %s '%s': %s; nothing is predicted", model->name, model->parameter[place].name,
                 text, wrong);
    return false;
}

static bool read_ends(const struct keel_model *model, unsigned place, char *from, char *to,
                      struct ends *ends)
{
    struct keel_model_value value;

    if (!keel_values_read(model, place, from, &value)) {
        return false;
    }
    ends->from = value.number;
    if (!keel_values_read(model, place, to, &value)) {
        return false;
    }
    ends->to = value.number;
    if (ends->from > ends->to) {
        keel_message("%s: %s begins at '%s', which is above its end '%s'; nothing is predicted",
                     model->name, model->parameter[place].name, from, to);
        return false;
    }
    return true;
}

static bool by_factor(const struct keel_model *model, unsigned place, const char *text,
                      struct ends ends, struct keel_range *range)
{
    const struct keel_model_parameter *parameter = &model->parameter[place];
    double factor;

    if (!keel_number_real(text + 1, &factor) || !(factor > 1)) {
        return complain(model, place, text, "the factor is not a number above 1");
    }
    if (!(ends.from > 0)) {
        return complain(model, place, text, "a range by a factor has to begin above 0");
    }
    double steps = floor(log(ends.to / ends.from) / log(factor) + 1e-9);
    if (!begin(range, place, steps < KEEL_RANGE_VALUES_MAX ? (size_t)steps + 1 : SIZE_MAX)) {
        return false;
    }
    for (double i = 0; i <= steps; i++) {
        add_number(range, parameter, fmin(ends.from * pow(factor, i), ends.to));
    }
    range->by_factor = true;
    return true;
}

static double standard_steps(const struct keel_model_parameter *parameter, struct ends ends)
{
    double distance = ends.to - ends.from;

    return parameter->kind == KEEL_MODEL_COUNT && distance <= STEPS_WHOLE && distance > 0 ? distance
                                                                                          : STEPS;
}

static bool by_steps(const struct keel_model *model, unsigned place, const char *text,
                     struct ends ends, struct keel_range *range)
{
    const struct keel_model_parameter *parameter = &model->parameter[place];
    double steps = standard_steps(parameter, ends);

    if (text != NULL &&
        (!keel_number_real(text, &steps) || !(steps >= 1) || steps != floor(steps))) {
        return complain(model, place, text, "the number of steps is not a whole number from 1 on");
    }
    if (!begin(range, place, steps < KEEL_RANGE_VALUES_MAX ? (size_t)steps + 1 : SIZE_MAX)) {
        return false;
    }
    for (double i = 0; i <= steps; i++) {
        add_number(range, parameter, ends.from + (ends.to - ends.from) * (i / steps));
    }
    return true;
}

static bool read_from_to(const struct keel_model *model, unsigned place, char *text,
                         struct keel_range *range)
{
    char *from = strsep(&text, ":"), *to = strsep(&text, ":"), *steps = text;
    struct ends ends;

    if (!read_ends(model, place, from, to, &ends)) {
        return false;
    }
    if (steps != NULL && steps[0] == 'x') {
        return by_factor(model, place, steps, ends, range);
    }
    return by_steps(model, place, steps, ends, range);
}

bool keel_range_read(const struct keel_values *values, unsigned parameter, char *text,
                     struct keel_range *range)
{
    if (strcmp(text, "every") == 0) {
        return keel_range_candidates(values, parameter, range);
    }
    if (strchr(text, '/') != NULL) {
        return read_list(values->model, parameter, text, range);
    }
    return read_from_to(values->model, parameter, text, range);
}

/* --- what optimise tries --- */

/* Leaves out numbers that stand before, too. */
static void drop_repeated(struct keel_range *range)
{
    size_t kept = 0;

    for (size_t i = 0; i < range->count; i++) {
        bool repeated = false;
        for (size_t j = 0; j < kept && !repeated; j++) {
            repeated = range->value[j].number == range->value[i].number;
        }
        if (!repeated) {
            range->value[kept++] = range->value[i];
        }
    }
    range->count = kept;
}

static bool take_candidates(const struct keel_values *values, unsigned place,
                            struct keel_range *range)
{
    struct keel_model_input input = {.value = values->value, .trace = values->trace};

    if (!begin(range, place, CANDIDATES)) {
        return false;
    }
    if (values->model->candidates != NULL) {
        range->count = values->model->candidates(&input, place, range->value, CANDIDATES);
        if (is_numeric(&values->model->parameter[place])) {
            drop_repeated(range);
        }
    }
    return true;
}

static void take_words(struct keel_range *range, const struct keel_model_parameter *parameter)
{
    const char *word;

    for (unsigned i = 0; (word = parameter->word(i)) != NULL && i < CANDIDATES; i++) {
        range->value[range->count++] = (struct keel_model_value){.number = i, .text = word};
    }
}

/* By a factor where the range spans more than two orders of magnitude. */
static void take_numbers(struct keel_range *range, const struct keel_model_parameter *parameter)
{
    double low = parameter->low, high = parameter->high;
    double least = low > 0 ? low : parameter->kind == KEEL_MODEL_COUNT ? 1 : high * 1e-9;
    bool wide = high > 100 * least;

    if (low < least) {
        add_number(range, parameter, low);
    }
    for (double i = 0; i <= TRIED; i++) {
        add_number(
            range, parameter,
            fmin(wide ? least * pow(high / least, i / TRIED) : low + (high - low) * i / TRIED,
                 high));
    }
}

bool keel_range_candidates(const struct keel_values *values, unsigned parameter,
                           struct keel_range *range)
{
    const struct keel_model_parameter *info = &values->model->parameter[parameter];

    if (!take_candidates(values, parameter, range)) {
        return false;
    }
    if (range->count == 0 && info->kind == KEEL_MODEL_WORD) {
        take_words(range, info);
    } else if (range->count == 0 && is_numeric(info)) {
        take_numbers(range, info);
    }
    if (range->count == 0) {
        keel_range_end(range);
        return complain(values->model, parameter, "every",
                        "there are no values to try by themselves");
    }
    return true;
}
