/* Folders of jobs. */
#define _GNU_SOURCE
#include "omp_ext/report/files/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/support/environment.h"

char *keel_report_folder_of_job(const char *beside, const char *purpose, const char *job,
                                const char *host)
{
    const char *stated = keel_environment_value("TMPDIR");
    char *folder;
    int length = beside != NULL
                     ? asprintf(&folder, "%s.%s-%s", beside, purpose, job)
                     : asprintf(&folder, "%s/keel-%s-%ld-%s-%s", stated != NULL ? stated : "/tmp",
                                purpose, (long)geteuid(), job, host);

    return length >= 0 ? folder : NULL;
}

int keel_report_folder_make(const char *folder)
{
    struct stat status;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return errno;
    }
    if (lstat(folder, &status) != 0) {
        return errno;
    }
    return S_ISDIR(status.st_mode) && status.st_uid == geteuid() ? 0 : EPERM;
}

void keel_report_folder_each(const char *folder,
                             void (*take)(const char *path, const char *name, void *context),
                             void *context)
{
    DIR *stream = opendir(folder);
    const struct dirent *entry;

    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        char *path;
        if (entry->d_name[0] != '.' && asprintf(&path, "%s/%s", folder, entry->d_name) >= 0) {
            take(path, entry->d_name, context);
            free(path);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
}

struct counting {
    const char *ending;
    unsigned count;
};

static void count_file(const char *path, const char *name, void *context)
{
    struct counting *counting = context;
    size_t length = strlen(name), ending = strlen(counting->ending);

    (void)path;
    counting->count += isdigit((unsigned char)name[0]) && length > ending &&
                       strcmp(name + length - ending, counting->ending) == 0;
}

unsigned keel_report_folder_count(const char *folder, const char *ending)
{
    struct counting counting = {ending, 0};

    keel_report_folder_each(folder, count_file, &counting);
    return counting.count;
}

char *keel_report_folder_claim(const char *folder)
{
    char *claimed;

    if (asprintf(&claimed, "%s-%ld", folder, (long)getpid()) < 0) {
        return NULL;
    }
    if (rename(folder, claimed) != 0) {
        free(claimed);
        return NULL;
    }
    return claimed;
}

static void remove_file(const char *path, const char *name, void *context)
{
    (void)name;
    (void)context;
    if (unlink(path) != 0 && errno == EISDIR) {
        keel_report_folder_remove(path);
    }
}

void keel_report_folder_remove(const char *folder)
{
    keel_report_folder_each(folder, remove_file, NULL);
    rmdir(folder);
}
