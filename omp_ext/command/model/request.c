/* The command line of `keel model ACTION`. */
#include "omp_ext/command/model/request.h"

#include <string.h>

#include "omp_ext/support/message.h"

error_t keel_request_take(int key, char *word, struct argp_state *state)
{
    struct keel_request *request = state->input;

    switch (key) {
    case 's':
        request->csv = true;
        return 0;
    case 'a':
        request->all = true;
        return 0;
    case 'c':
        request->sources.costs = word;
        return 0;
    case 't':
        request->sources.trace = word;
        return 0;
    case 'l':
        request->sources.loop = word;
        return 0;
    case 'f':
        request->free = word;
        return 0;
    case 'o':
        request->output = word;
        return 0;
    case 'r':
        if (request->wanteds == KEEL_MODEL_RESULTS_MAX) {
            argp_error(state, "--result: more than %d times", KEEL_MODEL_RESULTS_MAX);
        }
        request->wanted[request->wanteds++] = word;
        return 0;
    case ARGP_KEY_ARGS:
        request->word = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void keel_request_read(int argc, char **argv, const struct argp *grammar,
                       struct keel_request *request)
{
    argp_parse(grammar, argc, argv, 0, NULL, request);
}

/* --- words --- */

static bool take_range(struct keel_task *task, unsigned parameter, char *text, unsigned swept_max)
{
    const struct keel_model *model = task->values.model;

    if (task->swepts == swept_max) {
        keel_message("%s: %s '%s': %s; nothing is predicted", model->name,
                     model->parameter[parameter].name, text,
                     swept_max == 0 ? "one value is expected" : "two parameters are swept already");
        return false;
    }
    if (!keel_range_read(&task->values, parameter, text, &task->swept[task->swepts])) {
        return false;
    }
    task->swepts++;
    return true;
}

/* A parameter that is stated twice would hide one of the two. */
static bool is_new(const struct keel_task *task, unsigned parameter)
{
    const struct keel_model *model = task->values.model;
    bool stated = task->values.origin[parameter] == KEEL_MODEL_STATED;

    if (stated) {
        keel_message("%s: %s is stated twice; nothing is predicted", model->name,
                     model->parameter[parameter].name);
    }
    return !stated;
}

/* Ranges wait until all single values are known, on which they may depend. */
static bool take_word(struct keel_task *task, char *word, unsigned swept_max, bool ranges)
{
    const struct keel_model *model = task->values.model;
    char *text = strchr(word, '=');

    if (text == NULL) {
        keel_message("%s: '%s' is not NAME=VALUE; nothing is predicted", model->name, word);
        return false;
    }
    int parameter = keel_models_parameter(model, word, (size_t)(text - word));
    if (parameter < 0) {
        return false;
    }
    text++;
    if (keel_range_is(model, (unsigned)parameter, text) != ranges) {
        return true;
    }
    if (!is_new(task, (unsigned)parameter)) {
        return false;
    }
    task->values.origin[parameter] = KEEL_MODEL_STATED;
    return ranges
               ? take_range(task, (unsigned)parameter, text, swept_max)
               : keel_values_read(model, (unsigned)parameter, text, &task->values.value[parameter]);
}

static bool take_words(struct keel_task *task, char **word, unsigned swept_max)
{
    for (int ranges = 0; ranges <= 1; ranges++) {
        for (char **next = word; *next != NULL; next++) {
            if (!take_word(task, *next, swept_max, ranges)) {
                return false;
            }
        }
    }
    return true;
}

static bool take_results(struct keel_task *task, const struct keel_request *request)
{
    const struct keel_model *model = task->values.model;

    for (unsigned i = 0; i < request->wanteds; i++) {
        int result = keel_models_result(model, request->wanted[i], strlen(request->wanted[i]));
        if (result < 0) {
            return false;
        }
        task->result[task->results++] = (unsigned)result;
    }
    if (task->results == 0) {
        for (unsigned i = 0; i < keel_models_results(model); i++) {
            task->result[task->results++] = i;
        }
    }
    return true;
}

bool keel_task_begin(struct keel_task *task, const struct keel_request *request, unsigned swept_max)
{
    *task = (struct keel_task){0};
    const struct keel_model *model = keel_models_find(request->word[0]);

    return model != NULL && keel_values_begin(&task->values, model, &request->sources) &&
           take_words(task, request->word + 1, swept_max) && take_results(task, request);
}

void keel_task_end(struct keel_task *task)
{
    for (unsigned i = 0; i < task->swepts; i++) {
        keel_range_end(&task->swept[i]);
    }
    keel_values_end(&task->values);
}
