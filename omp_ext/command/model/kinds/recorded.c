/* Reading trace files. */
#define _GNU_SOURCE
#include "omp_ext/command/model/kinds/recorded.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/description.h"
#include "omp_ext/support/message.h"
#include "schedules/text/number.h"

/* The whole file, ended by 0; NULL with errno set. */
static char *contents(FILE *stream)
{
    char *text = NULL;
    size_t size = 0;

    errno = 0;
    if (getdelim(&text, &size, '\0', stream) < 0) {
        free(text);
        return errno != 0 || ferror(stream) ? NULL : strdup("");
    }
    return text;
}

static char *read_text(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *text = stream != NULL ? contents(stream) : NULL;

    if (text == NULL) {
        keel_message("--trace '%s' cannot be read: %s; nothing is predicted", path,
                     strerror(errno));
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return text;
}

/* Without blanks at its ends; changes the text. */
static char *trimmed(char *text)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);) {
        *--end = '\0';
    }
    return text;
}

/* False: more fields than any trace has. */
static bool cut(char *text, struct keel_recorded_line *line)
{
    for (char *field; (field = strsep(&text, ",")) != NULL;) {
        if (line->fields == KEEL_RECORDED_FIELDS_MAX) {
            return false;
        }
        line->field[line->fields++] = trimmed(field);
    }
    return true;
}

static bool is_header(const struct keel_recorded_line *line)
{
    double number;

    return !keel_number_real(line->field[line->fields - 1], &number) &&
           isalpha((unsigned char)line->field[0][0]);
}

/* Room for one more line. */
static bool grow(struct keel_recorded *trace)
{
    if (trace->count >= KEEL_RECORDED_LINES_MAX) {
        return false;
    }
    if ((trace->count & (trace->count - 1)) == 0) {
        size_t room = trace->count > 0 ? 2 * trace->count : 1;
        void *larger = realloc(trace->line, room * sizeof *trace->line);
        if (larger == NULL) {
            return false;
        }
        trace->line = larger;
    }
    return true;
}

/* False and a message where the line can't be taken. `first`: no line stood before it. */
static bool add_line(struct keel_recorded *trace, char *text, size_t number, bool first)
{
    struct keel_recorded_line line = {.number = number};

    if (!cut(text, &line)) {
        keel_message("--trace '%s', line %zu: more than %d fields; nothing is predicted",
                     trace->path, number, KEEL_RECORDED_FIELDS_MAX);
        return false;
    }
    if (first && is_header(&line)) {
        return true;
    }
    if (!grow(trace)) {
        keel_message("--trace '%s', line %zu: too many lines; nothing is predicted", trace->path,
                     number);
        return false;
    }
    trace->line[trace->count++] = line;
    return true;
}

static bool add_lines(struct keel_recorded *trace)
{
    char *rest = trace->text;
    bool first = true;
    size_t number = 0;

    for (char *text; (text = strsep(&rest, "\n")) != NULL;) {
        char *line = trimmed(text);
        number++;
        if (line[0] == '\0' || line[0] == '#') {
            continue;
        }
        if (!add_line(trace, line, number, first)) {
            return false;
        }
        first = false;
    }
    if (trace->count == 0) {
        keel_message("--trace '%s' is empty; nothing is predicted", trace->path);
    }
    return trace->count > 0;
}

bool keel_recorded_read(const char *path, struct keel_recorded *trace)
{
    *trace = (struct keel_recorded){.path = path, .text = read_text(path)};

    if (trace->text != NULL && add_lines(trace)) {
        return true;
    }
    keel_recorded_end(trace);
    return false;
}

void keel_recorded_end(struct keel_recorded *trace)
{
    free(trace->line);
    free(trace->text);
    *trace = (struct keel_recorded){0};
}

bool keel_recorded_number(const struct keel_recorded_line *line, unsigned field, double low,
                          double high, double *number, char *problem)
{
    const char *text = field < line->fields ? line->field[field] : "";

    if (keel_number_real(text, number) && *number >= low && *number <= high) {
        return true;
    }
    snprintf(problem, KEEL_MODEL_PROBLEM_MAX,
             "line %zu: '%.40s' in field %u is not a number from %g to %g", line->number, text,
             field + 1, low, high);
    return false;
}

bool keel_recorded_count(const struct keel_recorded_line *line, unsigned field, double low,
                         double high, double *number, char *problem)
{
    if (!keel_recorded_number(line, field, low, high, number, problem)) {
        return false;
    }
    if (*number == floor(*number)) {
        return true;
    }
    snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "line %zu: '%.40s' in field %u is not a whole number",
             line->number, line->field[field], field + 1);
    return false;
}
