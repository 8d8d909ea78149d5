/* Rules of KEEL_SCHEDULE; the environment variables of Keel, and how their values are read. */
#include "omp_ext/settings/variables.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/support/message.h"
#include "schedules/loop/spec.h"
#include "schedules/loop/registry.h"
#include "schedules/text/text.h"

/* --- rules: what KEEL_SCHEDULE says --- */

#define SHOWN(text) (int)((text).length > 60 ? 60 : (text).length), (text).start

struct reader {
    struct keel_rules *schedules;
    const struct keel_spec_defaults *defaults;
    keel_rules_reporter *report;
    void *context;
};

__attribute__((format(printf, 3, 4))) static void
complain(const struct reader *reader, const char *instead, const char *format, ...)
{
    char problem[KEEL_PROBLEM_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    reader->report(reader->context, problem, instead);
}

/* Length of the place before '='; 0: the choice is a schedule. "fac:mu=3" is one although it holds
 * a '=': its first word names a schedule, and something other than '=' follows. */
static size_t place_length(struct keel_text choice)
{
    const char *equals = memchr(choice.start, '=', choice.length);
    size_t word = keel_spec_modifier(choice.start, choice.length);
    size_t end = word;

    if (equals == NULL) {
        return 0;
    }
    while (end < choice.length && strchr(",:=", choice.start[end]) == NULL) {
        end++;
    }
    if (choice.start + end != equals &&
        keel_registry_find(choice.start + word, end - word) != NULL) {
        return 0;
    }
    return (size_t)(equals - choice.start);
}

/* `instead` says what happens when it cannot be read. */
static const struct keel_policy *read_policy(const struct reader *reader, struct keel_text text,
                                             const char *instead)
{
    char problem[KEEL_PROBLEM_MAX];
    bool mended;
    const struct keel_policy *policy =
        keel_policy_read(text.start, text.length, reader->defaults, &mended, problem);

    if (policy == NULL || mended) {
        complain(reader, policy == NULL ? instead : NULL, "%s", problem);
    }
    reader->schedules->wants_costs |= policy != NULL && policy->without_costs != NULL;
    return policy;
}

static void read_rule(const struct reader *reader, struct keel_text choice, size_t equals)
{
    struct keel_rules *schedules = reader->schedules;
    struct keel_text place = keel_text_trimmed((struct keel_text){choice.start, equals});
    struct keel_text schedule = {choice.start + equals + 1, choice.length - equals - 1};
    struct keel_rules_entry *rule = &schedules->rule[schedules->rules];

    if (schedules->rules == KEEL_RULES_MAX) {
        complain(reader, "ignored", "'%.*s' is one rule more than %d", SHOWN(choice),
                 KEEL_RULES_MAX);
    } else if (!keel_rule_parse(place.start, place.length, &rule->place)) {
        complain(reader, "ignored", "rule '%.*s' is not FILE:LINE=SCHEDULE or FUNCTION=SCHEDULE",
                 SHOWN(choice));
    } else {
        schedule = keel_text_trimmed(schedule);
        rule->by_word = schedule.length > 0 && schedule.start[schedule.length - 1] == '!';
        schedule.length -= rule->by_word;
        rule->policy = read_policy(reader, schedule, "the rule is ignored");
        schedules->rules += rule->policy != NULL;
    }
}

static void read_part(const struct reader *reader, struct keel_text choice)
{
    size_t equals = place_length(choice);

    if (equals > 0 || choice.start[0] == '=') {
        read_rule(reader, choice, equals);
    } else if (reader->schedules->standard != NULL) {
        complain(reader, "ignored", "'%.*s' is a second schedule for all loops", SHOWN(choice));
    } else {
        reader->schedules->standard = read_policy(reader, choice, "using libgomp's own schedule");
    }
}

void keel_rules_read(struct keel_rules *schedules, const char *text,
                     const struct keel_spec_defaults *defaults, keel_rules_reporter *report,
                     void *context)
{
    const struct reader reader = {schedules, defaults, report, context};

    for (;;) {
        size_t length = strcspn(text, ";");
        struct keel_text choice = keel_text_trimmed((struct keel_text){text, length});
        if (choice.length > 0) {
            read_part(&reader, choice);
        }
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
    }
}

const struct keel_rules_entry *keel_rules_match(const struct keel_rules *schedules,
                                                const struct keel_source *source)
{
    for (unsigned i = 0; i < schedules->rules; i++) {
        if (keel_rule_matches(&schedules->rule[i].place, source)) {
            return &schedules->rule[i];
        }
    }
    return NULL;
}

/* --- variables --- */

#define TRACE_EVENTS 1000000u /* some 150 MB; what browsers still show */
#define TRACE_EVENTS_MAX 1000000000000ull

/* A parameter of schedules that do not state it themselves; stays 0 where it cannot be used. */
static void read_default(uint64_t *defaults, const struct keel_variable *variable,
                         enum keel_parameter parameter, const char *instead, const char *value)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];
    uint64_t number;

    if (!keel_number_whole(value, info->lowest.count, info->highest.count, &number)) {
        keel_message("%s: '%s' is not a whole number from %llu to %llu; %s", variable->name, value,
                     (unsigned long long)info->lowest.count,
                     (unsigned long long)info->highest.count, instead);
        return;
    }
    *defaults = number;
}

