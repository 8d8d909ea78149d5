/* A machine as hwloc sees it: this one, or one that was recorded.
 *
 *   hwloc --> [machine] --> picture, processors of threads (schedules/claim/placement.h), advice
 */
#ifndef OMP_EXT_TOPOLOGY_MACHINE_H
#define OMP_EXT_TOPOLOGY_MACHINE_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>

#include "schedules/claim/placement.h"

#define KEEL_TOPOLOGY_KINDS_MAX 8

/* Cores of one kind. */
struct keel_topology_kind {
    hwloc_bitmap_t processors;
    double speed;     /* beside the fastest kind, 0 .. 1; 0: not known */
    const char *name; /* "P", "E", or "" where there is one kind */
};

struct keel_topology_machine {
    hwloc_topology_t hwloc;
    bool here;             /* it is this machine */
    hwloc_bitmap_t usable; /* processors that this process may use; elsewhere: all */
    unsigned kinds;        /* 1: all cores are alike */
    struct keel_topology_kind kind[KEEL_TOPOLOGY_KINDS_MAX]; /* the fastest first */
};

/* Reads the machine from an XML file of hwloc's, or where `input` is NULL what hwloc finds: this
 * machine, or what HWLOC_XMLFILE and HWLOC_SYNTHETIC name. False: `problem` says why it cannot. */
bool keel_topology_machine_load(struct keel_topology_machine *machine, const char *input,
                                char problem[256]);

void keel_topology_machine_free(struct keel_topology_machine *machine);

/* Objects of a type that have usable processors, or with `all` any. */
unsigned keel_topology_machine_count(const struct keel_topology_machine *machine,
                                     hwloc_obj_type_t type, bool all);

/* The cache of the highest level above a processor; NULL: none is known. */
hwloc_obj_t keel_topology_machine_last_cache(hwloc_obj_t processor);

/* The kind of the cores that some of these processors belong to; the fastest. */
const struct keel_topology_kind *
keel_topology_machine_kind(const struct keel_topology_machine *machine,
                           hwloc_const_bitmap_t processors);

/* What placement.h wants to know of the processor with the system's number; false: there is
 * none. */
bool keel_topology_machine_processor(const struct keel_topology_machine *machine, unsigned number,
                                     struct keel_processor *processor);

#endif
