/* The name of a report's file. */
#include "omp_ext/report/file_name.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* With the number of the process for each %p; false: it does not fit. */
static bool expand(const char *name, char *path, size_t size)
{
    size_t length = 0;

    for (; *name != '\0' && length + 24 < size; name++) {
        if (name[0] == '%' && name[1] == 'p') {
            length += (size_t)sprintf(path + length, "%ld", (long)getpid());
            name++;
        } else {
            path[length++] = *name;
        }
    }
    path[length] = '\0';
    return *name == '\0';
}

static bool make_absolute(char *path)
{
    char folder[PATH_MAX], name[PATH_MAX];

    if (path[0] == '/' || getcwd(folder, sizeof folder) == NULL) {
        return path[0] == '/';
    }
    snprintf(name, sizeof name, "%s", path);
    return snprintf(path, PATH_MAX - KEEL_REPORT_ENDING_MAX, "%s/%s", folder, name) <
           PATH_MAX - KEEL_REPORT_ENDING_MAX;
}

bool keel_report_file_path(const char *name, char *path)
{
    return expand(name, path, PATH_MAX - KEEL_REPORT_ENDING_MAX) && make_absolute(path);
}
