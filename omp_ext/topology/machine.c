/* A machine as hwloc sees it. */
#include "omp_ext/topology/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/text/number.h"

#define SAME_SPEED 0.9 /* of the fastest: from there on, cores are of one kind, as in placement.c */

/* --- kinds of cores --- */

/* The first of the properties that hwloc knows of the kind, in the order in which
 * omp_ext/places/processors.c looks for them. */
static double capacity_of(const struct hwloc_info_s *infos, unsigned count)
{
    static const char *const names[] = {"LinuxCapacity", "FrequencyBaseMHz", "FrequencyMaxMHz"};
    double capacity = 0;

    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        for (unsigned i = 0; i < count; i++) {
            if (strcmp(infos[i].name, names[n]) == 0 &&
                keel_number_real(infos[i].value, &capacity)) {
                return capacity;
            }
        }
    }
    return 0;
}

/* hwloc's kinds, the fastest first: they come by efficiency, the least first. */
static unsigned read_kinds(struct keel_topology_machine *machine)
{
    unsigned kinds = 0;

    for (int i = hwloc_cpukinds_get_nr(machine->hwloc, 0);
         i-- > 0 && kinds < KEEL_TOPOLOGY_KINDS_MAX;) {
        struct keel_topology_kind *kind = &machine->kind[kinds];
        struct hwloc_info_s *infos;
        unsigned count;
        int efficiency;
        kind->processors = hwloc_bitmap_alloc();
        if (kind->processors == NULL ||
            hwloc_cpukinds_get_info(machine->hwloc, (unsigned)i, kind->processors, &efficiency,
                                    &count, &infos, 0) != 0) {
            hwloc_bitmap_free(kind->processors);
            continue;
        }
        kind->speed = capacity_of(infos, count);
        kinds++;
    }
    return kinds;
}

static double fastest(const struct keel_topology_machine *machine, unsigned kinds)
{
    double most = 0;

    for (unsigned i = 0; i < kinds; i++) {
        most = machine->kind[i].speed > most ? machine->kind[i].speed : most;
    }
    return most;
}

/* Kinds that differ in speed by less than boosts of single cores do are one. */
static bool kinds_differ(const struct keel_topology_machine *machine, unsigned kinds)
{
    double most = fastest(machine, kinds);
    bool differ = false;

    for (unsigned i = 0; i < kinds; i++) {
        if (machine->kind[i].speed == 0) {
            return kinds > 1; /* hwloc tells them apart by other properties */
        }
        differ |= machine->kind[i].speed < SAME_SPEED * most;
    }
    return differ;
}

static void find_kinds(struct keel_topology_machine *machine)
{
    static const char *const names[] = {"P", "E"};
    static const char *const many[] = {"kind 1", "kind 2", "kind 3", "kind 4",
                                       "kind 5", "kind 6", "kind 7", "kind 8"};
    unsigned kinds = read_kinds(machine);
    double most = fastest(machine, kinds);
    bool differ = kinds_differ(machine, kinds);

    for (unsigned i = 0; i < kinds; i++) {
        struct keel_topology_kind *kind = &machine->kind[i];
        kind->name = !differ ? "" : kinds == 2 ? names[i] : many[i];
        kind->speed = most > 0 ? kind->speed / most : 0;
    }
    for (unsigned i = 1; i < kinds && !differ; i++) {
        hwloc_bitmap_free(machine->kind[i].processors);
    }
    machine->kinds = differ ? kinds : 1;
    if (!differ) {
        if (kinds == 0) {
            machine->kind[0].processors = hwloc_bitmap_alloc();
        }
        machine->kind[0].name = "";
        machine->kind[0].speed = 1;
    }
}

const struct keel_topology_kind *
keel_topology_machine_kind(const struct keel_topology_machine *machine,
                           hwloc_const_bitmap_t processors)
{
    for (unsigned i = 0; i < machine->kinds; i++) {
        if (hwloc_bitmap_intersects(machine->kind[i].processors, processors)) {
            return &machine->kind[i];
        }
    }
    return &machine->kind[0];
}

/* --- loading --- */

/* What the process may use: its affinity, without what its control group takes away. */
static void find_usable(struct keel_topology_machine *machine)
{
    hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(machine->hwloc);

    if (!machine->here ||
        hwloc_get_cpubind(machine->hwloc, machine->usable, HWLOC_CPUBIND_PROCESS) != 0) {
        hwloc_bitmap_copy(machine->usable, allowed);
    }
    hwloc_bitmap_and(machine->usable, machine->usable, allowed);
}

static bool load(struct keel_topology_machine *machine, const char *input)
{
    /* no devices: they take longest to find */
    return (input == NULL || hwloc_topology_set_xml(machine->hwloc, input) == 0) &&
           hwloc_topology_set_flags(machine->hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
           hwloc_topology_set_io_types_filter(machine->hwloc, HWLOC_TYPE_FILTER_KEEP_NONE) == 0 &&
           hwloc_topology_load(machine->hwloc) == 0;
}

bool keel_topology_machine_load(struct keel_topology_machine *machine, const char *input,
                                char problem[256])
{
    memset(machine, 0, sizeof *machine);
    if (hwloc_topology_init(&machine->hwloc) != 0) {
        snprintf(problem, 256, "hwloc cannot begin (%s)", strerror(errno));
        return false;
    }
    errno = 0;
    if (!load(machine, input) || hwloc_get_nbobjs_by_type(machine->hwloc, HWLOC_OBJ_PU) <= 0) {
        snprintf(problem, 256, "%s%s", input != NULL ? "no machine of hwloc's" : "no machine found",
                 errno == ENOENT ? ", there is no such file" : "");
        hwloc_topology_destroy(machine->hwloc);
        return false;
    }
    machine->here = input == NULL && hwloc_topology_is_thissystem(machine->hwloc);
    machine->usable = hwloc_bitmap_alloc();
    find_usable(machine);
    find_kinds(machine);
    return true;
}

void keel_topology_machine_free(struct keel_topology_machine *machine)
{
    for (unsigned i = 0; i < machine->kinds; i++) {
        hwloc_bitmap_free(machine->kind[i].processors);
    }
    hwloc_bitmap_free(machine->usable);
    hwloc_topology_destroy(machine->hwloc);
}

/* --- what is there --- */

unsigned keel_topology_machine_count(const struct keel_topology_machine *machine,
                                     hwloc_obj_type_t type, bool all)
{
    unsigned count = 0;

    for (hwloc_obj_t object = NULL;
         (object = hwloc_get_next_obj_by_type(machine->hwloc, type, object)) != NULL;) {
        count += all || hwloc_bitmap_intersects(object->cpuset, machine->usable);
    }
    return count;
}

hwloc_obj_t keel_topology_machine_last_cache(hwloc_obj_t processor)
{
    hwloc_obj_t last = NULL;

    for (hwloc_obj_t object = processor; object != NULL; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type)) {
            last = object;
        }
    }
    return last;
}

bool keel_topology_machine_processor(const struct keel_topology_machine *machine, unsigned number,
                                     struct keel_processor *processor)
{
    hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(machine->hwloc, number);

    if (object == NULL) {
        return false;
    }
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(machine->hwloc, HWLOC_OBJ_CORE, object);
    hwloc_obj_t cache = keel_topology_machine_last_cache(object);
    *processor = (struct keel_processor){
        .core = core != NULL ? core->logical_index : object->logical_index,
        .cache = cache != NULL ? cache->logical_index : 0,
        .node = (uint32_t)hwloc_bitmap_first(object->nodeset),
        .capacity = keel_topology_machine_kind(machine, object->cpuset)->speed,
    };
    return true;
}
