/* Feeds message_fuzz with letters: a right one of each kind, and what edits make of them. */
#include <string.h>

#include "mpi_backend/job/node_window.h"
#include "mpi_backend/loop/exchange/message_check.h"
#include "tests/fuzz/driver.h"

#define BYTES (2 + sizeof(struct keel_mpi_message))

struct letter {
    uint8_t to, from; /* nodes; 128: their first rank; 64: N is not known */
    struct keel_mpi_message message;
};

static const struct letter letters[] = {
    {1, 3, {.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 7, .transfer = {3, 1000, 5, 0.5, 1}}},
    {65, 3, {.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = 11, .transfer = {3, 1u << 31, 5, 0.5, 0}}},
    {1, 3, {.kind = KEEL_MPI_MESSAGE_REQUEST, .loop = 1, .request = {1000, 2, 0}}},
    {1, 3, {.kind = KEEL_MPI_MESSAGE_QUERY, .loop = 7}},
    {0, 3, {.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .claim = {10, 5, 1, 1, {3, 4}}}},
    {64, 3, {.kind = KEEL_MPI_MESSAGE_CLAIM, .loop = 7, .claim = {10, 5, 0, 0, {3, 4}}}},
    {3, 0, {.kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .grant = {90, 5, 7, {2, 1, 1}}}},
    {3, 0, {.kind = KEEL_MPI_MESSAGE_GRANT, .loop = 7, .grant = {UINT64_MAX, 0, 0, {0, 0, 0}}}},
    {129, 131, {.kind = KEEL_MPI_MESSAGE_COUNT, .loop = 7, .count = {1000, 1, 0}}},
    {131, 129, {.kind = KEEL_MPI_MESSAGE_END, .loop = 7, .end = {KEEL_MPI_WINDOW_OVER}}},
};

#define LETTERS (sizeof letters / sizeof letters[0])

static const char *const pieces[] = {"",
                                     "\x01",
                                     "\x7f",
                                     "\x80",
                                     "\xff\xff\xff\xff",
                                     "\xff\xff\xff\xff\xff\xff\xff\xff",
                                     "\xe8\x03",
                                     "\xe9\x03",
                                     "\xf0\x7f",
                                     "\xf8\xff"};

int main(int count, char **arguments)
{
    static char bytes[LETTERS][BYTES];
    static const char *seeds[LETTERS];
    static size_t length[LETTERS];
    const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_length = length,
        .seed_count = LETTERS,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = "",
        .text_max = BYTES,
        .edits_max = 3,
    };

    for (size_t i = 0; i < LETTERS; i++) {
        bytes[i][0] = (char)letters[i].to;
        bytes[i][1] = (char)letters[i].from;
        memcpy(bytes[i] + 2, &letters[i].message, sizeof letters[i].message);
        seeds[i] = bytes[i];
        length[i] = BYTES;
    }
    return fuzz_drive(&texts, count, arguments);
}
