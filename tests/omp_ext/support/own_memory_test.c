/* Memory outside of the program's heap: zeroed, apart, and on cache lines of its own. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "omp_ext/support/own_memory.h"
#include "tests/support/unit.h"

#define PIECES 3000 /* more than a block holds */
#define LARGE ((size_t)1 << 20)

static size_t bytes_of(int i)
{
    return 1 + (size_t)i * 37 % 300;
}

static int is_zeroed(const unsigned char *memory, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (memory[i] != 0) {
            return 0;
        }
    }
    return 1;
}

TEST(pieces_are_zeroed_aligned_and_apart)
{
    unsigned char *piece[PIECES];

    for (int i = 0; i < PIECES; i++) {
        piece[i] = keel_own_memory(bytes_of(i));
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        assert_true(is_zeroed(piece[i], bytes_of(i)));
        memset(piece[i], i % 255 + 1, bytes_of(i));
    }
    for (int i = 0; i < PIECES; i++) {
        assert_int_equal(piece[i][0], i % 255 + 1);
        assert_int_equal(piece[i][bytes_of(i) - 1], i % 255 + 1);
    }
}

TEST(what_is_larger_than_a_block_has_one_of_its_own)
{
    unsigned char *memory = keel_own_memory(LARGE);

    assert_non_null(memory);
    assert_true(is_zeroed(memory, LARGE));
    memset(memory, 1, LARGE);
    assert_null(keel_own_memory(SIZE_MAX));
    assert_null(keel_own_memory(SIZE_MAX / 2));
}

TEST(only_the_last_piece_is_taken_back)
{
    unsigned char *first = keel_own_memory(100), *second = keel_own_memory(100);

    memset(first, 1, 100);
    memset(second, 2, 100);
    keel_own_memory_take_back(NULL, 100);
    keel_own_memory_take_back(first, 100);
    assert_int_equal(first[99], 1);
    assert_int_equal(second[99], 2);
    keel_own_memory_take_back(second, 100);
    assert_ptr_equal(keel_own_memory(70), second);
    assert_true(is_zeroed(second, 100));
}
