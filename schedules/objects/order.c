/* The order of messages to one object. */
#include "schedules/objects/order.h"

#include <string.h>

/* Where `sender` stands, or would stand. */
static uint32_t place_of(const struct keel_order *order, uint32_t sender)
{
    uint32_t low = 0, high = order->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order->entry[middle].sender < sender) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool stands_at(const struct keel_order *order, uint32_t place, uint32_t sender)
{
    return place < order->count && order->entry[place].sender == sender;
}

bool keel_order_is_due(const struct keel_order *order, uint32_t sender, uint32_t number)
{
    uint32_t place = place_of(order, sender);

    return number == (stands_at(order, place, sender) ? order->entry[place].next : 0);
}

bool keel_order_advance(struct keel_order *order, uint32_t sender,
                        void *(*reallocate)(void *, size_t))
{
    uint32_t place = place_of(order, sender);

    if (stands_at(order, place, sender)) {
        order->entry[place].next++;
        return true;
    }
    if (order->count == order->room) {
        uint32_t room = order->room > 0 ? 2 * order->room : 2;
        void *entry = reallocate(order->entry, room * sizeof *order->entry);
        if (entry == NULL) {
            return false;
        }
        order->entry = entry;
        order->room = room;
    }
    memmove(&order->entry[place + 1], &order->entry[place],
            (order->count - place) * sizeof *order->entry);
    order->entry[place] = (struct keel_order_entry){sender, 1};
    order->count++;
    return true;
}
