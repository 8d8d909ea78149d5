/* Events: a binary heap by time, then by worker. */
#include "schedules/model/migration/event_heap.h"

#include <stdbool.h>

size_t keel_event_heap_size(uint32_t workers)
{
    return workers * (sizeof(struct keel_event) + sizeof(uint32_t));
}

void keel_event_heap_begin(struct keel_event_heap *heap, uint32_t workers, void *memory)
{
    heap->event = memory;
    heap->worker = (uint32_t *)(heap->event + workers);
    heap->events = 0;
    for (uint32_t w = 0; w < workers; w++) {
        heap->event[w] = (struct keel_event){.place = KEEL_EVENT_NONE};
    }
}

static bool comes_before(const struct keel_event_heap *heap, uint32_t a, uint32_t b)
{
    double time_a = heap->event[a].at_s, time_b = heap->event[b].at_s;

    return time_a < time_b || (time_a == time_b && a < b);
}

static void put(struct keel_event_heap *heap, uint32_t place, uint32_t worker)
{
    heap->worker[place] = worker;
    heap->event[worker].place = place;
}

static void sift(struct keel_event_heap *heap, uint32_t place)
{
    uint32_t worker = heap->worker[place];

    for (; place > 0 && comes_before(heap, worker, heap->worker[(place - 1) / 2]);
         place = (place - 1) / 2) {
        put(heap, place, heap->worker[(place - 1) / 2]);
    }
    for (uint32_t child; (child = 2 * place + 1) < heap->events; place = child) {
        child += child + 1 < heap->events &&
                 comes_before(heap, heap->worker[child + 1], heap->worker[child]);
        if (!comes_before(heap, heap->worker[child], worker)) {
            break;
        }
        put(heap, place, heap->worker[child]);
    }
    put(heap, place, worker);
}

void keel_event_heap_set(struct keel_event_heap *heap, uint32_t worker, double at_s)
{
    heap->event[worker].at_s = at_s;
    if (heap->event[worker].place == KEEL_EVENT_NONE) {
        put(heap, heap->events++, worker);
    }
    sift(heap, heap->event[worker].place);
}

uint32_t keel_event_heap_take(struct keel_event_heap *heap)
{
    uint32_t worker = heap->worker[0];

    put(heap, 0, heap->worker[--heap->events]);
    if (heap->events > 0) {
        sift(heap, 0);
    }
    heap->event[worker].place = KEEL_EVENT_NONE;
    return worker;
}