static void read_min_chunk(struct keel_settings *settings, const struct keel_variable *variable,
                           const char *value)
{
    read_default(&settings->defaults.min, variable, KEEL_MIN, "measured costs decide", value);
}

static void read_grain(struct keel_settings *settings, const struct keel_variable *variable,
                       const char *value)
{
    read_default(&settings->defaults.grain, variable, KEEL_GRAIN, "using 1", value);
}

static void report_rule_problem(void *variable, const char *problem, const char *instead)
{
    const char *name = ((const struct keel_variable *)variable)->name;

    keel_message("%s: %s%s%s", name, problem, instead != NULL ? "; " : "",
                 instead != NULL ? instead : "");
}

static void read_schedule(struct keel_settings *settings, const struct keel_variable *variable,
                          const char *value)
{
    keel_rules_read(&settings->schedules, value, &settings->defaults, report_rule_problem,
                    (void *)variable);
}

/* libgomp's own kinds, and unknown words, stay libgomp's to read or to complain about. */
static void read_omp_schedule(struct keel_settings *settings, const struct keel_variable *variable,
                              const char *value)
{
    char problem[KEEL_PROBLEM_MAX];
    bool mended;

    if (!keel_omp_schedule_is_ours(value)) {
        return;
    }
    settings->fallback =
        keel_policy_read(value, strlen(value), &settings->defaults, &mended, problem);
    if (mended) {
        keel_message("%s: %s", variable->name, problem);
    }
}

static unsigned override_of(const char *word, size_t length)
{
    static const char *const words[] = {"dynamic", "guided", "nonmonotonic", "static"};

    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (length == strlen(words[i]) && strncasecmp(word, words[i], length) == 0) {
            return 1u << i; /* KEEL_OVERRIDE_... */
        }
    }
    return 0;
}

static void read_override(struct keel_settings *settings, const struct keel_variable *variable,
                          const char *value)
{
    for (const char *word = value; *word != '\0';) {
        size_t length = strcspn(word, ", ");
        unsigned said = override_of(word, length);
        if (said == 0 && length > 0) {
            keel_message("%s: '%.*s' is not static, dynamic, guided or nonmonotonic; ignored",
                         variable->name, (int)length, word);
        }
        settings->override |= said;
        word += length + (word[length] != '\0');
    }
}

/* Scales the weights so that they sum up to their number: equal weights are all 1. */
static void scale_weights(struct keel_settings *settings)
{
    double sum = 0;

    for (unsigned i = 0; i < settings->weights; i++) {
        sum += settings->weight[i];
    }
    for (unsigned i = 0; i < settings->weights; i++) {
        settings->weight[i] *= settings->weights / sum;
    }
}

static void read_weights(struct keel_settings *settings, const struct keel_variable *variable,
                         const char *value)
{
    size_t count = keel_number_list(value, 1e-6, 1e6, KEEL_WEIGHTS_MAX, settings->weight);

    if (count == 0 || count > KEEL_WEIGHTS_MAX) {
        keel_message(
            "%s: '%s' is not a list of up to %d numbers from 1e-6 to 1e6; using equal weights",
            variable->name, value, KEEL_WEIGHTS_MAX);
        return;
    }
    settings->weights = (unsigned)count;
    scale_weights(settings);
}

