/* What Linux tells of processors: their cores, caches, NUMA nodes and capacities, read from
 * /sys/devices/system. Reading takes a few files per processor. Asking hwloc would cost a process
 * milliseconds at its start, even on small machines. */
#ifndef OMP_EXT_PLACES_PROCESSORS_H
#define OMP_EXT_PLACES_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "schedules/claim/claim_placement.h"

/* Reads about `count` processors, of which `number` has the operating system's numbers. root: a
 * folder that stands for '/', "" for the machine itself. What is not told is as if each processor
 * had a core, and all the cache and the node in common. */
void keel_processors_read(const char *root, const unsigned *number, size_t count,
                          struct keel_processor *processor);

#endif
