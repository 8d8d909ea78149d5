/* The events of a simulation: at most one for each worker, the next one first.
 *
 * Feeds simulate.c and master.c. Events at the same time come in the order of
 * workers. Pure. */
#ifndef SCHEDULES_MODEL_MIGRATION_EVENT_HEAP_H
#define SCHEDULES_MODEL_MIGRATION_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct keel_event {
    double at_s;
    uint32_t place; /* in the heap; KEEL_EVENT_NONE: the worker has no event */
};

#define KEEL_EVENT_NONE UINT32_MAX

/* Lies in the caller's memory. Written by the functions below only. */
struct keel_event_heap {
    struct keel_event *event; /* of each worker */
    uint32_t *worker;         /* the heap: [0, events), the first event at 0 */
    uint32_t events;
};

/* Bytes of memory for the events of `workers`, aligned as of malloc. */
size_t keel_event_heap_size(uint32_t workers);

/* Begins without events, in such memory. O(workers). */
void keel_event_heap_begin(struct keel_event_heap *heap, uint32_t workers, void *memory);

/* The worker's event is at at_s from now on. O(log workers). */
void keel_event_heap_set(struct keel_event_heap *heap, uint32_t worker, double at_s);

/* Removes the first event and returns whose it was; there is one. `event` keeps its time.
 * O(log workers). */
uint32_t keel_event_heap_take(struct keel_event_heap *heap);

#endif
