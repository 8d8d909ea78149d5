/* Fuzz target: what passes is read within its memory. The first byte of the text says what the
 * others are, as they lie in memory: a chunk, a record, an object on its way, a copy of all
 * objects. Aborts where that does not hold. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/objects/records/packed.h"
#include "mpi_backend/objects/records/packed_check.h"
#include "mpi_backend/objects/objects_state.h"
#include "tests/fuzz/driver.h"
#include "tests/mpi_backend/objects/packed/packed_view.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

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
    expect(head.phase <= PHASE + 1, "a phase far away");
    for (; at + sizeof record <= bytes; records++) {
        memcpy(&record, chunk + at, sizeof record);
        at += sizeof record;
        if (head.large && at == bytes) {
            expect(record.bytes > KEEL_MPI_PACKED_CHUNK / 2, "a short payload in pieces");
            expect(record.bytes <= SIZE_MAX / 2, "a payload that no memory holds");
            return;
        }
        touch(chunk + at, record.bytes);
        at += keel_mpi_packed_padded(record.bytes);
    }
    expect(at == bytes && records > 0, "half a record has passed");
    expect(!head.large, "pieces of nothing follow");
}

/* By what object_progress.c does with it. */
static void read_record(const struct keel_mpi_object_record *record)
{
    expect(record->kind <= KEEL_MPI_RECORD_GAVE, "a kind that there is not");
    expect(record->sender < RANKS, "a sender that there is not");
    switch (record->kind) {
    case KEEL_MPI_RECORD_MESSAGE:
    case KEEL_MPI_RECORD_RETURNED:
        expect(record->handler < HANDLERS || record->handler == KEEL_MPI_OBJECTS_DELETION,
               "a handler that there is not");
        break;
    case KEEL_MPI_RECORD_FOUND:
        expect(record->number < QUESTIONS, "an answer that was not asked for");
        expect(record->rank < RANKS || record->rank == KEEL_LOCATION_DELETED, "an owner");
        break;
    case KEEL_MPI_RECORD_CAME:
    case KEEL_MPI_RECORD_HINT:
    case KEEL_MPI_RECORD_TAKEN:
        expect(record->rank < RANKS, "a rank that there is not");
        break;
    case KEEL_MPI_RECORD_ASK:
    case KEEL_MPI_RECORD_LOOK:
        expect(record->bytes == sizeof(struct keel_mpi_objects_pace) ||
                   record->bytes == sizeof(struct keel_mpi_objects_digest),
               "a pace of another size");
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
        expect(head.sender < RANKS, "a sender that there is not");
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
    expect((uint64_t)(at - payload) + head.bytes == bytes, "the program gets other bytes");
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
        expect(isfinite(entry.weight), "a weight that is none");
        touch(at + sizeof entry, entry.bytes);
        at += sizeof entry + keel_mpi_packed_padded(entry.bytes);
    }
}

/* In memory of just that size, where the address sanitizer sees what is read behind it. */
static const char *try_text(unsigned what, const char *text, size_t bytes)
{
    struct keel_mpi_object_record record;
    const char *problem = "a record";

    switch (what % 4) {
    case 0:
        problem = keel_mpi_packed_chunk_problem(text, bytes, PHASE + 1);
        if (problem == NULL) {
            read_chunk(text, bytes);
        }
        break;
    case 1:
        if (bytes == sizeof record) {
            memcpy(&record, text, sizeof record);
            problem = keel_mpi_packed_record_problem(&record, &packed_view);
            if (problem == NULL) {
                read_record(&record);
            }
        }
        break;
    case 2:
        problem = keel_mpi_packed_object_problem(text, bytes, &packed_view);
        if (problem == NULL) {
            read_object(text, bytes);
        }
        break;
    default:
        problem = keel_mpi_packed_set_problem(text, bytes);
        if (problem == NULL) {
            read_set(text);
        }
    }
    return problem;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    char *text = malloc(size > 1 ? size - 1 : 1);
    memcpy(text, data + 1, size - 1);
    const char *problem = try_text(data[0], text, size - 1);
    expect(problem == NULL || strlen(problem) > 0, "a refusal says nothing");
    free(text);
    return 0;
}
