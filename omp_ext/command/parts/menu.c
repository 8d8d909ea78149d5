/* Finds a subcommand, and hands it the rest of the command line. */
#include "omp_ext/command/parts/command_parts.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/nearest.h"

struct choice {
    const struct keel_menu *menu;
    char **rest; /* of the command line, from the subcommand's name on */
};

static int longest_name(const struct keel_menu *menu)
{
    size_t longest = 0;

    for (size_t i = 0; i < menu->count; i++) {
        size_t length = strlen(menu->subcommand[i]->name);
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

static void print_list(const struct keel_menu *menu, FILE *stream)
{
    fprintf(stream, "%s:\n", menu->title);
    for (size_t i = 0; i < menu->count; i++) {
        fprintf(stream, "  %-*s %s\n", longest_name(menu), menu->subcommand[i]->name,
                menu->subcommand[i]->summary);
    }
}

/* argp calls this for each part of its help; the text after the options is ours, and argp frees
 * it. */
static char *help(int key, const char *text, void *input)
{
    const struct choice *choice = input;
    char *list = NULL;
    size_t size;

    FILE *stream = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (stream == NULL) {
        return (char *)text;
    }
    print_list(choice->menu, stream);
    fprintf(stream, "\n%s", choice->menu->notes);
    fclose(stream);
    return list;
}

/* What follows the subcommand's name is its own. */
static error_t take(int key, char *word, struct argp_state *state)
{
    struct choice *choice = state->input;

    (void)word;
    switch (key) {
    case ARGP_KEY_ARG:
        choice->rest = keel_subcommand_rest(state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_state_help(state, stderr, ARGP_HELP_USAGE);
        print_list(choice->menu, stderr);
        argp_state_help(state, stderr, ARGP_HELP_SEE | ARGP_HELP_EXIT_ERR);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* NULL: there is no such one, which is said. */
static const struct keel_subcommand *find(const struct keel_menu *menu, const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; i < menu->count; i++) {
        const struct keel_subcommand *subcommand = menu->subcommand[i];
        if (strcmp(subcommand->name, name) == 0) {
            return subcommand;
        }
        keel_nearest_consider(&nearest, subcommand->name, strlen(subcommand->name));
    }
    keel_message("'%s' is not %s%s; nothing is done (see %s --help)", name, menu->entry,
                 keel_nearest_hint(&nearest), menu->called);
    return NULL;
}

int keel_menu_run(const struct keel_menu *menu, int argc, char **argv)
{
    const struct argp grammar = {
        .parser = take,
        .args_doc = menu->form,
        .doc = menu->text,
        .help_filter = help,
    };
    struct choice choice = {.menu = menu};
    char title[64];

    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &choice);
    const struct keel_subcommand *subcommand = find(menu, choice.rest[0]);
    if (subcommand == NULL) {
        return KEEL_EXIT_USAGE;
    }
    snprintf(title, sizeof title, "%s %s", menu->called, subcommand->name);
    choice.rest[0] = title;
    return subcommand->run(argc - (int)(choice.rest - argv), choice.rest);
}
