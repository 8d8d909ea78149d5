/* Gathering reports and recordings: from files, and from the folder where a job's processes leave
 * them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/command/report/gather_reports.h"
#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/recorder/recording_reader.h"
#include "omp_ext/report/files/report_file.h"
#include "omp_ext/report/json/report_writer.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/report_job.h"
#include "omp_ext/report/report_advice.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

/* --- files --- */

static bool refuse(const char *path, const char *reason)
{
    keel_message("'%.200s' %s; it is left out", path, reason);
    return false;
}

static bool is_recording(const char *path)
{
    char magic[sizeof KEEL_RECORDING_MAGIC];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    ssize_t got = file >= 0 ? read(file, magic, sizeof magic) : 0;

    if (file >= 0) {
        close(file);
    }
    return got == sizeof magic && memcmp(magic, KEEL_RECORDING_MAGIC, sizeof magic) == 0;
}

static bool add(struct keel_report_collection *reports, const char *path,
                struct keel_report_document *document)
{
    return keel_report_collection_add(reports, document) ||
           refuse(path, "can't be read: memory is short");
}

/* As the report that the process would have written, with suggestions. */
static bool add_recording(struct keel_report_collection *reports, const char *path)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];
    size_t length;
    struct keel_report_process *figures =
        keel_recording_figures_of_file(path, KEEL_RECORDING_CLAIM_S);

    if (figures == NULL) {
        return refuse(path, "is a damaged recording");
    }
    struct keel_report_suggestions suggestions = keel_report_suggestions_for(figures);
    const struct keel_report_process *process = &suggestions.process;
    char *text = keel_report_json(&process, 1, &length);
    bool good = text != NULL && keel_report_document_read(text, length, &document, reason);
    return good ? add(reports, path, &document) : refuse(path, reason);
}

static bool add_report(struct keel_report_collection *reports, const char *path)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];

    return keel_report_file_read(path, &document, reason) ? add(reports, path, &document)
                                                          : refuse(path, reason);
}

bool keel_gather_file(struct keel_report_collection *reports, const char *path)
{
    return is_recording(path) ? add_recording(reports, path) : add_report(reports, path);
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

void keel_gather_folder(struct keel_report_collection *reports, const char *folder)
{
    keel_report_folder_each(folder, gather_one, reports);
}

/* --- writing --- */

/* A recording does not name the job: it is that of the other ranks. */
static void name_job(struct keel_report_process *process, const struct keel_report_process *other)
{
    if (process->job[0] == '\0' && process->ranks > 1 && process->ranks == other->ranks) {
        process->job = other->job;
    }
}

static void name_jobs(const struct keel_report_process **process, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            name_job((struct keel_report_process *)process[i], process[j]); /* in the document */
        }
    }
    keel_report_job_sort(process, count);
}

bool keel_gathered_write(const struct keel_report_collection *reports,
                         const struct keel_report_request *request, bool shown)
{
    const char *file = request->output != NULL ? request->output : shown ? "/dev/stdout" : NULL;
    size_t count;
    const struct keel_report_process **process = keel_report_collection_processes(reports, &count);
    int error = ENOMEM;

    if (process != NULL) {
        name_jobs(process, count);
        error = keel_report_output(process, count, file, request->json, request->text);
    }
    free(process);
    if (error != 0) {
        keel_message("'%.200s' cannot be written: %s", file != NULL ? file : "standard error",
                     keel_trace_file_reason(error));
    }
    return error == 0;
}
