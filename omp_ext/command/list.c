/* keel list: the schedules of the registry, and the policies of ranks (schedules/ranks). */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/loop/spec.h"
#include "schedules/loop/registry.h"
#include "schedules/ranks/policies.h"
#include "schedules/text/text.h"

#define TEXT_MAX 512
#define PARAMETER_COLUMNS 4

struct request {
    bool names;
    bool mpi;      /* what ranks share loops and rows by */
    char **wanted; /* ended by NULL; empty: all */
};

/* --- parameters ------------------------------------------------------------------------------- */

/* Limits near a power of two are easier to read as one. */
static void write_count(char *text, size_t size, uint64_t count)
{
    if (count == UINT64_MAX || count == UINT64_MAX / 2) {
        snprintf(text, size, "2^%d-1", count == UINT64_MAX ? 64 : 63);
    } else {
        snprintf(text, size, "%llu", (unsigned long long)count);
    }
}

static void write_value(char *text, size_t size, enum keel_parameter_kind kind,
                        union keel_value value)
{
    if (kind == KEEL_COUNT) {
        write_count(text, size, value.count);
    } else {
        snprintf(text, size, "%g", value.real);
    }
}

static void write_range(char *text, size_t size, enum keel_parameter parameter)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    char low[24], high[24];

    write_value(low, sizeof low, info->kind, info->lowest);
    write_value(high, sizeof high, info->kind, info->highest);
    snprintf(text, size, "%s .. %s", low, high);
}

static bool is_measured(enum keel_parameter parameter)
{
    for (const struct keel_schedule *const *schedule = keel_registry; *schedule != NULL;
         schedule++) {
        if ((*schedule)->measured & KEEL_BIT(parameter)) {
            return true;
        }
    }
    return false;
}

/* 0 means that the schedule derives the value or that Keel measures it, see struct keel_spec. */
static void write_standard(char *text, size_t size, const struct keel_schedule *schedule,
                           enum keel_parameter parameter)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    union keel_value standard =
        schedule != NULL ? keel_parameter_standard(schedule, parameter) : info->standard;

    if (is_measured(parameter)) {
        snprintf(text, size, "measured");
    } else if (info->kind == KEEL_COUNT && standard.count == 0) {
        snprintf(text, size, "see formula");
    } else {
        write_value(text, size, info->kind, standard);
    }
}

static void set_widths(unsigned *width)
{
    const unsigned fixed[] = {9, 14, 11};

    width[PARAMETER_COLUMNS - 1] = keel_terminal_width() - PARAMETER_COLUMNS;
    for (unsigned i = 0; i < PARAMETER_COLUMNS - 1; i++) {
        width[i] = fixed[i];
        width[PARAMETER_COLUMNS - 1] -= fixed[i];
    }
}

static void print_parameter(const struct keel_schedule *schedule, enum keel_parameter parameter)
{
    unsigned width[PARAMETER_COLUMNS];
    char range[64], standard[64];

    set_widths(width);
    write_range(range, sizeof range, parameter);
    write_standard(standard, sizeof standard, schedule, parameter);
    keel_table_row(PARAMETER_COLUMNS, width,
                   (const char *[]){keel_parameters[parameter].name, range, standard,
                                    keel_parameters[parameter].summary});
}

/* With the defaults of a schedule, or, NULL, those of most. */
static void print_parameters(const struct keel_schedule *schedule, unsigned wanted)
{
    unsigned width[PARAMETER_COLUMNS];

    set_widths(width);
    keel_table_row(PARAMETER_COLUMNS, width,
                   (const char *[]){"PARAMETER", "RANGE", "DEFAULT", "MEANING"});
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (wanted & KEEL_BIT(i)) {
            print_parameter(schedule, (enum keel_parameter)i);
        }
    }
}

/* --- schedules -------------------------------------------------------------------------------- */

/* How the schedule is written: "tss[,first[,last]][:min=...]". The grain, which all of them take by
 * name, is left to the remark below the table. */
static void write_form(char *text, size_t size, const struct keel_schedule *schedule)
{
    unsigned named = keel_spec_accepts(schedule) & ~KEEL_BIT(KEEL_GRAIN);
    unsigned places = schedule->positionals != 0 ? schedule->positionals : 1;
    size_t length = keel_text_append(text, size, 0, "%s", schedule->name);

    for (unsigned i = 0; i < places; i++) {
        named &= ~KEEL_BIT(schedule->positional[i]);
        length = keel_text_append(text, size, length, "[,%s",
                                  keel_parameters[schedule->positional[i]].name);
    }
    for (unsigned i = 0; i < places; i++) {
        length = keel_text_append(text, size, length, "]");
    }
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (named & KEEL_BIT(i)) {
            length = keel_text_append(text, size, length, "[:%s=...]", keel_parameters[i].name);
        }
    }
}

