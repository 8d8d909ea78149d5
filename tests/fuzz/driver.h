/* Feeds a fuzz target with texts where there is no fuzzer: those to begin with, and texts that are
 * made from them by a few edits, drawn by KEEL_TEST_SEED. */
#ifndef KEEL_TESTS_FUZZ_DRIVER_H
#define KEEL_TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/list.h"

/* Bytes of a text at most. */
#define FUZZ_TEXT_MAX 8192

struct fuzz_texts {
    const char *const *seeds;  /* texts to begin with */
    const size_t *seed_length; /* of each; NULL: they end with their zero bytes */
    size_t seed_count;         /* 1 or more */
    const char *const
        *pieces;        /* what edits put in, of FUZZ_TEXT_MAX bytes at most; "" is a zero byte */
    size_t piece_count; /* 1 or more */
    const char *separators; /* what ends a word */
    size_t text_max;        /* where texts are cut off, 1 .. FUZZ_TEXT_MAX bytes */
    unsigned edits_max;     /* of a text, 1 or more */
};

/* What a target asks for of what it has read. */
__attribute__((unused)) static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* The target, which libFuzzer calls by this name. Returns 0; aborts when something is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The target's. */
extern const struct fuzz_texts fuzz_texts;

/* FUZZ_TEXTS(FIELD...): those of its arrays `seeds` and `pieces`, and other fields. */
#define FUZZ_TEXTS(...)                                \
    const struct fuzz_texts fuzz_texts = {             \
        .seeds = seeds,                                \
        .seed_count = sizeof seeds / sizeof *seeds,    \
        .pieces = pieces,                              \
        .piece_count = sizeof pieces / sizeof *pieces, \
        __VA_ARGS__,                                   \
    }

#endif
