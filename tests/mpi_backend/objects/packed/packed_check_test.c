/* What comes about objects is looked at before anybody uses it: right texts pass, each field that
 * can't be right is told, and whatever passes is read within its memory, however it was changed. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/objects/objects_state.h"
#include "mpi_backend/objects/records/records.h"
#include "schedules/objects/object_route.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

enum { RANKS = 5, RANK = 1, HANDLERS = 2, QUESTIONS = 3, PHASE = 7 };

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

TEST(takes_right_records)
{
    uint64_t home = index_of(RANK, true), other = index_of(RANK, false);

    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_MESSAGE, .handler = 1, .sender = 4)));
    assert_true(
        passes(RECORD(.kind = KEEL_MPI_RECORD_MESSAGE, .handler = KEEL_MPI_OBJECTS_DELETION)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_RETURNED, .sender = RANK)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_MADE, .index = home)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_CAME, .index = home, .rank = 4)));
    assert_true(passes(
        RECORD(.kind = KEEL_MPI_RECORD_DELETED, .index = home, .rank = KEEL_LOCATION_DELETED)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_HINT, .index = other, .rank = 4)));
    assert_true(passes(
        RECORD(.kind = KEEL_MPI_RECORD_OBJECT, .bytes = sizeof(struct keel_mpi_packed_object))));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_TAKEN, .rank = 4)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_STAYS, .rank = 4)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_WHERE, .index = home, .number = 1000)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_FOUND, .number = 2, .rank = 4)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_FOUND, .rank = KEEL_LOCATION_DELETED)));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_GATHERED)));
    assert_true(
        passes(RECORD(.kind = KEEL_MPI_RECORD_ASK, .bytes = sizeof(struct keel_mpi_objects_pace))));
    assert_true(passes(
        RECORD(.kind = KEEL_MPI_RECORD_LOOK, .bytes = sizeof(struct keel_mpi_objects_digest))));
    assert_true(passes(RECORD(.kind = KEEL_MPI_RECORD_GAVE, .number = UINT32_MAX)));
    assert_true(passes(
        RECORD(.kind = KEEL_MPI_RECORD_OFFER, .bytes = sizeof(struct keel_mpi_objects_digest))));
}

TEST(refuses_records_that_lead_elsewhere)
{
    uint64_t home = index_of(RANK, true), other = index_of(RANK, false);

    assert_false(passes(RECORD(.kind = KEEL_MPI_RECORD_OFFER + 1)));
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
    return keel_mpi_packed_chunk_problem(text, sizeof head + sizeof record + payload, PHASE + 1) ==
           NULL;
}

TEST(takes_whole_chunks_only)
{
    struct keel_mpi_chunk_head head = {PHASE, 0}, large = {PHASE, 1};

    assert_true(chunk_passes(head, RECORD(.bytes = 0), 0));
    assert_true(chunk_passes(head, RECORD(.bytes = 13), 16));
    assert_true(chunk_passes((struct keel_mpi_chunk_head){PHASE + 1, 0}, RECORD(.bytes = 0), 0));
    assert_true(chunk_passes(large, RECORD(.bytes = 5000), 0));
    assert_false(chunk_passes((struct keel_mpi_chunk_head){PHASE + 2, 0}, RECORD(.bytes = 0), 0));
    assert_false(chunk_passes((struct keel_mpi_chunk_head){PHASE, 2}, RECORD(.bytes = 5000), 0));
    assert_false(chunk_passes(head, RECORD(.bytes = 17), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = 13), 13));
    assert_false(chunk_passes(head, RECORD(.bytes = 8), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = UINT64_MAX), 16));
    assert_false(chunk_passes(head, RECORD(.bytes = UINT64_MAX - 7), 16));
    assert_false(chunk_passes(large, RECORD(.bytes = 13), 0));
    assert_false(chunk_passes(large, RECORD(.bytes = 13), 16));
    assert_false(chunk_passes(large, RECORD(.bytes = UINT64_MAX), 0));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head - 1, PHASE + 1));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head, PHASE + 1));
    assert_non_null(keel_mpi_packed_chunk_problem(text, sizeof head + 12, PHASE + 1));
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

/* --- copies --- */

struct set {
    struct keel_mpi_packed_set head;
    struct {
        struct keel_mpi_packed_entry entry;
        char bytes[16];
    } object[2];
};

static bool set_passes(struct set set, uint64_t bytes)
{
    return keel_mpi_packed_set_problem(&set, bytes) == NULL;
}

