/* Objects of the dynamic linker. Its list of them changes under the lock that dl_iterate_phdr()
 * holds while it calls back, so that all of a search is done in one call. */
#define _GNU_SOURCE
#include "omp_ext/gomp/libgomp.h"

#include <link.h>
#include <stdint.h>
#include <string.h>

#include "omp_ext/support/slow_lock.h"
#include "schedules/text/text.h"

#define REACHED_MAX 1024 /* objects that one search follows the needs of */

struct tables {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash;     /* DT_HASH; NULL: none */
    const uint32_t *gnu_hash; /* DT_GNU_HASH; NULL: none */
    const char *name;         /* DT_SONAME; NULL: none */
};

struct search {
    const struct link_map *object, *other, *found;
    const char *name; /* of a symbol, or of a library */
    void (*run)(struct search *search);
};

/* --- one object --- */

/* The dynamic linker turns offsets into addresses, but not in what it can't write, as the vDSO. */
static const void *address_of(const struct link_map *object, ElfW(Addr) value)
{
    return (const void *)(value < object->l_addr ? object->l_addr + value : value);
}

static struct tables tables_of(const struct link_map *object)
{
    struct tables tables = {.symbols = NULL};
    const ElfW(Dyn) *name = NULL;

    for (const ElfW(Dyn) *entry = object->l_ld; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *table = address_of(object, entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            tables.symbols = table;
            break;
        case DT_STRTAB:
            tables.strings = table;
            break;
        case DT_HASH:
            tables.hash = table;
            break;
        case DT_GNU_HASH:
            tables.gnu_hash = table;
            break;
        case DT_SONAME:
            name = entry;
            break;
        }
    }
    tables.name = name != NULL ? tables.strings + name->d_un.d_val : NULL;
    return tables;
}

static bool is_definition(const struct tables *tables, uint32_t index, const char *symbol)
{
    const ElfW(Sym) *entry = &tables->symbols[index];

    return entry->st_shndx != SHN_UNDEF && strcmp(tables->strings + entry->st_name, symbol) == 0;
}

/* bucket count, index of the first hashed symbol, words of the Bloom filter, its shift; the filter;
 * the first symbol of each bucket; hashes of the symbols, where bit 0 ends a bucket */
static bool in_gnu_hash(const struct tables *tables, const char *symbol)
{
    const uint32_t *table = tables->gnu_hash;
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *hashes = buckets + table[0];
    uint32_t hash = 5381;

    for (const char *c = symbol; *c != '\0'; c++) {
        hash = hash * 33 + (unsigned char)*c;
    }
    uint32_t index = table[0] > 0 ? buckets[hash % table[0]] : 0;
    for (; index >= table[1] && index > 0; index++) {
        uint32_t known = hashes[index - table[1]];
        if ((known | 1) == (hash | 1) && is_definition(tables, index, symbol)) {
            return true;
        }
        if ((known & 1) != 0) {
            break;
        }
    }
    return false;
}

/* bucket count, symbol count; the first symbol of each bucket; the next one of each symbol */
static bool in_hash(const struct tables *tables, const char *symbol)
{
    const uint32_t *table = tables->hash, *buckets = table + 2, *next = buckets + table[0];
    uint32_t hash = 0;

    for (const char *c = symbol; *c != '\0'; c++) {
        hash = (hash << 4) + (unsigned char)*c;
        hash = (hash ^ (hash >> 24 & 0xf0)) & 0x0fffffff;
    }
    uint32_t index = table[0] > 0 ? buckets[hash % table[0]] : STN_UNDEF;
    while (index != STN_UNDEF && !is_definition(tables, index, symbol)) {
        index = next[index];
    }
    return index != STN_UNDEF;
}

bool keel_link_map_defines(const struct link_map *object, const char *symbol)
{
    struct tables tables = tables_of(object);

    if (tables.symbols == NULL || tables.strings == NULL) {
        return false;
    }
    return tables.gnu_hash != NULL ? in_gnu_hash(&tables, symbol)
                                   : tables.hash != NULL && in_hash(&tables, symbol);
}

