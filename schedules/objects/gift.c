/* Which objects a rank gives to one that asks, and how ranks look for objects. */
#include "schedules/objects/gift.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

/* Bytes equivalent to one more object: an object without bytes is a message, too. */
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

/* The end of each of the two. */
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

/* Measurements of the receiver and of the giver differ a little even if all objects are equal. One
 * that took twice as long as those before it makes 1.5 of the rank's mean
 * (schedules/objects/pace.h); that has to have an effect. */
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
    double none = pow(KEEL_GIFT_CAUTION / (KEEL_GIFT_CAUTION + 1.0), fmax(helpers, 1));

    return none / (1 - none);
}

/* Whether it pays to give the object, which would otherwise end at here_s. */
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

/* --- looking ---
 *
 * The presence of a rank on its processor while it waits for others. */

void keel_presence_note(struct keel_presence *presence, double gap_s)
{
    if (!(gap_s >= 0 && gap_s < INFINITY)) {
        return;
    }
    if (presence->waited_s >= KEEL_PRESENCE_MEMORY_S) {
        presence->waited_s /= 2;
        presence->unseen_s2 /= 2;
    }
    presence->waited_s += gap_s;
    if (gap_s >= KEEL_PRESENCE_GAP_S) {
        presence->unseen_s2 += gap_s * gap_s / 2;
    }
}

double keel_presence_unseen_s(const struct keel_presence *presence)
{
    return presence->waited_s > 0 ? presence->unseen_s2 / presence->waited_s : 0;
}

double keel_presence_patience_s(double away_s)
{
    return away_s > 0 ? fmin(away_s / KEEL_PRESENCE_PART, KEEL_PRESENCE_PATIENCE_S) : 0;
}

/* --- when a rank asks others for objects --- */

void keel_looks_note(struct keel_looks *looks, double gap_s)
{
    if (!(gap_s >= 0 && gap_s < INFINITY)) {
        return;
    }
    if (looks->count == KEEL_LOOKS_MEMORY) {
        looks->sum_s /= 2;
        looks->sum_s2 /= 2;
        looks->count /= 2;
    }
    looks->sum_s += gap_s;
    looks->sum_s2 += gap_s * gap_s;
    looks->count++;
}

double keel_looks_gap_s(const struct keel_looks *looks)
{
    return looks->sum_s > 0 ? looks->sum_s2 / looks->sum_s : 0;
}

bool keel_need_is_due(const struct keel_need_case *need)
{
    double most_s = 2 * (need->answer_s > 0 ? need->answer_s : need->gap_s);

    return need->left_s <= need->gap_s + need->trips * most_s;
}

double keel_need_patience_s(double last_s, double gap_s)
{
    double most_s = last_s / KEEL_GIFT_CAUTION;

    return 2 * gap_s <= most_s ? most_s : 0;
}

/* --- how many ranks an idle rank looks at, at a time --- */

static bool is_time(double value)
{
    return value > 0 && value < INFINITY;
}

static double search_s(const struct keel_neighbourhood_case *measured, double empty, uint32_t d)
{
    return (1 + fmax(ceil(empty / d), 1)) / 2 * (d * measured->message_s + measured->wait_s);
}

uint32_t keel_neighbourhood(const struct keel_neighbourhood_case *measured, uint32_t most,
                            uint32_t otherwise)
{
    uint32_t bound = (uint32_t)max_u64(1, min_u64(most, measured->others));

    if (!is_time(measured->message_s) || !is_time(measured->wait_s)) {
        return (uint32_t)max_u64(1, min_u64(otherwise, bound));
    }
    double part = measured->empty > 0 ? fmin(measured->empty, 1) : 0;
    double empty = part * measured->others;
    uint32_t best = 1;
    for (uint32_t d = 2; d <= bound; d++) {
        best = search_s(measured, empty, d) < search_s(measured, empty, best) ? d : best;
    }
    return best;
}

/* --- how often a thread looks for requests of other ranks --- */

double keel_quantum_s(const struct keel_quantum_case *measured, double otherwise_s)
{
    if (!(measured->look_s > 0 && measured->look_s < INFINITY)) {
        return otherwise_s;
    }
    double work_s = measured->work_s > 0 && measured->work_s < INFINITY ? measured->work_s : 0;
    double requests = measured->requests > 0 ? (double)measured->requests : 1;

    return fmax(measured->look_s / KEEL_QUANTUM_COST,
                sqrt(2 * work_s * measured->look_s / requests));
}
