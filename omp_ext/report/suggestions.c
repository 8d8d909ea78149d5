/* Suggestions for loops. */
#include "omp_ext/report/suggestions.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_advice.h"
#include "schedules/forecast/advice_text.h"
#include "schedules/text/number.h"

static void suggest(const struct keel_report_process *process, size_t index,
                    struct keel_report_loop *loop, char *text)
{
    if (loop->suggestion != NULL && loop->suggestion[0] != '\0') {
        return;
    }
    struct keel_advice advice =
        keel_report_advice_of(loop, keel_report_holds_loops(process, index));
    keel_advice_write(&advice, text);
    loop->suggestion = text;
    loop->gain_s = advice.gain_s;
}

struct keel_report_suggestions
keel_report_suggestions_for(const struct keel_report_process *process)
{
    struct keel_report_suggestions result = {.process = *process};
    const size_t count = process->loop_count;
    struct keel_report_loop *loop =
        calloc(count + 1, sizeof *loop + KEEL_ADVICE_TEXT_MAX); /* texts behind the loops */
    char *text = (char *)(loop + count);

    if (loop == NULL) {
        return result;
    }
    locale_t previous = keel_c_locale_enter();
    for (size_t i = 0; i < count; i++) {
        loop[i] = process->loop[i];
        suggest(process, i, &loop[i], text + i * KEEL_ADVICE_TEXT_MAX);
    }
    keel_c_locale_leave(previous);
    result.process.loop = loop;
    result.memory = loop;
    return result;
}

void keel_report_suggestions_free(struct keel_report_suggestions *suggestions)
{
    free(suggestions->memory);
    *suggestions = (struct keel_report_suggestions){.memory = NULL};
}
