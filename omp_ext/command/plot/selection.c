/* Names of loops, from what people write of them. */
#include "omp_ext/command/plot/selection.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"

/* How well a name fits: 3: it is the place; 2: the end of its path; 1: a part of it; 0: not at all. */
static unsigned fit(const char *name, const char *place)
{
    size_t length = strlen(name), wanted = strlen(place);

    if (strcmp(name, place) == 0) {
        return 3;
    }
    if (length > wanted && strcmp(name + length - wanted, place) == 0 &&
        name[length - wanted - 1] == '/') {
        return 2;
    }
    return strstr(name, place) != NULL ? 1 : 0;
}

/* Time of work by name; NULL: there is no memory. */
static double *times_of_work(const struct keel_timeline *timeline)
{
    double *work_ns = calloc(timeline->names.count + 1, sizeof *work_ns);

    for (size_t i = 0; work_ns != NULL && i < timeline->spans; i++) {
        const struct keel_span *span = &timeline->span[i];
        if (span->work && span->name != KEEL_NAME_LIST_NONE) {
            work_ns[span->name] += (double)span->length_ns + 1e-3;
        }
    }
    return work_ns;
}

/* Of the names that work has, those that fit best. */
static bool choose(struct keel_selection *selection, const double *work_ns)
{
    const struct keel_timeline *timeline = selection->timeline;
    unsigned best = 1, found = 0;

    for (uint32_t i = 0; selection->place != NULL && i < timeline->names.count; i++) {
        unsigned own = work_ns[i] > 0 ? fit(timeline->names.name[i], selection->place) : 0;
        best = own > best ? own : best;
    }
    selection->loop = KEEL_NAME_LIST_NONE;
    for (uint32_t i = 0; i < timeline->names.count; i++) {
        selection->wanted[i] =
            work_ns[i] > 0 &&
            (selection->place == NULL || fit(timeline->names.name[i], selection->place) >= best);
        if (selection->wanted[i] && (found++ == 0 || work_ns[i] > work_ns[selection->loop])) {
            selection->loop = i;
        }
    }
    return found > 0;
}

bool keel_selection_begin(struct keel_selection *selection, const struct keel_timeline *timeline)
{
    double *work_ns = times_of_work(timeline);

    selection->timeline = timeline;
    selection->wanted = calloc(timeline->names.count + 1, sizeof *selection->wanted);
    if (work_ns == NULL || selection->wanted == NULL) {
        free(work_ns);
        keel_message("there is not enough memory for a picture");
        return false;
    }
    bool found = choose(selection, work_ns);
    free(work_ns);
    if (!found && selection->place != NULL) {
        keel_message("no loop of the trace is called '%.200s'; nothing is drawn", selection->place);
    } else if (!found) {
        keel_message("the trace has no loops; nothing is drawn");
    }
    return found;
}

static bool is_in_time(const struct keel_selection *selection, const struct keel_span *span)
{
    return span->start_ns < selection->to_ns &&
           span->start_ns + span->length_ns >= selection->from_ns;
}

static bool is_of_instances(const struct keel_selection *selection, const struct keel_span *span)
{
    return span->instance >= selection->first_instance &&
           span->instance <= selection->last_instance;
}

bool keel_selection_has(const struct keel_selection *selection, const struct keel_span *span)
{
    if (!is_in_time(selection, span)) {
        return false;
    }
    if (span->kind == KEEL_SPAN_WAIT) {
        return selection->place == NULL ||
               (span->name != KEEL_NAME_LIST_NONE && selection->wanted[span->name]);
    }
    return span->name != KEEL_NAME_LIST_NONE && selection->wanted[span->name] &&
           is_of_instances(selection, span);
}

bool keel_selection_is_chunk(const struct keel_selection *selection, const struct keel_span *span)
{
    return span->kind == KEEL_SPAN_CHUNK && span->name == selection->loop &&
           span->last > span->first && is_of_instances(selection, span) &&
           is_in_time(selection, span);
}

void keel_selection_end(struct keel_selection *selection)
{
    free(selection->wanted);
    selection->wanted = NULL;
}
