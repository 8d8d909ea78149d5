/* The array of models, and finding names in it. */
#include "omp_ext/command/model/kinds/models.h"

#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"

const struct keel_model *const keel_models[] = {
    &keel_model_loop,        &keel_model_balance,     &keel_model_objects,   &keel_model_pipeline,
    &keel_model_oscillation, &keel_model_round_robin, &keel_model_migration, NULL,
};

unsigned keel_models_parameters(const struct keel_model *model)
{
    unsigned count = 0;

    while (model->parameter[count].name != NULL) {
        count++;
    }
    return count;
}

unsigned keel_models_results(const struct keel_model *model)
{
    unsigned count = 0;

    while (model->result[count].name != NULL) {
        count++;
    }
    return count;
}

const char *keel_models_no_yes(unsigned place)
{
    static const char *const words[] = {"no", "yes"};

    return place < 2 ? words[place] : NULL;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

const struct keel_model *keel_models_find(const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (const struct keel_model *const *model = keel_models; *model != NULL; model++) {
        if (strcmp((*model)->name, name) == 0) {
            return *model;
        }
        keel_nearest_consider(&nearest, (*model)->name, strlen((*model)->name));
    }
    keel_message("unknown model '%s'%s; nothing is predicted (see `keel model list`)", name,
                 keel_nearest_hint(&nearest));
    return NULL;
}

int keel_models_parameter(const struct keel_model *model, const char *name, size_t length)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (int i = 0; model->parameter[i].name != NULL; i++) {
        if (is_name(model->parameter[i].name, name, length)) {
            return i;
        }
        keel_nearest_consider(&nearest, model->parameter[i].name, strlen(model->parameter[i].name));
    }
    keel_message("%s: unknown parameter '%.*s'%s; nothing is predicted", model->name, (int)length,
                 name, keel_nearest_hint(&nearest));
    return -1;
}

int keel_models_result(const struct keel_model *model, const char *name, size_t length)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, length);
    for (int i = 0; model->result[i].name != NULL; i++) {
        if (is_name(model->result[i].name, name, length)) {
            return i;
        }
        keel_nearest_consider(&nearest, model->result[i].name, strlen(model->result[i].name));
    }
    keel_message("%s: unknown result '%.*s'%s; nothing is predicted", model->name, (int)length,
                 name, keel_nearest_hint(&nearest));
    return -1;
}
