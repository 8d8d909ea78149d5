/* What the page of `keel view` is made of.
 *
 *   page/ by embed.pl, trace data -> page */
#ifndef OMP_EXT_COMMAND_VIEW_VIEW_H
#define OMP_EXT_COMMAND_VIEW_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "omp_ext/command/trace/trace.h"

/* --- page text --- */

/* The page of `keel view` around the data of a trace, made of page/ by embed.pl. */

extern const char keel_page_before[], keel_page_after[];
extern const size_t keel_page_before_length, keel_page_after_length; /* without the 0 at the end */

/* --- page data --- */

/* A trace as the page of `keel view` reads it (page/trace.js): names as JSON, all else as numbers
 * in base64.
 *
 *   trace data -> [page data] -> page */

/* Writes it as two elements of a page. Whatever the names are, they neither end an element nor
 * begin one. False: there is no memory; failures of the stream are left to it. */
bool keel_page_data_write(const struct keel_trace_data *data, const char *title, FILE *stream);

#endif
