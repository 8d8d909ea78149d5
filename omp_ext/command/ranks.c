/* Listing the policies of schedules/ranks: loop_policy.h, rows_policy.h and objects_policy.h. */
#include "omp_ext/command/ranks.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/parts.h"
#include "omp_ext/support/message.h"
#include "schedules/loop/registry.h"
#include "schedules/ranks/loop_policy.h"
#include "schedules/ranks/objects_policy.h"
#include "schedules/ranks/rows_policy.h"
#include "schedules/text/nearest.h"

#define TEXT_MAX 512

/* What a table says of a policy. */
struct row {
    const char *name, *form, *summary, *use, *source;
    unsigned bit; /* of its parameters */
};

/* The policies of one variable. */
struct group {
    const char *heading, *remark;    /* NULL: none */
    struct row (*row)(size_t place); /* past the last one its name is NULL */
    const struct keel_parameters_entry *parameters;
    unsigned name_width;
};

static struct row row_of_loops(size_t place)
{
    const struct keel_ranks_policy *policy = &keel_ranks_policies[place];

    return (struct row){policy->name, policy->form,   policy->summary,
                        policy->use,  policy->source, KEEL_BIT(policy->kind)};
}

static struct row row_of_rows(size_t place)
{
    const struct keel_rows_policy_entry *policy = &keel_rows_policies[place];

    return (struct row){policy->name, policy->form,   policy->summary,
                        policy->use,  policy->source, KEEL_BIT(place)};
}

static struct row row_of_objects(size_t place)
{
    const struct keel_objects_policy_entry *policy = &keel_objects_policies[place];

    return (struct row){policy->name, policy->form,   policy->summary,
                        policy->use,  policy->source, KEEL_BIT(place)};
}

static const struct group groups[] = {
    {"Loops that ranks share, KEEL_MPI_SCHEDULE:",
     "Any schedule of `keel list` will do as well, with ranks for threads, but for those two whose "
     "names are here.",
     row_of_loops, keel_ranks_parameters, 8},
    {"Rows that move among ranks, KEEL_MPI_BALANCE:", NULL, row_of_rows,
     keel_rows_policy_parameters, 12},
    {"Objects that move among ranks, KEEL_MPI_BALANCE:",
     "Names that only rows have stand for `steal`.", row_of_objects, keel_objects_policy_parameters,
     8},
};

#define GROUPS (sizeof groups / sizeof groups[0])

static bool is_wanted(const char *policy, char **wanted)
{
    for (char **name = wanted; name != NULL && *name != NULL; name++) {
        if (strcmp(*name, policy) == 0) {
            return true;
        }
    }
    return wanted == NULL;
}

/* --- what is wanted --- */

static void print_line(const char *text)
{
    const unsigned width[] = {keel_terminal_width() - 1};

    keel_table_row(1, width, (const char *[]){text});
}

static void print_policy(const struct group *group, const struct row *row)
{
    unsigned rest = keel_terminal_width() - group->name_width - 3;
    const unsigned width[] = {group->name_width, rest * 3 / 5, rest * 2 / 5};
    char what[TEXT_MAX], use[TEXT_MAX];

    snprintf(what, sizeof what, "%s\n%s", row->form, row->summary);
    snprintf(use, sizeof use, "%s\n(%s)", row->use, row->source);
    keel_table_row(3, width, (const char *[]){row->name, what, use});
    putchar('\n');
}

/* Those that any policy of `bits` takes. */
static void print_parameters(const struct group *group, unsigned bits)
{
    unsigned rest = keel_terminal_width() - 10 - 4;
    const unsigned width[] = {10, rest / 3, rest / 4, rest - rest / 3 - rest / 4};
    const struct keel_parameters_entry *parameter = group->parameters;
    bool any = false;

    for (; parameter->name != NULL; parameter++) {
        if (!(parameter->policies & bits)) {
            continue;
        }
        if (!any) {
            keel_table_row(4, width,
                           (const char *[]){"PARAMETER", "HOLDS", "WITHOUT IT", "MEANING"});
        }
        any = true;
        keel_table_row(4, width,
                       (const char *[]){parameter->name, parameter->holds, parameter->instead,
                                        parameter->meaning});
    }
}

static void print_group(const struct group *group, char **wanted)
{
    unsigned bits = 0;

    for (size_t i = 0; group->row(i).name != NULL; i++) {
        struct row row = group->row(i);
        if (!is_wanted(row.name, wanted)) {
            continue;
        }
        if (bits == 0) {
            print_line(group->heading);
            putchar('\n');
        }
        bits |= row.bit;
        print_policy(group, &row);
    }
    print_parameters(group, bits);
    if (bits != 0 && group->remark != NULL) {
        putchar('\n');
        print_line(group->remark);
    }
}

static bool has_any(const struct group *group, char **wanted)
{
    size_t i = 0;

    while (group->row(i).name != NULL && !is_wanted(group->row(i).name, wanted)) {
        i++;
    }
    return group->row(i).name != NULL;
}

static void print_names(const struct group *group, char **wanted)
{
    for (size_t i = 0; group->row(i).name != NULL; i++) {
        if (is_wanted(group->row(i).name, wanted)) {
            puts(group->row(i).name);
        }
    }
}

/* --- what is unknown --- */

static void report_unknown(const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (const struct group *group = groups; group < groups + GROUPS; group++) {
        for (size_t i = 0; group->row(i).name != NULL; i++) {
            keel_nearest_consider(&nearest, group->row(i).name, strlen(group->row(i).name));
        }
    }
    keel_message("unknown policy '%s'%s; it is not shown", name, keel_nearest_hint(&nearest));
}

static bool is_policy(const char *name)
{
    return has_any(&groups[0], (char *[]){(char *)name, NULL}) ||
           has_any(&groups[1], (char *[]){(char *)name, NULL});
}

/* Names of loop schedules are good ones, too, but `keel list` shows those. */
static int report_others(char **wanted)
{
    int code = 0;

    for (char **name = wanted; name != NULL && *name != NULL; name++) {
        if (is_policy(*name)) {
            continue;
        }
        if (keel_registry_find(*name, strlen(*name)) != NULL) {
            keel_message("'%s' is a loop schedule, see `keel list`; it is not shown", *name);
        } else {
            report_unknown(*name);
        }
        code = KEEL_EXIT_USAGE;
    }
    return code;
}

int keel_ranks_list(bool only_names, char **wanted)
{
    bool before = false;

    for (const struct group *group = groups; group < groups + GROUPS; group++) {
        if (!has_any(group, wanted)) {
            continue;
        }
        if (before) {
            putchar('\n');
        }
        before = true;
        if (only_names) {
            print_names(group, wanted);
        } else {
            print_group(group, wanted);
        }
    }
    return report_others(wanted);
}
