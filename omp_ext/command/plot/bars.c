/* One column is gathered at a time. */
#include "omp_ext/command/plot/bars.h"

#include <math.h>

struct column {
    double number; /* -1: none */
    double work_ns, wait_ns;
    uint32_t name; /* of most of the work, by a majority vote with times for votes */
    double votes_ns;
};

struct gathering {
    const struct keel_extract *extract;
    double width_ns;
    struct column column;
    void (*take)(void *context, const struct keel_bar *bar);
    void *context;
};

/* Work and waits overlap where regions stand within regions. */
static void flush(struct gathering *gathering)
{
    const struct column *column = &gathering->column;
    double work = fmin(1, column->work_ns / gathering->width_ns);
    double wait = fmin(1 - work, column->wait_ns / gathering->width_ns);

    if (column->number >= 0 && (work > 0 || wait > 0)) {
        double from_ns = (double)gathering->extract->from_ns + column->number * gathering->width_ns;
        gathering->take(gathering->context,
                        &(struct keel_bar){.from_ns = from_ns,
                                           .to_ns = from_ns + gathering->width_ns,
                                           .work = work,
                                           .wait = wait,
                                           .name = column->name});
    }
    gathering->column = (struct column){.number = -1};
}

static void vote(struct column *column, uint32_t name, double time_ns)
{
    if (column->name == name) {
        column->votes_ns += time_ns;
    } else if (column->votes_ns >= time_ns) {
        column->votes_ns -= time_ns;
    } else {
        column->votes_ns = time_ns - column->votes_ns;
        column->name = name;
    }
}

static void gather(struct gathering *gathering, const struct keel_span *span, double number,
                   double time_ns)
{
    struct column *column = &gathering->column;

    if (number != column->number) {
        flush(gathering);
        column->number = number;
    }
    if (span->kind == KEEL_SPAN_WAIT) {
        column->wait_ns += time_ns;
    } else {
        column->work_ns += time_ns;
        vote(column, span->name, time_ns);
    }
}

/* A short span stands in up to three columns. */
static void gather_all(struct gathering *gathering, const struct keel_span *span, double start_ns,
                       double end_ns)
{
    double from = start_ns / gathering->width_ns, to = end_ns / gathering->width_ns;

    for (double number = floor(from); number <= to; number++) {
        double part = fmin(to, number + 1) - fmax(from, number);
        gather(gathering, span, number, part * gathering->width_ns);
    }
}

static void take_span(struct gathering *gathering, const struct keel_span *span)
{
    const struct keel_extract *extract = gathering->extract;
    double start_ns = fmax((double)span->start_ns, (double)extract->from_ns);
    double end_ns = fmin((double)(span->start_ns + span->length_ns), (double)extract->to_ns);
    double time_ns = fmax(end_ns - start_ns, 0);

    if (time_ns < 2 * gathering->width_ns) {
        double from_ns = (double)extract->from_ns;
        gather_all(gathering, span, start_ns - from_ns, start_ns - from_ns + time_ns);
        return;
    }
    flush(gathering);
    bool wait = span->kind == KEEL_SPAN_WAIT;
    gathering->take(gathering->context, &(struct keel_bar){.from_ns = start_ns,
                                                           .to_ns = end_ns,
                                                           .work = wait ? 0 : 1,
                                                           .wait = wait ? 1 : 0,
                                                           .name = span->name,
                                                           .exact = true});
}

void keel_bars_of(const struct keel_extract *extract, const struct keel_trace_data_lane *lane,
                  unsigned columns, void (*take)(void *context, const struct keel_bar *bar),
                  void *context)
{
    struct gathering gathering = {
        .extract = extract,
        .width_ns = (double)(extract->to_ns - extract->from_ns) / columns,
        .column = {.number = -1},
        .take = take,
        .context = context,
    };

    for (size_t i = 0; i < lane->spans; i++) {
        const struct keel_span *span = &extract->data->span[lane->first_span + i];
        if ((span->work || span->kind == KEEL_SPAN_WAIT) && keel_extract_has(extract, span)) {
            take_span(&gathering, span);
        }
    }
    flush(&gathering);
}
