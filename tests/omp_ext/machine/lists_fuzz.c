/* Fuzz target: what Linux lists in /proc and /sys, processors and control groups, does no harm to
 * its readers, whatever it is. The text is all of it: a list of processors, a quota, and, up to its
 * first empty line, /proc/self/cgroup, and behind that mountinfo. Aborts where that does not
 * hold. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/control_group.h"
#include "omp_ext/machine/cpu_list.h"
#include "tests/fuzz/driver.h"

/* The count is that of the ranges, where nothing is left behind them. */
static void check_processors(const char *text)
{
    const char *rest = text, *before = text;
    size_t count = 0;
    unsigned first, last;

    while (keel_cpu_list_next(&rest, &first, &last)) {
        expect(first <= last && rest > before, "a range that is none");
        count += last - first + 1;
        before = rest;
    }
    expect(rest == before, "what is no range is passed");
    expect(keel_cpu_list_count(text) == (*rest == '\0' || *rest == '\n' ? count : 0),
           "another count");
}

static void check_quota(const char *text)
{
    double cores = keel_control_group_quota_of_max(text);

    expect(isfinite(cores) && cores >= 0, "a quota of cpu.max that is none");
    cores = keel_control_group_quota_of_cfs(text, text);
    expect(cores == 0 || cores == 1, "a quota of as much as its period");
}

/* A group and those above it, as long as they are below the top, have a slash to cut off at. */
static void check_group(enum keel_control_group_version version, const char *groups,
                        const char *mounts)
{
    static struct keel_control_group group;

    if (keel_control_group_find(version, groups, mounts, &group)) {
        size_t length = strnlen(group.folder, sizeof group.folder);
        expect(length < sizeof group.folder && group.top <= length, "a folder without an end");
        expect(group.folder[group.top] == '\0' || group.folder[group.top] == '/',
               "a group that is not below the top");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    check_processors(text);
    check_quota(text);
    char *gap = strstr(text, "\n\n");
    if (gap != NULL) {
        gap[1] = '\0';
        check_group(KEEL_CONTROL_GROUP_V1, text, gap + 2);
        check_group(KEEL_CONTROL_GROUP_V2, text, gap + 2);
    }
    free(text);
    return 0;
}

/* --- texts to begin with --- */

#define GROUPS_V1 "12:cpu,cpuacct:/user.slice\n11:memory:/user.slice\n0::/user.slice/session-1\n"
#define GROUPS_V2 "0::/system.slice/job-7.scope\n"
#define CONTAINER "0::/../../other\n"
#define MOUNTS_V1                                             \
    "25 30 0:23 / /proc rw,nosuid shared:14 - proc proc rw\n" \
    "33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define MOUNTS_V2 "34 24 0:29 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNTS_PART                                                                              \
    "34 24 0:29 /system.slice /mnt/control\\040groups rw master:4 propagate_from:2 - cgroup2 x " \
    "rw\n"

static const char *const seeds[] = {
    "0-3,8,10-11\n",
    "0",
    "150000 100000\n",
    "max 100000\n",
    "-1\n",
    GROUPS_V1 "\n" MOUNTS_V1,
    GROUPS_V2 "\n" MOUNTS_V2,
    GROUPS_V2 "\n" MOUNTS_PART,
    CONTAINER "\n" MOUNTS_V1 MOUNTS_V2,
};

static const char *const pieces[] = {"",        "\n",       "\n\n",
                                     ",",       "-",        " ",
                                     ":",       "::",       "0",
                                     "4095",    "99999999", "/",
                                     "/..",     "\\040",    "\\",
                                     "\\000",   "cpu",      " - ",
                                     "cgroup2", "cgroup",   "-9223372036854775808",
                                     "max",     "..",       "18446744073709551616"};

const struct fuzz_texts fuzz_texts = {
    .seeds = seeds,
    .seed_count = sizeof seeds / sizeof seeds[0],
    .pieces = pieces,
    .piece_count = sizeof pieces / sizeof pieces[0],
    .separators = " ,:/-\n",
    .text_max = 2048,
    .edits_max = 6,
};