/* The common minimum and grain are left to the remark below the table. */
static void write_parameter_names(char *text, size_t size, const struct keel_schedule *schedule)
{
    unsigned accepted = keel_spec_accepts(schedule) & ~(KEEL_BIT(KEEL_MIN) | KEEL_BIT(KEEL_GRAIN));
    size_t length = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (accepted & KEEL_BIT(i)) {
            length = keel_text_append(text, size, length, "%s%s", length > 0 ? "\n" : "",
                                      keel_parameters[i].name);
        }
    }
}

static void write_names(char *text, size_t size, const struct keel_schedule *schedule)
{
    snprintf(text, size, "%s%s%s", schedule->name, schedule->aliases != NULL ? "\n" : "",
             schedule->aliases != NULL ? schedule->aliases : "");
}

static void print_row(const struct keel_schedule *schedule, const unsigned *width)
{
    char names[TEXT_MAX], parameters[TEXT_MAX], what[TEXT_MAX], use[TEXT_MAX];

    write_names(names, sizeof names, schedule);
    write_parameter_names(parameters, sizeof parameters, schedule);
    snprintf(what, sizeof what, "%s:\n%s", schedule->summary, schedule->formula);
    snprintf(use, sizeof use, "%s\n(%s)", schedule->use, schedule->source);
    keel_table_row(4, width, (const char *[]){names, parameters, what, use});
    putchar('\n');
}

static void print_all(void)
{
    unsigned rest = keel_terminal_width() - 11 - 10 - 3 - 1;
    const unsigned width[] = {11, 10, (rest + 1) / 2, rest / 2};

    keel_table_row(4, width,
                   (const char *[]){"NAME", "PARAMETERS", "CHUNK SIZE", "WHEN TO USE (SOURCE)"});
    for (const struct keel_schedule *const *schedule = keel_registry; *schedule != NULL;
         schedule++) {
        print_row(*schedule, width);
    }
    const unsigned whole[] = {keel_terminal_width() - 1};
    keel_table_row(
        1, whole,
        (const char *[]){
            "N iterations, P threads, R iterations that are not handed out yet. Names under a "
            "name mean the same schedule. Written as name, name,value or name:parameter=value. "
            "Every schedule also takes min, by position where it has no first parameter of "
            "that kind, and by name grain: chunks begin and end on multiples of it, counted from "
            "the loop's beginning. `keel list NAME` shows one in full, `keel chunks` the chunks "
            "that it "
            "gives."});
    putchar('\n');
    print_parameters(NULL, ~0u);
}

static void print_field(const char *name, const char *text)
{
    const unsigned width[] = {1, 10, keel_terminal_width() - 14};

    keel_table_row(3, width, (const char *[]){"", name, text});
}

static void print_one(const struct keel_schedule *schedule)
{
    char form[TEXT_MAX];

    write_form(form, sizeof form, schedule);
    printf("%s: %s\n", schedule->name, schedule->summary);
    if (schedule->aliases != NULL) {
        print_field("also named", schedule->aliases);
    }
    print_field("written", form);
    print_field("chunk size", schedule->formula);
    print_field("use", schedule->use);
    print_field("source", schedule->source);
    print_field("", "");
    print_parameters(schedule, keel_spec_accepts(schedule));
}

static void print_names(void)
{
    for (const struct keel_schedule *const *schedule = keel_registry; *schedule != NULL;
         schedule++) {
        puts((*schedule)->name);
    }
}

/* --- policies of ranks ------------------------------------------------------------------------ */

/* The policies of one variable. */
struct group {
    const char *heading, *remark; /* NULL: none */
    const struct keel_policy_entry *policies;
    const struct keel_parameters_entry *parameters;
    unsigned name_width;
};

