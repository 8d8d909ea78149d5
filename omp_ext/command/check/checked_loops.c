/* The loops of the program, and the search among them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/check/check_command.h"
#include "schedules/text/number.h"

/* Lines "WORD TAB name [TAB more]"; each may come several times, from several processes. */
struct line {
    const char *word;
    char *name;
    char *more; /* ""; without one */
};

static bool split(char *text, struct line *line)
{
    char *rest = text;

    text[strcspn(text, "\n")] = '\0';
    line->word = strsep(&rest, "\t");
    line->name = strsep(&rest, "\t");
    line->more = rest != NULL ? rest : text + strlen(text);
    return line->name != NULL;
}

/* --- sets of names --- */

static int by_place(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static size_t find(char *const *name, size_t count, const char *wanted)
{
    size_t place = 0;

    while (place < count && strcmp(name[place], wanted) != 0) {
        place++;
    }
    return place;
}

static bool add(char ***name, size_t *count, const char *new)
{
    if (find(*name, *count, new) < *count) {
        return true;
    }
    char **grown = reallocarray(*name, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    *name = grown;
    grown[*count] = strdup(new);
    return grown[*count] != NULL && ++*count > 0;
}

/* --- passes over the report --- */

typedef bool visitor(struct keel_loops *loops, const struct line *line);

static bool each_line(const char *path, visitor *visit, struct keel_loops *loops)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    struct line line;
    bool good = true;

    while (good && file != NULL && getline(&text, &size, file) > 0) {
        good = !split(text, &line) || visit(loops, &line);
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

static bool take_names(struct keel_loops *loops, const struct line *line)
{
    if (strcmp(line->word, "loop") == 0) {
        uint64_t threads = 0;
        if (keel_number_whole(line->more, 1, UINT32_MAX, &threads) && threads > loops->threads) {
            loops->threads = (unsigned)threads;
        }
        return add(&loops->name, &loops->count, line->name);
    }
    return strcmp(line->word, "region") != 0 || add(&loops->region, &loops->regions, line->name);
}

static bool add_open_end(struct keel_loops *loops, struct keel_open_end end)
{
    for (size_t i = 0; i < loops->open_ends; i++) {
        if (loops->open_end[i].before == end.before && loops->open_end[i].after == end.after) {
            return true;
        }
    }
    struct keel_open_end *grown =
        reallocarray(loops->open_end, loops->open_ends + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    loops->open_end = grown;
    grown[loops->open_ends++] = end;
    return true;
}

static bool take_relations(struct keel_loops *loops, const struct line *line)
{
    if (strcmp(line->word, "after") == 0) {
        struct keel_open_end end = {find(loops->name, loops->count, line->name),
                                    find(loops->name, loops->count, line->more)};
        return end.before >= loops->count || end.after >= loops->count || add_open_end(loops, end);
    }
    if (strcmp(line->word, "reached") == 0) {
        size_t place = find(loops->region, loops->unreached, line->name);
        if (place < loops->unreached) {
            char *last = loops->region[--loops->unreached];
            loops->region[loops->unreached] = loops->region[place];
            loops->region[place] = last;
        }
    }
    return true;
}

static void sort(char **name, size_t count)
{
    if (count > 0) {
        qsort(name, count, sizeof *name, by_place);
    }
}

bool keel_loops_read(const char *path, struct keel_loops *loops)
{
    *loops = (struct keel_loops){0};
    bool good = each_line(path, take_names, loops);
    sort(loops->name, loops->count);
    loops->unreached = loops->regions;
    good = good && each_line(path, take_relations, loops);
    sort(loops->region, loops->unreached);
    return good;
}

static void free_names(char **name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(name[i]);
    }
    free(name);
}

void keel_loops_free(struct keel_loops *loops)
{
    free_names(loops->name, loops->count);
    free_names(loops->region, loops->regions);
    free(loops->open_end);
    *loops = (struct keel_loops){0};
}

const char *keel_loops_name(const struct keel_loops *loops, size_t member)
{
    return member < loops->count ? loops->name[member] : loops->region[member - loops->count];
}

/* --- delta debugging: keep a part, or leave a part out, of parts that become smaller --- */

struct search {
    size_t *member;
    size_t count;
    size_t *trial;
    keel_delta_debug_question *differs;
    bool (*stop)(void *context);
    void *context;
};

static size_t part_start(const struct search *search, size_t part, size_t parts)
{
    return search->count * part / parts;
}

/* Writes the part, or all but the part, to `trial`; returns how many. */
static size_t choose(struct search *search, size_t part, size_t parts, bool all_but)
{
    size_t low = part_start(search, part, parts), high = part_start(search, part + 1, parts);
    size_t chosen = 0;

    for (size_t i = 0; i < search->count; i++) {
        if ((i >= low && i < high) != all_but) {
            search->trial[chosen++] = search->member[i];
        }
    }
    return chosen;
}

/* Makes the first of the parts, or of what is left without one, that differs the set. */
static bool reduce(struct search *search, size_t parts, bool all_but)
{
    for (size_t part = 0; part < parts; part++) {
        size_t count = choose(search, part, parts, all_but);
        if (search->stop != NULL && search->stop(search->context)) {
            return false;
        }
        if (search->differs(search->trial, count, search->context)) {
            memcpy(search->member, search->trial, count * sizeof *search->member);
            search->count = count;
            return true;
        }
    }
    return false;
}

static void run(struct search *search)
{
    size_t parts = 2;

    while (search->count > 1) {
        if (reduce(search, parts, false)) {
            parts = 2;
        } else if (parts > 2 && reduce(search, parts, true)) {
            parts--;
        } else if (parts >= search->count) {
            break;
        } else {
            parts = 2 * parts < search->count ? 2 * parts : search->count;
        }
        if (search->stop != NULL && search->stop(search->context)) {
            break;
        }
    }
}

bool keel_delta_debug(size_t *member, size_t *count, keel_delta_debug_question *differs,
                      bool (*stop)(void *context), void *context)
{
    struct search search = {
        .member = member,
        .count = *count,
        .trial = malloc((*count + 1) * sizeof *member),
        .differs = differs,
        .stop = stop,
        .context = context,
    };

    if (search.trial == NULL) {
        return *count <= 1;
    }
    run(&search);
    *count = search.count;
    free(search.trial);
    return *count <= 1 || stop == NULL || !stop(context);
}
