/* Reading and removing folders. */
#define _GNU_SOURCE
#include "omp_ext/report/files/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
