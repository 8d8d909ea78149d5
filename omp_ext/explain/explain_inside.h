/* What KEEL_EXPLAIN is made of: what sites know of loops, and lines of messages. */
#ifndef OMP_EXT_EXPLAIN_EXPLAIN_INSIDE_H
#define OMP_EXT_EXPLAIN_EXPLAIN_INSIDE_H

#include "omp_ext/report/report_figures.h"
#include "omp_ext/site/auto_candidates.h"
#include "omp_ext/site/site_record.h"

/* --- what sites have measured --- */

struct keel_learned;

/* Fills in `measured` of the loops of a process whose figures keel_recording_figures() has made,
 * and in terms of that, what their chunks have cost. What is filled in lasts until what is returned
 * is freed. NULL: memory is short, and the figures are as they were. Takes keel_slow_lock. */
struct keel_learned *keel_learned_fill_in(struct keel_report_process *process);

void keel_learned_free(struct keel_learned *learned);

/* Prints what is known of a loop. Returns whether `auto` has compared schedules there. Takes
 * keel_slow_lock. */
bool keel_learned_print(const struct keel_report_loop *loop);

/* Prints what `auto` chose, what it compared that with, and whether it came true. Call with the
 * record's lock held. */
void keel_explain_choice(const struct keel_candidates *candidates,
                         const struct keel_record *record);

/* --- lines of messages --- */

/* {0} at first. What has no room is cut. */
struct keel_explain_line {
    char text[1600];
    size_t length;
};

/* Appends as snprintf does, in the C locale. */
__attribute__((format(printf, 2, 3))) void keel_explain_append(struct keel_explain_line *line,
                                                               const char *format, ...);

/* Appends a time in the unit that suits it. */
void keel_explain_append_time(struct keel_explain_line *line, double ns);

/* Hands the text to keel_message(), broken at blanks into lines of at most 100 columns; what
 * follows the first one is indented by four columns. */
void keel_explain_print(const struct keel_explain_line *line);

#endif
