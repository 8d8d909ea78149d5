/* Several documents of one report: the processes of all of them.
 *
 *   files -> [add] -> documents -> [processes] -> text, JSON
 */
#ifndef OMP_EXT_REPORT_FILES_COLLECTION_H
#define OMP_EXT_REPORT_FILES_COLLECTION_H

#include "omp_ext/report/json/report_reader.h"

struct keel_report_collection {
    size_t count;
    struct keel_report_document *document;
};

/* Takes over the document. False: memory is short; the document is the caller's still. */
bool keel_report_collection_add(struct keel_report_collection *collection,
                                const struct keel_report_document *document);

/* All processes, sorted as by keel_report_job_sort(), in an array to be freed; they last as long as
 * the collection. NULL: memory is short. */
const struct keel_report_process **
keel_report_collection_processes(const struct keel_report_collection *collection, size_t *count);

void keel_report_collection_free(struct keel_report_collection *collection);

#endif
