/* Delta debugging: keep a part, or leave a part out, of parts that become smaller. */
#include "omp_ext/command/check/delta_debug.h"

#include <stdlib.h>
#include <string.h>

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
