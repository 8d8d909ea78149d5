/* Gathering reports and recordings: from files, and from the folder where a job's processes leave
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "omp_ext/command/report/gather_reports.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/recorder/recording_reader.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/files/report_file.h"
#include "omp_ext/report/report_advice.h"
#include "omp_ext/report/report_job.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

/* --- files --- */

static bool refuse(const char *path, const char *reason)
{
    keel_message("'%.200s' %s; it is left out", path, reason);
    return false;
}

/* As the process itself would have completed it. */
static bool read_recording(struct keel_report_document *reports, const char *bytes, size_t length,
                           char *reason)
{
    struct keel_report_process *process = keel_recording_figures(bytes, length, reports);

    if (process == NULL) {
        snprintf(reason, KEEL_REPORT_REASON_MAX, "%s",
                 reports->short_of_memory ? "can't be read: memory is short"
                                          : "is a damaged recording");
        return false;
    }
    keel_report_complete(reports, process);
    return true;
}

bool keel_gather_file(struct keel_report_document *reports, const char *path)
{
    static const char magic[] = KEEL_RECORDING_MAGIC;
    char reason[KEEL_REPORT_REASON_MAX];
    size_t length;
    char *bytes = keel_report_file_contents(path, &length, reason);
    bool good = bytes != NULL;

    if (good && length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0) {
        good = read_recording(reports, bytes, length, reason);
    } else if (good) {
        good = keel_report_read(bytes, length, reports, reason);
    }
    free(bytes);
    return good || refuse(path, reason);
}

/* --- folders --- */

/* What is being written is none. A recording is there where no report could be written, or the
 * process became another program by exec(). */
static void gather_one(const char *path, const char *name, void *reports)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        keel_gather_folder(reports, path); /* parts of ranks that do not run this command */
    } else if (strstr(name, ".new-") == NULL) {
        keel_gather_file(reports, path);
    }
}

void keel_gather_folder(struct keel_report_document *reports, const char *folder)
{
    keel_report_folder_each(folder, gather_one, reports);
}

/* --- writing --- */

bool keel_gathered_write(struct keel_report_document *reports,
                         const struct keel_report_request *request, bool shown)
{
    const char *file = request->output != NULL ? request->output : shown ? "/dev/stdout" : NULL;

    keel_report_job_sort(reports->process, reports->count);
    int error =
        keel_report_output(reports->process, reports->count, file, request->json, request->text);
    if (error != 0) {
        keel_message("'%.200s' cannot be written: %s", file != NULL ? file : "standard error",
                     keel_trace_file_reason(error));
    }
    return error == 0;
}
