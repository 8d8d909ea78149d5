/* The next rank of a message to an object, the order of messages, and the end of a phase. */
#include "schedules/objects/object_route.h"

#include <string.h>

#include "schedules/arithmetic/arithmetic.h"

uint32_t keel_directory_home(uint64_t index, uint32_t ranks)
{
    return (uint32_t)((keel_chance_mix(index) >> 32) * ranks >> 32);
}

struct keel_directory_step keel_directory_next(uint32_t self, uint32_t home,
                                               struct keel_location known, uint32_t epoch)
{
    if (known.epoch > 0 && known.rank == KEEL_LOCATION_DELETED) {
        return (struct keel_directory_step){.action = KEEL_DIRECTORY_RETURN};
    }
    if (known.epoch > epoch && known.rank != self) {
        return (struct keel_directory_step){KEEL_DIRECTORY_SEND, known.rank, known.epoch};
    }
    if (self != home) {
        return (struct keel_directory_step){KEEL_DIRECTORY_SEND, home, epoch};
    }
    return (struct keel_directory_step){.action = KEEL_DIRECTORY_HOLD};
}

/* --- the order of messages to one object --- */

/* Index of `sender`, or the one at which it would be inserted. */
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

static bool is_at(const struct keel_order *order, uint32_t place, uint32_t sender)
{
    return place < order->count && order->entry[place].sender == sender;
}

bool keel_order_is_due(const struct keel_order *order, uint32_t sender, uint32_t number)
{
    uint32_t place = place_of(order, sender);

    return number == (is_at(order, place, sender) ? order->entry[place].next : 0);
}

bool keel_order_advance(struct keel_order *order, uint32_t sender,
                        void *(*reallocate)(void *, size_t))
{
    uint32_t place = place_of(order, sender);

    if (is_at(order, place, sender)) {
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

/* --- the end of all work of a phase --- */

enum word { SENT, RECEIVED, HELD };

void keel_termination_begin(struct keel_termination *termination)
{
    termination->has_wave = false;
}

void keel_termination_contribute(const struct keel_termination *termination, uint64_t held,
                                 uint64_t word[KEEL_TERMINATION_WORDS])
{
    word[SENT] = termination->sent;
    word[RECEIVED] = termination->received;
    word[HELD] = held;
}

enum keel_termination_result keel_termination_take(struct keel_termination *termination,
                                                   const uint64_t sum[KEEL_TERMINATION_WORDS])
{
    bool quiet = termination->has_wave && termination->received_by_all == sum[SENT];

    termination->has_wave = true;
    termination->received_by_all = sum[RECEIVED];
    if (!quiet) {
        return KEEL_TERMINATION_GOES_ON;
    }
    return sum[HELD] > 0 ? KEEL_TERMINATION_HELD : KEEL_TERMINATION_ENDED;
}
