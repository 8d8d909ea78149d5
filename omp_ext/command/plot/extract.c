/* Names of loops, from what people write of them. */
#include "omp_ext/command/plot/plot.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

#define LOOPS_LISTED 8

/* How well a name fits: 3: it is the place; 2: the end of its path; 1: a part of it; 0: not at
 * all. */
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
static double *times_of_work(const struct keel_trace_data *data)
{
    double *work_ns = calloc(data->names.count + 1, sizeof *work_ns);

    for (size_t i = 0; work_ns != NULL && i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        if (span->work && span->name != KEEL_NAME_LIST_NONE) {
            work_ns[span->name] += (double)span->length_ns + 1e-3;
        }
    }
    return work_ns;
}

/* Of the names that have work, those that fit best; of these the one with most work. */
static bool choose(struct keel_extract *extract, const double *work_ns)
{
    const struct keel_trace_data *data = extract->data;
    unsigned best = 1;

    extract->loop = KEEL_NAME_LIST_NONE;
    for (uint32_t i = 0; i < data->names.count; i++) {
        unsigned own = extract->place == NULL ? 1 : fit(data->names.name[i], extract->place);
        if (work_ns[i] > 0 && own >= best &&
            (own > best || extract->loop == KEEL_NAME_LIST_NONE ||
             work_ns[i] > work_ns[extract->loop])) {
            best = own;
            extract->loop = i;
        }
    }
    return extract->loop != KEEL_NAME_LIST_NONE;
}

/* The loops that there are. */
static void say_not_found(const struct keel_extract *extract, const double *work_ns)
{
    char text[1024] = "none";
    size_t length = 0, count = 0;

    for (uint32_t i = 0; i < extract->data->names.count; i++) {
        if (work_ns[i] > 0 && count++ < LOOPS_LISTED) {
            length = keel_text_append(text, sizeof text, length, "%s%.100s", length > 0 ? ", " : "",
                                      extract->data->names.name[i]);
        }
    }
    if (count > LOOPS_LISTED) {
        keel_text_append(text, sizeof text, length, " and %zu more", count - LOOPS_LISTED);
    }
    keel_message("no loop of the trace is called '%.200s'; nothing is drawn; there %s %s",
                 extract->place, count == 1 ? "is" : "are", text);
}

bool keel_extract_begin(struct keel_extract *extract)
{
    double *work_ns = times_of_work(extract->data);

    if (work_ns == NULL) {
        keel_message("there is not enough memory for a picture");
        return false;
    }
    bool found = choose(extract, work_ns);
    if (!found && extract->place != NULL) {
        say_not_found(extract, work_ns);
    } else if (!found && extract->needs_loop) {
        keel_message("the trace has no loops; nothing is drawn");
    }
    free(work_ns);
    return found || (extract->place == NULL && !extract->needs_loop);
}

bool keel_extract_is_chunk(const struct keel_extract *extract, const struct keel_span *span)
{
    return span->kind == KEEL_SPAN_CHUNK && span->name == extract->loop &&
           span->last > span->first && span->instance >= extract->first_instance &&
           span->instance <= extract->last_instance && span->start_ns < extract->to_ns &&
           span->start_ns + span->length_ns >= extract->from_ns;
}

void keel_extract_say_empty(const struct keel_extract *extract)
{
    keel_message("no chunks of '%.200s' are in that part of the trace; nothing is drawn",
                 keel_trace_data_text(extract->data, extract->loop));
}
