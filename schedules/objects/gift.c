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

static void swap(struct keel_gift_object *one, struct keel_gift_object *other)
{
    struct keel_gift_object kept = *one;

    *one = *other;
    *other = kept;
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
        if (chosen > 0 && object[i].work_s > gift->message_s &&
            gift->helpers >= (double)(count - chosen)) {
            break;
        }
        struct ends after = with(gift, ends, &object[i]);
        if (chosen == 0) {
            after.receiver_s += gift->message_s;
        }
        if (fmax(after.giver_s, after.receiver_s) < ends.giver_s) {
            swap(&object[i], &object[chosen++]);
            ends = after;
        }
    }
    return chosen;
}

/* What the receiver measured of its own objects, and the giver of its, differ a little where all
 * are alike. One that took twice as long as those before it makes 1.5 of the rank's mean
 * (schedules/objects/pace.h), which has to show. */
#define HEAVIER 1.25

bool keel_gift_goes_first(double work_s, double other_s)
{
    return work_s > HEAVIER * other_s;
}

static int compare_work(const void *left, const void *right)
{
    const struct keel_gift_object *a = left, *b = right;

    if (a->work_s != b->work_s) {
        return a->work_s > b->work_s ? -1 : 1;
    }
    return compare(left, right);
}

double keel_gift_caution(double helpers)
{
    double nobody = pow(KEEL_GIFT_CAUTION / (KEEL_GIFT_CAUTION + 1.0), fmax(helpers, 1));

    return nobody / (1 - nobody);
}

/* Whether it is worth it that the object goes, which would end at here_s otherwise. */
static bool pays_first(const struct keel_gift_case *gift, const struct keel_gift_waiting *waiting,
                       const struct keel_gift_object *object, double here_s)
{
    const struct ends ends = {gift->giver_s, gift->receiver_s};
    struct ends after = with(gift, ends, object);
    double way_s = gift->message_s + gift->byte_s * object->bytes;
    double there_s = object->work_s / gift->speed;

    after.receiver_s += gift->message_s;
    double alone_s = fmax(waiting->begins_s, way_s) + there_s;
    double helped_s = fmax(here_s - ends.giver_s + after.giver_s,
                           fmax(after.receiver_s - waiting->waits_s, alone_s));
    double cost_s = way_s + gift->packing_s * object->bytes + gift->object_s;
    double lost_s = fmax(after.giver_s, after.receiver_s) - ends.giver_s;

    return keel_gift_goes_first(there_s, waiting->next_s) &&
           here_s - helped_s >=
               fmax(keel_gift_caution(waiting->helpers) * lost_s, KEEL_GIFT_CAUTION * cost_s);
}

size_t keel_gift_choose_first(const struct keel_gift_case *gift,
                              const struct keel_gift_waiting *waiting,
                              struct keel_gift_object *object, size_t count)
{
    double here_s = gift->giver_s;
    size_t as_heavy = 0;

    for (size_t i = 0; i < count; i++) {
        here_s -= object[i].work_s;
    }
    qsort(object, count, sizeof *object, compare_work);
    for (size_t i = 0; i < count; i++) {
        while (as_heavy < count &&
               !keel_gift_goes_first(object[i].work_s, object[as_heavy].work_s)) {
            here_s += object[as_heavy++].work_s;
        }
        if (pays_first(gift, waiting, &object[i], here_s)) {
            swap(&object[i], &object[0]);
            return 1;
        }
    }
    return 0;
}
