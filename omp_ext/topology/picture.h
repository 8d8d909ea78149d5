/* The picture of a machine in text: a line for each level, like parts folded into one ("x 32"). */
#ifndef OMP_EXT_TOPOLOGY_PICTURE_H
#define OMP_EXT_TOPOLOGY_PICTURE_H

#include <stdio.h>

#include "omp_ext/topology/machine.h"

#define KEEL_TOPOLOGY_WIDTH 100 /* characters of a line, at most */

/* Prints the machine. */
void keel_topology_picture_print(const struct keel_topology_machine *machine, FILE *stream);

/* The system's numbers of processors, "0-7,16-23"; where that is longer than `most` < 256
 * characters, how many there are. */
void keel_topology_picture_list(hwloc_const_bitmap_t processors, size_t most, char text[256]);

#endif
