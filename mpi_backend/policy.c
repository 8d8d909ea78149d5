/* Reading and writing how ranks get their iterations. */
#include "mpi_backend/policy.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "schedules/loop/nearest.h"
#include "schedules/loop/parameter.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/text.h"

const struct keel_mpi_policy keel_mpi_policies[] = {
    {"tree", KEEL_MPI_TREE, "tree[,min][:gamma=...,shares=...]",
     "equal blocks, or by KEEL_MPI_WEIGHTS; a rank that runs dry asks along a tree that pairs slow "
     "ranks with fast ones",
     "ranks of different speed, also many", "Kim & Purtilo 1996"},
    {"steal", KEEL_MPI_STEAL, "steal[,min][:gamma=...,shares=...]",
     "equal blocks, or by KEEL_MPI_WEIGHTS; a rank that runs dry asks random others",
     "iterations of very different cost", "Blumofe & Leiserson 1999"},
    {"diffuse", KEEL_MPI_DIFFUSE, "diffuse[,neighbours][:min=...,gamma=...,shares=...]",
     "the same; a rank that runs dry looks at some others and asks the fullest, then looks further",
     "load that lies unevenly among neighbours", "Barker & Chrisochoides 2005"},
    {"rate", KEEL_MPI_RATE, "rate[,min][:gamma=...,shares=...]",
     "blocks by the rates that ranks showed in earlier instances of the loop, then as tree",
     "loops that repeat; Keel's choice where nothing is stated",
     "Keel; tree of Kim & Purtilo 1996"},
    {0},
};

#define BY_NAME KEEL_MPI_LOOP_SCHEDULE /* kinds below it are those of keel_mpi_policies */

/* Numbers and letters are those of the C locale, whatever the program has set. Neither call can
 * fail for "C". */
static locale_t enter_c_locale(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void leave_c_locale(locale_t previous)
{
    freelocale(uselocale(previous));
}

/* --- parameters --- */

static bool whole_number(const char *digits, unsigned long long highest, unsigned long long *number)
{
    char *end;

    errno = 0;
    *number = strtoull(digits, &end, 10);
    return isdigit((unsigned char)digits[0]) && *end == '\0' && errno == 0 && *number >= 1 &&
           *number <= highest;
}

static bool set_min(struct keel_mpi_schedule *schedule, const char *digits)
{
    unsigned long long number;

    if (!whole_number(digits, keel_parameters[KEEL_MIN].highest.count, &number)) {
        return false;
    }
    schedule->spec.value[KEEL_MIN].count = number;
    schedule->spec.given = KEEL_BIT(KEEL_MIN);
    return true;
}

static bool set_gamma(struct keel_mpi_schedule *schedule, const char *digits)
{
    char *end;
    double number = strtod(digits, &end);

    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.') {
        return false;
    }
    if (*end != '\0' || !(number > 0 && number <= 1)) {
        return false;
    }
    schedule->gamma = number;
    return true;
}

static bool set_neighbours(struct keel_mpi_schedule *schedule, const char *digits)
{
    unsigned long long number;

    if (!whole_number(digits, KEEL_SEEK_NEIGHBOURS_MAX, &number)) {
        return false;
    }
    schedule->neighbours = (unsigned)number;
    return true;
}

static bool set_shares(struct keel_mpi_schedule *schedule, const char *word)
{
    schedule->equal_shares = strcasecmp(word, "equal") == 0;
    return schedule->equal_shares || strcasecmp(word, "rates") == 0;
}

#define SPELT(number) SPELT_OUT(number)
#define SPELT_OUT(number) #number

static const struct parameter {
    const char *name;
    unsigned kinds; /* KEEL_BIT of each policy that takes it */
    unsigned first; /* of each that takes it by position */
    bool (*set)(struct keel_mpi_schedule *schedule, const char *text);
    const char *wanted, *instead;
} parameters[] = {
    {"gamma", KEEL_BIT(BY_NAME) - 1, 0, set_gamma, "a number above 0 and up to 1",
     "going by throughput"},
    {"min", KEEL_BIT(BY_NAME) - 1, ~KEEL_BIT(KEEL_MPI_DIFFUSE), set_min,
     "a whole number from 1 to 9223372036854775807", "using 1"},
    {"neighbours", KEEL_BIT(KEEL_MPI_DIFFUSE), KEEL_BIT(KEEL_MPI_DIFFUSE), set_neighbours,
     "a whole number from 1 to " SPELT(KEEL_SEEK_NEIGHBOURS_MAX),
     "using " SPELT(KEEL_MPI_NEIGHBOURS)},
    {"shares", KEEL_BIT(BY_NAME) - 1, 0, set_shares, "equal or rates", "using rates"},
};

