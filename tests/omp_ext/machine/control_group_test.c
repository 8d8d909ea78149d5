/* What a process may use of the machine, and what launchers say of it: control groups, many cores,
 * ranks. */
#define _GNU_SOURCE

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/machine/cores.h"
#include "omp_ext/machine/launch.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- control groups as processes of several machines and containers saw them --- */

/* A desktop with systemd: version 2 alone. */
static const char desktop_groups[] = "0::/user.slice/user-1000.slice/session-3.scope\n";
static const char desktop_mounts[] =
    "23 28 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n"
    "28 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
    "35 23 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";

/* Docker on version 1, without a name space for groups: the mount shows the container's group. */
static const char docker_groups[] =
    "12:memory:/docker/6f3c\n11:cpu,cpuacct:/docker/6f3c\n1:name=systemd:/docker/6f3c\n"
    "0::/system.slice/containerd.service\n";
static const char docker_mounts[] =
    "733 732 0:30 /docker/6f3c /sys/fs/cgroup/systemd ro,nosuid master:11 - cgroup cgroup "
    "rw,xattr,name=systemd\n"
    "741 732 0:36 /docker/6f3c /sys/fs/cgroup/cpu,cpuacct ro,nosuid,nodev master:18 - cgroup "
    "cgroup "
    "rw,cpu,cpuacct\n"
    "742 732 0:37 /docker/6f3c /sys/fs/cgroup/cpuset ro,nosuid master:19 - cgroup cgroup "
    "rw,cpuset\n";

/* Version 1 for controllers, version 2 beside it without any: systemd's hybrid layout. */
static const char hybrid_groups[] = "4:memory:/a/b\n3:cpuset:/\n1:cpu:/batch/job 7\n0::/\n";
static const char hybrid_mounts[] =
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

static bool find(enum keel_control_group_version version, const char *groups, const char *mounts,
                 struct keel_control_group *group)
{
    FILE *groups_file = fmemopen((char *)groups, strlen(groups), "r");
    FILE *mounts_file = fmemopen((char *)mounts, strlen(mounts), "r");
    bool found = keel_control_group_find(version, groups_file, mounts_file, group);

    fclose(groups_file);
    fclose(mounts_file);
    return found;
}

static void assert_found(enum keel_control_group_version version, const char *groups,
                         const char *mounts, const char *top, const char *rest)
{
    struct keel_control_group group;

    assert_true(find(version, groups, mounts, &group));
    assert_int_equal(group.top, strlen(top));
    assert_memory_equal(group.folder, top, group.top);
    assert_string_equal(group.folder + group.top, rest);
}

TEST(the_folder_is_the_group_below_its_mount)
{
    assert_found(KEEL_CONTROL_GROUP_V2, desktop_groups, desktop_mounts, "/sys/fs/cgroup",
                 "/user.slice/user-1000.slice/session-3.scope");
    assert_found(KEEL_CONTROL_GROUP_V1, hybrid_groups, hybrid_mounts, "/sys/fs/cgroup/cpu",
                 "/batch/job 7");
    assert_found(KEEL_CONTROL_GROUP_V2, hybrid_groups, hybrid_mounts, "/sys/fs/cgroup/unified", "");
}

TEST(a_container_sees_the_groups_below_its_own)
{
    assert_found(KEEL_CONTROL_GROUP_V1, docker_groups, docker_mounts, "/sys/fs/cgroup/cpu,cpuacct",
                 "");
    assert_found(KEEL_CONTROL_GROUP_V1, "2:cpu:/docker/6f3c/inner\n", docker_mounts,
                 "/sys/fs/cgroup/cpu,cpuacct", "/inner");
    /* another container's group, whose name begins alike */
    assert_found(KEEL_CONTROL_GROUP_V1, "2:cpu:/docker/6f3cc\n", docker_mounts,
                 "/sys/fs/cgroup/cpu,cpuacct", "");
    /* with a name space for groups, a process that was moved out of it */
    assert_found(KEEL_CONTROL_GROUP_V2, "0::/../other\n", desktop_mounts, "/sys/fs/cgroup", "");
}

TEST(blanks_of_a_mount_point_are_octal)
{
    assert_found(KEEL_CONTROL_GROUP_V2, "0::/x\n",
                 "35 23 0:30 / /my\\040groups\\134here rw - cgroup2 cgroup2 rw\n",
                 "/my groups\\here", "/x");
}

