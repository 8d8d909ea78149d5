/* Fuzz target: no text makes the reader of memories fail, also if its sum is right, and what it
 * accepts is written and read back the same. Aborts where that does not hold. */
#include "tests/fuzz/driver.h"

#include <string.h>

#include "omp_ext/memory/memory_parts.h"
#include "schedules/arithmetic/arithmetic.h"

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
    char *copy = strdup(text);
    expect(keel_memory_format_read(copy, length, &back, reason), "what was written can't be read");
    char *again = keel_memory_format_write(&back, &again_length);
    expect(again != NULL && again_length == length && memcmp(again, text, length) == 0,
           "what was written reads back otherwise");
    keel_memory_table_free(&back);
    free(again);
    free(copy);
    free(text);
}

static void try_text(char *text, size_t length)
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

#define SUM_LENGTH 21

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + SUM_LENGTH + 1);
    size_t before = size > SUM_LENGTH ? size - SUM_LENGTH : 0;

    memcpy(text, data, size);
    try_text(text, size);
    memset(text, 0, size);
    memcpy(text, data, before);
    uint64_t sum = keel_digest_text(KEEL_DIGEST_START, text);
    sprintf(text + before, "sum %016llx\n", (unsigned long long)sum);
    try_text(text, before + SUM_LENGTH);
    free(text);
    return 0;
}

/* --- memories to begin with --- */

#define SEEDS 3

static const char *const pieces[] = {
    "keel-memory 2 ",   "0",   "-1",     "1",  "10001", "ffffffffffffffff",
    "7ff0000000000000", "\t",  "a\tb\t", "\n", " ",     "8000000000000000",
    "3fe0000000000000", "\xff"};

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
        keel_memory_table_put(&table, &state, 4, NULL);
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

FUZZ_TEXTS(.separators = "\t \n", .text_max = FUZZ_TEXT_MAX, .edits_max = 4);
