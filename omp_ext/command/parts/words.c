/* Words: of command lines, of schedules, of shells. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/settings/rules.h"
#include "schedules/text/number.h"

/* --- command lines --- */

error_t keel_subcommand_no_words(int key, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    argp_usage(state);
    return 0;
}

error_t keel_subcommand_flag(int key, char *word, struct argp_state *state)
{
    (void)word;
    if (key <= 0 || key > UCHAR_MAX) { /* keys of argp itself */
        return keel_subcommand_no_words(key, state);
    }
    *(bool *)state->input = true;
    return 0;
}

error_t keel_subcommand_words(int key, struct argp_state *state, char ***words, size_t *count)
{
    switch (key) {
    case ARGP_KEY_ARGS:
        *words = state->argv + state->next;
        *count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

char **keel_subcommand_rest(struct argp_state *state)
{
    char **rest = state->argv + state->next - 1;

    state->next = state->argc;
    return rest;
}

double keel_subcommand_number(struct argp_state *state, const char *option, const char *word,
                              double low, double high, bool whole)
{
    double value = 0;

    if (!keel_number_real(word, &value) || !(value >= low && value <= high) ||
        (whole && value != floor(value))) {
        argp_error(state, "%s: '%s' is not a %snumber from %g to %g", option, word,
                   whole ? "whole " : "", low, high);
    }
    return value;
}

void keel_subcommand_range(struct argp_state *state, const char *option, const char *word,
                           uint64_t low, uint64_t high, uint64_t *first, uint64_t *last)
{
    size_t length = strcspn(word, "-");
    char begin[32];

    snprintf(begin, sizeof begin, "%.*s", (int)length, word);
    if (length >= sizeof begin || !keel_number_whole(begin, low, high, first) ||
        !keel_number_whole(word[length] == '-' ? word + length + 1 : word, *first, high, last)) {
        argp_error(state, "%s: '%s' is neither a whole number from %llu to %llu nor FIRST-LAST",
                   option, word, (unsigned long long)low, (unsigned long long)high);
    }
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

/* --- shells --- */

/* As pkg-config does. Bytes from 0x80 belong to names. */
void keel_shell_word_print(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte < 0x80 && !isalnum(byte) && strchr("+,-./:=@_", byte) == NULL) {
            putchar('\\');
        }
        putchar(byte);
    }
}