TEST(without_such_a_group_there_is_none)
{
    struct keel_control_group group;

    assert_false(find(KEEL_CONTROL_GROUP_V1, desktop_groups, desktop_mounts, &group));
    assert_false(find(KEEL_CONTROL_GROUP_V2, docker_groups, docker_mounts, &group));
    assert_false(find(KEEL_CONTROL_GROUP_V2, "", "", &group));
    assert_false(find(KEEL_CONTROL_GROUP_V2, "0::", "x", &group));
    /* controllers whose names only contain the one that is looked for */
    assert_false(find(KEEL_CONTROL_GROUP_V1, "3:cpuset,cpuacct:/\n", hybrid_mounts, &group));
}

TEST(a_group_whose_name_is_too_long_is_none)
{
    struct keel_control_group group;
    static char groups[2 * PATH_MAX] = "0::/";

    memset(groups + 4, 'x', sizeof groups - 5);
    assert_false(find(KEEL_CONTROL_GROUP_V2, groups, desktop_mounts, &group));
}

TEST(quotas_are_cores)
{
    assert_near(keel_control_group_quota_of_max("50000 100000"), 0.5);
    assert_near(keel_control_group_quota_of_max("1600000 100000\n"), 16);
    assert_near(keel_control_group_quota_of_max("max 100000"), 0);
    assert_near(keel_control_group_quota_of_max("max"), 0);
    assert_near(keel_control_group_quota_of_max(""), 0);
    assert_near(keel_control_group_quota_of_max("50000 0"), 0);
    assert_near(keel_control_group_quota_of_cfs("250000", "100000"), 2.5);
    assert_near(keel_control_group_quota_of_cfs("-1", "100000"), 0);
    assert_near(keel_control_group_quota_of_cfs("x", "y"), 0);
}

/* --- a tree of files --- */

static char root[256];

