/* The models that `keel model` knows. To add one: its file, a line here and in models.c, tests. */
#ifndef OMP_EXT_COMMAND_MODEL_KINDS_MODELS_H
#define OMP_EXT_COMMAND_MODEL_KINDS_MODELS_H

#include "omp_ext/command/model/kinds/description.h"

extern const struct keel_model keel_model_loop, keel_model_balance, keel_model_objects;
extern const struct keel_model keel_model_pipeline, keel_model_oscillation;
extern const struct keel_model keel_model_round_robin, keel_model_migration;

/* In the order of `keel model list`, ended by NULL. */
extern const struct keel_model *const keel_models[];

/* The model of that name; NULL, and a message with the nearest name: there is none. */
const struct keel_model *keel_models_find(const char *name);

/* The number of its parameters and results. */
unsigned keel_models_parameters(const struct keel_model *model);
unsigned keel_models_results(const struct keel_model *model);

/* The place of the parameter or result of that name, of `length` bytes; -1, and a message with the
 * nearest name: there is none. */
int keel_models_parameter(const struct keel_model *model, const char *name, size_t length);
int keel_models_result(const struct keel_model *model, const char *name, size_t length);

/* The words "no" and "yes". */
const char *keel_models_no_yes(unsigned place);

#endif
