/* The schedules that Keel knows, and how a name finds one. */
#include "schedules/loop/registry.h"

#include <string.h>
#include <strings.h>

#include "schedules/text/text.h"

const struct keel_schedule *const keel_registry[] = {
    &keel_schedule_static, &keel_schedule_ss,
    &keel_schedule_css,    &keel_schedule_gss,
    &keel_schedule_tss,    &keel_schedule_tfss,
    &keel_schedule_fac2,   &keel_schedule_fac,
    &keel_schedule_wf2,    &keel_schedule_awf,
    &keel_schedule_awf_b,  &keel_schedule_awf_c,
    &keel_schedule_awf_d,  &keel_schedule_awf_e,
    &keel_schedule_af,     &keel_schedule_maf,
    &keel_schedule_aid,    &keel_schedule_rate,
    &keel_schedule_auto,   &keel_schedule_afs,
    &keel_schedule_lds,    &keel_schedule_steal,
    &keel_schedule_ich,    &keel_schedule_binlpt,
    &keel_schedule_lpt,    &keel_schedule_fsc,
    &keel_schedule_mfsc,   &keel_schedule_tap,
    &keel_schedule_bold,   &keel_schedule_fiss,
    &keel_schedule_viss,   &keel_schedule_pls,
    &keel_schedule_rnd,    NULL,
};

/* Calls visit(word, length, context) for the name and each alias until it returns true. */
static bool each_name(const struct keel_schedule *schedule,
                      bool (*visit)(const char *, size_t, void *), void *context)
{
    if (visit(schedule->name, strlen(schedule->name), context)) {
        return true;
    }
    for (const char *word = schedule->aliases; word != NULL && *word != '\0';) {
        size_t length = strcspn(word, " ");
        if (visit(word, length, context)) {
            return true;
        }
        word += length + (word[length] == ' ');
    }
    return false;
}

struct wanted {
    const char *name;
    size_t length;
};

static bool is_wanted(const char *word, size_t length, void *context)
{
    const struct wanted *wanted = context;

    return length == wanted->length && strncasecmp(word, wanted->name, length) == 0;
}

const struct keel_schedule *keel_registry_find(const char *name, size_t length)
{
    struct wanted wanted = {name, length};

    for (const struct keel_schedule *const *schedule = keel_registry; *schedule != NULL;
         schedule++) {
        if (each_name(*schedule, is_wanted, &wanted)) {
            return *schedule;
        }
    }
    return NULL;
}

/* Aliases in the registry have no terminator of their own, so the search keeps a copy of its best
 * word. */
static bool offer(const char *word, size_t length, void *context)
{
    keel_nearest_consider(context, word, length);
    return false;
}

void keel_registry_consider_all(struct keel_nearest *nearest)
{
    for (const struct keel_schedule *const *schedule = keel_registry; *schedule != NULL;
         schedule++) {
        each_name(*schedule, offer, nearest);
    }
}

const char *keel_registry_nearest(const char *name, size_t length, struct keel_nearest *nearest)
{
    keel_nearest_begin(nearest, name, length);
    keel_registry_consider_all(nearest);
    return keel_nearest_hint(nearest);
}
