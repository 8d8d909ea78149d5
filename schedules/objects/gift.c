/* Which objects a rank gives to one that asks. */
#include "schedules/objects/gift.h"

#include <math.h>
#include <stdlib.h>

/* Bytes that count as much as having one object more: an object of no bytes is a message, too. */
#define HEAD_BYTES 128.0

static double worth(const struct keel_gift_object *object)
{
    return object->work_s / (object->bytes + HEAD_BYTES);
}

static int compare(const void *left, const void *right)
{
    const struct keel_gift_object *a = left, *b = right;
    double first = worth(a), second = worth(b);

    if (first != second) {
        return first > second ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

/* When each of the two ends. */
struct ends {
    double giver_s, receiver_s;
};

static struct ends with(const struct keel_gift_case *gift, struct ends ends,
                        const struct keel_gift_object *object)
{
    return (struct ends){
        .giver_s = ends.giver_s - object->work_s + gift->packing_s * object->bytes + gift->object_s,
        .receiver_s = ends.receiver_s + object->work_s / gift->speed + gift->byte_s * object->bytes,
    };
}

size_t keel_gift_choose(const struct keel_gift_case *gift, struct keel_gift_object *object,
                        size_t count)
{
    struct ends ends = {gift->giver_s, gift->receiver_s};
    size_t chosen = 0;

    qsort(object, count, sizeof *object, compare);
    for (size_t i = 0; i < count && ends.receiver_s < ends.giver_s; i++) {
        struct ends after = with(gift, ends, &object[i]);
        if (chosen == 0) {
            after.receiver_s += gift->message_s;
        }
        if (fmax(after.giver_s, after.receiver_s) < ends.giver_s) {
            struct keel_gift_object given = object[i];
            object[i] = object[chosen];
            object[chosen++] = given;
            ends = after;
        }
    }
    return chosen;
}
