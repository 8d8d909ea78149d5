/* keel: the command. Finds the subcommand and hands it the rest of the command line. */
#include <argp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/subcommand.h"
#include "omp_ext/keel.h"
#include "omp_ext/message.h"
#include "schedules/loop/nearest.h"

const char *argp_program_version = "keel " KEEL_VERSION;

static const struct keel_subcommand *const subcommands[] = {
    &keel_subcommand_run,    &keel_subcommand_list, &keel_subcommand_chunks, &keel_subcommand_env,
    &keel_subcommand_cflags, &keel_subcommand_libs, &keel_subcommand_model,
};

#define SUBCOMMANDS (sizeof subcommands / sizeof subcommands[0])

/* argp calls this for each part of its help; the text after the options is ours, and argp frees
 * it. */
static char *help(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;

    (void)input;
    FILE *stream = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (stream == NULL) {
        return (char *)text;
    }
    fprintf(stream, "Subcommands:\n");
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        fprintf(stream, "  %-8s %s\n", subcommands[i]->name, subcommands[i]->summary);
    }
    fprintf(stream,
            "\n`keel SUBCOMMAND --help' tells more about each. Exit codes: 2 for a command line "
            "that cannot be used, 1 for a file of Keel's that is missing; those of `keel run' "
            "follow the program's.");
    fclose(stream);
    return list;
}

/* What follows the subcommand's name is its own. */
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
    .args_doc = "SUBCOMMAND [ARGUMENT...]",
    .doc =
        "Runs OpenMP programs built with GCC under Keel's loop schedules, and tells about them.\v ",
    .help_filter = help,
};

static const struct keel_subcommand *find(const char *name)
{
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        if (strcmp(subcommands[i]->name, name) == 0) {
            return subcommands[i];
        }
    }
    return NULL;
}

static int report_unknown(const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; i < SUBCOMMANDS; i++) {
        keel_nearest_offer(&nearest, subcommands[i]->name, strlen(subcommands[i]->name));
    }
    keel_message("'%s' is not a subcommand, nearest is '%s'; nothing is done (see keel --help)",
                 name, nearest.best);
    return KEEL_EXIT_USAGE;
}

/* What was printed and could not be written must not pass for success. */
static int after_output(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        keel_message("standard output cannot be written");
        return code != 0 ? code : KEEL_EXIT_MISSING;
    }
    return code;
}

int main(int argc, char **argv)
{
    char title[64];
    char **rest = NULL;

    /* Not LC_NUMERIC: numbers in schedules have a decimal point everywhere. */
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = KEEL_EXIT_USAGE;
    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &rest);
    const struct keel_subcommand *subcommand = find(rest[0]);
    if (subcommand == NULL) {
        return report_unknown(rest[0]);
    }
    snprintf(title, sizeof title, "keel %s", subcommand->name);
    rest[0] = title;
    return after_output(subcommand->run(argc - (int)(rest - argv), rest));
}
