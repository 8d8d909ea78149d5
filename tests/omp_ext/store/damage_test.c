/* A memory that was cut off or changed anywhere is refused, or says the same as before. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_parts.h"
#include "tests/omp_ext/store/states.h"
#include "tests/support/unit.h"

static struct keel_memory_table table;
static char *text;
static size_t length;

/* Two states, one with many digits. */
BEFORE_TESTS
{
    struct keel_memory_state long_one = state_of(0, 1, 2, 1), short_one = {0};
    static struct keel_memory_thread thread[2] = {{.bound = 0}, {.bound = 0.5}};

    short_one.key = (struct keel_memory_key){"a.out:16384", 4660, 0, "auto", 2};
    short_one.choice = "gss";
    short_one.thread = thread;
    table.run = 3;
    keel_memory_table_put(&table, &short_one, 2, NULL);
    keel_memory_table_put(&table, &long_one, 3, NULL);
    text = keel_memory_format_write(&table, &length);
}

static bool tables_equal(const struct keel_memory_table *other)
{
    bool equal = other->run == table.run && other->count == table.count;

    for (size_t i = 0; equal && i < table.count; i++) {
        equal = other->entry[i].used == table.entry[i].used &&
                states_equal(&other->entry[i].state, &table.entry[i].state);
    }
    return equal;
}

/* Reads a copy that ends where its memory ends. */
static bool read_copy(const char *from, size_t count, struct keel_memory_table *other)
{
    char reason[KEEL_MEMORY_REASON_MAX] = "";
    static char *copy; /* what was read points to it */

    free(copy);
    copy = malloc(count + 1);
    memcpy(copy, from, count);
    copy[count] = '\0';
    bool good = keel_memory_format_read(copy, count, other, reason);
    assert_true(good == (reason[0] == '\0'));
    assert_true(good || (other->count == 0 && other->entry == NULL));
    return good;
}

TEST(the_whole_text_is_read)
{
    struct keel_memory_table other = {0};

    assert_true(read_copy(text, length, &other));
    assert_true(tables_equal(&other));
    keel_memory_table_free(&other);
}

TEST(every_shorter_text_is_refused)
{
    struct keel_memory_table other = {0};

    for (size_t count = 0; count < length; count++) {
        assert_false(read_copy(text, count, &other));
    }
}

TEST(every_changed_bit_is_noticed)
{
    struct keel_memory_table other = {0};

    for (size_t bit = 0; bit < 8 * length; bit++) {
        text[bit / 8] ^= (char)(1 << bit % 8);
        assert_false(read_copy(text, length, &other));
        text[bit / 8] ^= (char)(1 << bit % 8);
    }
}

/* A sum that fits does not help a loop whose threads' parts overlap. */
TEST(parts_that_overlap_are_refused)
{
    struct keel_memory_table wrong = {.run = 3}, other = {0};
    struct keel_memory_thread thread[2] = {{.bound = 0.5}, {.bound = 0.25}};
    struct keel_memory_state overlapping = {
        .key = {"a.out:16384", 4660, 0, "rate", 2}, .choice = "", .thread = thread};
    size_t written;

    keel_memory_table_put(&wrong, &overlapping, 2, NULL);
    char *said = keel_memory_format_write(&wrong, &written);
    assert_false(read_copy(said, written, &other));
    free(said);
    keel_memory_table_free(&wrong);
}