TEST(takes_whole_copies_only)
{
    const struct set whole = {.head = {.objects = 2},
                              .object = {{.entry = {.bytes = 9}}, {.entry = {.bytes = 16}}}};
    struct set set;

    assert_true(set_passes(whole, sizeof whole));
    assert_true(set_passes((struct set){.head = {.objects = 0}}, sizeof whole.head));
    assert_false(set_passes(whole, sizeof whole - 8));
    assert_false(set_passes(whole, 8));
    set = whole, set.head.objects = 1;
    assert_false(set_passes(set, sizeof set));
    set = whole, set.head.objects = UINT64_MAX;
    assert_false(set_passes(set, sizeof set));
    set = whole, set.object[1].entry.bytes = UINT64_MAX;
    assert_false(set_passes(set, sizeof set));
    set = whole, set.head.objects = 1, set.object[0].entry.bytes = UINT64_MAX;
    assert_false(set_passes(set, sizeof set.head + sizeof set.object[0].entry));
    set = whole, set.object[0].entry.weight = NAN;
    assert_false(set_passes(set, sizeof set));
}

/* --- whatever passes is read within its memory --- */

static volatile unsigned char sum;

/* As who uses it does. */
static void touch(const char *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        sum += (unsigned char)at[i];
    }
}

static void read_chunk(const char *chunk, size_t bytes)
{
    struct keel_mpi_chunk_head head;
    struct keel_mpi_object_record record;
    size_t at = sizeof head, records = 0;

    memcpy(&head, chunk, sizeof head);
    assert_true(head.phase <= PHASE + 1);
    for (; at + sizeof record <= bytes; records++) {
        memcpy(&record, chunk + at, sizeof record);
        at += sizeof record;
        if (head.large && at == bytes) {
            assert_true(record.bytes > KEEL_MPI_PACKED_CHUNK / 2);
            assert_true(record.bytes <= SIZE_MAX / 2);
            return;
        }
        touch(chunk + at, record.bytes);
        at += keel_mpi_packed_padded(record.bytes);
    }
    assert_true(at == bytes && records > 0);
    assert_true(!head.large);
}

/* By what object_progress.c does with it. */
static void read_record(const struct keel_mpi_object_record *record)
{
    assert_true(record->kind <= KEEL_MPI_RECORD_OFFER);
    assert_true(record->sender < RANKS);
    switch (record->kind) {
    case KEEL_MPI_RECORD_MESSAGE:
    case KEEL_MPI_RECORD_RETURNED:
        assert_true(record->handler < HANDLERS || record->handler == KEEL_MPI_OBJECTS_DELETION);
        break;
    case KEEL_MPI_RECORD_FOUND:
        assert_true(record->number < QUESTIONS);
        assert_true(record->rank < RANKS || record->rank == KEEL_LOCATION_DELETED);
        break;
    case KEEL_MPI_RECORD_CAME:
    case KEEL_MPI_RECORD_HINT:
    case KEEL_MPI_RECORD_TAKEN:
        assert_true(record->rank < RANKS);
        break;
    case KEEL_MPI_RECORD_ASK:
    case KEEL_MPI_RECORD_LOOK:
        assert_true(record->bytes == sizeof(struct keel_mpi_objects_pace) ||
                    record->bytes == sizeof(struct keel_mpi_objects_digest));
        break;
    default:
        break;
    }
}

static const char *read_messages(const char *at, uint32_t count)
{
    struct keel_mpi_packed_message head;

    for (uint32_t i = 0; i < count; i++) {
        memcpy(&head, at, sizeof head);
        assert_true(head.sender < RANKS);
        touch(at + sizeof head, head.bytes);
        at += sizeof head + keel_mpi_packed_padded(head.bytes);
    }
    return at;
}

static void read_object(const char *payload, uint64_t bytes)
{
    struct keel_mpi_packed_object head;
    const char *at = payload + sizeof head;

    memcpy(&head, payload, sizeof head);
    touch(at, head.orders * sizeof(struct keel_order_entry));
    at += head.orders * sizeof(struct keel_order_entry);
    at = read_messages(read_messages(at, head.messages), head.early);
    assert_true((uint64_t)(at - payload) + head.bytes == bytes);
    touch(at, head.bytes);
}

