/* The order of messages to one object: which message of a sender comes next.
 *
 * A sender numbers its messages to an object from 0 in each phase. They may take different ways and
 * come in any order; the object's counts, which move with it, say which is due. Pure: memory comes
 * from a function of the caller. */
#ifndef SCHEDULES_OBJECTS_ORDER_H
#define SCHEDULES_OBJECTS_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_order_entry {
    uint32_t sender;
    uint32_t next; /* number of its message that is due, >= 1 */
};

/* Written by the functions below only. All zero: no message has come. */
struct keel_order {
    uint32_t count, room;
    struct keel_order_entry *entry; /* by increasing sender */
};

/* Whether message `number` of `sender` is due. */
bool keel_order_is_due(const struct keel_order *order, uint32_t sender, uint32_t number);

/* The message of `sender` that was due has come. reallocate works like realloc. False: no memory,
 * nothing has changed. */
bool keel_order_advance(struct keel_order *order, uint32_t sender,
                        void *(*reallocate)(void *, size_t));

#endif
