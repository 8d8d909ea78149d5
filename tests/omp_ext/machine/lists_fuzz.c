/* Fuzz target: what Linux lists in /proc and /sys, processors and control groups, does no harm to
 * its readers, whatever it is. The text is all of it: a list of processors, a quota, and, up to its
 * first empty line, /proc/self/cgroup, and behind that mountinfo. Aborts where that does not
 * hold. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/control_group.h"
#include "omp_ext/machine/cpu_list.h"
#include "tests/fuzz/driver.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

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