static void read_set(const char *data)
{
    struct keel_mpi_packed_set head;
    struct keel_mpi_packed_entry entry;
    const char *at = data + sizeof head;

    memcpy(&head, data, sizeof head);
    for (uint64_t i = 0; i < head.objects; i++) {
        memcpy(&entry, at, sizeof entry);
        assert_true(isfinite(entry.weight));
        touch(at + sizeof entry, entry.bytes);
        at += sizeof entry + keel_mpi_packed_padded(entry.bytes);
    }
}

/* In memory of just that size, where the address sanitizer sees what is read behind it. Returns
 * whether it passes. */
static bool reads(unsigned form, const void *given, size_t bytes)
{
    char *exact = malloc(bytes > 0 ? bytes : 1);
    const char *problem;

    memcpy(exact, given, bytes);
    switch (form) {
    case 0:
        problem = keel_mpi_packed_chunk_problem(exact, bytes, PHASE + 1);
        if (problem == NULL) {
            read_chunk(exact, bytes);
        }
        break;
    case 1:
        problem = keel_mpi_packed_record_problem((const void *)exact, &packed_view);
        if (problem == NULL) {
            read_record((const void *)exact);
        }
        break;
    case 2:
        problem = keel_mpi_packed_object_problem(exact, bytes, &packed_view);
        if (problem == NULL) {
            read_object(exact, bytes);
        }
        break;
    default:
        problem = keel_mpi_packed_set_problem(exact, bytes);
        if (problem == NULL) {
            read_set(exact);
        }
    }
    assert_true(problem == NULL || strlen(problem) > 0);
    free(exact);
    return problem == NULL;
}

static void edit(char *of, size_t *bytes, struct draws *draws)
{
    static const uint64_t word[] = {0,    1,    5,          8,          0x7f,
                                    0x80, 2000, UINT32_MAX, UINT64_MAX, -UINT64_C(8)};
    uint64_t any = draws_below(draws, 4) == 0 ? draws_next(draws) : word[draws_below(draws, 10)];
    size_t width = (size_t)1 << draws_below(draws, 4), at = draws_below(draws, *bytes);

    if (draws_below(draws, 6) == 0) {
        *bytes = at + 1;
    }
    at -= draws_below(draws, 4) > 0 ? at % width : 0;
    memcpy(of + at, &any, at + width <= *bytes ? width : *bytes - at);
}

TEST(changed_texts_are_refused_or_read_within_their_memory)
{
    const struct {
        struct keel_mpi_chunk_head head;
        struct keel_mpi_object_record message;
        char payload[16];
        struct keel_mpi_object_record made;
    } chunk = {{PHASE, 0},
               RECORD(.bytes = 11, .kind = KEEL_MPI_RECORD_MESSAGE),
               "",
               RECORD(.kind = KEEL_MPI_RECORD_MADE, .epoch = 1)};
    const struct {
        struct keel_mpi_chunk_head head;
        struct keel_mpi_object_record made, object;
    } large = {{PHASE + 1, 1},
               RECORD(.kind = KEEL_MPI_RECORD_MADE, .epoch = 1),
               RECORD(.bytes = 5000, .kind = KEEL_MPI_RECORD_OBJECT)};
    const struct keel_mpi_object_record found =
        RECORD(.kind = KEEL_MPI_RECORD_FOUND, .number = QUESTIONS - 1, .rank = RANKS - 1);
    const struct keel_mpi_object_record ask =
        RECORD(.kind = KEEL_MPI_RECORD_ASK, .bytes = sizeof(struct keel_mpi_objects_pace));
    const struct set set = {.head = {.objects = 2},
                            .object = {{.entry = {.bytes = 13}}, {.entry = {.bytes = 16}}}};
    const struct {
        unsigned form;
        const void *right;
        size_t bytes;
    } texts[] = {{0, &chunk, sizeof chunk}, {0, &large, sizeof large}, {1, &found, sizeof found},
                 {1, &ask, sizeof ask},     {2, &right, sizeof right}, {3, &set, sizeof set}};
    struct draws draws = draws_begin();
    unsigned passed = 0;

    for (unsigned i = 0; i < 600000; i++) {
        unsigned which = i % 6;
        char changed[600];
        size_t bytes = texts[which].bytes;
        memcpy(changed, texts[which].right, bytes);
        for (uint64_t edits = draws_below(&draws, 4); edits > 0; edits--) {
            edit(changed, &bytes, &draws);
        }
        if (texts[which].form != 1 || bytes == sizeof found) {
            passed += reads(texts[which].form, changed, bytes);
        }
    }
    assert_in_range(passed, 100000, 500000);
}
