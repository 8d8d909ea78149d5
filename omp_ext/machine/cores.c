/* The cores that a process may use. */
#define _GNU_SOURCE
#include "omp_ext/machine/cores.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "omp_ext/machine/control_group.h"
#include "omp_ext/machine/cpu_list.h"
#include "omp_ext/machine/small_file.h"

#define PROCESSORS_MAX (1 << 20) /* no kernel has masks for so many */

static unsigned online_processors(void)
{
    char *list = keel_small_file_text("/sys/devices/system/cpu/online");
    size_t count = list != NULL ? keel_cpu_list_count(list) : 0;

    free(list);
    if (count == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        count = online > 0 ? (size_t)online : 1;
    }
    return (unsigned)count;
}

/* The process's mask, to be freed; the kernel says EINVAL where its own masks are larger. NULL: it
 * can't be had. */
static cpu_set_t *affinity(size_t *bytes)
{
    for (unsigned count = CPU_SETSIZE; count <= PROCESSORS_MAX; count *= 2) {
        cpu_set_t *mask = CPU_ALLOC(count);
        *bytes = CPU_ALLOC_SIZE(count);
        if (mask == NULL || sched_getaffinity(getpid(), *bytes, mask) == 0) {
            return mask;
        }
        CPU_FREE(mask);
        if (errno != EINVAL) {
            return NULL;
        }
    }
    return NULL;
}

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
    size_t bytes;
    cpu_set_t *mask = affinity(&bytes);

    if (mask == NULL) {
        return online;
    }
    add_places(mask, bytes);
    int count = CPU_COUNT_S(bytes, mask);
    CPU_FREE(mask);
    return count > 0 ? (unsigned)count : online;
}

struct keel_cores keel_cores_of_process(void)
{
    int before = errno;
    unsigned online = online_processors();
    struct keel_cores cores = {
        .online = online,
        .allowed = allowed_processors(online),
        .quota = keel_control_group_quota(""),
    };

    errno = before;
    return cores;
}

double keel_cores_for(const struct keel_cores *cores, unsigned threads)
{
    double least = fmin(threads, cores->allowed);

    return cores->quota > 0 ? fmin(least, cores->quota) : least;
}
