/* Values of a model's parameters: read from text, checked, printed, and put together from defaults,
 * machine costs, a trace and what the command line states. */
#ifndef OMP_EXT_COMMAND_MODEL_VALUES_H
#define OMP_EXT_COMMAND_MODEL_VALUES_H

#include "omp_ext/command/model/kinds/models.h"

#define KEEL_VALUES_TEXT_MAX 256

/* All values of one model. */
struct keel_values {
    const struct keel_model *model;
    struct keel_model_value value[KEEL_MODEL_PARAMETERS_MAX];
    enum keel_model_origin origin[KEEL_MODEL_PARAMETERS_MAX];
    void *trace; /* what take_trace made, or NULL */
};

/* Where values come from beside NAME=VALUE; members are NULL where they are not. */
struct keel_values_sources {
    const char *costs; /* file of machine costs; NULL: what `keel model calibrate` has kept */
    const char *trace;
    const char *loop;
};

/* Everything but what is stated. False, and a message: a file is of no use. */
bool keel_values_begin(struct keel_values *values, const struct keel_model *model,
                       const struct keel_values_sources *sources);

void keel_values_end(struct keel_values *values);

/* Reads `text`, which has to live as long as the value. False, and a message: it is none for this
 * parameter. */
bool keel_values_read(const struct keel_model *model, unsigned parameter, const char *text,
                      struct keel_model_value *value);

/* The value in KEEL_VALUES_TEXT_MAX bytes: numbers in `digits` digits. */
void keel_values_write(const struct keel_model_parameter *parameter,
                       const struct keel_model_value *value, int digits, char *text);

/* All results. False, and a message: the model can't take these values. */
bool keel_values_evaluate(const struct keel_values *values, double *result);

/* A result in KEEL_VALUES_TEXT_MAX bytes. */
void keel_values_write_result(const struct keel_model_result *result, double value, int digits,
                              char *text);

#endif