#define PARAMETERS (sizeof parameters / sizeof parameters[0])

/* --- reading --- */

struct reader {
    struct keel_text rest;
    const struct keel_mpi_policy *policy;
    struct keel_mpi_schedule *schedule;
    bool positional; /* a value by position has been read */
    unsigned given;  /* KEEL_BIT of each of `parameters` */
    char *problem;
};

static bool is(struct keel_text word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(text, word.start, word.length) == 0;
}

static void set(struct reader *reader, size_t number, struct keel_text text)
{
    const struct parameter *parameter = &parameters[number];
    char digits[40] = "";

    if (text.length < sizeof digits) {
        memcpy(digits, text.start, text.length);
    }
    if (reader->given & KEEL_BIT(number)) {
        keel_text_complain(reader->problem, KEEL_PROBLEM_MAX,
                           "%s is given twice; the first is used", parameter->name);
    } else if (!parameter->set(reader->schedule, digits)) {
        keel_text_complain(reader->problem, KEEL_PROBLEM_MAX, "%s '%.*s' is not %s; %s",
                           parameter->name, KEEL_TEXT_SHOWN(text), parameter->wanted,
                           parameter->instead);
    } else {
        reader->given |= KEEL_BIT(number);
    }
}

static void read_keyed(struct reader *reader, struct keel_text key, struct keel_text text)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, key.start, key.length);
    for (size_t i = 0; i < PARAMETERS; i++) {
        if (!(parameters[i].kinds & KEEL_BIT(reader->policy->kind))) {
            continue;
        }
        if (is(key, parameters[i].name)) {
            set(reader, i, text);
            return;
        }
        keel_nearest_offer(&nearest, parameters[i].name, strlen(parameters[i].name));
    }
    keel_text_complain(reader->problem, KEEL_PROBLEM_MAX,
                       "%s has no parameter '%.*s', nearest is '%s'; ignored", reader->policy->name,
                       KEEL_TEXT_SHOWN(key), nearest.best);
}

static void read_positional(struct reader *reader, struct keel_text text)
{
    if (reader->positional) {
        keel_text_complain(reader->problem, KEEL_PROBLEM_MAX,
                           "%s takes at most 1 value by position; '%.*s' is ignored",
                           reader->policy->name, KEEL_TEXT_SHOWN(text));
        return;
    }
    reader->positional = true;
    for (size_t i = 0; i < PARAMETERS; i++) {
        if (parameters[i].first & KEEL_BIT(reader->policy->kind)) {
            set(reader, i, text);
        }
    }
}

static void read_parameters(struct reader *reader)
{
    while (reader->rest.length > 0) {
        keel_text_skip(&reader->rest);
        struct keel_text word = keel_text_take(&reader->rest, ",:=");
        if (reader->rest.length > 0 && reader->rest.start[0] == '=') {
            keel_text_skip(&reader->rest);
            read_keyed(reader, word, keel_text_take(&reader->rest, ",:"));
        } else {
            read_positional(reader, word);
        }
    }
}

static const struct keel_mpi_policy *find(struct keel_text name)
{
    for (const struct keel_mpi_policy *policy = keel_mpi_policies; policy->name != NULL; policy++) {
        if (is(name, policy->name)) {
            return policy;
        }
    }
    return NULL;
}

static struct keel_mpi_schedule standard_of(enum keel_mpi_kind kind)
{
    return (struct keel_mpi_schedule){
        .kind = kind,
        .spec = {.value = {[KEEL_MIN] = keel_parameters[KEEL_MIN].standard}},
        .neighbours = KEEL_MPI_NEIGHBOURS,
    };
}

