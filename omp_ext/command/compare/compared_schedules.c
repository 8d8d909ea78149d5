/* What is compared. */
#define _GNU_SOURCE
#include "omp_ext/command/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/ranks/shared_loop_policy.h"
#include "schedules/ranks/rows_policy.h"
#include "schedules/text/number.h"

#define BLANKS " \t\n"

/* Entries of a list. */
struct entries {
    size_t count;
    char *of[KEEL_CANDIDATES_MAX];
};

/* --- entries --- */

/* Each checks an entry; `problem` stays "" for a good one. */
typedef void check(const char *entry, char *problem);

static void check_libgomp(const char *entry, char *problem)
{
    static const char *const known[] = {"static", "dynamic", "guided", "auto"};
    size_t length = strcspn(entry, ",");

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t unused;
        if (strlen(known[i]) == length && strncmp(entry, known[i], length) == 0 &&
            (entry[length] == '\0' ||
             keel_number_whole(entry + length + 1, 1, INT32_MAX, &unused))) {
            return;
        }
    }
    snprintf(problem, KEEL_PROBLEM_MAX,
             "it is none of libgomp's static, dynamic, guided and auto, with a chunk size or "
             "without");
}

/* "fac2,gss" is fac2 with a parameter that is no number: a comma is no separator here. */
static void check_schedule(const char *entry, char *problem)
{
    struct keel_schedule_check checked = keel_schedule_check(entry);

    snprintf(problem, KEEL_PROBLEM_MAX, "%s", checked.problem);
    if (problem[0] == '\0' && !checked.everywhere && !checked.rules) {
        snprintf(problem, KEEL_PROBLEM_MAX, "libgomp's schedules are named by --libgomp");
    }
}

static void check_sharing(const char *entry, char *problem)
{
    struct keel_ranks_schedule unused;

    keel_ranks_schedule_read(entry, &unused, problem);
    keel_schedule_check_problem(problem);
}

static void check_balance(const char *entry, char *problem)
{
    struct keel_rows_policy unused = keel_rows_policy_standard();

    keel_rows_policy_read(entry, &unused, problem);
    keel_schedule_check_problem(problem);
}

static bool has(const struct entries *entries, const char *entry)
{
    for (size_t i = 0; i < entries->count; i++) {
        if (strcmp(entries->of[i], entry) == 0) {
            return true;
        }
    }
    return false;
}

static void drop(struct entries *entries)
{
    while (entries->count > 0) {
        free(entries->of[--entries->count]);
    }
}

/* False: a message has said why. */
static bool add(struct entries *entries, char *entry, const char *option, check *checked)
{
    char problem[KEEL_PROBLEM_MAX] = "";

    checked(entry, problem);
    if (problem[0] != '\0') {
        keel_message("%s '%s': %s; schedules are separated by blanks; nothing is run", option,
                     entry, problem);
        return false;
    }
    if (entries->count == KEEL_CANDIDATES_MAX) {
        keel_message("%s: more than %d schedules; nothing is run", option, KEEL_CANDIDATES_MAX);
        return false;
    }
    if (!has(entries, entry)) {
        entries->of[entries->count] = strdup(entry);
        entries->count += entries->of[entries->count] != NULL;
    }
    return true;
}

/* A list that is not there has one entry, NULL: what the environment says. */
static bool split(struct entries *entries, const char *list, const char *option, check *checked)
{
    char *copy = strdup(list != NULL ? list : "");
    char *rest = copy;
    bool good = copy != NULL;

    for (char *entry; good && (entry = strtok_r(rest, BLANKS, &rest)) != NULL;) {
        good = add(entries, entry, option, checked);
    }
    free(copy);
    return good;
}

/* --- combinations --- */

