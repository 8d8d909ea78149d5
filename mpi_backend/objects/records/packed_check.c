/* Whether what comes from another rank about objects can be right. */
#include "mpi_backend/objects/records/records.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "mpi_backend/objects/objects_state.h"
#include "schedules/objects/object_route.h"

/* What has not been looked at yet. */
struct rest {
    const char *at;
    uint64_t bytes;
};

/* Goes on behind `bytes` of it. False: there are not so many. */
static bool skip(struct rest *rest, uint64_t bytes)
{
    if (bytes > rest->bytes) {
        return false;
    }
    rest->at += bytes;
    rest->bytes -= bytes;
    return true;
}

/* Takes `bytes` of it, and goes on behind them. */
static bool take(struct rest *rest, void *to, size_t bytes)
{
    const char *at = rest->at;

    if (!skip(rest, bytes)) {
        return false;
    }
    memcpy(to, at, bytes);
    return true;
}

/* So many bytes, up to a multiple of 8. */
static bool skip_padded(struct rest *rest, uint64_t bytes)
{
    return bytes <= rest->bytes && skip(rest, keel_mpi_packed_padded(bytes));
}

/* --- chunks --- */

const char *keel_mpi_packed_chunk_problem(const void *chunk, size_t bytes)
{
    struct rest rest = {chunk, bytes};
    struct keel_mpi_chunk_head head;
    struct keel_mpi_object_record record;

    if (!take(&rest, &head, sizeof head) || rest.bytes == 0 || head.large > 1) {
        return "records";
    }
    while (rest.bytes > 0) {
        if (!take(&rest, &record, sizeof record)) {
            return "whole records";
        }
        if (head.large && rest.bytes == 0) { /* its payload comes in messages of its own */
            return keel_mpi_packed_is_large(record.bytes) && record.bytes <= PTRDIFF_MAX
                       ? NULL
                       : "a record with a long payload";
        }
        if (!skip_padded(&rest, record.bytes)) {
            return "whole records";
        }
    }
    return head.large ? "a record with a long payload" : NULL;
}

/* --- records --- */

static bool is_handler(uint32_t handler, const struct keel_mpi_packed_view *view)
{
    return handler < view->handlers || handler == KEEL_MPI_OBJECTS_DELETION;
}

static bool is_home(const struct keel_mpi_object_record *record,
                    const struct keel_mpi_packed_view *view)
{
    return keel_directory_home(record->index, view->ranks) == view->rank;
}

static const char *check_news(const struct keel_mpi_object_record *record,
                              const struct keel_mpi_packed_view *view)
{
    bool exists = record->kind == KEEL_MPI_RECORD_DELETED ? record->rank == KEEL_LOCATION_DELETED
                                                          : record->rank < view->ranks;
    bool here = record->kind == KEEL_MPI_RECORD_HINT || is_home(record, view);

    return exists && here ? NULL : "news of an object whose home is here";
}

static const char *check_kind(const struct keel_mpi_object_record *record,
                              const struct keel_mpi_packed_view *view)
{
    switch ((enum keel_mpi_record_kind)record->kind) {
    case KEEL_MPI_RECORD_MESSAGE:
        return is_handler(record->handler, view) ? NULL : "a message for a handler";
    case KEEL_MPI_RECORD_RETURNED:
        return is_handler(record->handler, view) && record->sender == view->rank
                   ? NULL
                   : "a message of this rank that comes back";
    case KEEL_MPI_RECORD_MADE:
    case KEEL_MPI_RECORD_WHERE:
        return is_home(record, view) ? NULL : "a record of an object whose home is here";
    case KEEL_MPI_RECORD_CAME:
    case KEEL_MPI_RECORD_DELETED:
    case KEEL_MPI_RECORD_HINT:
        return check_news(record, view);
    case KEEL_MPI_RECORD_OBJECT:
        return record->bytes >= sizeof(struct keel_mpi_packed_object) ? NULL : "an object";
    case KEEL_MPI_RECORD_TAKEN:
    case KEEL_MPI_RECORD_STAYS:
        return record->rank < view->ranks ? NULL : "an answer of a rank that there is";
    case KEEL_MPI_RECORD_FOUND:
        return record->number < view->questions &&
                       (record->rank < view->ranks || record->rank == KEEL_LOCATION_DELETED)
                   ? NULL
                   : "an answer to a question";
    case KEEL_MPI_RECORD_GATHERED:
        return NULL;
    case KEEL_MPI_RECORD_ASK:
    case KEEL_MPI_RECORD_LOOK:
        return (record->bytes == sizeof(struct keel_mpi_objects_pace) ||
                record->bytes == sizeof(struct keel_mpi_objects_digest)) &&
                       record->sender != view->rank
                   ? NULL
                   : "a question of another rank";
    case KEEL_MPI_RECORD_GAVE:
        return record->sender != view->rank ? NULL : "an answer of another rank";
    }
    return "a record of a kind that there is";
}

const char *keel_mpi_packed_record_problem(const struct keel_mpi_object_record *record,
                                           const struct keel_mpi_packed_view *view)
{
    return record->sender < view->ranks ? check_kind(record, view)
                                        : "a record of a rank that there is";
}

static bool is_time(float time_s)
{
    return time_s >= 0 && !isinf(time_s);
}

const char *keel_mpi_packed_digest_problem(const void *payload,
                                           const struct keel_mpi_packed_view *view)
{
    struct keel_mpi_objects_digest digest;

    memcpy(&digest, payload, sizeof digest);
    if (digest.items > KEEL_NEWS_TOLD + 1) {
        return "as many ranks as are told of";
    }
    for (uint32_t i = 0; i < digest.items; i++) {
        const struct keel_news_item *item = &digest.item[i];
        if (item->rank >= view->ranks || !is_time(item->left_s) || !is_time(item->one_s) ||
            !is_time(item->age_s)) {
            return "what waits at a rank that there is";
        }
    }
    return NULL;
}

/* --- objects --- */

static bool check_orders(struct rest *rest, uint32_t count, const struct keel_mpi_packed_view *view)
{
    struct keel_order_entry entry;
    uint32_t least = 0; /* the next sender is that one, or a later one */

    for (uint32_t i = 0; i < count; i++) {
        if (!take(rest, &entry, sizeof entry) || entry.sender < least ||
            entry.sender >= view->ranks || entry.next == 0) {
            return false;
        }
        least = entry.sender + 1;
    }
    return true;
}

static bool check_messages(struct rest *rest, uint32_t count,
                           const struct keel_mpi_packed_view *view)
{
    struct keel_mpi_packed_message head;

    for (uint32_t i = 0; i < count; i++) {
        if (!take(rest, &head, sizeof head) || !is_handler(head.handler, view) ||
            head.sender >= view->ranks || !skip_padded(rest, head.bytes)) {
            return false;
        }
    }
    return true;
}

const char *keel_mpi_packed_object_problem(const void *payload, uint64_t bytes,
                                           const struct keel_mpi_packed_view *view)
{
    struct rest rest = {payload, bytes};
    struct keel_mpi_packed_object head;

    if (!take(&rest, &head, sizeof head) || head.to_compute > 1 || head.stated > 1 ||
        head.measured > 1 || !isfinite(head.weight) || !isfinite(head.common_s)) {
        return "an object";
    }
    if (!check_orders(&rest, head.orders, view) || !check_messages(&rest, head.messages, view) ||
        !check_messages(&rest, head.early, view)) {
        return "an object with its messages";
    }
    return rest.bytes == head.bytes ? NULL : "an object of its size";
}
