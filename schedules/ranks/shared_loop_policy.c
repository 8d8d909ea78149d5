/* Reading and writing schedules among ranks. */
#include "schedules/ranks/policies.h"

#include <ctype.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "schedules/balance/victim.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

const struct keel_policy_entry keel_ranks_policies[] = {
    [KEEL_RANKS_TREE] =
        {"tree", "tree[,min][:gamma=...,grain=...,shares=...,links=...,order=...]",
         "equal blocks, or by KEEL_MPI_WEIGHTS; an idle rank asks along a tree that pairs slow "
         "ranks with fast ones",
         "ranks of different speed, also many", "Kim & Purtilo 1996"},
    [KEEL_RANKS_STEAL] = {"steal", "steal[,min][:gamma=...,grain=...,shares=...]",
                          "equal blocks, or by KEEL_MPI_WEIGHTS; an idle rank asks random others",
                          "iterations of very different cost", "Blumofe & Leiserson 1999"},
    [KEEL_RANKS_DIFFUSE] =
        {"diffuse", "diffuse[,neighbours][:min=...,gamma=...,grain=...,shares=...]",
         "the same; an idle rank looks at some others and asks the fullest, then looks further",
         "uneven load among neighbours", "Barker & Chrisochoides 2005"},
    [KEEL_RANKS_RATE] =
        {"rate", "rate[,min][:gamma=...,grain=...,shares=...,links=...,order=...]",
         "blocks by the rates of ranks in earlier instances of the loop, then as tree",
         "loops that repeat; the default", "Keel; tree of Kim & Purtilo 1996"},
    {0},
};

/* Policies come before it in enum keel_ranks_kind. */
#define BY_NAME KEEL_RANKS_LOOP_SCHEDULE

/* --- parameters --- */

static void note_min(void *schedule)
{
    ((struct keel_ranks_schedule *)schedule)->spec.given |= KEEL_BIT(KEEL_MIN);
}

static void note_grain(void *schedule)
{
    ((struct keel_ranks_schedule *)schedule)->spec.given |= KEEL_BIT(KEEL_GRAIN);
}

static const char *const link_words[] = {
    [KEEL_TREE_ALL] = "all", [KEEL_TREE_PATHS] = "paths", [KEEL_TREE_ONE_WAY] = "one-way"};

#define ALONG_TREE (KEEL_BIT(KEEL_RANKS_TREE) | KEEL_BIT(KEEL_RANKS_RATE))
#define AT(member) KEEL_FIELD_AT(struct keel_ranks_schedule, member)
#define SPELT(number) SPELT_OUT(number)
#define SPELT_OUT(number) #number

const struct keel_parameters_entry keel_ranks_parameters[] = {
    {"gamma", KEEL_BIT(BY_NAME) - 1, 0,
     KEEL_REAL_FIELD(AT(gamma), DBL_TRUE_MIN, 1, .word = "ratio",
                     .value.real = KEEL_AMOUNTS_BY_RATIO),
     "a number above 0 and up to 1, or ratio", "going by throughput",
     "the part of its iterations, not begun, that a rank gives away; by throughput: so that "
     "both end together; ratio: its throughput over the other rank's"},
    {"grain", KEEL_BIT(BY_NAME) - 1, 0,
     KEEL_WHOLE_FIELD(AT(spec.value[KEEL_GRAIN].count), 1, UINT64_MAX, .then = note_grain),
     "a whole number from 1 to 18446744073709551615", "using 1",
     "iterations that are never separated"},
    {"min", KEEL_BIT(BY_NAME) - 1, ~KEEL_BIT(KEEL_RANKS_DIFFUSE),
     KEEL_WHOLE_FIELD(AT(spec.value[KEEL_MIN].count), 1, INT64_MAX, .then = note_min),
     "a whole number from 1 to 9223372036854775807", "using 1",
     "fewest iterations to take at a time"},
    {"neighbours", KEEL_BIT(KEEL_RANKS_DIFFUSE), KEEL_BIT(KEEL_RANKS_DIFFUSE),
     KEEL_WHOLE_FIELD(AT(neighbours), 1, KEEL_VICTIM_NEIGHBOURS_MAX),
     "a whole number from 1 to " SPELT(KEEL_VICTIM_NEIGHBOURS_MAX),
     "using " SPELT(KEEL_RANKS_NEIGHBOURS), "how many ranks to look at at a time"},
    {"shares", KEEL_BIT(BY_NAME) - 1, 0, KEEL_FIRST_FIELD(AT(equal_shares)), "equal or rates",
     "using rates", "of the first blocks; rates: equal, too, while no rates are known"},
    {"links", ALONG_TREE, 0, KEEL_WORD_FIELD(AT(links)), "all, paths or one-way", "using all",
     "links of the tree along which an idle rank asks; paths: only those of the paper of 1996; "
     "one-way: and only faster ranks ask slower ones"},
    {"order", ALONG_TREE, 0, KEEL_WORD_FIELD(AT(lowest_first)), "turns or lowest", "using turns",
     "of an idle rank's requests; lowest: higher links only after lower ones gave nothing, as in "
     "the paper"},
    {0},
};

