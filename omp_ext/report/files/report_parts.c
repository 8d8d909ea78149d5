/* Parts, and who merges them. */
#define _GNU_SOURCE
#include "omp_ext/report/files/report_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/report/files/collection.h"
#include "omp_ext/report/files/report_file.h"
#include "omp_ext/report/files/folder.h"
#include "omp_ext/report/json/report_writer.h"

static int write_part(const struct keel_report_process *process, const char *path)
{
    size_t length;
    char *text = keel_report_json(&process, 1, &length);
    int error = text != NULL ? keel_report_file_write(path, text, length) : ENOMEM;

    free(text);
    return error;
}

static int output(const struct keel_report_collection *parts, const char *file, bool of_node)
{
    size_t count;
    const struct keel_report_process **process = keel_report_collection_processes(parts, &count);
    struct keel_report_text_options options = {.node = of_node};
    int error = process != NULL ? keel_report_output(process, count, file, false, options) : ENOMEM;

    free(process);
    return error;
}

static void take_part(const char *path, const char *name, void *context)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];

    (void)name;
    if (keel_report_file_read(path, &document, reason) &&
        !keel_report_collection_add(context, &document)) {
        keel_report_document_free(&document);
    }
}

/* Only one rank gets the folder away from the others. What cannot be written leaves the parts. */
static int merge(const char *folder, const char *file, bool of_node)
{
    struct keel_report_collection parts = {0, NULL};
    char *claimed = keel_report_folder_claim(folder);
    int error = 0;

    if (claimed != NULL) {
        keel_report_folder_each(claimed, take_part, &parts);
        error = output(&parts, file, of_node);
        if (error == 0 || rename(claimed, folder) != 0) {
            keel_report_folder_remove(claimed);
        }
    }
    keel_report_collection_free(&parts);
    free(claimed);
    return error;
}

int keel_report_parts(const struct keel_report_process *process, const char *folder,
                      unsigned expected, const char *file, bool of_node)
{
    int error = keel_report_folder_make(folder);
    char *name = NULL;

    if (error == 0 && asprintf(&name, "%s/%d.json", folder, process->rank) < 0) {
        name = NULL;
        error = ENOMEM;
    }
    error = error == 0 ? write_part(process, name) : error;
    free(name);
    if (error == 0 && keel_report_folder_count(folder, ".json") >= expected) {
        error = merge(folder, file, of_node);
    }
    return error;
}
