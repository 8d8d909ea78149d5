/* Fuzz target: no text makes the reader of memories fail, also if its sum is right, and what it
 * accepts is written and read back the same. Aborts where that does not hold. */
#include "tests/fuzz/driver.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_format.h"
#include "omp_ext/memory/memory_file.h"
#include "schedules/arithmetic/digest.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static void check_states(const struct keel_memory_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct keel_memory_state *state = &table->entry[i].state;
        expect(table->entry[i].used <= table->run, "a state was used in the future");
        expect(keel_memory_table_find(table, &state->key) == &table->entry[i],
               "a state can't be found");
    }
}

static void check_round_trip(const struct keel_memory_table *table)
{
    char reason[KEEL_MEMORY_REASON_MAX];
    struct keel_memory_table back = {0};
    size_t length, again_length;
    char *text = keel_memory_format_write(table, &length);

    expect(text != NULL, "what was read can't be written");
    expect(keel_memory_format_read(text, length, &back, reason), "what was written can't be read");
    char *again = keel_memory_format_write(&back, &again_length);
    expect(again != NULL && again_length == length && memcmp(again, text, length) == 0,
           "what was written reads back otherwise");
    keel_memory_table_free(&back);
    free(again);
    free(text);
}

static void try_text(const char *text, size_t length)
{
    char reason[KEEL_MEMORY_REASON_MAX] = "";
    struct keel_memory_table table = {0};
    bool good = keel_memory_format_read(text, length, &table, reason);

    expect(memchr(reason, '\0', sizeof reason) != NULL, "the reason has no end");
    expect(good == (reason[0] == '\0'), "reason and result disagree");
    expect(good || table.count == 0, "a refused file left states behind");
    check_states(&table);
    if (good) {
        check_round_trip(&table);
    }
    keel_memory_table_free(&table);
}

/* Gives the text the sum that it should have, so that it gets past that. */
static char *with_right_sum(const char *text, size_t length)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error), *site;
    char sum_text[32], *result = NULL;
    size_t i;

    snprintf(sum_text, sizeof sum_text, "%lld ",
             (long long)json_integer_value(json_object_get(root, "run")));
    uint64_t sum = keel_digest_text(KEEL_DIGEST_START, sum_text);

    json_array_foreach(json_object_get(root, "sites"), i, site)
    {
        char *line = json_dumps(site, JSON_COMPACT | JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
        sum = line != NULL ? keel_digest_text(sum, line) : sum;
        free(line);
    }
    snprintf(sum_text, sizeof sum_text, "%016llx", (unsigned long long)sum);
    if (json_is_object(root)) {
        json_object_set_new(root, "sum", json_string(sum_text));
        result = json_dumps(root, JSON_REAL_PRECISION(17));
    }
    json_decref(root);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *mended = with_right_sum((const char *)data, size);

    try_text((const char *)data, size);
    if (mended != NULL) {
        try_text(mended, strlen(mended));
    }
    free(mended);
    return 0;
}

/* --- memories to begin with --- */

#define SEEDS 3

static const char *const pieces[] = {"{",       "}",     "[",        "]",
                                     ",",       ":",     "0",        "-1",
                                     "1e9",     "0.5",   "1e400",    "-0.0",
                                     "null",    "true",  "\"\"",     "\"sites\":[]",
                                     "[]",      "65537", "99999999", "4611686018427387904",
                                     "\\u0000", "\xff",  "1e-320",   "9223372036854775808"};

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

static const char *seeds[SEEDS];

__attribute__((constructor)) static void make_seeds(void)
{
    for (size_t i = 0; i < SEEDS; i++) {
        seeds[i] = make_seed(i);
    }
}

const struct fuzz_texts fuzz_texts = {
    .seeds = seeds,
    .seed_count = SEEDS,
    .pieces = pieces,
    .piece_count = sizeof pieces / sizeof pieces[0],
    .separators = ",:[]{}",
    .text_max = FUZZ_TEXT_MAX,
    .edits_max = 4,
};
