/* What the models of over-decomposed objects share. */
#include "schedules/model/objects_terms.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

double keel_objects_valid_number(double value)
{
    return value > 0 && value < INFINITY ? fmin(value, KEEL_OBJECTS_MAX) : 0;
}

struct keel_objects keel_objects_valid(const struct keel_objects *objects)
{
    struct keel_objects result = *objects;
    double *const number[] = {
        &result.classes.light_mean,
        &result.classes.heavy_mean,
        &result.quantum_s,
        &result.context_s,
        &result.poll_s,
        &result.message_s,
        &result.byte_s,
        &result.request_bytes,
        &result.task_bytes,
        &result.task_messages,
        &result.task_message_bytes,
        &result.uninstall_s,
        &result.pack_s,
        &result.unpack_s,
        &result.install_s,
        &result.decision_s,
        &result.request_s,
        &result.overlap,
    };

    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
        *number[i] = keel_objects_valid_number(*number[i]);
    }
    result.overlap = fmin(result.overlap, 1);
    uint64_t others = result.processors > 1 ? result.processors - 1 : 1;
    result.neighbourhood = (uint32_t)max_u64(1, min_u64(result.neighbourhood, others));
    result.handshakes = (uint32_t)max_u64(1, min_u64(result.handshakes, 2));
    return result;
}

double keel_objects_message_s(const struct keel_objects *valid)
{
    return valid->message_s + valid->byte_s * valid->request_bytes;
}

double keel_objects_transport_s(const struct keel_objects *valid)
{
    return valid->message_s + valid->byte_s * valid->task_bytes;
}

double keel_objects_polling(const struct keel_objects *valid)
{
    return valid->quantum_s > 0 ? (2 * valid->context_s + valid->poll_s) / valid->quantum_s : 0;
}

/* Section 4.4: requests to all are sent one after the other; replies come together. */
double keel_objects_turnaround_s(const struct keel_objects *valid, double wait_s)
{
    double message_s = keel_objects_message_s(valid);
    double second_s = valid->handshakes > 1 ? message_s + wait_s + valid->request_s : 0;

    return valid->neighbourhood * message_s + wait_s + valid->request_s + message_s +
           valid->request_s + second_s;
}

void keel_objects_total(struct keel_objects_terms *terms)
{
    double sum_s = terms->work_s + terms->thread_s + terms->application_s + terms->request_s +
                   terms->migration_s + terms->decision_s;

    terms->total_s = isinf(sum_s) ? sum_s : sum_s - terms->overlap_s;
}
