/* The simulated job. */
#include "tests/schedules/balance/victim/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/balance/amounts.h"

#define RETRY_FIRST 4.
#define RETRY_MAX 64.

enum what {
    DONE, /* with an iteration */
    RETRY,
    ASK, /* messages from here on */
    LOOK,
    ANSWER, /* to ASK */
    SEEN,   /* to LOOK */
    GIFT,   /* to who asked before */
};

struct event {
    double time;
    uint64_t order; /* of events at the same time */
    enum what what;
    uint32_t to, from;
    uint64_t first, last;       /* iterations that it brings */
    uint64_t left;              /* of the sender */
    double speed;               /* of the sender; 0: not measured yet */
    enum keel_victim_keep keep; /* ASK: whether it is to be remembered */
    bool kept;                  /* ANSWER: it is */
};

struct events {
    struct event *event;
    size_t count, room;
};

struct range {
    uint64_t first, last;
};

struct worker {
    struct range *range; /* to be run from the first one on, given away from the last one's end */
    size_t ranges, range_room;
    struct events inbox; /* came in mid-iteration */
    struct event *asker; /* who asked in vain */
    size_t askers, asker_room;
    struct keel_victim_search search;
    struct keel_tree_links links;
    bool computing, waiting, fresh; /* fresh: has got iterations, and not shared them yet */
    double busy, patience;
    uint64_t done, messages;
};

struct run {
    const struct job *job;
    struct worker *worker;
    struct events heap;
    double now;
    uint64_t order, executed;
    uint8_t *times; /* that each iteration was run */
    struct job_outcome outcome;
};

