/* A report as people read it: plain ASCII, at most 100 columns.
 *
 *   processes -> jobs -> head, efficiencies, loops, ranks, shared loops, rows, notes
 */
#ifndef OMP_EXT_REPORT_TEXT_REPORT_TEXT_H
#define OMP_EXT_REPORT_TEXT_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "omp_ext/report/report_figures.h"

struct keel_report_text_options {
    bool all;     /* loops, ranks and decisions that matter little, too */
    uint64_t top; /* at most so many loops; 0: no limit */
    int signal;   /* what ended processes that are not complete; 0: not known */
    bool node;    /* the ranks are those of one node, others print theirs: none is called missing */
};

/* The text, to be freed; NULL: memory is short. The processes are sorted as by
 * keel_report_job_sort(). Any thread. */
char *keel_report_text(const struct keel_report_process *const *process, size_t count,
                       struct keel_report_text_options options, size_t *length);

#endif
