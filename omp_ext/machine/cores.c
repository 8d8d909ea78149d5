/* The cores that a process may use. */
#define _GNU_SOURCE
#include "omp_ext/machine/cores.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/machine/control_group.h"

#define PROCESSORS_MAX 8192 /* CONFIG_NR_CPUS of large kernels */

/* Adds the processors of libgomp's places to the mask. A process of which no libgomp is known has
 * none. */
static void add_places(cpu_set_t *mask, size_t bytes)
{
    int (*num_places)(void) = dlsym(RTLD_DEFAULT, "omp_get_num_places");
    int (*place_num_procs)(int) = dlsym(RTLD_DEFAULT, "omp_get_place_num_procs");
    void (*place_proc_ids)(int, int *) = dlsym(RTLD_DEFAULT, "omp_get_place_proc_ids");

    if (num_places == NULL || place_num_procs == NULL || place_proc_ids == NULL) {
        return;
    }
    for (int place = 0, places = num_places(); place < places; place++) {
        int count = place_num_procs(place);
        int *processor = count > 0 ? malloc((size_t)count * sizeof *processor) : NULL;
        if (processor != NULL) {
            place_proc_ids(place, processor);
            for (int i = 0; i < count; i++) {
                CPU_SET_S((size_t)processor[i], bytes, mask);
            }
            free(processor);
        }
    }
}

static unsigned allowed_processors(unsigned online)
{
    size_t bytes = CPU_ALLOC_SIZE(PROCESSORS_MAX);
    cpu_set_t *mask = CPU_ALLOC(PROCESSORS_MAX);
    int count = 0;

    if (mask != NULL && sched_getaffinity(getpid(), bytes, mask) == 0) {
        add_places(mask, bytes);
        count = CPU_COUNT_S(bytes, mask);
    }
    CPU_FREE(mask);
    return count > 0 ? (unsigned)count : online;
}

struct keel_cores keel_cores_of_process(void)
{
    int before = errno;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    struct keel_cores cores = {
        .online = online > 0 ? (unsigned)online : 1,
        .quota = keel_control_group_quota(""),
    };

    cores.allowed = allowed_processors(cores.online);
    errno = before;
    return cores;
}
