/* Bringing documents together. */
#include "omp_ext/report/files/collection.h"

#include <stdlib.h>

#include "omp_ext/report/report_job.h"

bool keel_report_collection_add(struct keel_report_collection *collection,
                                const struct keel_report_document *document)
{
    struct keel_report_document *longer =
        realloc(collection->document, (collection->count + 1) * sizeof *longer);

    if (longer == NULL) {
        return false;
    }
    collection->document = longer;
    longer[collection->count++] = *document;
    return true;
}

const struct keel_report_process **
keel_report_collection_processes(const struct keel_report_collection *collection, size_t *count)
{
    size_t all = 0;

    for (size_t i = 0; i < collection->count; i++) {
        all += collection->document[i].report.process_count;
    }
    const struct keel_report_process **process = calloc(all + 1, sizeof(void *));
    *count = 0;
    for (size_t i = 0; process != NULL && i < collection->count; i++) {
        const struct keel_report *report = &collection->document[i].report;
        for (size_t j = 0; j < report->process_count; j++) {
            process[(*count)++] = &report->process[j];
        }
    }
    if (process != NULL) {
        keel_report_job_sort(process, *count);
    }
    return process;
}

void keel_report_collection_free(struct keel_report_collection *collection)
{
    for (size_t i = 0; i < collection->count; i++) {
        keel_report_document_free(&collection->document[i]);
    }
    free(collection->document);
    *collection = (struct keel_report_collection){0, NULL};
}
