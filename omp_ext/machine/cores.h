/* The cores that a process may use. A team with more threads than that takes turns.
 *
 *   online processors of the machine >= those that affinity allows; the quota of a control group
 *   limits the processor time of all threads together, on whichever of them they run */
#ifndef OMP_EXT_MACHINE_CORES_H
#define OMP_EXT_MACHINE_CORES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A "core" is a processor of the operating system: with SMT, a hardware thread. */
struct keel_cores {
    unsigned online;  /* of the machine, >= 1 */
    unsigned allowed; /* to the process by affinity, >= 1 */
    double quota;     /* of the control group, cores; 0: none */
};

/* What holds now. Where libgomp has bound the initial thread to one of its places, `allowed` counts
 * the processors of all places. Reads a few files: not for hot paths. Any thread; errno is kept. */
struct keel_cores keel_cores_of_process(void);

/* --- how much processor time a control group of Linux leaves to its processes ---
 *
 * What containers, batch systems and systemd units limit.
 *
 *   /proc/self/cgroup, /proc/self/mountinfo --> folder of the group --> its files, and those of the
 *   groups above it --> the least quota
 *
 * Version 2 of control groups has one file, cpu.max; version 1 has cpu.cfs_quota_us and
 * cpu.cfs_period_us (Linux, Documentation/admin-guide/cgroup-v2.rst and
 * Documentation/scheduler/sched-bwc.rst). A machine may have both. */

enum keel_control_group_version { KEEL_CONTROL_GROUP_V1 = 1, KEEL_CONTROL_GROUP_V2 = 2 };

/* Where the files of a group are. */
struct keel_control_group {
    char folder[PATH_MAX];
    size_t top; /* so many bytes of it name the folder above which no group is seen */
};

/* Finds the group that limits processor time. groups, mounts: /proc/self/cgroup and
 * /proc/self/mountinfo. False: there is none of that version, or its name is too long. */
bool keel_control_group_find(enum keel_control_group_version version, FILE *groups, FILE *mounts,
                             struct keel_control_group *group);

/* Cores that "QUOTA PERIOD" of cpu.max allows, or those two files of version 1; 0: no limit ("max",
 * -1), or no such text. Pure. */
double keel_control_group_quota_of_max(const char *cpu_max);
double keel_control_group_quota_of_cfs(const char *quota_us, const char *period_us);

/* The least quota of the calling process's group and of those above it that can be seen, cores; 0:
 * none. root: a folder in place of '/', "" for the machine itself. */
double keel_control_group_quota(const char *root);

#endif
