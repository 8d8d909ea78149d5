/* The name of a report's file. */
#include "omp_ext/report/file_name.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/trace_file.h"

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
    return keel_trace_file_name(name, path) && strlen(path) < PATH_MAX - KEEL_REPORT_ENDING_MAX &&
           make_absolute(path);
}
