/* What `keel check` knows of each loop of the program. */
#define _GNU_SOURCE
#include "omp_ext/check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/site/site.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/arithmetic/digest.h"

#define SLOTS (2 * KEEL_SITES_MAX) /* power of two, so that the table is never full */

/* An entry of the table. */
struct entry {
    struct keel_address_key key; /* of its place */
    struct keel_check_site site;
};

static _Atomic(void *) table[SLOTS];

static unsigned entries; /* guarded by keel_slow_lock */

/* --- the lists --- */

static FILE *open_in_folder(const char *name, const char *mode)
{
    const char *folder = keel_settings()->check.folder;
    char *path;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        return NULL;
    }
    FILE *file = fopen(path, mode);
    free(path);
    return file;
}

/* Whether the file has the line `name`; absent: the answer where there is no such file. */
static bool listed(const char *list, const char *name, bool absent)
{
    FILE *file = open_in_folder(list, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    if (file == NULL) {
        return absent;
    }
    while (!found && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, name) == 0;
    }
    free(line);
    fclose(file);
    return found;
}

/* --- the table --- */

/* The site of `place`, or NULL with *free at the slot where it would go. */
static struct keel_check_site *look_up(const struct keel_call_site *place, size_t *free)
{
    struct entry *entry =
        keel_address_find(table, SLOTS, (uintptr_t)place->caller, (uintptr_t)place->outlined, free);

    return entry != NULL ? &entry->site : NULL;
}

static struct keel_check_site *add(const struct keel_call_site *place, bool is_region, size_t slot)
{
    struct entry *entry = entries < KEEL_SITES_MAX ? calloc(1, sizeof *entry) : NULL;
    char name[sizeof KEEL_CHECK_REGION + KEEL_SITE_NAME_MAX] = KEEL_CHECK_REGION;

    if (entry == NULL) {
        return NULL;
    }
    keel_site_name(place, name + (is_region ? strlen(KEEL_CHECK_REGION) : 0));
    entry->key = (struct keel_address_key){(uintptr_t)place->caller, (uintptr_t)place->outlined};
    entry->site.name = strdup(name);
    if (entry->site.name == NULL) {
        free(entry);
        return NULL;
    }
    entry->site.hash = keel_digest_text(KEEL_DIGEST_START, name);
    entry->site.active = listed("active", name, true);
    entry->site.barrier = listed("barriers", name, false);
    entries++;
    keel_address_put(table, slot, entry);
    return &entry->site;
}

struct keel_check_site *keel_check_site(const struct keel_call_site *place, bool is_region)
{
    size_t slot;
    struct keel_check_site *site = look_up(place, &slot);

    if (site == NULL && keel_site_ready()) {
        keel_slow_lock();
        site = look_up(place, &slot);
        if (site == NULL) {
            site = add(place, is_region, slot);
        }
        keel_slow_unlock();
    }
    return site;
}

/* --- the report --- */

/* One write, so that lines of several processes don't mix. What is not told is not known; there is
 * nowhere to say so. */
__attribute__((format(printf, 1, 2))) static void report(const char *format, ...)
{
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();
    FILE *file = open_in_folder("report", "ae");
    va_list arguments;

    if (file != NULL) {
        va_start(arguments, format);
        vfprintf(file, format, arguments);
        va_end(arguments);
        fclose(file);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

/* True for who comes first. */
static bool first_time(atomic_bool *done)
{
    /* relaxed: nothing else is read by it */
    return !atomic_load_explicit(done, memory_order_relaxed) &&
           !atomic_exchange_explicit(done, true, memory_order_relaxed);
}

void keel_check_report_loop(struct keel_check_site *site, unsigned threads)
{
    if (first_time(&site->reported)) {
        report("loop\t%s\t%u\n", site->name, threads);
    }
}

/* Whether `before` is new to the site and there is room for it. */
static bool add_before(struct keel_check_site *site, const struct keel_check_site *before)
{
    for (unsigned i = 0; i < KEEL_CHECK_BEFORE_MAX; i++) {
        const struct keel_check_site *known = NULL;
        /* relaxed: only compared */
        if (atomic_compare_exchange_strong_explicit(&site->before[i], &known, before,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            return true;
        }
        if (known == before) {
            return false;
        }
    }
    return false;
}

void keel_check_report_after(struct keel_check_site *site, const struct keel_check_site *before)
{
    if (add_before(site, before)) {
        report("after\t%s\t%s\n", before->name, site->name);
    }
}

void keel_check_report_region(struct keel_check_site *region)
{
    if (first_time(&region->reported)) {
        report("region\t%s\n", region->name);
    }
}

void keel_check_report_reached(struct keel_check_site *region)
{
    if (first_time(&region->reached)) {
        report("reached\t%s\n", region->name);
    }
}
