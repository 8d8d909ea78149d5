/* Names of regions and loops. */
#include "omp_ext/trace/text/event_name.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/site/site.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/trace/text/json_text.h"

#define SLOTS (2 * KEEL_SITES_MAX) /* power of two, so that the table is never full */

struct entry {
    struct keel_address_key key; /* the site */
    struct keel_event_name name;
};

static _Atomic(void *) table[SLOTS];
static struct entry entries[KEEL_SITES_MAX]; /* one for each site, so that there is always room */

static const struct keel_event_name nameless = {"a loop", "\"a loop\"", "\"a loop\""};

/* With keel_slow_lock held, which guards the texts here and below: stacks may be small. */
static char *json_copy(const char *text)
{
    static char memory[6 * KEEL_SITE_NAME_MAX + 4]; /* each byte may become \u001f */
    struct keel_json_text json = keel_json_text_in(memory, sizeof memory - 1);

    keel_json_text_string(&json, text, KEEL_SITE_NAME_MAX);
    *json.at = '\0';
    return strdup(memory);
}

/* "mandel.c:42 (render)", or without a function or its brackets. Likewise; where memory is short
 * the site stays without a name: to look for it takes long. */
static struct entry *make(struct keel_site *site)
{
    static char place[KEEL_SITE_NAME_MAX], function[KEEL_SITE_NAME_MAX];
    static unsigned made;
    struct entry *entry = &entries[made++];
    char *whole = strdup(keel_site_name_of(site));

    entry->key = (struct keel_address_key){(uintptr_t)site, 0};
    entry->name = nameless;
    if (whole == NULL) {
        return entry;
    }
    const char *bracket = strstr(whole, " (");
    int length = (int)(bracket != NULL ? bracket - whole : (ptrdiff_t)strlen(whole));
    snprintf(place, sizeof place, "%.*s", length, whole);
    snprintf(function, sizeof function, "%s", bracket != NULL ? bracket + 2 : whole);
    function[strlen(function) - (bracket != NULL)] = '\0';
    for (char *c = whole; *c != '\0'; c++) {
        *c = *c == ',' ? ';' : *c; /* a comma would end the field of a trace in CSV */
    }
    struct keel_event_name name = {whole, json_copy(place), json_copy(function)};
    if (name.place != NULL && name.function != NULL) {
        entry->name = name;
    }
    return entry;
}

static __attribute__((noinline)) struct entry *add(struct keel_site *site)
{
    size_t slot;

    keel_slow_lock();
    struct entry *entry = keel_address_find(table, SLOTS, (uintptr_t)site, 0, &slot);
    if (entry == NULL) {
        entry = make(site);
        keel_address_put(table, slot, entry);
    }
    keel_slow_unlock();
    return entry;
}

const struct keel_event_name *keel_event_name_of(struct keel_site *site)
{
    size_t slot;

    if (site == NULL) {
        return &nameless;
    }
    struct entry *entry = keel_address_find(table, SLOTS, (uintptr_t)site, 0, &slot);
    if (entry == NULL) {
        entry = add(site);
    }
    return &entry->name;
}
