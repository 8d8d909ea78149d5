/* A trace as the page of `keel view` reads it (page/trace.js): names as JSON, all else as numbers
 * in base64.
 *
 *   trace data -> [page data] -> page */
#ifndef OMP_EXT_COMMAND_VIEW_PAGE_DATA_H
#define OMP_EXT_COMMAND_VIEW_PAGE_DATA_H

#include <stdbool.h>
#include <stdio.h>

#include "omp_ext/command/trace/trace_data.h"

/* Writes it as two elements of a page. Whatever the names are, they neither end an element nor
 * begin one. False: there is no memory; failures of the stream are left to it. */
bool keel_page_data_write(const struct keel_trace_data *data, const char *title, FILE *stream);

#endif
