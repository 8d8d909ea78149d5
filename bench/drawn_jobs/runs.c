/* What bench/follow has simulated, read back. */
#define _GNU_SOURCE
#include "bench/drawn_jobs/runs.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 8

/* Cuts a line at tabs; the last field gets what is left. */
static size_t cut(char *line, char *field[FIELDS])
{
    size_t count = 0;

    line[strcspn(line, "\n")] = '\0';
    for (char *text = line; text != NULL && count < FIELDS;) {
        field[count++] = strsep(&text, "\t");
    }
    return count;
}

/* "-": NAN. */
static bool read_number(const char *text, double *number)
{
    char *behind;

    if (strcmp(text, "-") == 0) {
        *number = NAN;
        return true;
    }
    *number = strtod(text, &behind);
    return behind != text && *behind == '\0' && isfinite(*number) && *number >= 0;
}

static void name_it(char name[RUNS_NAME], const char *text)
{
    snprintf(name, RUNS_NAME, "%s", text);
}

static struct runs_case *find_case(struct runs *runs, const char *name)
{
    for (size_t i = runs->cases; i-- > 0;) {
        if (strcmp(runs->the_case[i].name, name) == 0) {
            return &runs->the_case[i];
        }
    }
    return NULL;
}

static bool add_case(struct runs *runs, const char *name, const char *text)
{
    if (find_case(runs, name) != NULL) {
        return true;
    }
    struct runs_case *more = realloc(runs->the_case, (runs->cases + 1) * sizeof *runs->the_case);
    if (more == NULL) {
        return false;
    }
    runs->the_case = more;
    struct runs_case *one = &more[runs->cases++];
    name_it(one->name, name);
    one->text = strdup(text);
    for (size_t i = 0; i < RUNS_POLICIES_MAX; i++) {
        one->time_s[i] = NAN;
    }
    return one->text != NULL;
}

int runs_policy(const struct runs *runs, const char *name)
{
    for (size_t i = 0; i < runs->policies; i++) {
        if (strcmp(runs->policy[i], name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int add_policy(struct runs *runs, const char *name)
{
    int found = runs_policy(runs, name);

    if (found >= 0 || runs->policies == RUNS_POLICIES_MAX) {
        return found;
    }
    name_it(runs->policy[runs->policies], name);
    return (int)runs->policies++;
}

static bool add_run(struct runs *runs, char *field[FIELDS])
{
    struct runs_case *one = find_case(runs, field[1]);
    int policy = add_policy(runs, field[2]);
    double time_s, seconds;

    if (one == NULL || policy < 0 || !read_number(field[3], &time_s) ||
        !read_number(field[7], &seconds)) {
        return false;
    }
    one->time_s[policy] = time_s;
    runs->seconds += isnan(seconds) ? 0 : seconds;
    runs->runs++;
    runs->failed += isnan(time_s);
    runs->wrong += !isnan(time_s) && strcmp(field[6], "once") != 0;
    return true;
}

static bool add_bar(struct runs *runs, char *field[FIELDS])
{
    struct runs_bar bar = {0}, *more = realloc(runs->bar, (runs->bars + 1) * sizeof bar);

    if (more == NULL) {
        return false;
    }
    runs->bar = more;
    name_it(bar.name, field[1]);
    name_it(bar.policy, field[2]);
    if (!read_number(field[3], &bar.efficiency) || !read_number(field[4], &bar.limit)) {
        return false;
    }
    runs->bar[runs->bars++] = bar;
    return true;
}

static bool read_line(struct runs *runs, char *line)
{
    char *field[FIELDS] = {0};
    size_t count = cut(line, field);

    if (count == 3 && strcmp(field[0], "case") == 0) {
        return add_case(runs, field[1], field[2]);
    }
    if (count == 8 && strcmp(field[0], "run") == 0) {
        return add_run(runs, field);
    }
    return count == 5 && strcmp(field[0], "bar") == 0 && add_bar(runs, field);
}

bool runs_read(struct runs *runs, FILE *file)
{
    size_t room = 0, number = 0;
    char *line = NULL;
    bool fine = true;

    *runs = (struct runs){0};
    while (fine && getline(&line, &room, file) >= 0) {
        number++;
        fine = read_line(runs, line);
    }
    if (!fine) {
        fprintf(stderr, "keel: bench/follow: line %zu of what was simulated is not understood\n",
                number);
    }
    free(line);
    return fine;
}

bool runs_case_is_drawn(const struct runs_case *one)
{
    return isdigit((unsigned char)one->name[0]);
}

void runs_free(struct runs *runs)
{
    for (size_t i = 0; i < runs->cases; i++) {
        free(runs->the_case[i].text);
    }
    free(runs->the_case);
    free(runs->bar);
    *runs = (struct runs){0};
}
