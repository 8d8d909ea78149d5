/* Words: of command lines, of schedules, and in columns. */
#include <argp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/settings/variables.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- command lines --- */

#define OPTIONS_MAX 24
#define KEYS 0x100 /* from there on, those of options without a letter */

/* At the first word: the rest of the command line from it on, which argp leaves alone, as options
 * there belong to what the word names. */
static char **subcommand_rest(struct argp_state *state)
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
    char **words = subcommand_rest(state);
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

/* --- menus --- */

struct choice {
    const struct keel_menu *menu;
    char **rest; /* of the command line, from the subcommand's name on */
};

static int longest_name(const struct keel_menu *menu)
{
    size_t longest = 0;

    for (size_t i = 0; i < menu->count; i++) {
        size_t length = strlen(menu->subcommand[i]->name);
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

static void print_list(const struct keel_menu *menu, FILE *stream)
{
    fprintf(stream, "%s:\n", menu->title);
    for (size_t i = 0; i < menu->count; i++) {
        fprintf(stream, "  %-*s %s\n", longest_name(menu), menu->subcommand[i]->name,
                menu->subcommand[i]->summary);
    }
}

/* argp calls this for each part of its help; the text after the options is ours, and argp frees
 * it. */
static char *help(int key, const char *text, void *input)
{
    const struct choice *choice = input;
    char *list = NULL;
    size_t size;

    FILE *stream = key == ARGP_KEY_HELP_POST_DOC ? open_memstream(&list, &size) : NULL;
    if (stream == NULL) {
        return (char *)text;
    }
    print_list(choice->menu, stream);
    fprintf(stream, "\n%s", choice->menu->notes);
    fclose(stream);
    return list;
}

/* What follows the subcommand's name is its own. */
static error_t take_choice(int key, char *word, struct argp_state *state)
{
    struct choice *choice = state->input;

    (void)word;
    switch (key) {
    case ARGP_KEY_ARG:
        choice->rest = subcommand_rest(state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_state_help(state, stderr, ARGP_HELP_USAGE);
        print_list(choice->menu, stderr);
        argp_state_help(state, stderr, ARGP_HELP_SEE | ARGP_HELP_EXIT_ERR);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* NULL: there is no such one, which is said. */
static const struct keel_subcommand *find_choice(const struct keel_menu *menu, const char *name)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, name, strlen(name));
    for (size_t i = 0; i < menu->count; i++) {
        const struct keel_subcommand *subcommand = menu->subcommand[i];
        if (strcmp(subcommand->name, name) == 0) {
            return subcommand;
        }
        keel_nearest_consider(&nearest, subcommand->name, strlen(subcommand->name));
    }
    keel_message("'%s' is not %s%s; nothing is done (see %s --help)", name, menu->entry,
                 keel_nearest_hint(&nearest), menu->called);
    return NULL;
}

int keel_menu_run(const struct keel_menu *menu, int argc, char **argv)
{
    const struct argp grammar = {
        .parser = take_choice,
        .args_doc = menu->form,
        .doc = menu->text,
        .help_filter = help,
    };
    struct choice choice = {.menu = menu};
    char title[64];

    argp_parse(&grammar, argc, argv, ARGP_IN_ORDER, NULL, &choice);
    const struct keel_subcommand *subcommand = find_choice(menu, choice.rest[0]);
    if (subcommand == NULL) {
        return KEEL_EXIT_USAGE;
    }
    snprintf(title, sizeof title, "%s %s", menu->called, subcommand->name);
    choice.rest[0] = title;
    return subcommand->run(argc - (int)(choice.rest - argv), choice.rest);
}

/* --- text in columns, as wide as the terminal --- */

/* Moves on to the next line; one blank or line feed separates them. */
static const char *after_line(const char *text, size_t length)
{
    text += length;
    return text + (*text == ' ' || *text == '\n');
}

static bool any_left(unsigned columns, const char *const *rest)
{
    for (unsigned i = 0; i < columns; i++) {
        if (rest[i][0] != '\0') {
            return true;
        }
    }
    return false;
}

/* Blanks are printed before the next text only, so that no line ends in them. */
static void print_line(unsigned columns, const unsigned *width, const char **rest)
{
    size_t blanks = 0;

    for (unsigned i = 0; i < columns; i++) {
        size_t length = keel_text_line(rest[i], width[i]);
        if (length > 0) {
            printf("%*s%.*s", (int)blanks, "", (int)length, rest[i]);
            blanks = 0;
        }
        blanks += width[i] - length + 1;
        rest[i] = after_line(rest[i], length);
    }
    putchar('\n');
}

void keel_table_row(unsigned columns, const unsigned *width, const char *const *cell)
{
    const char *rest[KEEL_TABLE_COLUMNS_MAX];

    for (unsigned i = 0; i < columns; i++) {
        rest[i] = cell[i];
    }
    do {
        print_line(columns, width, rest);
    } while (any_left(columns, rest));
}

#define WIDTH_MIN 40
#define WIDTH_MAX 1000
#define WIDTH_STANDARD 80

static long stated_width(void)
{
    const char *columns = keel_environment_value("COLUMNS");

    return columns != NULL ? strtol(columns, NULL, 10) : 0;
}

unsigned keel_terminal_width(void)
{
    struct winsize size;
    long width = stated_width();

    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
        width = size.ws_col;
    }
    if (width <= 0) {
        width = WIDTH_STANDARD;
    }
    return width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : (unsigned)width;
}
