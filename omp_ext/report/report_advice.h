/* What to do about the loops of a report, by their figures alone.
 *
 *   figures -> [advice] -> schedules/forecast/advice.h -> the same figures with `suggestion` and
 *     `gain_s` -> text, JSON
 *
 * Pure; any thread. */
#ifndef OMP_EXT_REPORT_REPORT_ADVICE_H
#define OMP_EXT_REPORT_REPORT_ADVICE_H

#include "omp_ext/report/report_figures.h"
#include "schedules/forecast/advice_text.h"

/* As the recorder writes the schedules of loops that the compiler divides, and of those whose
 * iterations the ranks of a job share. */
#define KEEL_REPORT_BY_THE_COMPILER "static by the compiler"
#define KEEL_REPORT_BY_RANKS "shared by ranks"

/* Whether what stands in loop `index` of the process, a region, is listed by itself. */
bool keel_report_holds_loops(const struct keel_report_process *process, size_t index);

/* The schedule in force, with the parameters that were measured; libgomp's own as that of Keel with
 * the same chunks, or nearly. False: it is not known, several were, or its chunks are not those of
 * single iterations. */
bool keel_report_schedule_of(const struct keel_report_loop *loop, struct keel_spec *spec);

/* The advice on a loop. Takes up to some ms where costs are known along the loop, as schedules are
 * forecast; else nothing to speak of. */
struct keel_advice keel_report_advice_of(const struct keel_report_loop *loop, bool holds_loops);

/* --- in words, where nobody has said it before --- */

struct keel_report_suggestions {
    struct keel_report_process
        process; /* with suggestions; else what was given, which has to stay */
    void *memory;
};

/* Loops that have no suggestion get one by that, if there is anything to say. Where
 * memory is short, none does. */
struct keel_report_suggestions
keel_report_suggestions_for(const struct keel_report_process *process);

void keel_report_suggestions_free(struct keel_report_suggestions *suggestions);

#endif