static const struct group groups[] = {
    {"Loops that ranks share, KEEL_MPI_SCHEDULE:",
     "Any schedule of `keel list` will do as well, with ranks for threads, but for those two whose "
     "names are here.",
     keel_ranks_policies, keel_ranks_parameters, 8},
    {"Rows that move among ranks, KEEL_MPI_BALANCE:", NULL, keel_rows_policies,
     keel_rows_policy_parameters, 12},
    {"Objects that move among ranks, KEEL_MPI_BALANCE:",
     "Names that only rows have mean `diffuse`.", keel_objects_policies,
     keel_objects_policy_parameters, 8},
};

#define GROUPS (sizeof groups / sizeof groups[0])

static void print_line(const char *text)
{
    const unsigned width[] = {keel_terminal_width() - 1};

    keel_table_row(1, width, (const char *[]){text});
}

static void print_policy(const struct group *group, const struct keel_policy_entry *row)
{
    unsigned rest = keel_terminal_width() - group->name_width - 3;
    const unsigned width[] = {group->name_width, rest * 3 / 5, rest * 2 / 5};
    char what[TEXT_MAX], use[TEXT_MAX];

    snprintf(what, sizeof what, "%s\n%s", row->form, row->summary);
    snprintf(use, sizeof use, "%s\n(%s)", row->use, row->source);
    keel_table_row(3, width, (const char *[]){row->name, what, use});
    putchar('\n');
}

static void print_group(const struct group *group)
{
    unsigned rest = keel_terminal_width() - 10 - 4;
    const unsigned width[] = {10, rest / 3, rest / 4, rest - rest / 3 - rest / 4};

    print_line(group->heading);
    putchar('\n');
    for (size_t i = 0; group->policies[i].name != NULL; i++) {
        print_policy(group, &group->policies[i]);
    }
    keel_table_row(4, width, (const char *[]){"PARAMETER", "HOLDS", "WITHOUT IT", "MEANING"});
    for (const struct keel_parameters_entry *parameter = group->parameters; parameter->name != NULL;
         parameter++) {
        keel_table_row(4, width,
                       (const char *[]){parameter->name, parameter->holds, parameter->instead,
                                        parameter->meaning});
    }
    if (group->remark != NULL) {
        putchar('\n');
        print_line(group->remark);
    }
}

/* only_names: a name per line and no more, but for an empty line between groups. */
static void list_policies(bool only_names)
{
    for (const struct group *group = groups; group < groups + GROUPS; group++) {
        if (group > groups) {
            putchar('\n');
        }
        for (size_t i = 0; only_names && group->policies[i].name != NULL; i++) {
            puts(group->policies[i].name);
        }
        if (!only_names) {
            print_group(group);
        }
    }
}

/* --- the command line ------------------------------------------------------------------------- */

static int print_wanted(char **wanted)
{
    struct keel_nearest nearest;
    int code = 0;

    for (char **name = wanted; *name != NULL; name++) {
        const struct keel_schedule *schedule = keel_registry_find(*name, strlen(*name));
        if (name != wanted && schedule != NULL) {
            putchar('\n');
        }
        if (schedule != NULL) {
            print_one(schedule);
            continue;
        }
        keel_message("unknown schedule '%s'%s; it is not shown", *name,
                     keel_registry_nearest(*name, strlen(*name), &nearest));
        code = KEEL_EXIT_USAGE;
    }
    return code;
}

static int run(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"names", 'n', NULL, "Print the names only, one per line", 0, keel_take_flag,
         .at = offsetof(struct request, names)},
        {"mpi", 'm', NULL,
         "How the ranks of a job share loops (KEEL_MPI_SCHEDULE) and rows (KEEL_MPI_BALANCE)", 0,
         keel_take_flag, .at = offsetof(struct request, mpi)},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .words_at = offsetof(struct request, wanted),
        .form = "[NAME...]",
        .text =
            "Lists the schedules with their parameters, formulas and uses, or shows those of these "
            "names in full.",
    };
    struct request request = {0};

    keel_command_line_read(&line, argc, argv, &request);
    if (request.wanted != NULL && (request.mpi || request.names)) {
        keel_message("%s lists all; a name is shown without it", request.mpi ? "--mpi" : "--names");
        return KEEL_EXIT_USAGE;
    }
    if (request.mpi) {
        list_policies(request.names);
        return 0;
    }
    if (request.names) {
        print_names();
        return 0;
    }
    if (request.wanted == NULL) {
        print_all();
        return 0;
    }
    return print_wanted(request.wanted);
}

const struct keel_subcommand keel_subcommand_list = {
    .name = "list",
    .summary = "list the schedules, with formulas, parameters and when to use them",
    .run = run,
};