/* Room for one more of `size` bytes. */
static void *with_room(void *memory, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return memory;
    }
    *room = *room > 0 ? 2 * *room : 8;
    memory = realloc(memory, *room * size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

/* --- events, as a heap --- */

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static void append(struct events *events, struct event event)
{
    events->event = with_room(events->event, events->count, &events->room, sizeof event);
    events->event[events->count++] = event;
}

static void push(struct run *run, struct event event)
{
    event.order = run->order++;
    append(&run->heap, event);
    struct event *heap = run->heap.event;
    size_t at = run->heap.count - 1;
    for (; at > 0 && is_before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = event;
}

static struct event pop(struct run *run)
{
    struct event *heap = run->heap.event, first = heap[0];
    size_t count = --run->heap.count, at = 0;
    struct event moved = heap[count];

    for (size_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && is_before(&heap[child + 1], &heap[child]);
        if (!is_before(&heap[child], &moved)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
    return first;
}

/* --- what a worker has --- */

static uint64_t left_of(const struct worker *worker)
{
    uint64_t left = 0;

    for (size_t i = 0; i < worker->ranges; i++) {
        left += worker->range[i].last - worker->range[i].first;
    }
    return left;
}

static double speed_of(const struct worker *worker)
{
    return worker->done > 0 ? (double)worker->done / worker->busy : 0;
}

static void receive(struct worker *worker, uint64_t first, uint64_t last)
{
    worker->range =
        with_room(worker->range, worker->ranges, &worker->range_room, sizeof(struct range));
    worker->range[worker->ranges++] = (struct range){first, last};
    worker->fresh = true;
    worker->waiting = false;
    worker->patience = 0;
}

static void send(struct run *run, struct worker *from, struct event event)
{
    event.time = run->now + run->job->latency;
    event.from = (uint32_t)(from - run->worker);
    event.left = left_of(from);
    event.speed = speed_of(from);
    from->messages++;
    run->outcome.migrations += event.first < event.last;
    push(run, event);
}

/* Takes what an asker is due off the end of the last range; false: nothing. */
static bool take_share(struct run *run, struct worker *giver, const struct event *asker,
                       struct event *reply)
{
    struct keel_amounts_side has = {left_of(giver), speed_of(giver)};
    struct keel_amounts_side wants = {asker->left, asker->speed};
    uint64_t amount = keel_amounts_to_transfer(&has, &wants, run->job->latency, 0);

    if (amount == 0) {
        return false;
    }
    struct range *range = &giver->range[giver->ranges - 1];
    uint64_t length = range->last - range->first;
    amount = amount < length ? amount : length;
    range->last -= amount;
    reply->first = range->last;
    reply->last = range->last + amount;
    giver->ranges -= amount == length;
    return true;
}

/* --- messages --- */

static void forget(struct worker *worker, uint32_t asker)
{
    for (size_t i = 0; i < worker->askers; i++) {
        if (worker->asker[i].from == asker) {
            worker->asker[i] = worker->asker[--worker->askers];
            return;
        }
    }
}

static bool remember(struct run *run, struct worker *worker, const struct event *asker)
{
    forget(worker, asker->from);
    if (run->job->wait != JOB_REMEMBER || asker->keep == KEEL_VICTIM_KEEP_NOT ||
        (asker->keep == KEEL_VICTIM_KEEP_IF_EMPTY && left_of(worker) > 0)) {
        return false;
    }
    worker->asker = with_room(worker->asker, worker->askers, &worker->asker_room, sizeof *asker);
    worker->asker[worker->askers++] = *asker;
    worker->asker[worker->askers - 1].left = 0;
    return true;
}

static void share_with_askers(struct run *run, struct worker *worker)
{
    size_t kept = 0;

    for (size_t i = 0; i < worker->askers; i++) {
        struct event gift = {.what = GIFT, .to = worker->asker[i].from};
        if (take_share(run, worker, &worker->asker[i], &gift)) {
            send(run, worker, gift);
        } else {
            worker->asker[kept++] = worker->asker[i];
        }
    }
    worker->askers = kept;
}

static void answer_request(struct run *run, struct worker *worker, const struct event *asker)
{
    struct event reply = {.what = ANSWER, .to = asker->from};

    if (take_share(run, worker, asker, &reply)) {
        forget(worker, asker->from);
    } else {
        reply.kept = remember(run, worker, asker);
    }
    send(run, worker, reply);
}

static void handle(struct run *run, struct worker *worker, const struct event *event)
{
    switch (event->what) {
    case ASK:
        answer_request(run, worker, event);
        break;
    case LOOK:
        send(run, worker, (struct event){.what = SEEN, .to = event->from});
        break;
    case RETRY:
        worker->waiting = false;
        keel_victim_ask_again(&worker->search);
        break;
    default: /* an answer or a gift */
        if (event->what == GIFT) {
            keel_victim_shared(&worker->search, event->from);
        } else {
            keel_victim_answered(&worker->search, event->from, event->last - event->first,
                                 event->left, event->kept);
        }
        if (event->first < event->last) {
            receive(worker, event->first, event->last);
            keel_victim_new_round(&worker->search);
        }
    }
}

/* --- a worker's life --- */

static void begin_iteration(struct run *run, struct worker *worker)
{
    struct range *range = &worker->range[0];
    uint32_t number = (uint32_t)(worker - run->worker);
    uint64_t iteration = range->first++;
    double work = run->job->work != NULL ? run->job->work[iteration] : 1;
    double time = work / run->job->speed[number];

    if (range->first == range->last) {
        memmove(range, range + 1, --worker->ranges * sizeof *range);
    }
    run->times[iteration]++;
    worker->computing = true;
    worker->busy += time;
    push(run, (struct event){.what = DONE, .time = run->now + time, .to = number});
}

static void wait_for_more(struct run *run, struct worker *worker)
{
    worker->waiting = true;
    if (run->job->wait == JOB_GIVE_UP || run->executed == run->job->iterations ||
        (run->job->wait == JOB_REMEMBER && keel_victim_is_kept_by_all(&worker->search))) {
        return;
    }
    worker->patience = fmin(fmax(2 * worker->patience, RETRY_FIRST), RETRY_MAX);
    push(run, (struct event){.what = RETRY,
                             .time = run->now + worker->patience,
                             .to = (uint32_t)(worker - run->worker)});
}

static bool runs_dry(const struct run *run, const struct worker *worker)
{
    uint64_t left = left_of(worker);

    return left == 0 || (worker->done > 0 && (double)left / speed_of(worker) <= run->job->ahead);
}

static void search(struct run *run, struct worker *worker)
{
    while (!worker->waiting && runs_dry(run, worker)) {
        struct keel_victim_step step = keel_victim_next(&worker->search);
        if (step.action == KEEL_VICTIM_PENDING) {
            return;
        }
        if (step.action == KEEL_VICTIM_WAIT) {
            if (worker->computing || left_of(worker) > 0) {
                return; /* asked ahead in vain: once more when it is dry */
            }
            wait_for_more(run, worker);
            return;
        }
        send(run, worker,
             (struct event){.what = step.action == KEEL_VICTIM_ASK ? ASK : LOOK,
                            .to = step.worker,
                            .keep = step.keep});
    }
}

/* Between two iterations, or dry. Begins an iteration before it shares: two dry workers would hand
 * the last one to and fro. */
static void go_on(struct run *run, struct worker *worker)
{
    for (size_t i = 0; i < worker->inbox.count; i++) {
        handle(run, worker, &worker->inbox.event[i]);
    }
    worker->inbox.count = 0;
    if (worker->ranges > 0) {
        begin_iteration(run, worker);
    }
    if (worker->fresh) {
        worker->fresh = false;
        share_with_askers(run, worker);
    }
    search(run, worker);
}

static void take_event(struct run *run, const struct event *event)
{
    struct worker *worker = &run->worker[event->to];

    run->now = event->time;
    if (event->what == DONE) {
        worker->computing = false;
        worker->done++;
        run->executed++;
        run->outcome.time = run->now;
        go_on(run, worker);
    } else {
        append(&worker->inbox, *event);
        if (!worker->computing) {
            go_on(run, worker);
        }
    }
}

/* --- the job --- */

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void begin_worker(struct run *run, uint32_t number, uint64_t first, uint64_t last)
{
    const struct job *job = run->job;
    struct worker *worker = &run->worker[number];

    if (!keel_cluster_tree_links(job->workers, job->known, number, realloc, &worker->links)) {
        abort();
    }
    keel_victim_begin(&worker->search, job->kind, job->workers, number, &worker->links,
                      job->neighbours, job->seed);
    keel_victim_use_lifelines(&worker->search);
    if (first < last) {
        receive(worker, first, last);
    }
}

static void finish(struct run *run)
{
    struct job_outcome *outcome = &run->outcome;

    outcome->exact = run->executed == run->job->iterations;
    for (uint64_t i = 0; i < run->job->iterations; i++) {
        outcome->exact &= run->times[i] == 1;
    }
    for (uint32_t w = 0; w < run->job->workers; w++) {
        struct worker *worker = &run->worker[w];
        outcome->messages += worker->messages;
        outcome->most = worker->messages > outcome->most ? worker->messages : outcome->most;
        free(worker->range);
        free(worker->asker);
        free(worker->inbox.event);
    }
    free(run->heap.event);
    free(run->worker);
    free(run->times);
}

struct job_outcome job_run(const struct job *job)
{
    struct run run = {
        .job = job,
        .worker = zeroed(job->workers, sizeof *run.worker),
        .times = zeroed(job->iterations + 1, 1),
    };
    uint64_t *first = zeroed((size_t)job->workers + 1, sizeof *first);

    keel_amounts_first_blocks(job->iterations, job->workers, job->known, first);
    for (uint32_t w = 0; w < job->workers; w++) {
        begin_worker(&run, w, first[w], first[w + 1]);
    }
    free(first);
    for (uint32_t w = 0; w < job->workers; w++) {
        go_on(&run, &run.worker[w]);
    }
    while (run.heap.count > 0) {
        struct event event = pop(&run);
        take_event(&run, &event);
    }
    finish(&run);
    return run.outcome;
}