/* --- reading --- */

static struct keel_ranks_schedule standard_of(enum keel_ranks_kind kind)
{
    return (struct keel_ranks_schedule){
        .kind = kind,
        .spec = {.value = {[KEEL_MIN] = keel_parameters[KEEL_MIN].standard,
                           [KEEL_GRAIN] = keel_parameters[KEEL_GRAIN].standard}},
        .neighbours = KEEL_RANKS_NEIGHBOURS,
    };
}

static bool report_unknown(struct keel_text name, char *problem)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name.start, name.length);
    keel_policies_consider_all(keel_ranks_policies, &nearest);
    keel_registry_consider_all(&nearest);
    snprintf(problem, KEEL_PROBLEM_MAX, "unknown schedule '%.*s'%s", KEEL_TEXT_SHOWN(name),
             keel_nearest_hint(&nearest));
    return false;
}

/* A loop schedule, with ranks for threads. */
static bool read_spec(const char *text, struct keel_text rest, struct keel_ranks_schedule *schedule,
                      char *problem)
{
    struct keel_ranks_schedule read = standard_of(KEEL_RANKS_LOOP_SCHEDULE);

    if (keel_spec_read(text, strlen(text), &read.spec, problem) == KEEL_SPEC_UNKNOWN) {
        return report_unknown(keel_text_take(&rest, ",:"), problem);
    }
    *schedule = read;
    return true;
}

static void begin(void *schedule, unsigned kind)
{
    *(struct keel_ranks_schedule *)schedule = standard_of((enum keel_ranks_kind)kind);
}

static const struct keel_policy_tables tables = {keel_ranks_policies, keel_ranks_parameters, begin};

static bool read_schedule(const char *text, struct keel_ranks_schedule *schedule, char *problem)
{
    const char *behind = text + keel_spec_modifier(text, strlen(text));
    int policy = keel_policy_entry_read(behind, &tables, schedule, problem);

    if (policy < 0) {
        return read_spec(text, (struct keel_text){behind, strlen(behind)}, schedule, problem);
    }
    if (tolower((unsigned char)text[strspn(text, " \t")]) == 'm') {
        keel_text_note_problem(problem, KEEL_PROBLEM_MAX,
                               "%s knows no order among ranks; monotonic is ignored",
                               keel_ranks_policies[policy].name);
    }
    return true;
}

bool keel_ranks_schedule_read(const char *text, struct keel_ranks_schedule *schedule,
                              char problem[KEEL_PROBLEM_MAX])
{
    locale_t previous = keel_c_locale_enter();
    bool known = read_schedule(text, schedule, problem);

    keel_c_locale_leave(previous);
    return known;
}

struct keel_ranks_schedule keel_ranks_schedule_standard(void)
{
    return standard_of(KEEL_RANKS_RATE);
}

/* --- writing --- */

static void write_policy(const struct keel_ranks_schedule *schedule, char *text, size_t size)
{
    bool diffuse = schedule->kind == KEEL_RANKS_DIFFUSE;
    const char *between = ":";
    size_t length = keel_text_append(text, size, 0, "%s", keel_ranks_policies[schedule->kind].name);

    if (diffuse && schedule->neighbours != KEEL_RANKS_NEIGHBOURS) {
        length = keel_text_append(text, size, length, ",%u", schedule->neighbours);
    }
    if (schedule->spec.given & KEEL_BIT(KEEL_MIN)) {
        length = keel_text_append(text, size, length, diffuse ? ":min=%llu" : ",%llu",
                                  (unsigned long long)schedule->spec.value[KEEL_MIN].count);
        between = diffuse ? "," : ":";
    }
    if (schedule->gamma == KEEL_AMOUNTS_BY_RATIO) {
        length = keel_text_append(text, size, length, "%sgamma=ratio", between);
        between = ",";
    } else if (schedule->gamma > 0) {
        length = keel_text_append(text, size, length, "%sgamma=%.17g", between, schedule->gamma);
        between = ",";
    }
    if (schedule->spec.given & KEEL_BIT(KEEL_GRAIN)) {
        length = keel_text_append(text, size, length, "%sgrain=%llu", between,
                                  (unsigned long long)schedule->spec.value[KEEL_GRAIN].count);
        between = ",";
    }
    if (schedule->equal_shares) {
        length = keel_text_append(text, size, length, "%sshares=equal", between);
        between = ",";
    }
    if (schedule->links != KEEL_TREE_ALL) {
        length = keel_text_append(text, size, length, "%slinks=%s", between,
                                  link_words[schedule->links]);
        between = ",";
    }
    if (schedule->lowest_first) {
        keel_text_append(text, size, length, "%sorder=lowest", between);
    }
}

void keel_ranks_schedule_write(const struct keel_ranks_schedule *schedule, char *text, size_t size)
{
    if (schedule->kind == KEEL_RANKS_LOOP_SCHEDULE) {
        keel_spec_write(&schedule->spec, text, size);
        return;
    }
    locale_t previous = keel_c_locale_enter();
    write_policy(schedule, text, size);
    keel_c_locale_leave(previous);
}
