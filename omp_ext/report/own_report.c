/* Names the file of the process's report, and passes the report to libkeel_report.so. */
#include "omp_ext/report/own_report.h"

#include <limits.h>
#include <string.h>

#include "omp_ext/support/message.h"
#include "omp_ext/support/sibling_library.h"
#include "omp_ext/support/trace_file.h"

/* --- the file's name --- */

bool keel_report_file_path(const char *name, char *path)
{
    bool fits = keel_trace_file_name(name, path) && keel_trace_file_absolute(path) &&
                strlen(path) < PATH_MAX - KEEL_REPORT_ENDING_MAX;

    if (!fits) {
        keel_message("KEEL_REPORT: '%.200s...' is too long; the report goes to standard error",
                     name);
    }
    return fits;
}

/* --- writing --- */

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
