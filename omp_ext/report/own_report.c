/* What a process does that has a report: names its file, and hands it over. */
#include "omp_ext/report/own_report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/support/message.h"
#include "omp_ext/support/message_handler.h"
#include "omp_ext/support/sibling_library.h"
#include "omp_ext/support/trace_file.h"

/* --- its name --- */

static bool make_absolute(char *path)
{
    char *folder = path[0] != '/' ? getcwd(NULL, 0) : NULL;

    if (folder == NULL) {
        return path[0] == '/';
    }
    size_t before = strlen(folder), length = strlen(path);
    bool fits = before + 1 + length < PATH_MAX - KEEL_REPORT_ENDING_MAX;
    if (fits) {
        memmove(path + before + 1, path, length + 1);
        memcpy(path, folder, before);
        path[before] = '/';
    }
    free(folder);
    return fits;
}

bool keel_report_file_path(const char *name, char *path)
{
    bool fits = keel_trace_file_name(name, path) &&
                strlen(path) < PATH_MAX - KEEL_REPORT_ENDING_MAX && make_absolute(path);

    if (!fits) {
        keel_message("KEEL_REPORT: '%.200s...' is too long; the report goes to standard error",
                     name);
    }
    return fits;
}

/* --- its writing --- */

typedef typeof(keel_report_write) writer;

bool keel_report_hand_over(const struct keel_report_process *process, const char *file)
{
    static struct keel_sibling_library library = {
        .library = "libkeel_report.so",
        .name = "keel_report_write",
        .purpose = "KEEL_REPORT",
        .instead = "there is no report",
    };
    writer *write = keel_sibling_library_ready(&library) ? (writer *)library.symbol : NULL;

    return write != NULL && write(process, file, keel_message_handled) == 0;
}
