/* Where the report of a process goes. */
#define _GNU_SOURCE
#include "omp_ext/report/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/files/report_file.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/files/report_parts.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

#define EXPORT __attribute__((visibility("default")))

static int write_whole(const struct keel_report_process *process, const char *file)
{
    return keel_report_output(&process, 1, file, false, (struct keel_report_text_options){0});
}

static int write_rank(const struct keel_report_process *process, const char *file)
{
    bool of_node = file == NULL || !keel_report_file_is_plain(file);
    unsigned local = keel_launch_local_ranks(keel_environment_value);

    if (of_node && (local <= 1 || process->job[0] == '\0')) {
        return write_whole(process, file);
    }
    char *folder = keel_report_folder_of_job(of_node ? NULL : file, of_node ? "report" : "parts",
                                             process->job, process->host);
    int error = folder != NULL
                    ? keel_report_parts(process, folder, of_node ? local : (unsigned)process->ranks,
                                        file, of_node)
                    : ENOMEM;
    free(folder);
    return error;
}

EXPORT int keel_report_write(const struct keel_report_process *process, const char *file)
{
    struct keel_report_process named = *process;
    char job[KEEL_LAUNCH_JOB_MAX];

    keel_launch_job(keel_environment_value, job);
    if (named.job == NULL || named.job[0] == '\0') {
        named.job = job;
    }
    int error = named.ranks > 1 ? write_rank(&named, file) : write_whole(&named, file);
    if (error != 0) {
        keel_message("KEEL_REPORT: '%.300s' cannot be written: %s; there is no report%s",
                     file != NULL ? file : "standard error", keel_trace_file_reason(error),
                     named.ranks > 1 ? " of this rank" : "");
    }
    return error;
}
