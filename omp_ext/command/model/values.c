/* Values of a model's parameters: from text, candidates, to struct input, to text. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/model.h"
#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"
#include "schedules/text/number.h"

#define TRIED 24 /* steps over the range of a number without candidates */

const struct keel_model *const keel_models[] = {
    &keel_model_loop, &keel_model_balance, &keel_model_objects, &keel_model_pipeline, NULL,
};

const char *const keel_model_no_yes[2] = {"no", "yes"};

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

int keel_model_parameter(const struct keel_model *model, const char *name, size_t length)
{
    return find(model->name, "parameter", name, length, model->parameter, model->parameters,
                sizeof *model->parameter);
}

int keel_model_result(const struct keel_model *model, const char *name)
{
    return find(model->name, "result", name, strlen(name), model->result, model->results,
                sizeof *model->result);
}

static bool complain(const struct keel_model *model, unsigned parameter, const char *text,
                     const char *wrong)
{
    keel_message("%s: %s '%s': %s; nothing is predicted", model->name,
                 model->parameter[parameter].name, text, wrong);
    return false;
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

static struct keel_model_value word_at(const struct keel_model_parameter *parameter, double place)
{
    return (struct keel_model_value){.number = place, .text = parameter->word[(size_t)place]};
}

static bool read_value(const struct keel_model *model, unsigned place, const char *text,
                       struct keel_model_value *value)
{
    const struct keel_model_parameter *parameter = &model->parameter[place];
    char problem[KEEL_MODEL_TEXT_MAX] = "";

    *value = (struct keel_model_value){0};
    if (parameter->kind == KEEL_MODEL_WORD) {
        int word = find(model->name, parameter->name, text, strlen(text), parameter->word,
                        (size_t)parameter->high + 1, sizeof *parameter->word);
        if (word >= 0) {
            *value = word_at(parameter, word);
        }
        return word >= 0;
    }
    if (parameter->kind == KEEL_MODEL_TEXT) {
        value->text = text;
        return parameter->check(text, problem) || complain(model, place, text, problem);
    }
    return read_number(model, place, text, value);
}

/* --- all values --- */

bool keel_model_begin(struct keel_model_values *values, const char *name)
{
    const char *known[KEEL_MODEL_PARAMETERS_MAX];
    size_t count = 0;

    for (; keel_models[count] != NULL; count++) {
        known[count] = keel_models[count]->name;
    }
    int model = find("", "model", name, strlen(name), known, count, sizeof *known);
    if (model < 0) {
        return false;
    }
    *values = (struct keel_model_values){.model = keel_models[model]};
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
    int place = keel_model_parameter(values->model, name, strlen(name));

    values->value[place] = value;
    values->origin[place] = "trace";
}

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

bool keel_model_takes(const struct keel_model_values *values, unsigned parameter)
{
    const char *when = values->model->parameter[parameter].when;
    char list[KEEL_MODEL_TEXT_MAX], word[KEEL_MODEL_TEXT_MAX];

    if (when == NULL) {
        return true;
    }
    size_t length = strcspn(when, "=");
    int other = keel_model_parameter(values->model, when, length);
    snprintf(list, sizeof list, " %s ", when + length + 1);
    snprintf(word, sizeof word, " %s ", values->value[other].text);
    return strstr(list, word) != NULL;
}

bool keel_model_evaluate(const struct keel_model_values *values, double *result)
{
    const struct keel_model *model = values->model;
    char problem[KEEL_MODEL_TEXT_MAX] = "";
    INPUT(input);

    fill(values, input);
    if (!model->evaluate(input, result, problem)) {
        keel_message("%s: %s; nothing is predicted", model->name, problem);
        return false;
    }
    for (size_t i = 0; i < model->results; i++) {
        if (isnan(result[i])) {
            keel_message("%s: %s is no number for these parameters; nothing is predicted",
                         model->name, model->result[i].name);
            return false;
        }
    }
    return true;
}

/* --- candidates --- */

/* Whole numbers are rounded, and not repeated. */
static void add_number(struct keel_model_range *range, const struct keel_model_parameter *parameter,
                       double number)
{
    if (parameter->kind == KEEL_MODEL_COUNT) {
        number = round(number);
    }
    if (range->count == 0 || range->value[range->count - 1].number != number) {
        range->value[range->count++].number = number;
    }
}

bool keel_model_take(struct keel_model_values *values, const char *word)
{
    const struct keel_model *model = values->model;
    const char *text = strchr(word, '=');

    if (text == NULL) {
        keel_message("%s: '%s' is not NAME=VALUE; nothing is predicted", model->name, word);
        return false;
    }
    int place = keel_model_parameter(model, word, (size_t)(text - word));
    if (place < 0) {
        return false;
    }
    text++;
    if (values->origin[place] == NULL) {
        keel_message("%s: %s is stated twice; nothing is predicted", model->name,
                     model->parameter[place].name);
        return false;
    }
    values->origin[place] = NULL;
    return read_value(model, (unsigned)place, text, &values->value[place]);
}

/* By a factor where the range spans more than two orders of magnitude. */
static void add_numbers(struct keel_model_range *range,
                        const struct keel_model_parameter *parameter)
{
    double low = parameter->low, high = parameter->high;
    double least = low > 0 ? low : parameter->kind == KEEL_MODEL_COUNT ? 1 : high * 1e-9;
    bool wide = high > 100 * least;

    if (low < least) {
        add_number(range, parameter, low);
    }
    for (double i = 0; i <= TRIED; i++) {
        double part = i / TRIED;
        double number = wide ? least * pow(high / least, part) : low + (high - low) * part;
        add_number(range, parameter, fmin(number, high));
    }
}

static void add_tried(struct keel_model_range *range, const struct keel_model_parameter *parameter)
{
    double number[KEEL_MODEL_CANDIDATES_MAX];
    size_t count = keel_number_list(parameter->tried, parameter->low, parameter->high,
                                    KEEL_MODEL_CANDIDATES_MAX, number);

    for (size_t i = 0; i < count; i++) {
        add_number(range, parameter, number[i]);
    }
}

bool keel_model_candidates(const struct keel_model_values *values, unsigned parameter,
                           struct keel_model_range *range)
{
    const struct keel_model *model = values->model;
    const struct keel_model_parameter *info = &model->parameter[parameter];
    INPUT(input);

    *range = (struct keel_model_range){.parameter = parameter};
    fill(values, input);
    if (model->candidates != NULL) {
        range->count = model->candidates(input, info->name, range->value);
    }
    if (info->tried != NULL) {
        add_tried(range, info);
    } else if (range->count == 0 && info->kind == KEEL_MODEL_WORD) {
        for (; range->count <= info->high; range->count++) {
            range->value[range->count] = word_at(info, (double)range->count);
        }
    } else if (range->count == 0 && info->kind != KEEL_MODEL_TEXT) {
        add_numbers(range, info);
    }
    if (range->count == 0) {
        keel_message("%s: %s: there are no values to try by themselves; nothing is predicted",
                     model->name, info->name);
    }
    return range->count > 0;
}

/* --- value to text --- */

void keel_model_write_number(double number, int digits, char *text)
{
    if (isinf(number)) {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "infinite");
    } else {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "%.*g", digits, number == 0 ? 0 : number);
    }
}

void keel_model_write(const struct keel_model_parameter *parameter,
                      const struct keel_model_value *value, int digits, char *text)
{
    if (value->text != NULL) {
        snprintf(text, KEEL_MODEL_TEXT_MAX, "%s", value->text);
    } else {
        keel_model_write_number(value->number, parameter->kind == KEEL_MODEL_COUNT ? 15 : digits,
                                text);
    }
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
