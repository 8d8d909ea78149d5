/* What sites know of loops goes into the figures of a report: numbers, and with KEEL_EXPLAIN lines.
 *
 *   sites -> [learned.c, choice.c -> explain_lines.c] -> figures (live_report.c) -> report/ */
#ifndef OMP_EXT_EXPLAIN_EXPLAIN_INSIDE_H
#define OMP_EXT_EXPLAIN_EXPLAIN_INSIDE_H

#include "omp_ext/report/report_figures.h"
#include "omp_ext/site/auto_candidates.h"
#include "omp_ext/site/site_record.h"

/* --- what sites have measured --- */

struct keel_learned;

/* Fills in `measured` of the loops of a process whose figures keel_recording_figures() has made,
 * and in terms of that, what their chunks have cost; where it is to be explained, `learned`, too.
 * What is filled in lasts until what is returned is freed. NULL: memory is short, and the figures
 * are as they were. Takes keel_slow_lock. */
struct keel_learned *keel_learned_fill_in(struct keel_report_process *process, bool explained);

void keel_learned_free(struct keel_learned *learned);

/* --- lines --- */

/* {0} at first. What has no room is cut. */
struct keel_explain_lines {
    char text[4096];
    size_t length;
};

/* Appends as snprintf does, in the C locale. */
__attribute__((format(printf, 2, 3))) void keel_explain_append(struct keel_explain_lines *lines,
                                                               const char *format, ...);

/* Appends a time in the unit that suits it. */
void keel_explain_append_time(struct keel_explain_lines *lines, double ns);

/* Appends what `auto` chose, what it compared that with, and whether it came true. Call with the
 * record's lock held. */
void keel_explain_choice(struct keel_explain_lines *lines, const struct keel_candidates *candidates,
                         const struct keel_record *record);

#endif
