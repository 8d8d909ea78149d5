/* What comes about objects is looked at before anybody uses it: each field that can't be right is
 * told. That right ones pass, all programs with objects show. */
#include <math.h>
#include <string.h>

#include "mpi_backend/objects/objects_state.h"
#include "mpi_backend/objects/records/records.h"
#include "schedules/objects/object_route.h"
#include "tests/support/unit.h"

enum { RANKS = 5, RANK = 1, HANDLERS = 2, QUESTIONS = 3 };

/* What the receiver knows. */
static const struct keel_mpi_packed_view packed_view = {
    .rank = RANK,
    .ranks = RANKS,
    .handlers = HANDLERS,
    .questions = QUESTIONS,
};

static bool passes(struct keel_mpi_object_record record)
{
    return keel_mpi_packed_record_problem(&record, &packed_view) == NULL;
}

/* An index whose home is that rank, or is not. */
static uint64_t index_of(uint32_t home, bool is)
{
    uint64_t index = 0;

    while ((keel_directory_home(index, RANKS) == home) != is) {
        index++;
    }
    return index;
}

#define RECORD(...) ((struct keel_mpi_object_record){__VA_ARGS__})

TEST(refuses_records_that_lead_elsewhere)
{
    uint64_t home = index_of(RANK, true), other = index_of(RANK, false);

    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_GAVE + 1)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_MESSAGE, .sender = RANKS)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_MESSAGE, .handler = HANDLERS)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_RETURNED, .sender = 0)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_MADE, .index = other)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_CAME, .index = home, .rank = RANKS)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_CAME, .index = other, .rank = 4)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_DELETED, .index = home, .rank = 4)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_HINT, .rank = RANKS)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_OBJECT, .bytes = 8)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_TAKEN, .rank = RANKS)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_WHERE, .index = other)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_FOUND, .number = QUESTIONS, .rank = 4)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_FOUND, .rank = RANKS)));
    assert_false(passes(
        RECORD(.kind = KEEL_MPI_RECORD_LOOK, .bytes = sizeof(struct keel_mpi_objects_pace) - 8)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_ASK,
                               .bytes = sizeof(struct keel_mpi_objects_pace), .sender = RANK)));
    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_GAVE, .sender = RANK)));
}

static bool digest_passes(struct keel_mpi_objects_digest digest)
{
    return keel_mpi_packed_digest_problem(&digest, &packed_view) == NULL;
}

TEST(what_is_told_of_others_is_of_ranks_that_there_are)
{
    allow_exceptions();
    struct keel_mpi_objects_digest digest = {.items = KEEL_NEWS_TOLD + 1};
    struct keel_news_item *last = &digest.item[KEEL_NEWS_TOLD];

    *last = (struct keel_news_item){RANKS - 1, 3, 1, 2};
    assert_true(digest_passes(digest));
    last->rank = RANKS;
    assert_false(digest_passes(digest));
    digest.items--; /* it is not among them any more */
    assert_true(digest_passes(digest));
    digest.items = KEEL_NEWS_TOLD + 2;
    last->rank = 0;
    assert_false(digest_passes(digest));
    digest.items = KEEL_NEWS_TOLD + 1;
    last->left_s = NAN;
    assert_false(digest_passes(digest));
    *last = (struct keel_news_item){.age_s = -1};
    assert_false(digest_passes(digest));
    *last = (struct keel_news_item){.one_s = INFINITY};
    assert_false(digest_passes(digest));
}

/* --- chunks --- */

static char text[512];

static bool chunk_passes(struct keel_mpi_chunk_head head, struct keel_mpi_object_record record,
                         size_t payload)
{
    memcpy(text, &head, sizeof head);
    memcpy(text + sizeof head, &record, sizeof record);
    return keel_mpi_packed_chunk_problem(text, sizeof head + sizeof record + payload) == NULL;
}

TEST(takes_whole_chunks_only)
{
    struct keel_mpi_chunk_head head = {0}, large = {1};

    assert_true(chunk_passes(head, RECORD(.bytes = 0), 0));
    assert_true(chunk_passes(head, RECORD(.bytes = 13), 16));
    assert_true(chunk_passes(large, RECORD(.bytes = 5000), 0));
    assert_false(chunk_passes((struct keel_mpi_chunk_head){2}, RECORD(.bytes = 5000), 0));
    assert_false(chunk_passes(head, RECORD(.bytes = 17), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = 13), 13));
    assert_false(chunk_passes(head, RECORD(.bytes = 8), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = UINT64_MAX), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = UINT64_MAX - 7), 16));
    assert_false(chunk_passes(large, RECORD(.bytes = 13), 0));
    assert_false(chunk_passes(large, RECORD(.bytes = 13), 16));
    assert_false(chunk_passes(large, RECORD(.bytes = UINT64_MAX), 0));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head - 1));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head + 12));
}

/* --- objects --- */

struct packed {
    struct keel_mpi_packed_object head;
    struct keel_order_entry order[2];
    struct {
        struct keel_mpi_packed_message head;
        char bytes[8];
    } message[2];
    char program[16];
};

static const struct packed right = {
    .head = {.bytes = 16, .orders = 2, .messages = 1, .early = 1, .weight = 1},
    .order = {{0, 3}, {4, 1}},
    .message = {{.head = {.bytes = 5, .sender = 4}},
                {.head = {.bytes = 8, .handler = KEEL_MPI_OBJECTS_DELETION}}},
};

static bool object_passes(struct packed packed, uint64_t bytes)
{
    return keel_mpi_packed_object_problem(&packed, bytes, &packed_view) == NULL;
}

TEST(takes_whole_objects_only)
{
    struct packed packed;

    assert_true(object_passes(right, sizeof right));
    assert_false(object_passes(right, sizeof right - 1));
    assert_false(object_passes(right, sizeof right.head - 1));
#define WRONG(change) \
    packed = right;   \
    packed.change;    \
    assert_false(object_passes(packed, sizeof packed))
    WRONG(head.bytes = 17);
    WRONG(head.bytes = UINT64_MAX);
    WRONG(head.orders = 3);
    WRONG(head.orders = UINT32_MAX);
    WRONG(head.messages = UINT32_MAX);
    WRONG(head.early = 2);
    WRONG(head.weight = NAN);
    WRONG(head.common_s = INFINITY);
    WRONG(head.to_compute = 2);
    WRONG(order[1].sender = 0);
    WRONG(order[1].sender = RANKS);
    WRONG(order[0].next = 0);
    WRONG(message[0].head.bytes = UINT64_MAX - 3);
    WRONG(message[0].head.bytes = sizeof packed);
    WRONG(message[0].head.handler = HANDLERS);
    WRONG(message[1].head.sender = RANKS);
}
