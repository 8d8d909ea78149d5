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

/* A process by its recording, and the same with suggestions. */
struct keel_recorded {
    struct keel_report_process *figures;
    struct keel_report_suggestions suggestions;
};

static bool add_recording(struct keel_gathered *gathered, const char *path)
{
    struct keel_recorded *longer =
        realloc(gathered->recorded, (gathered->recorded_count + 1) * sizeof *longer);

    if (longer == NULL) {
        return refuse(path, "can't be read: memory is short");
    }
    gathered->recorded = longer;
    errno = 0;
    struct keel_report_process *figures =
        keel_recording_figures_of_file(path, KEEL_RECORDING_CLAIM_S);
    if (figures == NULL) {
        return refuse(path, errno == ENOMEM ? "can't be read: memory is short"
                                            : "is a damaged recording");
    }
    longer[gathered->recorded_count++] =
        (struct keel_recorded){figures, keel_report_suggestions_for(figures)};
    return true;
}

static bool add_report(struct keel_gathered *gathered, const char *path)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];
    bool missing;

    if (!keel_report_file_read(path, &document, &missing, reason)) {
        return refuse(path, reason);
    }
    if (!keel_report_collection_add(&gathered->reports, &document)) {
        keel_report_document_free(&document);
        return refuse(path, "can't be read: memory is short");
    }
    return true;
}

bool keel_gather_file(struct keel_gathered *gathered, const char *path)
{
    return is_recording(path) ? add_recording(gathered, path) : add_report(gathered, path);
}

/* --- folders --- */

/* What is being written is none. A recording is there where no report could be written, or the
 * process became another program by exec(). */
static void gather_one(const char *path, const char *name, void *gathered)
{
    struct stat status;

    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        keel_gather_folder(gathered, path); /* parts of ranks that do not run this command */
    } else if (strstr(name, ".new-") == NULL) {
        keel_gather_file(gathered, path);
    }
}

/* A recording does not name the job: it is that of the other ranks. */
static void name_job(struct keel_report_process *process, const struct keel_gathered *gathered)
{
    for (size_t i = 0; i < gathered->reports.count && process->ranks > 1; i++) {
        const struct keel_report *report = &gathered->reports.document[i].report;
        for (size_t j = 0; j < report->process_count; j++) {
            if (report->process[j].ranks == process->ranks) {
                process->job = report->process[j].job;
            }
        }
    }
}

void keel_gather_folder(struct keel_gathered *gathered, const char *folder)
{
    keel_report_folder_each(folder, gather_one, gathered);
}

/* --- writing --- */

bool keel_gathered_any(const struct keel_gathered *gathered)
{
    return gathered->reports.count + gathered->recorded_count > 0;
}

/* All processes, to be freed; NULL: memory is short. */
static const struct keel_report_process **all_of(const struct keel_gathered *gathered,
                                                 size_t *count)
{
    size_t reported;
    const struct keel_report_process **process =
        keel_report_collection_processes(&gathered->reports, &reported);
    const struct keel_report_process **all =
        process != NULL ? calloc(reported + gathered->recorded_count + 1, sizeof *all) : NULL;

    *count = 0;
    for (size_t i = 0; all != NULL && i < reported; i++) {
        all[(*count)++] = process[i];
    }
    for (size_t i = 0; all != NULL && i < gathered->recorded_count; i++) {
        struct keel_report_process *recorded = &gathered->recorded[i].suggestions.process;
        name_job(recorded, gathered);
        all[(*count)++] = recorded;
    }
    free(process);
    if (all != NULL) {
        keel_report_job_sort(all, *count);
    }
    return all;
}

bool keel_gathered_write(const struct keel_gathered *gathered,
                         const struct keel_report_request *request, bool shown)
{
    const char *file = request->output != NULL ? request->output : shown ? "/dev/stdout" : NULL;
    size_t count;
    const struct keel_report_process **process = all_of(gathered, &count);
    int error = process != NULL
                    ? keel_report_output(process, count, file, request->json, request->text)
                    : ENOMEM;

    free(process);
    if (error != 0) {
        keel_message("'%.200s' cannot be written: %s", file != NULL ? file : "standard error",
                     keel_trace_file_reason(error));
    }
    return error == 0;
}

void keel_gathered_free(struct keel_gathered *gathered)
{
    for (size_t i = 0; i < gathered->recorded_count; i++) {
        keel_report_suggestions_free(&gathered->recorded[i].suggestions);
        keel_recording_figures_free(gathered->recorded[i].figures);
    }
    free(gathered->recorded);
    keel_report_collection_free(&gathered->reports);
    *gathered = (struct keel_gathered){.recorded = NULL};
}
