/* Gathering reports. */
#include "omp_ext/command/report/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/files/file.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/files/output.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/trace_file.h"

bool keel_gather_file(struct keel_report_collection *collection, const char *path)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];
    bool missing;

    if (!keel_report_file_read(path, &document, &missing, reason)) {
        keel_message("'%.200s' %s; it is left out", path, reason);
        return false;
    }
    if (!keel_report_collection_add(collection, &document)) {
        keel_report_document_free(&document);
        keel_message("'%.200s' can't be read: %s; it is left out", path, strerror(ENOMEM));
        return false;
    }
    return true;
}

static void gather_one(const char *path, const char *name, void *collection)
{
    if (keel_report_output_is_json(name)) {
        keel_gather_file(collection, path);
    }
}

void keel_gather_folder(struct keel_report_collection *collection, const char *folder)
{
    keel_report_folder_each(folder, gather_one, collection);
}

bool keel_gather_write(const struct keel_report_collection *collection,
                       const struct keel_report_request *request, bool shown)
{
    const char *file = request->output != NULL ? request->output : shown ? "/dev/stdout" : NULL;
    size_t count;
    const struct keel_report_process **process =
        keel_report_collection_processes(collection, &count);
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
