/* Feeds lists_fuzz with what real machines have in these files. */
#include "tests/fuzz/driver.h"

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

static const char *const pieces[] = {
    "",        "\n",       "\n\n",
    ",",       "-",        " ",
    ":",       "::",       "0",
    "4095",    "99999999", "/",
    "/..",     "\\040",    "\\",
    "\\000",   "cpu",      " - ",
    "cgroup2", "cgroup",   "-9223372036854775808",
    "max",     "..",       "18446744073709551616",
};

int main(int count, char **arguments)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_count = sizeof seeds / sizeof seeds[0],
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = " ,:/-\n",
        .text_max = 2048,
        .edits_max = 6,
    };

    return fuzz_drive(&texts, count, arguments);
}