static bool report_unknown(struct keel_text name, char *problem)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name.start, name.length);
    for (const struct keel_mpi_policy *policy = keel_mpi_policies; policy->name != NULL; policy++) {
        keel_nearest_offer(&nearest, policy->name, strlen(policy->name));
    }
    const char *other = keel_registry_nearest(name.start, name.length);
    keel_nearest_offer(&nearest, other, strlen(other));
    snprintf(problem, KEEL_PROBLEM_MAX, "unknown schedule '%.*s', nearest is '%s'",
             KEEL_TEXT_SHOWN(name), nearest.best);
    return false;
}

/* A loop schedule, with ranks for threads. */
static bool read_spec(const char *text, struct keel_text name, struct keel_mpi_schedule *schedule,
                      char *problem)
{
    struct keel_mpi_schedule read = standard_of(KEEL_MPI_LOOP_SCHEDULE);

    if (keel_spec_read(text, strlen(text), &read.spec, problem) == KEEL_SPEC_UNKNOWN) {
        return report_unknown(name, problem);
    }
    *schedule = read;
    return true;
}

static bool read_schedule(const char *text, struct keel_mpi_schedule *schedule, char *problem)
{
    size_t modifier = keel_spec_modifier(text, strlen(text));
    struct reader reader = {.rest = {text + modifier, strlen(text) - modifier},
                            .schedule = schedule,
                            .problem = problem};

    problem[0] = '\0';
    struct keel_text name = keel_text_take(&reader.rest, ",:");
    reader.policy = find(name);
    if (reader.policy == NULL) {
        return read_spec(text, name, schedule, problem);
    }
    *schedule = standard_of(reader.policy->kind);
    if (tolower((unsigned char)text[strspn(text, " \t")]) == 'm') {
        keel_text_complain(reader.problem, KEEL_PROBLEM_MAX,
                           "%s knows no order among ranks; monotonic is ignored",
                           reader.policy->name);
    }
    read_parameters(&reader);
    return true;
}

bool keel_mpi_schedule_read(const char *text, struct keel_mpi_schedule *schedule,
                            char problem[KEEL_PROBLEM_MAX])
{
    locale_t previous = enter_c_locale();
    bool known = read_schedule(text, schedule, problem);

    leave_c_locale(previous);
    return known;
}

struct keel_mpi_schedule keel_mpi_schedule_standard(void)
{
    return standard_of(KEEL_MPI_RATE);
}

/* --- writing --- */

/* snprintf at the end of what `text` holds; *length counts also what did not fit. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t size, int *length,
                                                         const char *format, ...)
{
    va_list arguments;
    size_t used = (size_t)*length < size ? (size_t)*length : size;

    va_start(arguments, format);
    *length += vsnprintf(used < size ? text + used : NULL, size - used, format, arguments);
    va_end(arguments);
}

static int write_policy(const struct keel_mpi_schedule *schedule, char *text, size_t size)
{
    bool min = (schedule->spec.given & KEEL_BIT(KEEL_MIN)) != 0;
    bool diffuse = schedule->kind == KEEL_MPI_DIFFUSE;
    unsigned long long least = schedule->spec.value[KEEL_MIN].count;
    const struct keel_mpi_policy *policy = keel_mpi_policies;
    int length = 0;

    while (policy->kind != schedule->kind) {
        policy++;
    }
    append(text, size, &length, "%s", policy->name);
    if (diffuse && schedule->neighbours != KEEL_MPI_NEIGHBOURS) {
        append(text, size, &length, ",%u", schedule->neighbours);
    }
    if (min) {
        append(text, size, &length, diffuse ? ":min=%llu" : ",%llu", least);
    }
    bool keyed = min && diffuse;
    if (schedule->gamma > 0) {
        append(text, size, &length, "%sgamma=%.17g", keyed ? "," : ":", schedule->gamma);
        keyed = true;
    }
    if (schedule->equal_shares) {
        append(text, size, &length, "%sshares=equal", keyed ? "," : ":");
    }
    return length;
}

int keel_mpi_schedule_write(const struct keel_mpi_schedule *schedule, char *text, size_t size)
{
    if (schedule->kind == KEEL_MPI_LOOP_SCHEDULE) {
        return keel_spec_write(&schedule->spec, text, size);
    }
    locale_t previous = enter_c_locale();
    int length = write_policy(schedule, text, size);
    leave_c_locale(previous);
    return length;
}
