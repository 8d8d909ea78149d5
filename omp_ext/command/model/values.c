/* Values of a model's parameters. */
#include "omp_ext/command/model/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"
#include "schedules/text/number.h"

/* --- text to value --- */

struct suffix {
    const char *text;
    double factor;
};

static const struct suffix suffixes_of_seconds[] = {
    {"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
};

#define SUFFIXES (sizeof suffixes_of_seconds / sizeof *suffixes_of_seconds)

/* NaN: no number of this unit. */
static double number_of(const char *text, const char *unit)
{
    double number;
    size_t length = keel_number_begin(text, &number);
    size_t suffixes = strcmp(unit, "s") == 0 ? SUFFIXES : 1;

    for (size_t i = 0; length > 0 && i < suffixes; i++) {
        if (strcmp(text + length, suffixes_of_seconds[i].text) == 0) {
            return number * suffixes_of_seconds[i].factor;
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

static bool find_word(const struct keel_model_parameter *parameter, const char *text,
                      struct keel_model_value *value, struct keel_nearest *nearest)
{
    const char *word;

    keel_nearest_begin(nearest, text, strlen(text));
    for (unsigned i = 0; (word = parameter->word(i)) != NULL; i++) {
        if (strcmp(word, text) == 0) {
            *value = (struct keel_model_value){.number = i, .text = word};
            return true;
        }
        keel_nearest_consider(nearest, word, strlen(word));
    }
    return false;
}

static bool read_word(const struct keel_model *model, unsigned place, const char *text,
                      struct keel_model_value *value)
{
    struct keel_nearest nearest;

    if (find_word(&model->parameter[place], text, value, &nearest)) {
        return true;
    }
    keel_message("%s: unknown %s '%s'%s; nothing is predicted", model->name,
                 model->parameter[place].name, text, keel_nearest_hint(&nearest));
    return false;
}

static bool read_text(const struct keel_model *model, unsigned place, const char *text,
                      struct keel_model_value *value)
{
    char problem[KEEL_MODEL_PROBLEM_MAX] = "";

    *value = (struct keel_model_value){.text = text};
    if (model->parameter[place].check(text, problem)) {
        return true;
    }
    keel_message("%s: %s '%s': %s; nothing is predicted", model->name, model->parameter[place].name,
                 text, problem);
    return false;
}

bool keel_values_read(const struct keel_model *model, unsigned parameter, const char *text,
                      struct keel_model_value *value)
{
    *value = (struct keel_model_value){0};
    switch (model->parameter[parameter].kind) {
    case KEEL_MODEL_WORD:
        return read_word(model, parameter, text, value);
    case KEEL_MODEL_TEXT:
        return read_text(model, parameter, text, value);
    case KEEL_MODEL_REAL:
    case KEEL_MODEL_COUNT:
        break;
    }
    return read_number(model, parameter, text, value);
}

/* --- value to text --- */

void keel_values_write(const struct keel_model_parameter *parameter,
                       const struct keel_model_value *value, int digits, char *text)
{
    if (value->text != NULL) {
        snprintf(text, KEEL_VALUES_TEXT_MAX, "%s", value->text);
    } else {
        snprintf(text, KEEL_VALUES_TEXT_MAX, "%.*g",
                 parameter->kind == KEEL_MODEL_COUNT ? 15 : digits, value->number);
    }
}

void keel_values_write_result(const struct keel_model_result *result, double value, int digits,
                              char *text)
{
    if (isinf(value)) {
        snprintf(text, KEEL_VALUES_TEXT_MAX, "%s", result->endless);
    } else {
        snprintf(text, KEEL_VALUES_TEXT_MAX, "%.*g", digits, value == 0 ? 0 : value);
    }
}

/* --- where values come from --- */

static void take_default(struct keel_values *values, unsigned place,
                         const struct keel_machine *machine)
{
    const struct keel_model_parameter *parameter = &values->model->parameter[place];
    struct keel_model_value *value = &values->value[place];
    struct keel_nearest unused;

    values->origin[place] = KEEL_MODEL_DEFAULT;
    *value = parameter->standard;
    if (parameter->kind == KEEL_MODEL_WORD) {
        find_word(parameter, parameter->standard.text, value, &unused);
    }
    if (parameter->costs) {
        value->number =
            fmin(fmax(machine->value[parameter->cost], parameter->low), parameter->high);
        values->origin[place] =
            keel_machine_states(machine, parameter->cost) ? KEEL_MODEL_MACHINE : KEEL_MODEL_DEFAULT;
    }
}

/* A file that can't be read leaves standard values, and machine.c says so. */
static void take_costs(struct keel_values *values, const char *path)
{
    struct keel_machine machine;

    if (path == NULL) {
        keel_machine_load(&machine);
    } else {
        keel_machine_begin(&machine);
        keel_machine_read(&machine, path);
    }
    for (unsigned i = 0; i < keel_models_parameters(values->model); i++) {
        take_default(values, i, &machine);
    }
}

static void take_traced(struct keel_values *values, const struct keel_model_traced *traced)
{
    for (unsigned i = 0; i < keel_models_parameters(values->model); i++) {
        if (traced->taken[i]) {
            values->value[i] = traced->value[i];
            values->origin[i] = KEEL_MODEL_TRACE;
        }
    }
    values->trace = traced->trace;
}

static bool take_trace(struct keel_values *values, const struct keel_values_sources *sources)
{
    static struct keel_model_traced traced;
    char problem[KEEL_MODEL_PROBLEM_MAX] = "";
    struct keel_recorded trace;

    if (values->model->take_trace == NULL) {
        keel_message("%s: --trace '%s': this model takes no trace; nothing is predicted",
                     values->model->name, sources->trace);
        return false;
    }
    if (!keel_recorded_read(sources->trace, &trace)) {
        return false;
    }
    bool good = values->model->take_trace(&trace, sources->loop, &traced, problem);
    keel_recorded_end(&trace);
    if (good) {
        take_traced(values, &traced);
    } else {
        keel_message("--trace '%s': %s; nothing is predicted", sources->trace, problem);
    }
    return good;
}

bool keel_values_begin(struct keel_values *values, const struct keel_model *model,
                       const struct keel_values_sources *sources)
{
    *values = (struct keel_values){.model = model};
    take_costs(values, sources->costs);
    return sources->trace == NULL || take_trace(values, sources);
}

void keel_values_end(struct keel_values *values)
{
    free(values->trace);
    values->trace = NULL;
}

/* --- results --- */

bool keel_values_evaluate(const struct keel_values *values, double *result)
{
    const struct keel_model *model = values->model;
    struct keel_model_input input = {.value = values->value, .trace = values->trace};
    char problem[KEEL_MODEL_PROBLEM_MAX] = "";

    if (!model->evaluate(&input, result, problem)) {
        keel_message("%s: %s; nothing is predicted", model->name, problem);
        return false;
    }
    for (unsigned i = 0; model->result[i].name != NULL; i++) {
        if (isnan(result[i]) || (isinf(result[i]) && model->result[i].endless == NULL)) {
            keel_message("%s: %s is beyond all numbers for these parameters; nothing is predicted",
                         model->name, model->result[i].name);
            return false;
        }
    }
    return true;
}
