/* The cores that a process may use, and what its control group leaves to it. */
#define _GNU_SOURCE
#include "omp_ext/machine/cores.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/uncancelled.h"

/* --- where the group is --- */

/* Whether `word` is among the words of a list with commas between them. */
static bool lists(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (size_t next; *list != '\0'; list += next + (list[next] == ',')) {
        next = strcspn(list, ",");
        if (next == length && memcmp(list, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* The group's path, from a line NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no
 * controllers. */
static const char *path_in(char *line, enum keel_control_group_version version)
{
    char *rest = line, *number = strsep(&rest, ":"), *controllers = strsep(&rest, ":");

    if (rest == NULL || rest[0] == '\0') {
        return NULL;
    }
    bool second = strcmp(number, "0") == 0 && controllers[0] == '\0';
    return (version == KEEL_CONTROL_GROUP_V2 ? second : lists(controllers, "cpu")) ? rest : NULL;
}

/* Of a line of mountinfo, ID PARENT DEVICE ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS: the
 * group that is mounted, and where. */
static bool read_mount(char *line, enum keel_control_group_version version, const char **root,
                       const char **point)
{
    char *mount = strstr(line, " - "), type[16], options[256] = "";

    if (mount == NULL || sscanf(mount, " - %15s %*s %255s", type, options) < 1) {
        return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        strsep(&line, " ");
    }
    *root = strsep(&line, " ");
    *point = strsep(&line, " ");
    return *point != NULL && (version == KEEL_CONTROL_GROUP_V2
                                  ? strcmp(type, "cgroup2") == 0
                                  : strcmp(type, "cgroup") == 0 && lists(options, "cpu"));
}

/* Appends to the folder what mountinfo has, where blanks and backslashes are octal: \040. */
static bool append(struct keel_control_group *group, const char *text)
{
    size_t length = strlen(group->folder);

    for (; *text != '\0' && length + 1 < sizeof group->folder; text++) {
        bool octal = text[0] == '\\' && strspn(text + 1, "01234567") >= 3;
        group->folder[length++] =
            octal ? (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0')) : *text;
        text += octal ? 3 : 0;
    }
    group->folder[length] = '\0';
    return *text == '\0';
}

/* A container's mount shows a part of the groups only; the part of the path before it is cut off. A
 * path that is outside of what is seen leaves the top of that. */
static const char *below(const char *path, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    bool seen = strncmp(path, root, length) == 0 && path[length] == '/' && path[length + 1] != '\0';

    return seen && strncmp(path, "/..", 3) != 0 ? path + length : "";
}

bool keel_control_group_find(enum keel_control_group_version version, FILE *groups, FILE *mounts,
                             struct keel_control_group *group)
{
    char *line = NULL, *mount = NULL;
    size_t size = 0, mount_size = 0;
    const char *path = NULL, *root, *point;
    bool found = false;

    while (path == NULL && getline(&line, &size, groups) > 0) {
        line[strcspn(line, "\n")] = '\0';
        path = path_in(line, version);
    }
    while (path != NULL && !found && getline(&mount, &mount_size, mounts) > 0) {
        found = read_mount(mount, version, &root, &point);
    }
    if (found) {
        group->folder[0] = '\0';
        found = append(group, point);
        group->top = strlen(group->folder);
        found = found && append(group, below(path, root));
    }
    free(line);
    free(mount);
    return found;
}

/* --- what it allows --- */

/* Cores, from microseconds of processor time in each period. */
static double cores_of(double quota_us, double period_us)
{
    return quota_us > 0 && period_us > 0 ? quota_us / period_us : 0;
}

double keel_control_group_quota_of_cfs(const char *quota_us, const char *period_us)
{
    return cores_of((double)strtoll(quota_us, NULL, 10), (double)strtoll(period_us, NULL, 10));
}

double keel_control_group_quota_of_max(const char *cpu_max)
{
    const char *period = strchr(cpu_max, ' ');

    return period != NULL ? keel_control_group_quota_of_cfs(cpu_max, period) : 0;
}

/* Reads a short file of a group. */
static bool read_value(const char *root, const char *folder, const char *name, char value[64])
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    return keel_small_file_read(path, value, 64);
}

static double quota_in(enum keel_control_group_version version, const char *root,
                       const char *folder)
{
    char quota[64], period[64];

    if (version == KEEL_CONTROL_GROUP_V2) {
        return read_value(root, folder, "cpu.max", quota) ? keel_control_group_quota_of_max(quota)
                                                          : 0;
    }
    return read_value(root, folder, "cpu.cfs_quota_us", quota) &&
                   read_value(root, folder, "cpu.cfs_period_us", period)
               ? keel_control_group_quota_of_cfs(quota, period)
               : 0;
}

/* Of two quotas, of which 0 means none. */
static double lesser(double a, double b)
{
    return a == 0 || (b > 0 && b < a) ? b : a;
}

static double least_quota(enum keel_control_group_version version, const char *root,
                          struct keel_control_group *group)
{
    double least = quota_in(version, root, group->folder);

    while (strlen(group->folder) > group->top) {
        *strrchr(group->folder, '/') = '\0';
        least = lesser(least, quota_in(version, root, group->folder));
    }
    return least;
}

static FILE *open_below(const char *root, const char *name)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s%s", root, name);
    return fopen(path, "re");
}

static double quota_of(enum keel_control_group_version version, const char *root)
{
    FILE *groups = open_below(root, "/proc/self/cgroup");
    FILE *mounts = open_below(root, "/proc/self/mountinfo");
    struct keel_control_group group;
    bool found = groups != NULL && mounts != NULL &&
                 keel_control_group_find(version, groups, mounts, &group);

    if (groups != NULL) {
        fclose(groups);
    }
    if (mounts != NULL) {
        fclose(mounts);
    }
    return found ? least_quota(version, root, &group) : 0;
}

double keel_control_group_quota(const char *root)
{
    int cancel_state = keel_uncancelled_begin();
    double quota =
        lesser(quota_of(KEEL_CONTROL_GROUP_V1, root), quota_of(KEEL_CONTROL_GROUP_V2, root));

    keel_uncancelled_end(cancel_state);
    return quota;
}

/* --- cores --- */

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
