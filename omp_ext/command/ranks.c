/* Listing the policies of mpi_backend/policy.h. */
#include "omp_ext/command/ranks.h"

#include <stdio.h>
#include <string.h>

#include "mpi_backend/policy.h"
#include "omp_ext/command/subcommand.h"
#include "omp_ext/command/table.h"
#include "omp_ext/command/terminal.h"
#include "omp_ext/message.h"

#define TEXT_MAX 512

static bool is_wanted(const struct keel_mpi_policy *policy, char **wanted)
{
    for (char **name = wanted; name != NULL && *name != NULL; name++) {
        if (strcmp(*name, policy->name) == 0) {
            return true;
        }
    }
    return wanted == NULL;
}

static bool is_policy(const char *name)
{
    const struct keel_mpi_policy *policy = keel_mpi_policies;

    while (policy->name != NULL && strcmp(policy->name, name) != 0) {
        policy++;
    }
    return policy->name != NULL;
}

/* Names of loop schedules are good ones, too, but `keel list` shows those. */
static int report_others(char **wanted)
{
    struct keel_mpi_schedule unused;
    char problem[KEEL_PROBLEM_MAX];
    int code = 0;

    for (char **name = wanted; name != NULL && *name != NULL; name++) {
        if (is_policy(*name)) {
            continue;
        }
        if (keel_mpi_schedule_read(*name, &unused, problem)) {
            snprintf(problem, sizeof problem, "'%.40s' is a loop schedule, see `keel list`", *name);
        }
        keel_message("%s; it is not shown", problem);
        code = KEEL_EXIT_USAGE;
    }
    return code;
}

static void print_policy(const struct keel_mpi_policy *policy)
{
    const unsigned width[] = {8, (keel_terminal_width() - 11) * 3 / 5,
                              (keel_terminal_width() - 11) * 2 / 5};
    char what[TEXT_MAX], use[TEXT_MAX];

    snprintf(what, sizeof what, "%s\n%s", policy->form, policy->summary);
    snprintf(use, sizeof use, "%s\n(%s)", policy->use, policy->source);
    keel_table_row(3, width, (const char *[]){policy->name, what, use});
    putchar('\n');
}

static void print_remark(void)
{
    const unsigned width[] = {keel_terminal_width() - 1};

    keel_table_row(1, width,
                   (const char *[]){
                       "Any schedule of `keel list` will do as well, with ranks for threads, but "
                       "for those two whose names stand here. min: fewest iterations to take at a "
                       "time. gamma: the part that a rank gives away of what it has not begun, "
                       "above 0 and up to 1; without it, as much as lets both end together. "
                       "shares: equal or rates, of the first blocks; rates without it, which are "
                       "equal where none are known. neighbours: how many ranks to look at at a "
                       "time, 1 to 16, 4 without it."});
}

int keel_ranks_list(bool only_names, char **wanted)
{
    for (const struct keel_mpi_policy *policy = keel_mpi_policies; policy->name != NULL; policy++) {
        if (is_wanted(policy, wanted) && only_names) {
            puts(policy->name);
        } else if (is_wanted(policy, wanted)) {
            print_policy(policy);
        }
    }
    int code = report_others(wanted);
    if (!only_names && code == 0) {
        print_remark();
    }
    return code;
}
