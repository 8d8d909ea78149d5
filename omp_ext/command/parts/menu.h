/* A word of the command line that names one of several subcommands: `keel SUBCOMMAND`, `keel model
 * ACTION`. */
#ifndef OMP_EXT_COMMAND_PARTS_MENU_H
#define OMP_EXT_COMMAND_PARTS_MENU_H

#include <stddef.h>

#include "omp_ext/command/parts/subcommand.h"

struct keel_menu {
    const char *called; /* "keel" */
    const char *entry;  /* what an entry is, with its article: "a subcommand" */
    const char *title;  /* above the list of them in --help: "Subcommands" */
    const char *form;   /* "SUBCOMMAND [ARGUMENT...]" */
    const char *text;   /* of --help, before the options */
    const char *notes;  /* after the list */
    size_t count;
    const struct keel_subcommand *const *subcommand;
};

/* Runs what argv[1] names with the rest of the command line; its exit code, or KEEL_EXIT_USAGE. Not
 * for several threads. */
int keel_menu_run(const struct keel_menu *menu, int argc, char **argv);

#endif