static void put(const char *path, const char *text)
{
    char whole[1024];

    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int begin_tree(void **state)
{
    const char *folder = getenv("TEST_TMPDIR");

    snprintf(root, sizeof root, "%s/tree.XXXXXX", folder != NULL ? folder : "/tmp");
    return mkdtemp(root) == NULL;
}

static int end_tree(void **state)
{
    char command[300];

    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

TEST_WITH(the_least_quota_of_all_groups_above_holds, begin_tree, end_tree)
{
    put("/proc/self/cgroup", desktop_groups);
    put("/proc/self/mountinfo", desktop_mounts);
    assert_near(keel_control_group_quota(root), 0);
    put("/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cpu.max", "max 100000\n");
    assert_near(keel_control_group_quota(root), 0);
    put("/sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    assert_near(keel_control_group_quota(root), 3);
    put("/sys/fs/cgroup/user.slice/user-1000.slice/cpu.max", "400000 100000\n");
    assert_near(keel_control_group_quota(root), 3);
    put("/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope/cpu.max", "150000 100000\n");
    assert_near(keel_control_group_quota(root), 1.5);
    put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    assert_near(keel_control_group_quota(root), 1);
}

TEST_WITH(quotas_of_both_versions_count, begin_tree, end_tree)
{
    put("/proc/self/cgroup", hybrid_groups);
    put("/proc/self/mountinfo", hybrid_mounts);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/batch/job 7/cpu.cfs_quota_us", "400000\n");
    put("/sys/fs/cgroup/cpu/batch/job 7/cpu.cfs_period_us", "200000\n");
    assert_near(keel_control_group_quota(root), 2);
    put("/sys/fs/cgroup/unified/cpu.max", "50000 100000\n");
    assert_near(keel_control_group_quota(root), 0.5);
}

TEST_WITH(a_long_list_of_mounts_is_read_to_its_end, begin_tree, end_tree)
{
    char *mounts = malloc(400 * 1024);
    size_t length = 0;

    assert_non_null(mounts);
    while (length < 300 * 1024) {
        length += (size_t)sprintf(
            mounts + length, "28 1 259:2 / /volume/%zu rw,relatime - ext4 /dev/sda rw\n", length);
    }
    strcpy(mounts + length, desktop_mounts);
    put("/proc/self/cgroup", desktop_groups);
    put("/proc/self/mountinfo", mounts);
    put("/sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n");
    assert_near(keel_control_group_quota(root), 3);
    free(mounts);
}

TEST_WITH(a_machine_without_control_groups_has_no_quota, begin_tree, end_tree)
{
    assert_near(keel_control_group_quota(root), 0);
}

/* --- more processors than a mask of the standard size has --- */

#define KERNEL_PROCESSORS 5000
#define ALLOWED_FIRST 3000
#define ALLOWED_LAST 4099

static int error;

int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask);

/* As the kernel does it, whose masks have KERNEL_PROCESSORS bits. */
int __wrap_sched_getaffinity(pid_t process, size_t size, cpu_set_t *mask)
{
    assert_int_equal(process, getpid());
    errno = error != 0 ? error : EINVAL;
    if (error != 0 || size * 8 < KERNEL_PROCESSORS) {
        return -1;
    }
    memset(mask, 0, size);
    for (size_t i = ALLOWED_FIRST; i <= ALLOWED_LAST; i++) {
        CPU_SET_S(i, size, mask);
    }
    return 0;
}

TEST(processors_beyond_1024_are_counted)
{
    error = 0;
    errno = 77;
    assert_int_equal(keel_cores_of_process().allowed, ALLOWED_LAST - ALLOWED_FIRST + 1);
    assert_int_equal(errno, 77);
}

TEST(without_a_mask_all_online_processors_are_allowed)
{
    error = EPERM;
    struct keel_cores cores = keel_cores_of_process();
    assert_int_equal(cores.allowed, cores.online);
    assert_true(cores.online >= 1);
}

/* --- launchers: what launchers give to their ranks, by the variables that they set --- */

/* The environment: names and values in turn, NULL behind the last. */
static const char *const *set;

static const char *value_of(const char *name)
{
    for (const char *const *at = set; *at != NULL; at += 2) {
        if (strcmp(at[0], name) == 0) {
            return at[1];
        }
    }
    return NULL;
}

static const char *const nothing[] = {NULL};
static const char *const open_mpi[] =
    LIST("OMPI_COMM_WORLD_RANK", "5", "OMPI_COMM_WORLD_SIZE", "8", "OMPI_COMM_WORLD_LOCAL_RANK",
         "1", "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "prterun-n01-7@1",
         "SLURM_JOB_ID", "77", "SLURM_PROCID", "0", "SLURM_NTASKS", "2", NULL);
static const char *const mpich[] = LIST("PMI_RANK", "0", "PMI_SIZE", "3", "MPI_LOCALRANKID", "0",
                                        "MPI_LOCALNRANKS", "3", "PMI_JOBID", "kvs_1_0", NULL);
static const char *const slurm[] =
    LIST("SLURM_PROCID", "6", "SLURM_NTASKS", "7", "SLURM_LOCALID", "0", "SLURM_NODEID", "3",
         "SLURM_STEP_TASKS_PER_NODE", "2(x3),1", "SLURM_JOB_ID", "77", "SLURM_STEP_ID", "2", NULL);

TEST(each_launcher_is_understood)
{
    static const struct {
        const char *const *set;
        int rank;
        unsigned ranks, local;
        const char *job;
        enum keel_launch role;
    } cases[] = {
        {nothing, -1, 0, 0, "", KEEL_LAUNCH_ALONE},
        {open_mpi, 5, 8, 4, "prterun-n01-7_1", KEEL_LAUNCH_OTHER},
        {mpich, 0, 3, 3, "kvs_1_0", KEEL_LAUNCH_FIRST},
        {slurm, 6, 7, 1, "77.2", KEEL_LAUNCH_FIRST},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char job[KEEL_LAUNCH_JOB_MAX];
        set = cases[i].set;
        keel_launch_job(value_of, job);
        assert_string_equal(job, cases[i].job);
        assert_int_equal(keel_launch_rank(value_of), cases[i].rank);
        assert_int_equal(keel_launch_ranks(value_of), cases[i].ranks);
        assert_int_equal(keel_launch_local_ranks(value_of), cases[i].local);
        assert_int_equal(keel_launch_role(value_of), cases[i].role);
    }
}

TEST(a_job_s_name_is_plain_and_fits)
{
    char job[KEEL_LAUNCH_JOB_MAX], name[300];
    const char *const odd[] = {"PMIX_NAMESPACE", "../a b/\"c\"", NULL};
    const char *const large[] = {"PMIX_NAMESPACE", name, NULL};

    set = odd;
    keel_launch_job(value_of, job);
    assert_string_equal(job, ".._a_b__c_");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    set = large;
    keel_launch_job(value_of, job);
    assert_true(strlen(job) < sizeof job);
}

TEST(lists_of_tasks_that_are_none_say_nothing)
{
    static const char *const lists[] = {"", "x", "2(x", "2(x0)", ",", "2,", "-1"};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *const broken[] = {"SLURM_NODEID", "5", "SLURM_STEP_TASKS_PER_NODE", lists[i],
                                      NULL};
        set = broken;
        assert_int_equal(keel_launch_local_ranks(value_of), 0);
    }
}
