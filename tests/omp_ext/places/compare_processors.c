/* compare_processors FILE.xml FOLDER: whether the library finds in the files of FOLDER/sys what
 * hwloc has found on the same machine: which processors share a core, a last-level cache and a NUMA
 * node, and which kinds of cores there are. Prints what differs, and at the end how many processors
 * have been compared. FOLDER "/" is this machine, for which FILE.xml is left out. */
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/team_places.h"
#include "schedules/text/text.h"

enum { PROCESSORS_MAX = 1024 };

static struct keel_processor of_hwloc[PROCESSORS_MAX], of_files[PROCESSORS_MAX];
static unsigned number[PROCESSORS_MAX];

static unsigned differences;

/* --- hwloc's view --- */

/* The first of the properties that hwloc knows of the processor's kind, in the order in which
 * omp_ext/machine/team_places.c looks for them. */
static double capacity_of(hwloc_topology_t topology, hwloc_const_cpuset_t processor)
{
    static const char *const names[] = {"LinuxCapacity", "FrequencyBaseMHz", "FrequencyMaxMHz"};
    int kind = hwloc_cpukinds_get_by_cpuset(topology, processor, 0);
    struct hwloc_info_s *infos;
    unsigned count = 0;
    double capacity = 0;

    if (kind < 0 ||
        hwloc_cpukinds_get_info(topology, (unsigned)kind, NULL, NULL, &count, &infos, 0) != 0) {
        return 0;
    }
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

static hwloc_obj_t last_cache(hwloc_obj_t object)
{
    hwloc_obj_t last = NULL;

    for (; object != NULL; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type)) {
            last = object;
        }
    }
    return last;
}

static struct keel_processor by_hwloc(hwloc_topology_t topology, hwloc_obj_t object)
{
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, object);
    hwloc_obj_t cache = last_cache(object);

    return (struct keel_processor){
        .core = core != NULL ? core->logical_index : object->logical_index,
        .cache = cache != NULL ? cache->logical_index : 0,
        .node = (uint32_t)hwloc_bitmap_first(object->nodeset),
        .capacity = capacity_of(topology, object->cpuset),
    };
}

static bool load(hwloc_topology_t *topology, const char *xml)
{
    return hwloc_topology_init(topology) == 0 &&
           (xml[0] == '\0' || hwloc_topology_set_xml(*topology, xml) == 0) &&
           hwloc_topology_set_flags(*topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0 &&
           hwloc_topology_load(*topology) == 0;
}

/* --- comparison --- */

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
    hwloc_topology_t topology;
    size_t count = 0;

    if (argc != 3 || !load(&topology, argv[1])) {
        puts("no machine");
        return 1;
    }
    for (unsigned i = 0; i < PROCESSORS_MAX; i++) {
        hwloc_obj_t object = hwloc_get_pu_obj_by_os_index(topology, i);
        if (object != NULL) {
            of_hwloc[count] = by_hwloc(topology, object);
            number[count++] = i;
        }
    }
    keel_processors_read(strcmp(argv[2], "/") == 0 ? "" : argv[2], number, count, of_files);
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            compare(a, b);
        }
    }
    printf("%zu processors, %u differences\n", count, differences);
    hwloc_topology_destroy(topology);
    return 0;
}
