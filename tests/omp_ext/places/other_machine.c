/* Makes a program take KEEL_TEST_MACHINE, a folder, for /sys/devices/system, and note in its file
 * "opened" what the program opens there. To be preloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int opener(const char *, int, ...);

static const char system_folder[] = "/sys/devices/system/";

static void note(opener *open, const char *folder, const char *path)
{
    char name[PATH_MAX], line[PATH_MAX + 1];

    snprintf(name, sizeof name, "%s/opened", folder);
    int file = open(name, O_WRONLY | O_APPEND | O_CREAT, 0600);
    int length = snprintf(line, sizeof line, "%s\n", path);
    if (file < 0 || write(file, line, (size_t)length) != length || close(file) != 0) {
        abort();
    }
}

int open(const char *path, int flags, ...)
{
    opener *next = (opener *)dlsym(RTLD_NEXT, "open");
    const char *folder = getenv("KEEL_TEST_MACHINE");
    char other[PATH_MAX];
    va_list arguments;

    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (folder != NULL && strncmp(path, system_folder, sizeof system_folder - 1) == 0) {
        note(next, folder, path);
        snprintf(other, sizeof other, "%s/%s", folder, path + sizeof system_folder - 1);
        return next(other, flags, mode);
    }
    return next(path, flags, mode);
}
