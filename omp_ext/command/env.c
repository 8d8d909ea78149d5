/* keel env: the variables that Keel reads, from the tables in omp_ext/settings/variables.c and
 * schedules/ranks/mpi_variables.c, and what they hold now. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/settings/variables.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/ranks/mpi_variables.h"

/* Reading a variable into settings that hold nothing shows whether it is used: they change.
 * Messages about what cannot be used come from the readers, as they do in a program. Returns
 * whether they changed. */
static bool takes_effect(struct keel_settings *settings, const struct keel_variable *variable,
                         const char *value)
{
    static struct keel_settings before;

    memcpy(&before, settings, sizeof before);
    keel_variable_read(settings, variable, value);
    return memcmp(&before, settings, sizeof before) != 0;
}

static const char *state_of(struct keel_settings *settings, const struct keel_variable *variable,
                            const char *value)
{
    const struct keel_policy *fallback = settings->fallback;

    if (!takes_effect(settings, variable, value)) {
        return "set, not in force";
    }
    return settings->fallback != fallback && settings->schedules.standard != NULL
               ? "set, KEEL_SCHEDULE rules over it"
               : "in force";
}

/* What a variable's table says of it. */
struct row {
    const char *name, *form, *standard, *summary;
};

static struct row row_of(const struct keel_variable *variable)
{
    return (struct row){variable->name, variable->form, variable->standard, variable->summary};
}

static struct row row_of_mpi(const struct keel_ranks_variable *variable)
{
    return (struct row){variable->name, variable->form, variable->standard, variable->summary};
}

static void print_variable(struct row row, const char *value, const char *state)
{
    unsigned width[] = {3, 10, keel_terminal_width() - 16};

    printf("%s=%s\n", row.name, value != NULL ? value : "");
    keel_table_row(3, width, (const char *[]){"", "now", state});
    keel_table_row(3, width, (const char *[]){"", "may hold", row.form});
    keel_table_row(3, width, (const char *[]){"", "without it", row.standard});
    keel_table_row(3, width, (const char *[]){"", "meaning", row.summary});
    putchar('\n');
}

/* Reports a value that cannot be used, as ranks do. */
static const char *state_of_mpi(const struct keel_ranks_variable *variable, const char *value)
{
    static struct keel_ranks_settings settings;
    char problem[KEEL_RANKS_PROBLEM_MAX] = "";

    memset(&settings, 0, sizeof settings);
    keel_ranks_variable_read(&settings, variable, value, problem);
    if (problem[0] != '\0') {
        keel_message("%s: %s", variable->name, problem);
    }
    bool used = problem[0] == '\0' || settings.schedule_stated || settings.balance_stated;
    return used ? "in force" : "set, not in force";
}

static void print_all(void)
{
    static struct keel_settings settings;

    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        const char *value = keel_environment_value(variable->name);
        print_variable(row_of(variable), value,
                       value != NULL ? state_of(&settings, variable, value) : "not set");
    }
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        const char *value = keel_environment_value(variable->name);
        print_variable(row_of_mpi(variable), value,
                       value != NULL ? state_of_mpi(variable, value) : "not set");
    }
    const unsigned width[] = {keel_terminal_width() - 1};
    keel_table_row(1, width,
                   (const char *[]){"'in force' is what a program that starts now would use."});
}

/* Text of a cell: '|' would end it. */
static void print_cell(const char *text)
{
    for (; *text != '\0'; text++) {
        printf(*text == '|' ? "\\|" : "%c", *text);
    }
}

static void print_markdown_row(struct row row)
{
    printf("| `%s` | ", row.name);
    print_cell(row.form);
    printf(" | ");
    print_cell(row.standard);
    printf(" | ");
    print_cell(row.summary);
    printf(" |\n");
}

static void print_markdown(void)
{
    printf("| variable | holds | without it | meaning |\n| --- | --- | --- | --- |\n");
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        print_markdown_row(row_of(variable));
    }
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        print_markdown_row(row_of_mpi(variable));
    }
}

static int run(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"markdown", 'm', NULL, "Print the variables as the table of the guide", 0, keel_take_flag,
         .at = 0},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .text = "Prints the environment variables that Keel reads, and whether what they hold now "
                "is in "
                "force.",
    };
    bool markdown = false;

    keel_command_line_read(&line, argc, argv, &markdown);
    if (markdown) {
        print_markdown();
    } else {
        print_all();
    }
    return 0;
}

const struct keel_subcommand keel_subcommand_env = {
    .name = "env",
    .summary = "list the environment variables that Keel reads, and their values",
    .run = run,
};
