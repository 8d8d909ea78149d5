/* keel model: finds the action and hands it the rest of the command line. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/model/actions.h"
#include "omp_ext/message.h"
#include "schedules/loop/nearest.h"

static const struct keel_subcommand *const actions[] = {
    &keel_model_list,     &keel_model_predict, &keel_model_sweep,
    &keel_model_optimise, &keel_model_plot,    &keel_model_calibrate,
};

#define ACTIONS (sizeof actions / sizeof actions[0])

static char *help(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;

    (void)input;
    FILE *stream = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (stream == NULL) {
        return (char *)text;
    }
    fprintf(stream, "Actions:\n");
    for (size_t i = 0; i < ACTIONS; i++) {
        fprintf(stream, "  %-10s %s\n", actions[i]->name, actions[i]->summary);
    }
    fprintf(stream, "\n`keel model ACTION --help' tells more about each.");
    fclose(stream);
    return list;
}

/* What follows the action's name is its own. */
static error_t take(int key, char *word, struct argp_state *state)
{
    char ***rest = state->input;

    (void)word;
    switch (key) {
    case ARGP_KEY_ARG:
        *rest = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp grammar = {
    .parser = take,
    .args_doc = "ACTION [ARGUMENT...]",
    .doc = "Predicts what a loop or a job will take, by the formulas that programs under Keel "
           "choose by.\v ",
    .help_filter = help,
};

static const struct keel_subcommand *find(const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; i < ACTIONS; i++) {
        if (strcmp(actions[i]->name, name) == 0) {
            return actions[i];
        }
        keel_nearest_offer(&nearest, actions[i]->name, strlen(actions[i]->name));
    }
    keel_message("'%s' is not an action, nearest is '%s'; nothing is done (see keel model --help)",
                 name, nearest.best);
    return NULL;
}

static int run(int argc, char **argv)
{
    char title[64];
    char **rest = NULL;

    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &rest);
    const struct keel_subcommand *action = find(rest[0]);
    if (action == NULL) {
        return KEEL_EXIT_USAGE;
    }
    snprintf(title, sizeof title, "keel model %s", action->name);
    rest[0] = title;
    return action->run(argc - (int)(rest - argv), rest);
}

const struct keel_subcommand keel_subcommand_model = {
    .name = "model",
    .summary = "predict what a loop or a job will take, and choose its policy",
    .run = run,
};
