/* The processes of a report, and all memory that their figures stand in.
 *
 *   recordings (recording_reader.c), JSON texts (report_json.h), sites (live_report.c)
 *     -> document -> [advice] -> text, JSON
 *
 * Plain memory; a document belongs to one thread. */
#ifndef OMP_EXT_REPORT_REPORT_DOCUMENT_H
#define OMP_EXT_REPORT_REPORT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_figures.h"

/* {0} at first. */
struct keel_report_document {
    size_t count;
    const struct keel_report_process **process; /* `count` of them */
    struct keel_report_block *blocks;
    bool short_of_memory; /* some time, there was none */
};

/* Zeroed memory that is freed with the document; NULL: there is none. */
void *keel_report_memory(struct keel_report_document *document, size_t count, size_t size);

/* A copy of the first `length` bytes of `text`; "": there is no memory. */
const char *keel_report_copy(struct keel_report_document *document, const char *text,
                             size_t length);

/* Adds a process, which is zeroed; NULL: there is no memory. */
struct keel_report_process *keel_report_add_process(struct keel_report_document *document);

void keel_report_document_free(struct keel_report_document *document);

#endif
