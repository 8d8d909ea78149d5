/* What a subcommand of `keel` is: one const descriptor at the end of its own file, listed in
 * main.c. */
#ifndef OMP_EXT_COMMAND_PARTS_SUBCOMMAND_H
#define OMP_EXT_COMMAND_PARTS_SUBCOMMAND_H

#include <argp.h>
#include <stdbool.h>

/* Exit codes of the command itself; those of `keel run` otherwise follow the program's. */
enum {
    KEEL_EXIT_MISSING = 1,  /* a file of Keel's is not there */
    KEEL_EXIT_USAGE = 2,    /* the command line cannot be used */
    KEEL_EXIT_OWN = 125,    /* `keel run` itself failed, as in env(1) */
    KEEL_EXIT_REFUSED = 126 /* the program is there and cannot be run; 127: it is not there */
};

/* What a subcommand's parser does with keys other than its options: words are usage errors. */
error_t keel_subcommand_no_words(int key, struct argp_state *state);

/* At the first word: the rest of the command line from it on, which argp leaves alone, as options
 * there belong to what the word names. */
char **keel_subcommand_rest(struct argp_state *state);

/* The number that `word` is, low <= number <= high; else a usage error about `option` that ends the
 * command. */
double keel_subcommand_number(struct argp_state *state, const char *option, const char *word,
                              double low, double high, bool whole);

struct keel_subcommand {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv); /* argv[0] is "keel NAME"; returns the exit code */
};

extern const struct keel_subcommand keel_subcommand_run, keel_subcommand_list;
extern const struct keel_subcommand keel_subcommand_chunks, keel_subcommand_env;
extern const struct keel_subcommand keel_subcommand_cflags, keel_subcommand_libs;
extern const struct keel_subcommand keel_subcommand_check, keel_subcommand_model;
extern const struct keel_subcommand keel_subcommand_report, keel_subcommand_compare;
extern const struct keel_subcommand keel_subcommand_topology, keel_subcommand_doctor;
extern const struct keel_subcommand keel_subcommand_plot, keel_subcommand_view;

#endif
