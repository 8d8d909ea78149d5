/* What to do about the loops of a process, in words, where nobody has said it before.
 *
 *   figures -> [suggestions] -> the same figures with `suggestion` and `gain_s` -> text, JSON
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_SUGGESTIONS_H
#define OMP_EXT_REPORT_SUGGESTIONS_H

#include "omp_ext/report/report_figures.h"

struct keel_report_suggestions {
    struct keel_report_process
        process; /* with suggestions; else what was given, which has to stay */
    void *memory;
};

/* Loops that have no suggestion get one by report_advice.h, if there is anything to say. Where
 * memory is short, none does. */
struct keel_report_suggestions
keel_report_suggestions_for(const struct keel_report_process *process);

void keel_report_suggestions_free(struct keel_report_suggestions *suggestions);

#endif
