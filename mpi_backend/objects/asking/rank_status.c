/* What a rank tells others with questions and answers. */
#include "mpi_backend/objects/asking/asking.h"

#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/objects/objects.h"
#include "mpi_backend/objects/records/records.h"
#include "omp_ext/support/message.h"

/* --- how fast --- */

/* Time that so much work takes by that rate, in s; counts as 1 s each while nothing is known. */
static double time_of(double amount, double rate)
{
    return rate > 0 ? amount / rate : amount;
}

double keel_mpi_digest_weight_per_s(const struct keel_mpi_objects *objects)
{
    double running_s = keel_mpi_clock_s() - objects->running_since_s;

    if (objects->computing.amount > 0 || objects->running_since_s <= 0 || running_s <= 0) {
        const struct keel_work computing = keel_mpi_movement_computing(objects);
        return keel_work_per_s(&computing);
    }
    return objects->threads / keel_work_expected_s(1, objects->running_weight, running_s);
}

double keel_mpi_digest_work_s(const struct keel_mpi_object *object, double weight_s,
                              const struct keel_mpi_objects_pace *pace)
{
    double told_s = keel_mpi_object_told_s(object), compute_s = 0;

    if (object->to_compute) {
        compute_s = told_s > 0 ? told_s / pace->speed.power : time_of(object->weight, weight_s);
    }
    return compute_s + time_of(object->messages.count, pace->message_s);
}

struct keel_mpi_objects_pace keel_mpi_digest_pace(const struct keel_mpi_objects *objects)
{
    struct keel_mpi_objects_pace pace = {
        .speed =
            keel_rank_speed(&objects->computing, keel_speed_of(&objects->speed), objects->threads),
        .message_s = keel_work_per_s(&objects->handling),
        .unseen_s = keel_presence_unseen_s(&objects->presence)};
    double weight_s = keel_mpi_digest_weight_per_s(objects);

    pace.left_s = time_of(objects->ready_weight, weight_s) +
                  objects->ready_told_s / pace.speed.power +
                  time_of((double)objects->ready_messages, pace.message_s);
    if (objects->running_since_s > 0) {
        double running_s = keel_mpi_clock_s() - objects->running_since_s;
        pace.begins_s =
            objects->running_told_s > 0
                ? keel_work_left_s(objects->running_told_s * objects->threads / pace.speed.power,
                                   running_s)
                : keel_work_running_left_s(&objects->computing, objects->running_weight, running_s);
        pace.left_s += pace.begins_s;
    }
    pace.waits_s = pace.left_s - pace.begins_s;
    return pace;
}

static double work_s(const struct keel_mpi_objects *objects, const struct keel_mpi_object *object,
                     const struct keel_mpi_objects_pace *pace)
{
    return object != NULL
               ? keel_mpi_digest_work_s(object, keel_mpi_digest_weight_per_s(objects), pace)
               : 0;
}

double keel_mpi_digest_next_s(const struct keel_mpi_objects *objects,
                              const struct keel_mpi_objects_pace *pace)
{
    return work_s(objects, objects->first_ready, pace);
}

double keel_mpi_digest_spare_s(const struct keel_mpi_objects *objects,
                               const struct keel_mpi_objects_pace *pace)
{
    const struct keel_mpi_object *first = objects->first_ready;

    return work_s(objects, first != NULL && first->next != NULL ? first->next : first, pace);
}

/* --- news --- */

bool keel_mpi_digest_tells_news(const struct keel_mpi_objects *objects)
{
    return objects->policy.kind == KEEL_OBJECTS_DIFFUSE && objects->ranks > 2;
}

struct keel_mpi_objects_digest keel_mpi_digest_make(const struct keel_mpi_objects *objects,
                                                    const struct keel_mpi_objects_pace *pace)
{
    struct keel_mpi_objects_digest digest = {.pace = *pace};

    digest.pace.next_s = objects->early ? keel_mpi_digest_next_s(objects, pace) : 0;
    if (keel_mpi_digest_tells_news(objects)) {
        digest.item[0] = (struct keel_news_item){
            .rank = objects->rank,
            .left_s = (float)(pace->left_s * pace->speed.power),
            .one_s = (float)(keel_mpi_digest_spare_s(objects, pace) * pace->speed.power)};
        digest.items = 1 + keel_news_tell(&objects->news, keel_mpi_clock_s(), &digest.item[1]);
    }
    return digest;
}

uint64_t keel_mpi_digest_bytes(const struct keel_mpi_objects_digest *digest)
{
    return digest->items > 0 ? sizeof *digest : sizeof digest->pace;
}

/* The first one that is wrong is said. */
static bool is_right(struct keel_mpi_objects *objects, uint32_t sender, const void *payload)
{
    const struct keel_mpi_packed_view view = keel_mpi_movement_view(objects);
    const char *problem = keel_mpi_packed_digest_problem(payload, &view);

    if (problem != NULL && objects->wrong_news++ == 0) {
        keel_message("news of objects have come from rank %u that can't be right, expected %s; "
                     "such news are not used",
                     sender, problem);
    }
    return problem == NULL;
}

void keel_mpi_digest_take(struct keel_mpi_objects *objects, uint32_t sender, const void *payload,
                          uint64_t bytes)
{
    struct keel_mpi_objects_digest digest;

    if (bytes == sizeof digest && is_right(objects, sender, payload)) {
        double now_s = keel_mpi_clock_s();
        memcpy(&digest, payload, sizeof digest);
        for (uint32_t i = 0; i < digest.items; i++) {
            keel_news_note(&objects->news, &digest.item[i], objects->rank, now_s);
            keel_helpers_note(&objects->helpers, &digest.item[i], objects->rank, now_s);
        }
    }
}
