/* Feeds packed_fuzz with a right text of each form, and what edits make of them. */
#include <string.h>

#include "mpi_backend/objects/records/packed.h"
#include "tests/fuzz/driver.h"
#include "tests/mpi_backend/objects/packed/packed_view.h"

enum { FORMS = 7, BYTES = 400 };

static const char *const pieces[] = {"",
                                     "\x01",
                                     "\x05",
                                     "\x08",
                                     "\x7f",
                                     "\x80",
                                     "\xff\xff\xff\xff",
                                     "\xff\xff\xff\xff\xff\xff\xff\xff",
                                     "\xf8\xff\xff\xff\xff\xff\xff\xff",
                                     "\xd0\x07"};

static char bytes[FORMS][BYTES];
static size_t length[FORMS];
static size_t forms;

static void begin(char form)
{
    bytes[forms][0] = form;
    length[forms] = 1;
}

static void put(const void *from, size_t count)
{
    memcpy(bytes[forms] + length[forms], from, count);
    length[forms] += count;
}

static void put_zeroes(size_t count)
{
    length[forms] += count;
}

static void make_chunks(void)
{
    const struct keel_mpi_object_record message = {.bytes = 11, .kind = KEEL_MPI_RECORD_MESSAGE},
                                        made = {.kind = KEEL_MPI_RECORD_MADE, .epoch = 1},
                                        object = {.bytes = 5000, .kind = KEEL_MPI_RECORD_OBJECT};

    begin(0);
    put(&(struct keel_mpi_chunk_head){PHASE, 0}, sizeof(struct keel_mpi_chunk_head));
    put(&message, sizeof message);
    put_zeroes(16);
    put(&made, sizeof made);
    forms++;
    begin(0);
    put(&(struct keel_mpi_chunk_head){PHASE + 1, 1}, sizeof(struct keel_mpi_chunk_head));
    put(&made, sizeof made);
    put(&object, sizeof object);
    forms++;
}

static void make_record(struct keel_mpi_object_record record)
{
    begin(1);
    put(&record, sizeof record);
    forms++;
}

static void make_object(void)
{
    const struct keel_mpi_packed_object head = {
        .bytes = 9, .orders = 2, .messages = 1, .early = 1, .weight = 1, .common_s = 1};
    const struct keel_order_entry order[] = {{0, 3}, {4, 1}};
    const struct keel_mpi_packed_message message = {.bytes = 3, .sender = 4};

    begin(2);
    put(&head, sizeof head);
    put(order, sizeof order);
    for (int i = 0; i < 2; i++) {
        put(&message, sizeof message);
        put_zeroes(8);
    }
    put_zeroes(9);
    forms++;
}

static void make_set(void)
{
    const struct keel_mpi_packed_set head = {.objects = 2, .new_indices = 4};
    const struct keel_mpi_packed_entry entry = {.index = 7, .bytes = 13, .weight = 2};

    begin(3);
    put(&head, sizeof head);
    for (int i = 0; i < 2; i++) {
        put(&entry, sizeof entry);
        put_zeroes(16);
    }
    forms++;
}

int main(int count, char **arguments)
{
    static const char *seeds[FORMS];
    struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_length = length,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = "",
        .text_max = BYTES,
        .edits_max = 3,
    };

    make_chunks();
    make_record((struct keel_mpi_object_record){
        .kind = KEEL_MPI_RECORD_FOUND, .number = QUESTIONS - 1, .rank = RANKS - 1});
    make_record((struct keel_mpi_object_record){.kind = KEEL_MPI_RECORD_ASK,
                                                .bytes = sizeof(struct keel_mpi_objects_pace)});
    make_record((struct keel_mpi_object_record){.kind = KEEL_MPI_RECORD_MESSAGE, .handler = 1});
    make_object();
    make_set();
    for (size_t i = 0; i < forms; i++) {
        seeds[i] = bytes[i];
    }
    texts.seed_count = forms;
    return fuzz_drive(&texts, count, arguments);
}
