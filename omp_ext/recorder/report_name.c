/* What KEEL_REPORT names. */
#define _GNU_SOURCE
#include "omp_ext/recorder/report_name.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/trace_file.h"

static bool find_file_name(char *path)
{
    const char *name = keel_settings()->report_file;

    return name != NULL && keel_report_file_path(name, path);
}

bool keel_report_file_name(char *path)
{
    static char known[PATH_MAX]; /* written by the first call, before there are others */
    static bool asked, found;

    if (!asked) {
        found = find_file_name(known);
        asked = true;
    }
    strcpy(path, known);
    return found;
}

void keel_report_rank(int32_t *rank, int32_t *ranks)
{
    unsigned told = keel_launch_ranks(keel_environment_value);
    int own = keel_launch_rank(keel_environment_value);
    bool known = told > 1 && told <= INT32_MAX && own >= 0 && (unsigned)own < told;

    *rank = known ? own : 0;
    *ranks = known ? (int32_t)told : 1;
}

/* Devices, and what the program writes to anyway, have no files beside them; named pipes have. */
static bool has_files_beside(const char *path)
{
    struct stat status;

    return !keel_trace_file_is_shared(path) &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ||
            S_ISDIR(status.st_mode));
}

/* Whether another program has left the file in this process, by exec(). */
static bool is_left_by_exec(const char *path)
{
    struct keel_recording_header header;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = file >= 0 ? read(file, &header, sizeof header) : 0;

    if (file >= 0) {
        close(file);
    }
    return got == sizeof header &&
           memcmp(header.magic, KEEL_RECORDING_MAGIC, sizeof header.magic) == 0 &&
           header.pid == getpid();
}

/* KEEL_EXPLAIN alone: beside the mark of `keel run`, which shows what a program that a signal has
 * ended has left. */
static bool name_beside_mark(char *path)
{
    const struct keel_settings *settings = keel_settings();
    const char *mark = settings->mark_file;

    if (settings->report || mark == NULL || strlen(mark) >= PATH_MAX - KEEL_REPORT_ENDING_MAX ||
        keel_launch_role(keel_environment_value) == KEEL_LAUNCH_OTHER) {
        return false;
    }
    sprintf(path, "%s.%ld", mark, (long)getpid());
    return true;
}

bool keel_report_recording_name(char *path)
{
    int32_t rank, ranks;

    if (!name_beside_mark(path) && (!keel_report_file_name(path) || !has_files_beside(path))) {
        return false;
    }
    size_t length = strlen(path);
    if (path[length - 1] == '/') {
        length += (size_t)sprintf(path + length, "%ld", (long)getpid());
    }
    keel_report_rank(&rank, &ranks);
    if (ranks > 1) {
        length += (size_t)sprintf(path + length, ".%d", (int)rank);
    }
    strcpy(path + length, ".recording");
    for (unsigned i = 2; i < 100 && is_left_by_exec(path); i++) {
        sprintf(path + length, ".%u.recording", i);
    }
    return true;
}
