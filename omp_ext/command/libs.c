/* keel libs: what to add to a linker's command line for programs that call keel.h. */
#include <argp.h>
#include <stdio.h>

#include "omp_ext/command/installation.h"
#include "omp_ext/command/shell_word.h"
#include "omp_ext/command/subcommand.h"

static error_t take(int key, char *word, struct argp_state *state)
{
    (void)word;
    if (key == ARGP_KEY_ARG) {
        argp_usage(state);
    }
    return ARGP_ERR_UNKNOWN;
}

static int run(int argc, char **argv)
{
    static const struct argp grammar = {
        .parser = take,
        .doc = "Prints what to add behind the sources when a program calls keel.h or the Fortran "
               "module "
               "keel.\v"
               "Example: gcc $(keel cflags) program.c $(keel libs) -o program",
    };
    struct keel_installed library;

    argp_parse(&grammar, argc, argv, 0, NULL, NULL);
    if (!keel_installation_find(KEEL_PART_LIBRARY, &library)) {
        return KEEL_EXIT_MISSING;
    }
    printf("-L");
    keel_shell_word_print(library.folder);
    printf(" -Wl,-rpath,");
    keel_shell_word_print(library.folder);
    printf(" -lkeel\n");
    return 0;
}

const struct keel_subcommand keel_subcommand_libs = {
    .name = "libs",
    .summary = "print linker flags for programs that call keel.h",
    .run = run,
};
