/* How much processor time a control group of Linux leaves to its processes. */
#include "omp_ext/machine/control_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/small_file.h"
#include "schedules/text/text.h"

/* --- where the group is --- */

/* Whether `word` is among the words of a list with commas between them. */
static bool lists(struct keel_text list, const char *word)
{
    while (list.length > 0) {
        struct keel_text next = keel_text_take(&list, ",");
        if (next.length == strlen(word) && memcmp(next.start, word, next.length) == 0) {
            return true;
        }
        if (list.length > 0) {
            keel_text_skip(&list);
        }
    }
    return false;
}

static struct keel_text take_line(struct keel_text *rest)
{
    const char *end = memchr(rest->start, '\n', rest->length);
    size_t length = end != NULL ? (size_t)(end - rest->start) : rest->length;
    struct keel_text line = {rest->start, length};

    length += end != NULL;
    *rest = (struct keel_text){rest->start + length, rest->length - length};
    return line;
}

/* Cuts off what stands before the next `separator`, and it as well. */
static struct keel_text take_field(struct keel_text *line, char separator)
{
    const char *end = memchr(line->start, separator, line->length);
    size_t length = end != NULL ? (size_t)(end - line->start) : line->length;
    struct keel_text field = {line->start, length};

    length += end != NULL;
    *line = (struct keel_text){line->start + length, line->length - length};
    return field;
}

/* The group's path, from a line NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no
 * controllers. */
static bool group_path(enum keel_control_group_version version, const char *groups,
                       struct keel_text *path)
{
    struct keel_text rest = {groups, strlen(groups)};

    while (rest.length > 0) {
        *path = take_line(&rest);
        struct keel_text number = take_field(path, ':');
        struct keel_text controllers = take_field(path, ':');
        bool second = number.length == 1 && number.start[0] == '0' && controllers.length == 0;
        if (version == KEEL_CONTROL_GROUP_V2 ? second : lists(controllers, "cpu")) {
            return path->length > 0;
        }
    }
    return false;
}

struct mount {
    struct keel_text root, point; /* the group that is mounted, and where */
};

/* A line of mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS. */
static bool read_mount(struct keel_text line, enum keel_control_group_version version,
                       struct mount *mount)
{
    for (unsigned i = 0; i < 3; i++) {
        take_field(&line, ' ');
    }
    mount->root = take_field(&line, ' ');
    mount->point = take_field(&line, ' ');
    while (line.length > 0) {
        struct keel_text tag = take_field(&line, ' ');
        if (tag.length == 1 && tag.start[0] == '-') {
            break;
        }
    }
    struct keel_text type = take_field(&line, ' ');
    take_field(&line, ' ');
    return version == KEEL_CONTROL_GROUP_V2 ? lists(type, "cgroup2")
                                            : lists(type, "cgroup") && lists(line, "cpu");
}

static bool find_mount(enum keel_control_group_version version, const char *mounts,
                       struct mount *mount)
{
    struct keel_text rest = {mounts, strlen(mounts)};

    while (rest.length > 0) {
        if (read_mount(take_line(&rest), version, mount)) {
            return true;
        }
    }
    return false;
}

/* A backslash and three octal digits. */
static bool is_octal(const char *text, size_t length)
{
    bool octal = length >= 4 && text[0] == '\\' && text[1] >= '0' && text[1] <= '3';

    return octal && text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7';
}

/* Appends to the folder what mountinfo has, where blanks and backslashes are octal: \040. */
static bool append(struct keel_control_group *group, struct keel_text text)
{
    size_t length = strlen(group->folder);

    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.start[i];
        if (is_octal(text.start + i, text.length - i)) {
            byte = (unsigned char)((text.start[i + 1] - '0') << 6 | (text.start[i + 2] - '0') << 3 |
                                   (text.start[i + 3] - '0'));
            i += 3;
        }
        if (length + 1 >= sizeof group->folder) {
            return false;
        }
        group->folder[length++] = (char)byte;
    }
    group->folder[length] = '\0';
    return true;
}

/* A container's mount shows a part of the groups only; the part of the path before it is cut off. A
 * path that is outside of what is seen leaves the top of that. */
static struct keel_text below(struct keel_text path, struct keel_text root)
{
    const struct keel_text top = {"", 0};

    if (root.length == 1) {
        return path.length == 1 || (path.length > 2 && memcmp(path.start, "/..", 3) == 0) ? top
                                                                                          : path;
    }
    if (path.length < root.length || memcmp(path.start, root.start, root.length) != 0) {
        return top;
    }
    path = (struct keel_text){path.start + root.length, path.length - root.length};
    return path.length > 0 && path.start[0] != '/' ? top : path;
}

bool keel_control_group_find(enum keel_control_group_version version, const char *groups,
                             const char *mounts, struct keel_control_group *group)
{
    struct keel_text path;
    struct mount mount;

    if (!group_path(version, groups, &path) || !find_mount(version, mounts, &mount)) {
        return false;
    }
    group->folder[0] = '\0';
    if (!append(group, mount.point)) {
        return false;
    }
    group->top = strlen(group->folder);
    return append(group, below(path, mount.root)) &&
           (group->folder[group->top] == '\0' || group->folder[group->top] == '/');
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

static double quota_of(const char *root, const char *groups, const char *mounts)
{
    struct keel_control_group group;
    double least = 0;

    for (enum keel_control_group_version version = KEEL_CONTROL_GROUP_V1;
         version <= KEEL_CONTROL_GROUP_V2; version++) {
        if (keel_control_group_find(version, groups, mounts, &group)) {
            least = lesser(least, least_quota(version, root, &group));
        }
    }
    return least;
}

double keel_control_group_quota(const char *root)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    char *groups = keel_small_file_text(path);
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    char *mounts = keel_small_file_text(path);
    double quota = groups != NULL && mounts != NULL ? quota_of(root, groups, mounts) : 0;

    free(groups);
    free(mounts);
    return quota;
}
