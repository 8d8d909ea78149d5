/* Words: of command lines, of schedules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/settings/variables.h"
#include "schedules/text/number.h"

/* --- command lines --- */

#define OPTIONS_MAX 24
#define KEYS 0x100 /* from there on, those of options without a letter */

char **keel_subcommand_rest(struct argp_state *state)
{
    char **rest = state->argv + state->next - 1;

    state->next = state->argc;
    return rest;
}

void keel_take_flag(struct argp_state *state, const struct keel_option *option, char *word,
                    void *at)
{
    (void)state;
    (void)option;
    (void)word;
    *(bool *)at = true;
}

void keel_take_text(struct argp_state *state, const struct keel_option *option, char *word,
                    void *at)
{
    (void)state;
    (void)option;
    *(const char **)at = word;
}

void keel_take_list(struct argp_state *state, const struct keel_option *option, char *word,
                    void *at)
{
    const char **list = at;

    (void)state;
    (void)option;
    *list = *list == NULL ? word : keel_command_text("%s %s", *list, word);
}

static double number_of(struct argp_state *state, const struct keel_option *option,
                        const char *word, bool whole)
{
    double value = 0;

    if (!keel_number_real(word, &value) || !(value >= option->low && value <= option->high) ||
        (whole && value != floor(value))) {
        argp_error(state, "--%s: '%s' is not a %snumber from %g to %g", option->name, word,
                   whole ? "whole " : "", option->low, option->high);
    }
    return value;
}

void keel_take_real(struct argp_state *state, const struct keel_option *option, char *word,
                    void *at)
{
    *(double *)at = number_of(state, option, word, false);
}

void keel_take_count(struct argp_state *state, const struct keel_option *option, char *word,
                     void *at)
{
    *(uint64_t *)at = (uint64_t)number_of(state, option, word, true);
}

void keel_take_range(struct argp_state *state, const struct keel_option *option, char *word,
                     void *at)
{
    uint64_t *range = at, low = (uint64_t)option->low, high = (uint64_t)option->high;
    size_t length = strcspn(word, "-");
    char begin[32];

    snprintf(begin, sizeof begin, "%.*s", (int)length, word);
    if (length >= sizeof begin || !keel_number_whole(begin, low, high, &range[0]) ||
        !keel_number_whole(word[length] == '-' ? word + length + 1 : word, range[0], high,
                           &range[1])) {
        argp_error(state, "--%s: '%s' is neither a whole number from %llu to %llu nor FIRST-LAST",
                   option->name, word, (unsigned long long)low, (unsigned long long)high);
    }
}

struct reading {
    const struct keel_command_line *line;
    char *request;
    size_t count;
    const struct keel_option *option[OPTIONS_MAX];
    char *base[OPTIONS_MAX]; /* of the structure that has the option's member */
    struct argp_option key[OPTIONS_MAX + 1];
};

static void add_options(struct reading *reading, const struct keel_option *option, char *base)
{
    for (; option != NULL && option->name != NULL; option++) {
        size_t i = reading->count++;
        reading->option[i] = option;
        reading->base[i] = base;
        reading->key[i] = (struct argp_option){
            .name = option->name,
            .key = option->letter != 0 ? option->letter : KEYS + (int)i,
            .arg = option->argument,
            .doc = option->text,
            .group = option->group + 1, /* 0 would be that of the one before */
        };
    }
}

static error_t take_words(struct reading *reading, struct argp_state *state)
{
    char **words = keel_subcommand_rest(state);
    long count = state->argv + state->argc - words;

    if (reading->line->form == NULL || count < reading->line->least ||
        (reading->line->most > 0 && count > reading->line->most)) {
        argp_usage(state);
    }
    *(char ***)(void *)(reading->request + reading->line->words_at) = words;
    return 0;
}

static error_t take(int key, char *word, struct argp_state *state)
{
    struct reading *reading = state->input;

    if (key == ARGP_KEY_ARG) {
        return take_words(reading, state);
    }
    if (key == ARGP_KEY_NO_ARGS && reading->line->least > 0) {
        argp_usage(state);
    }
    for (size_t i = 0; i < reading->count; i++) {
        const struct keel_option *option = reading->option[i];
        if (reading->key[i].key == key) {
            option->take(state, option, word, reading->base[i] + option->at);
            return 0;
        }
    }
    return ARGP_ERR_UNKNOWN;
}

void keel_command_line_read(const struct keel_command_line *line, int argc, char **argv,
                            void *request)
{
    struct reading reading = {.line = line, .request = request};
    const struct argp grammar = {reading.key, take, line->form, line->text, NULL, NULL, NULL};

    add_options(&reading, line->options, request);
    add_options(&reading, line->shared, reading.request + line->shared_at);
    argp_parse(&grammar, argc, argv, line->is_program ? ARGP_IN_ORDER : 0, NULL, &reading);
}

/* --- schedules --- */

/* In "chunk '0' is not a whole number; using 1", what is used does not matter. */
void keel_schedule_check_problem(char *problem)
{
    char *end = problem + strlen(problem);

    while (end > problem && strncmp(end, "; ", 2) != 0) {
        end--;
    }
    if (end > problem) {
        *end = '\0';
    }
}

/* Keeps the first part that cannot be used as it is. */
static void keep_first(void *context, const char *problem, const char *instead)
{
    struct keel_schedule_check *check = context;

    if (check->problem[0] == '\0') {
        snprintf(check->problem, sizeof check->problem, "%s", problem);
        if (instead == NULL) {
            keel_schedule_check_problem(check->problem);
        }
    }
}

struct keel_schedule_check keel_schedule_check(const char *text)
{
    struct keel_schedule_check check = {0};
    struct keel_rules schedules = {0};

    keel_rules_read(&schedules, text, &(struct keel_spec_defaults){0}, keep_first, &check);
    check.everywhere = schedules.standard != NULL && schedules.standard != &keel_policy_libgomp;
    check.rules = schedules.rules > 0;
    return check;
}