static bool read_switch(const struct keel_variable *variable, const char *value,
                        const char *instead)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0) {
        keel_message("%s: '%s' is not 0 or 1; %s", variable->name, value, instead);
    }
    return strcmp(value, "1") == 0;
}

static void read_explain(struct keel_settings *settings, const struct keel_variable *variable,
                         const char *value)
{
    settings->explain = read_switch(variable, value, "nothing is explained");
}

/* What acts on it is libkeel_mpi_calls.so. */
static void read_share_cores(struct keel_settings *settings, const struct keel_variable *variable,
                             const char *value)
{
    settings->share_cores = read_switch(variable, value, "no cores are shared");
}

static void read_report(struct keel_settings *settings, const struct keel_variable *variable,
                        const char *value)
{
    (void)variable;
    settings->report = strcmp(value, "0") != 0;
    settings->report_file = settings->report && strcmp(value, "1") != 0 ? value : NULL;
}

static void read_memory(struct keel_settings *settings, const struct keel_variable *variable,
                        const char *value)
{
    static const char replace[] = "replace:";

    (void)variable;
    settings->memory_replaced = strncmp(value, replace, strlen(replace)) == 0;
    settings->memory_file = value + (settings->memory_replaced ? strlen(replace) : 0);
}

/* Where a name that ends in .json ends: at the end of `value`, or at a comma with a number behind
 * it; NULL: it does not. */
static const char *end_of_json_name(const char *value)
{
    const char *comma = strrchr(value, ',');
    const char *end = value + strlen(value);

    if (comma != NULL && comma - value > 5 && strncmp(comma - 5, ".json", 5) == 0) {
        return comma;
    }
    return end - value > 5 && strcmp(end - 5, ".json") == 0 ? end : NULL;
}

static void read_trace(struct keel_settings *settings, const struct keel_variable *variable,
                       const char *value)
{
    const char *end = end_of_json_name(value);

    settings->trace = (struct keel_trace_settings){value, TRACE_EVENTS, end == NULL};
    if (end == NULL || *end == '\0') {
        return;
    }
    settings->trace.file = strndup(value, (size_t)(end - value));
    if (!keel_number_whole(end + 1, 1, TRACE_EVENTS_MAX, &settings->trace.events)) {
        keel_message("%s: '%s' in '%s' is not a whole number from 1 to %llu; using %u",
                     variable->name, end + 1, value, TRACE_EVENTS_MAX, TRACE_EVENTS);
        settings->trace.events = TRACE_EVENTS;
    }
}

static void read_seen_file(struct keel_settings *settings, const struct keel_variable *variable,
                           const char *value)
{
    (void)variable;
    settings->mark_file = value;
}

/* Steps over `word` if the text begins with it. */
static bool passes(const char **text, const char *word)
{
    bool is = strncmp(*text, word, strlen(word)) == 0;

    *text += is ? strlen(word) : 0;
    return is;
}

/* The digits that the text begins with. */
static bool read_seed(const char **text, uint64_t *seed)
{
    size_t length = strspn(*text, "0123456789");
    char digits[24];

    snprintf(digits, sizeof digits, "%.*s", (int)(length < 23 ? length : 23), *text);
    *text += length;
    return keel_number_whole(digits, 0, UINT64_MAX, seed);
}

/* "seed=7", "seed=7,others=one", then perhaps ",folder=" and a path, to the end. */
static void read_check(struct keel_settings *settings, const struct keel_variable *variable,
                       const char *value)
{
    struct keel_check_settings check = {.on = true};
    const char *rest = value;
    bool good = passes(&rest, "seed=") && read_seed(&rest, &check.seed);

    check.others_serial = good && passes(&rest, ",others=one");
    if (good && passes(&rest, ",folder=") && *rest == '/') {
        check.folder = rest;
    } else if (!good || *rest != '\0') {
        keel_message("%s: '%s' is not seed=N[,others=one][,folder=PATH] with an absolute path; "
                     "no loop is checked",
                     variable->name, value);
        return;
    }
    settings->check = check;
}

static bool names_file(const char *value)
{
    return !keel_text_is_blank(value);
}

static bool report_names_file(const char *value)
{
    return names_file(value) && strcmp(value, "0") != 0 && strcmp(value, "1") != 0;
}

