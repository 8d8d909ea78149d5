/* keel: the command. */
#define _DEFAULT_SOURCE
#include <argp.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/include/keel.h"
#include "omp_ext/support/message.h"

const char *argp_program_version = "keel " KEEL_VERSION;

static const struct keel_subcommand *const subcommands[] = {
    &keel_subcommand_run,      &keel_subcommand_report, &keel_subcommand_compare,
    &keel_subcommand_check,    &keel_subcommand_plot,   &keel_subcommand_view,
    &keel_subcommand_topology, &keel_subcommand_list,   &keel_subcommand_chunks,
    &keel_subcommand_env,      &keel_subcommand_cflags, &keel_subcommand_libs,
    &keel_subcommand_model,    &keel_subcommand_doctor,
};

static const struct keel_menu menu = {
    .called = "keel",
    .entry = "a subcommand",
    .title = "Subcommands",
    .form = "SUBCOMMAND [ARGUMENT...]",
    .text =
        "Runs OpenMP programs built with GCC under Keel's loop schedules, and reports on them.\v ",
    .notes = "`keel SUBCOMMAND --help' explains each. Exit codes: 2 for a command line that "
             "cannot be used, 1 for a file of Keel's that is missing; those of `keel run' follow "
             "the program's.",
    .count = sizeof subcommands / sizeof subcommands[0],
    .subcommand = subcommands,
};

/* What was printed and could not be written must not pass for success; nor must help, which argp
 * prints before it ends the process. */
static void check_output(int code, void *nothing)
{
    (void)nothing;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        keel_message("standard output cannot be written");
        _exit(code != 0 ? code : KEEL_EXIT_MISSING);
    }
}

int main(int argc, char **argv)
{
    /* Not LC_NUMERIC: numbers in schedules have a decimal point everywhere. */
    setlocale(LC_CTYPE, "");
    argp_err_exit_status = KEEL_EXIT_USAGE;
    on_exit(check_output, NULL);
    return keel_menu_run(&menu, argc, argv);
}
