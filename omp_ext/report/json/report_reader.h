/* Figures from JSON: reports, also those that someone else wrote or damaged. */
#ifndef OMP_EXT_REPORT_JSON_REPORT_READER_H
#define OMP_EXT_REPORT_JSON_REPORT_READER_H

#include <stddef.h>

#include "omp_ext/report/report_figures.h"

#define KEEL_REPORT_REASON_MAX 192

/* What was read; `report` lasts as long as it. */
struct keel_report_document {
    struct keel_report report;
    void *root;   /* of the JSON text: names are its */
    void *blocks; /* of memory that the figures stand in */
};

/* Reads the first `length` bytes of `text`. Members that are not known are left out, those that are
 * missing are 0, "" or empty. False: it is no report, is newer than this Keel, or says what can't
 * be: `reason`, KEEL_REPORT_REASON_MAX bytes, names what and where, to be put behind the name of a
 * file, and there is nothing to free. What is read is within bounds: regions are loops of the
 * process, ranks are below `ranks`, times are finite and not negative. Any thread. */
bool keel_report_document_read(const char *text, size_t length,
                               struct keel_report_document *document, char *reason);

void keel_report_document_free(struct keel_report_document *document);

#endif
