/* Suggestions in the figures of this process. */
#include "omp_ext/explain/advised.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/explain/learned.h"
#include "omp_ext/report/advice.h"

/* One loop's. */
struct advised_loop {
    struct keel_explained_loop explained;
    struct keel_learned_figures learned;
    char suggestion[KEEL_ADVICE_TEXT_MAX];
};

struct keel_advised {
    struct keel_report_loop *loop; /* process->loop */
    size_t count;
    struct advised_loop *advised[];
};

static struct advised_loop *advise(const struct keel_report_loop *loop, bool holds_loops)
{
    struct advised_loop *advised = malloc(sizeof *advised);

    if (advised == NULL) {
        return NULL;
    }
    keel_explained_loop_begin(&advised->explained, loop);
    keel_learned_fill_in(&advised->explained, &advised->learned);
    struct keel_advice advice = keel_report_advice_of(&advised->explained.figures, holds_loops);
    keel_advice_write(&advice, advised->suggestion);
    advised->explained.figures.suggestion = advised->suggestion;
    advised->explained.figures.gain_s = advice.gain_s;
    return advised;
}

struct keel_advised *keel_advise_process(struct keel_report_process *process)
{
    size_t count = process->loop_count;
    struct keel_report_loop *loop = calloc(count + 1, sizeof *loop);
    struct keel_advised *all = calloc(1, sizeof *all + count * sizeof all->advised[0]);

    if (loop == NULL || all == NULL) {
        free(loop);
        free(all);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        loop[i] = process->loop[i];
        all->advised[i] = advise(&loop[i], keel_report_holds_loops(process, i));
        if (all->advised[i] != NULL) {
            loop[i] = all->advised[i]->explained.figures;
        }
    }
    all->loop = loop;
    all->count = count;
    process->loop = loop;
    return all;
}

void keel_advised_free(struct keel_advised *advised)
{
    for (size_t i = 0; advised != NULL && i < advised->count; i++) {
        if (advised->advised[i] != NULL) {
            free(advised->advised[i]->explained.thread);
            free(advised->advised[i]);
        }
    }
    if (advised != NULL) {
        free(advised->loop);
        free(advised);
    }
}
