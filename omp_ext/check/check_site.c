/* What `keel check` knows of each loop of the program. */
#define _GNU_SOURCE
#include "omp_ext/check/check_site.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/arithmetic/digest.h"

#define SLOTS (2 * KEEL_SITES_MAX) /* power of two, so that the table is never full */
#define REPORT_LINE_MAX (2 * KEEL_SITE_NAME_MAX + 64)

/* An entry of the table. */
struct entry {
    struct keel_address_key key; /* of its place */
    struct keel_check_site site;
};

static _Atomic(void *) table[SLOTS];

/* Guarded by keel_slow_lock. */
static unsigned entries;
static bool lists_read;
static char *active, *barriers; /* lines of the lists; NULL: there is no list */

/* --- the lists --- */

static char *read_whole(int descriptor)
{
    struct stat file;
    char *text = fstat(descriptor, &file) == 0 ? malloc((size_t)file.st_size + 1) : NULL;
    size_t length = 0;
    ssize_t got;

    while (text != NULL && length < (size_t)file.st_size &&
           (got = read(descriptor, text + length, (size_t)file.st_size - length)) > 0) {
        length += (size_t)got;
    }
    if (text != NULL) {
        text[length] = '\0';
    }
    return text;
}

static int open_in_folder(const char *name, int flags)
{
    const char *folder = keel_settings()->check.folder;
    char *path;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        return -1;
    }
    int descriptor = open(path, flags | O_CLOEXEC);
    free(path);
    return descriptor;
}

static char *read_list(const char *name)
{
    int descriptor = open_in_folder(name, O_RDONLY);

    if (descriptor < 0) {
        return NULL;
    }
    char *text = read_whole(descriptor);
    close(descriptor);
    return text;
}

static bool listed(const char *list, const char *name)
{
    size_t length = strlen(name);

    for (const char *line = list; line != NULL && *line != '\0';) {
        size_t here = strcspn(line, "\n");
        if (here == length && memcmp(line, name, length) == 0) {
            return true;
        }
        line += here + (line[here] == '\n');
    }
    return false;
}

static void read_lists(void)
{
    if (!lists_read) {
        active = read_list("active");
        barriers = read_list("barriers");
        lists_read = true;
    }
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
    read_lists();
    keel_site_name(place, name + (is_region ? strlen(KEEL_CHECK_REGION) : 0));
    entry->key = (struct keel_address_key){(uintptr_t)place->caller, (uintptr_t)place->outlined};
    entry->site.name = strdup(name);
    if (entry->site.name == NULL) {
        free(entry);
        return NULL;
    }
    entry->site.hash = keel_digest_text(KEEL_DIGEST_START, name);
    entry->site.active = active == NULL || listed(active, name);
    entry->site.barrier = listed(barriers, name);
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

/* One write, so that lines of several processes don't mix. */
static void report(const char *line)
{
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();
    int descriptor = open_in_folder("report", O_WRONLY | O_APPEND);

    if (descriptor >= 0) {
        ssize_t written = write(descriptor, line, strlen(line));
        (void)written; /* what is not told is not known; there is nowhere to say so */
        close(descriptor);
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
    char line[REPORT_LINE_MAX];

    if (first_time(&site->reported)) {
        snprintf(line, sizeof line, "loop\t%s\t%u\n", site->name, threads);
        report(line);
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
    char line[REPORT_LINE_MAX];

    if (add_before(site, before)) {
        snprintf(line, sizeof line, "after\t%s\t%s\n", before->name, site->name);
        report(line);
    }
}

void keel_check_report_region(struct keel_check_site *region)
{
    char line[REPORT_LINE_MAX];

    if (first_time(&region->reported)) {
        snprintf(line, sizeof line, "region\t%s\n", region->name);
        report(line);
    }
}

void keel_check_report_reached(struct keel_check_site *region)
{
    char line[REPORT_LINE_MAX];

    if (first_time(&region->reached)) {
        snprintf(line, sizeof line, "reached\t%s\n", region->name);
        report(line);
    }
}
