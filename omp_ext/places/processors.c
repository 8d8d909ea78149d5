/* What Linux tells of processors. */
#include "omp_ext/places/processors.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/machine/small_file.h"

/* Of all processors about which nothing is told, which have it in common; UINT32_MAX is
 * KEEL_NO_GROUP. */
#define UNKNOWN (UINT32_MAX - 1)
#define CACHES_MAX 16 /* index0, index1, ... of a processor */

/* Files with lists of processors are longer on large machines. */
#define LIST_MAX 4096

struct reading {
    const char *root;
    const unsigned *number;
    size_t count;
    struct keel_processor *processor;
};

/* Reads a file below /sys/devices/system. */
__attribute__((format(printf, 4, 5))) static bool
read_below(const struct reading *reading, char *text, size_t size, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    int length = snprintf(path, sizeof path, "%s/sys/devices/system/", reading->root);

    va_start(arguments, format);
    vsnprintf(path + length, sizeof path - (size_t)length, format, arguments);
    va_end(arguments);
    return keel_small_file_read(path, text, size);
}

/* Takes the next range off a list as Linux writes them: "0-3,8,10-11". False: it is at its end, or
 * what stands there is no range. */
static bool next_range(const char **list, unsigned *first, unsigned *last)
{
    const char *text = *list + (**list == ',');
    int length = 0;

    if (sscanf(text, "%7u%n", first, &length) != 1) {
        return false;
    }
    text += length;
    *last = *first;
    if (*text == '-' && (sscanf(text + 1, "%7u%n", last, &length) != 1 || *last < *first)) {
        return false;
    }
    *list = text + (*text == '-' ? 1 + length : 0);
    return true;
}

static bool is_listed(const char *list, unsigned number)
{
    unsigned first, last;

    while (next_range(&list, &first, &last)) {
        if (number >= first && number <= last) {
            return true;
        }
    }
    return false;
}

/* Those of the list belong to one group, which has the number of the list's first. field: offset of
 * the group in struct keel_processor. */
static void join_group(const struct reading *reading, const char *list, size_t field)
{
    const char *rest = list;
    unsigned first, last;

    if (!next_range(&rest, &first, &last)) {
        return;
    }
    for (size_t i = 0; i < reading->count; i++) {
        if (is_listed(list, reading->number[i])) {
            *(uint32_t *)((char *)&reading->processor[i] + field) = first;
        }
    }
}

static void read_core(const struct reading *reading, size_t i)
{
    char list[LIST_MAX];
    unsigned number = reading->number[i];

    if (read_below(reading, list, sizeof list, "cpu/cpu%u/topology/core_cpus_list", number) ||
        read_below(reading, list, sizeof list, "cpu/cpu%u/topology/thread_siblings_list", number)) {
        join_group(reading, list, offsetof(struct keel_processor, core));
    }
    if (reading->processor[i].core == UNKNOWN) {
        reading->processor[i].core = number;
    }
}

/* The cache of the highest level. */
static void read_cache(const struct reading *reading, size_t i)
{
    char text[LIST_MAX];
    unsigned number = reading->number[i];
    unsigned last = 0;
    long highest = 0;

    for (unsigned index = 0; index < CACHES_MAX; index++) {
        if (!read_below(reading, text, sizeof text, "cpu/cpu%u/cache/index%u/level", number,
                        index)) {
            break;
        }
        long level = strtol(text, NULL, 10);
        last = level > highest ? index : last;
        highest = level > highest ? level : highest;
    }
    if (highest > 0 && read_below(reading, text, sizeof text,
                                  "cpu/cpu%u/cache/index%u/shared_cpu_list", number, last)) {
        join_group(reading, text, offsetof(struct keel_processor, cache));
    }
}

/* What Linux says in one unit for all kinds of cores; where it does not, how fast they run without
 * boosts, which single cores of one kind have, too; or else the highest frequency. */
static void read_capacity(const struct reading *reading, size_t i)
{
    static const char *const files[] = {"cpu_capacity", "cpufreq/base_frequency",
                                        "cpufreq/cpuinfo_max_freq"};
    char text[64];

    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        if (read_below(reading, text, sizeof text, "cpu/cpu%u/%s", reading->number[i], files[f])) {
            reading->processor[i].capacity = (double)strtoull(text, NULL, 10);
            return;
        }
    }
}

static void read_nodes(const struct reading *reading)
{
    char nodes[LIST_MAX], list[LIST_MAX];
    const char *rest = nodes;
    unsigned first, last;

    if (!read_below(reading, nodes, sizeof nodes, "node/has_cpu") &&
        !read_below(reading, nodes, sizeof nodes, "node/online")) {
        return;
    }
    while (next_range(&rest, &first, &last)) {
        for (unsigned node = first; node <= last; node++) {
            if (read_below(reading, list, sizeof list, "node/node%u/cpulist", node)) {
                join_group(reading, list, offsetof(struct keel_processor, node));
            }
        }
    }
}

void keel_processors_read(const char *root, const unsigned *number, size_t count,
                          struct keel_processor *processor)
{
    const struct reading reading = {root, number, count, processor};

    for (size_t i = 0; i < count; i++) {
        processor[i] = (struct keel_processor){UNKNOWN, UNKNOWN, UNKNOWN, 0};
    }
    for (size_t i = 0; i < count; i++) {
        if (processor[i].core == UNKNOWN) {
            read_core(&reading, i);
        }
        if (processor[i].cache == UNKNOWN) {
            read_cache(&reading, i);
        }
        read_capacity(&reading, i);
    }
    read_nodes(&reading);
}