const struct keel_variable keel_variables[] = {
    {"KEEL_MIN_CHUNK", "whole number >= 1", "by measured costs",
     "smallest chunk of every schedule that states no `min` of its own, iterations", read_min_chunk,
     NULL},
    {"KEEL_GRAIN", "whole number >= 1", "1",
     "iterations that no schedule separates which states no `grain` of its own: chunks begin and "
     "end on multiples of it, counted from the loop's beginning",
     read_grain, NULL},
    {"KEEL_SCHEDULE", "SCHEDULE; PLACE=SCHEDULE; ...", "libgomp schedules every loop",
     "schedule of all loops that are schedule(runtime), and rules for single loops (PLACE is "
     "FILE:LINE or FUNCTION); the word "
     "libgomp leaves loops to libgomp",
     read_schedule, NULL},
    {"KEEL_OVERRIDE", "static,dynamic,guided,nonmonotonic",
     "explicit clauses are libgomp's, and static loops the program's",
     "also take over loops compiled with these explicit schedule clauses; each thread gets "
     "increasing iterations, as libgomp gives them, unless the word nonmonotonic is there, too. "
     "static: loops that the compiler has divided, where their machine code shows that nothing "
     "but the time changes",
     read_override, NULL},
    {"KEEL_WEIGHTS", "w0,w1,...", "as the cores that threads are bound to, otherwise equal",
     "relative speed of each thread of a team, for wf2", read_weights, NULL},
    {"KEEL_MEMORY", "FILE or replace:FILE", "nothing is kept",
     "keeps learned rates, cost profiles, choices and proofs of static loops in this file from one "
     "run to the next; with replace: what is in it is not looked at",
     read_memory, names_file},
    {"KEEL_EXPLAIN", "0 or 1", "0",
     "adds to the report what was measured at each loop, predicted, chosen and then seen; without "
     "KEEL_REPORT that goes to standard error",
     read_explain, NULL},
    {"KEEL_REPORT", "0, 1 or FILE", "0",
     "prints at exit, for all parallel regions and loops, where the time went: 1: on standard "
     "error; FILE: there, as JSON where its name ends in .json; %p is the process's number. While "
     "the program runs, FILE.recording has what `keel report --from` can read",
     read_report, report_names_file},
    {"KEEL_TRACE", "FILE or FILE.json[,EVENTS]", "nothing is traced",
     "writes while the program runs, for each chunk of all loops that come to libgomp or to Keel: "
     "loop,instance,thread,first,last,time_ns; up to 1000000 chunks. FILE.json: all regions, "
     "loops, chunks, waits and decisions in the Trace Event Format; up to EVENTS events of all "
     "ranks, by default 1000000. A rank of a job writes to FILE.RANK; %p is the process's number",
     read_trace, names_file},
    {"KEEL_SHARE_CORES", "0 or 1", "0",
     "teams of all ranks of a job on one node may use all cores that these ranks have together, "
     "and "
     "waits of MPI sleep; set by `keel run --share-cores`",
     read_share_cores, NULL},
    {"KEEL_SEEN", "file name", "no mark",
     "file that gets a mark when the first loop is scheduled; set by `keel run`", read_seen_file,
     names_file},
    {"KEEL_CHECK", "seed=N[,others=one][,folder=PATH]", "no loop is checked",
     "runs loops under random schedules, their threads delayed at random; set by `keel check`",
     read_check, names_file},
    {"OMP_SCHEDULE", "SCHEDULE", "libgomp's dynamic,1",
     "may name any schedule of Keel; the program's omp_set_schedule() and KEEL_SCHEDULE rule over "
     "it",
     read_omp_schedule, NULL},
    {0},
};

bool keel_variable_names_file(const struct keel_variable *variable, const char *value)
{
    return variable->names_file != NULL && variable->names_file(value);
}

/* Nothing in OMP_SCHEDULE is libgomp's to complain about. */
void keel_variable_read(struct keel_settings *settings, const struct keel_variable *variable,
                        const char *value)
{
    if (!keel_text_is_blank(value)) {
        variable->read(settings, variable, value);
    } else if (strncmp(variable->name, "KEEL_", 5) == 0) {
        keel_message("%s: %s", variable->name, KEEL_TEXT_EMPTY);
    }
}
