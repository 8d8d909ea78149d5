/* What `keel topology` prints: machine, process and job, and what to set. In libkeel_topology.so,
 * which the command loads, so that only this needs hwloc where Keel runs. */
#ifndef OMP_EXT_TOPOLOGY_TOPOLOGY_H
#define OMP_EXT_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct keel_topology_request {
    const char *input; /* XML file of hwloc's; NULL: this machine, or as HWLOC_... say */
};

/* What libkeel_topology.so exports. */
struct keel_topology_calls {
    /* Prints all of it. False: `problem` says why it cannot. */
    bool (*print)(const struct keel_topology_request *request, FILE *stream, char problem[256]);
};

extern const struct keel_topology_calls keel_topology_calls;

#endif
