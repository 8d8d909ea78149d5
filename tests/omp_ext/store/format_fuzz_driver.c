/* Feeds format_fuzz with memories. */
#include <stdlib.h>

#include "omp_ext/memory/memory_format.h"
#include "tests/fuzz/driver.h"

#define SEEDS 3

static const char *const pieces[] = {
    "{",       "}",     "[",        "]",
    ",",       ":",     "0",        "-1",
    "1e9",     "0.5",   "1e400",    "-0.0",
    "null",    "true",  "\"\"",     "\"sites\":[]",
    "[]",      "65537", "99999999", "4611686018427387904",
    "\\u0000", "\xff",  "1e-320",   "9223372036854775808",
};

/* A memory of `sites` sites with few digits. */
static char *make_seed(size_t sites)
{
    struct keel_memory_table table = {.run = 5};
    struct keel_memory_thread thread[2] = {{.rate = {1.5, KEEL_RATE_UP1}, .mean_ns = 2},
                                           {.bound = 0.5, .sample = {1, 2, 3}}};
    struct keel_memory_state state = {.choice = "gss", .thread = thread};
    size_t seed_length;

    for (size_t i = 0; i < sites; i++) {
        state.key = (struct keel_memory_key){"a.out:16384", 16 + i, 0, "rate", 1 + i};
        keel_memory_table_put(&table, &state, 4);
    }
    char *made = keel_memory_format_write(&table, &seed_length);
    keel_memory_table_free(&table);
    return made;
}

int main(int count, char **arguments)
{
    char *seeds[SEEDS];
    const struct fuzz_texts texts = {
        .seeds = (const char *const *)seeds,
        .seed_count = SEEDS,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = ",:[]{}",
        .text_max = FUZZ_TEXT_MAX,
        .edits_max = 4,
    };

    for (size_t i = 0; i < SEEDS; i++) {
        seeds[i] = make_seed(i);
    }
    int status = fuzz_drive(&texts, count, arguments);
    for (size_t i = 0; i < SEEDS; i++) {
        free(seeds[i]);
    }
    return status;
}