/* The next library that the object needs, from the entry on, which moves behind it; NULL: none. */
static const char *next_needed(const struct tables *tables, const ElfW(Dyn) * *entry)
{
    while (*entry != NULL && (*entry)->d_tag != DT_NULL) {
        const ElfW(Dyn) *at = (*entry)++;
        if (at->d_tag == DT_NEEDED) {
            return tables->strings + at->d_un.d_val;
        }
    }
    return NULL;
}

bool keel_link_map_needs(const struct link_map *object, const char *library)
{
    struct tables tables = tables_of(object);
    const ElfW(Dyn) *entry = object->l_ld;
    const char *name = next_needed(&tables, &entry);

    while (name != NULL && strncmp(name, library, strlen(library)) != 0) {
        name = next_needed(&tables, &entry);
    }
    return name != NULL;
}

/* --- all of them --- */

static int visit(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;

    (void)info;
    (void)size;
    search->run(search);
    return 1;
}

static const struct link_map *find(struct search search)
{
    keel_slow_lock_objects(visit, &search);
    return search.found;
}

static const struct link_map *first_beside(const struct link_map *object)
{
    while (object->l_prev != NULL) {
        object = object->l_prev;
    }
    return object;
}

static void find_first(struct search *search)
{
    const struct link_map *object = first_beside(search->object);

    while (object != NULL && !keel_link_map_defines(object, search->name)) {
        object = object->l_next;
    }
    search->found = object;
}

/* The object with that soname, otherwise one whose file has the name. */
static const struct link_map *object_named(const struct link_map *first, const char *name)
{
    const struct link_map *by_file = NULL;

    for (const struct link_map *object = first; object != NULL; object = object->l_next) {
        const char *own = tables_of(object).name;
        if (own != NULL && strcmp(own, name) == 0) {
            return object;
        }
        if (by_file == NULL &&
            strcmp(keel_text_base_name(object->l_name), keel_text_base_name(name)) == 0) {
            by_file = object;
        }
    }
    return by_file;
}

static void find_named(struct search *search)
{
    search->found = object_named(first_beside(search->object), search->name);
}

/* What a search has reached; guarded by the dynamic linker's lock. */
static const struct link_map *reached[REACHED_MAX];

static size_t add_reached(const struct link_map *object, size_t count)
{
    size_t at = 0;

    while (at < count && reached[at] != object) {
        at++;
    }
    if (object == NULL || at < count || count == REACHED_MAX) {
        return count;
    }
    reached[count] = object;
    return count + 1;
}

/* Breadth first, as the dynamic linker does. */
static void find_reached(struct search *search)
{
    const struct link_map *first = first_beside(search->object);
    size_t count = add_reached(search->object, 0);

    for (size_t i = 0; i < count; i++) {
        if (keel_link_map_defines(reached[i], search->name)) {
            search->found = reached[i];
            return;
        }
        struct tables tables = tables_of(reached[i]);
        const ElfW(Dyn) *entry = reached[i]->l_ld;
        for (const char *name; (name = next_needed(&tables, &entry)) != NULL;) {
            count = add_reached(object_named(first, name), count);
        }
    }
}

static void find_before(struct search *search)
{
    const struct link_map *object = search->object;

    while (object != NULL && object != search->other) {
        object = object->l_next;
    }
    search->found = object;
}

const struct link_map *keel_link_map_first(const struct link_map *object, const char *symbol)
{
    return find((struct search){.object = object, .name = symbol, .run = find_first});
}

const struct link_map *keel_link_map_named(const struct link_map *object, const char *library)
{
    return find((struct search){.object = object, .name = library, .run = find_named});
}

const struct link_map *keel_link_map_reached(const struct link_map *object, const char *symbol)
{
    return find((struct search){.object = object, .name = symbol, .run = find_reached});
}

bool keel_link_map_is_before(const struct link_map *one, const struct link_map *other)
{
    return find((struct search){.object = one, .other = other, .run = find_before}) != NULL;
}
