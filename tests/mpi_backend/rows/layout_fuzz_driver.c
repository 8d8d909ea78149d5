/* Feeds layout_fuzz with lists of sizes. */
#include <stdint.h>

#include "tests/fuzz/driver.h"

static const uint64_t sizes[][4] = {
    {0, 0, 0, 0},
    {1, 16, 17, 1000},
    {INT64_MAX - 15, 0, 0, 0},
    {INT64_MAX - 16, UINT64_MAX - 40, 48, 1},
    {INT64_MAX - 31, 16, 1, 0},
    {UINT64_MAX, 1, 2, 3},
    {UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4},
};

#define SEEDS (sizeof sizes / sizeof sizes[0])

static const char *const pieces[] = {"",
                                     "\x0f",
                                     "\x10",
                                     "\x11",
                                     "\x7f",
                                     "\x80",
                                     "\xff",
                                     "\xf0\xff\xff",
                                     "\xef\xff\xff\xff\xff\xff\xff\x7f",
                                     "\xff\xff\xff\xff\xff\xff\xff\xff"};

int main(int count, char **arguments)
{
    static const char *seeds[SEEDS];
    static size_t length[SEEDS];
    const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_length = length,
        .seed_count = SEEDS,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = "",
        .text_max = 256,
        .edits_max = 4,
    };

    for (size_t i = 0; i < SEEDS; i++) {
        seeds[i] = (const char *)sizes[i];
        length[i] = sizeof sizes[i];
    }
    return fuzz_drive(&texts, count, arguments);
}
