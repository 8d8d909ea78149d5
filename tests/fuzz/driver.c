/* The driver of a target, which knows
 *   seeds FOLDER   writes the texts to begin with, one file each
 *   run COUNT      tries them all, then COUNT texts made from them; after abort() the last one and
 *                  the seed of the draws are on standard error. */
#include "tests/fuzz/driver.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/helpers.h"

#define STRETCH_MAX 64

/* Static, because a signal handler shows them. */
static unsigned char text[2 * FUZZ_TEXT_MAX];
static size_t length;
static char seed_line[64];

static void show_text(int signal_number)
{
    static const char says[] = "the text was: ";

    (void)signal_number;
    if (write(STDERR_FILENO, seed_line, strlen(seed_line)) < 0 ||
        write(STDERR_FILENO, says, sizeof says - 1) < 0 || write(STDERR_FILENO, text, length) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(2);
    }
}

/* In memory of just its size, so that a sanitizer sees who reads behind it. */
static void try_text(void)
{
    unsigned char *exact = malloc(length + (length == 0));

    memcpy(exact, text, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
}

static size_t seed_length(const struct fuzz_texts *texts, size_t i)
{
    return texts->seed_length != NULL ? texts->seed_length[i] : strlen(texts->seeds[i]);
}

static void take_seed(const struct fuzz_texts *texts, size_t i)
{
    length = seed_length(texts, i);
    memcpy(text, texts->seeds[i], length);
}

/* Puts bytes in the place of some others; `inserted` is at most FUZZ_TEXT_MAX. */
static void replace(size_t from, size_t removed, const void *bytes, size_t inserted)
{
    memmove(text + from + inserted, text + from + removed, length - from - removed);
    memcpy(text + from, bytes, inserted);
    length = length - removed + inserted;
}

static void put_piece(const struct fuzz_texts *texts, struct draws *draws, size_t from,
                      size_t removed)
{
    const char *piece = texts->pieces[draws_below(draws, texts->piece_count)];

    replace(from, removed, piece, piece[0] == '\0' ? 1 : strlen(piece));
}

static void double_stretch(struct draws *draws, size_t from)
{
    unsigned char stretch[STRETCH_MAX];
    size_t size = draws_below(draws, length - from + 1);

    size = size < STRETCH_MAX ? size : STRETCH_MAX;
    memcpy(stretch, text + from, size);
    replace(from, 0, stretch, size);
}

static void put_other_seed(const struct fuzz_texts *texts, struct draws *draws, size_t from)
{
    size_t i = draws_below(draws, texts->seed_count), other = seed_length(texts, i);
    size_t start = draws_below(draws, other + 1);

    replace(from, 0, texts->seeds[i] + start, draws_below(draws, other - start + 1));
}

static bool separates(const struct fuzz_texts *texts, unsigned char byte)
{
    return byte != '\0' && strchr(texts->separators, byte) != NULL;
}

/* A word or a number as a whole. */
static void replace_word(const struct fuzz_texts *texts, struct draws *draws, size_t from)
{
    size_t end = from;

    while (from > 0 && !separates(texts, text[from - 1])) {
        from--;
    }
    while (end < length && !separates(texts, text[end])) {
        end++;
    }
    put_piece(texts, draws, from, end - from);
}

static void edit(const struct fuzz_texts *texts, struct draws *draws)
{
    size_t from = draws_below(draws, length + 1);
    unsigned char byte = (unsigned char)draws_next(draws);

    switch (draws_below(draws, 6)) {
    case 0:
        replace(from, from < length, &byte, 1);
        break;
    case 1:
        replace(from, draws_below(draws, length - from + 1), "", 0);
        break;
    case 2:
        put_piece(texts, draws, from, 0);
        break;
    case 3:
        double_stretch(draws, from);
        break;
    case 4:
        put_other_seed(texts, draws, from);
        break;
    default:
        replace_word(texts, draws, from);
    }
    length = length > texts->text_max ? texts->text_max : length;
}

static int run(const struct fuzz_texts *texts, unsigned long count)
{
    struct draws draws = {draws_seed()};

    snprintf(seed_line, sizeof seed_line, "KEEL_TEST_SEED=%" PRIu64 "\n", draws.state);
    signal(SIGABRT, show_text);
    for (size_t i = 0; i < texts->seed_count; i++) {
        take_seed(texts, i);
        try_text();
    }
    while (count-- > 0) {
        take_seed(texts, draws_below(&draws, texts->seed_count));
        for (uint64_t edits = 1 + draws_below(&draws, texts->edits_max); edits > 0; edits--) {
            edit(texts, &draws);
        }
        try_text();
    }
    return EXIT_SUCCESS;
}

static int write_seeds(const struct fuzz_texts *texts, const char *folder)
{
    for (size_t i = 0; i < texts->seed_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%zu", folder, i);
        FILE *file = fopen(path, "w");
        size_t bytes = seed_length(texts, i);
        if (file == NULL || fwrite(texts->seeds[i], 1, bytes, file) != bytes || fclose(file) != 0) {
            perror(path);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

/* That of a target that has its texts in `fuzz_texts`. */
int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "seeds") == 0) {
        return write_seeds(&fuzz_texts, arguments[2]);
    }
    if (count == 3 && strcmp(arguments[1], "run") == 0) {
        return run(&fuzz_texts, strtoul(arguments[2], NULL, 10));
    }
    fprintf(stderr, "usage: %s seeds FOLDER | run COUNT\n", arguments[0]);
    return 2;
}
