/* compare_processors FILE.xml FOLDER: whether the library finds in the files of FOLDER/sys what
 * hwloc has found on the same machine: which processors share a core, a last-level cache and a NUMA
 * node, and which kinds of cores there are. Prints what differs, and at the end how many processors
 * have been compared. FOLDER "/" is this machine, for which FILE.xml is left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/places/processors.h"
#include "omp_ext/topology/machine.h"

enum { PROCESSORS_MAX = 1024 };

static struct keel_processor of_hwloc[PROCESSORS_MAX], of_files[PROCESSORS_MAX];
static unsigned number[PROCESSORS_MAX];

static unsigned differences;

static void differs(const char *what, size_t a, size_t b)
{
    if (differences++ < 5) {
        printf("%s of %u and %u\n", what, number[a], number[b]);
    }
}

/* Of two capacities; 1 where none is known. */
static double ratio(const struct keel_processor *processor, size_t a, size_t b)
{
    return processor[b].capacity > 0 ? processor[a].capacity / processor[b].capacity : 1;
}

static void compare(size_t a, size_t b)
{
    const struct keel_processor *x = of_hwloc, *y = of_files;

    if ((x[a].core == x[b].core) != (y[a].core == y[b].core)) {
        differs("cores", a, b);
    }
    if ((x[a].cache == x[b].cache) != (y[a].cache == y[b].cache)) {
        differs("caches", a, b);
    }
    if ((x[a].node == x[b].node) != (y[a].node == y[b].node)) {
        differs("nodes", a, b);
    }
    if (fabs(ratio(x, a, b) - ratio(y, a, b)) > 1e-3) {
        differs("capacities", a, b);
    }
}

int main(int argc, char **argv)
{
    struct keel_topology_machine machine;
    char problem[256];
    size_t count = 0;

    if (argc != 3 ||
        !keel_topology_machine_load(&machine, argv[1][0] != '\0' ? argv[1] : NULL, problem)) {
        printf("no machine: %s\n", problem);
        return 1;
    }
    for (unsigned i = 0; i < PROCESSORS_MAX; i++) {
        if (keel_topology_machine_processor(&machine, i, &of_hwloc[count])) {
            number[count++] = i;
        }
    }
    keel_processors_read(strcmp(argv[2], "/") == 0 ? "" : argv[2], number, count, of_files);
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            compare(a, b);
        }
    }
    printf("%zu processors, %u kinds, %u differences\n", count, machine.kinds, differences);
    keel_topology_machine_free(&machine);
    return 0;
}