/* The parts that are stated, with " + " between them. */
static char *name_of(const struct keel_candidate *candidate)
{
    const char *part[] = {candidate->libgomp ? candidate->omp : candidate->schedule,
                          candidate->sharing, candidate->balance};
    char *name = strdup(candidate->libgomp ? "libgomp " : "");
    bool any = false;

    for (size_t i = 0; name != NULL && i < 3; i++) {
        char *longer;
        if (part[i] == NULL) {
            continue;
        }
        if (asprintf(&longer, "%s%s%s", name, any ? " + " : "", part[i]) < 0) {
            longer = NULL;
        }
        free(name);
        name = longer;
        any = true;
    }
    return name;
}

static bool add_candidate(struct keel_candidates *candidates, struct keel_candidate candidate)
{
    candidate.name = name_of(&candidate);
    if (candidate.name == NULL || candidates->count == KEEL_CANDIDATES_MAX) {
        keel_message("more than %d combinations; nothing is run", KEEL_CANDIDATES_MAX);
        free(candidate.name);
        return false;
    }
    candidates->of[candidates->count++] = candidate;
    return true;
}

/* An entry, or for an empty list NULL once. */
static char *entry_at(const struct entries *entries, size_t place)
{
    return entries->count > 0 ? entries->of[place] : NULL;
}

static size_t places(const struct entries *entries)
{
    return entries->count > 0 ? entries->count : 1;
}

/* One schedule of threads with each sharing and each balance. */
static bool add_ranks(struct keel_candidates *candidates, const struct keel_candidate *threads,
                      const struct entries *sharing, const struct entries *balance)
{
    for (size_t i = 0; i < places(sharing) * places(balance); i++) {
        struct keel_candidate candidate = *threads;
        candidate.sharing = entry_at(sharing, i / places(balance));
        candidate.balance = entry_at(balance, i % places(balance));
        if (!add_candidate(candidates, candidate)) {
            return false;
        }
    }
    return true;
}

static bool combine(struct keel_candidates *candidates, const struct entries *libgomp,
                    const struct entries *schedule, const struct entries *sharing,
                    const struct entries *balance)
{
    struct keel_candidate as_it_is = {0};
    bool good = true;

    for (size_t i = 0; good && i < libgomp->count; i++) {
        struct keel_candidate threads = {
            .libgomp = true, .omp = libgomp->of[i], .schedule = "libgomp"};
        good = add_ranks(candidates, &threads, sharing, balance);
    }
    for (size_t i = 0; good && i < schedule->count; i++) {
        struct keel_candidate threads = {.schedule = schedule->of[i]};
        good = add_ranks(candidates, &threads, sharing, balance);
    }
    if (good && libgomp->count + schedule->count == 0) {
        good = add_ranks(candidates, &as_it_is, sharing, balance);
    }
    return good;
}

bool keel_candidates_make(struct keel_candidates *candidates,
                          const struct keel_candidate_lists *lists)
{
    /* their texts belong to the candidates, for as long as the process lives */
    struct entries libgomp = {0}, schedule = {0}, sharing = {0}, balance = {0};

    *candidates =
        (struct keel_candidates){.of = calloc(KEEL_CANDIDATES_MAX + 1, sizeof *candidates->of)};
    bool good = candidates->of != NULL &&
                split(&libgomp, lists->libgomp, "--libgomp", check_libgomp) &&
                split(&schedule, lists->schedule, "-s", check_schedule) &&
                split(&sharing, lists->sharing, "--mpi", check_sharing) &&
                split(&balance, lists->balance, "--balance", check_balance) &&
                combine(candidates, &libgomp, &schedule, &sharing, &balance);
    if (good && candidates->count < 2) {
        keel_message("a comparison wants two schedules or more; nothing is run");
        good = false;
    }
    if (!good) {
        drop(&libgomp);
        drop(&schedule);
        drop(&sharing);
        drop(&balance);
    }
    return good;
}

void keel_candidates_free(struct keel_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        free(candidates->of[i].name);
    }
    free(candidates->of);
    *candidates = (struct keel_candidates){0};
}
