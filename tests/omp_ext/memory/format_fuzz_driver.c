/* Feeds the fuzz target without a fuzzer:
 *   format_fuzz_driver seeds FOLDER   writes the texts to begin with, one file each
 *   format_fuzz_driver run COUNT      tries them all, then COUNT texts made from them, the same
 *                                     ones in every run; after abort the last one is on standard
 *                                     error */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/memory/format.h"
#include "tests/omp_ext/memory/format_fuzz.h"

#define SEEDS 3
#define TEXT_MAX 4096

static const char *const pieces[] = {
    "{",       "}",     "[",        "]",
    ",",       ":",     "0",        "-1",
    "1e9",     "0.5",   "1e400",    "-0.0",
    "null",    "true",  "\"\"",     "\"sites\":[]",
    "[]",      "65537", "99999999", "4611686018427387904",
    "\\u0000", "\xff",  "1e-320",   "9223372036854775808",
};

#define PIECES (sizeof pieces / sizeof pieces[0])

static char *seed[SEEDS];
static char text[2 * TEXT_MAX];
static size_t length;

static uint64_t draw(uint64_t below)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static void show_text(int signal_number)
{
    static const char says[] = "the text was: ";

    (void)signal_number;
    if (write(STDERR_FILENO, says, sizeof says - 1) < 0 || write(STDERR_FILENO, text, length) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(2);
    }
}

/* A memory of `sites` sites with few digits. */
static char *make_seed(size_t sites)
{
    struct keel_memory_table table = {.run = 5};
    struct keel_remembered_thread thread[2] = {{.rate = {1.5, KEEL_RATE_UP1}, .mean_ns = 2},
                                               {.bound = 0.5, .sample = {1, 2, 3}}};
    struct keel_remembered state = {.choice = "gss", .thread = thread};
    size_t seed_length;

    for (size_t i = 0; i < sites; i++) {
        state.key = (struct keel_memory_key){"a.out:16384", 16 + i, 0, "rate", 1 + i};
        keel_memory_table_put(&table, &state, 4);
    }
    char *made = keel_memory_format_write(&table, &seed_length);
    keel_memory_table_free(&table);
    return made;
}

static void replace(size_t from, size_t removed, const char *bytes, size_t inserted)
{
    memmove(text + from + inserted, text + from + removed, length - from - removed);
    memcpy(text + from, bytes, inserted);
    length = length - removed + inserted;
}

/* One edit: a byte changed, a stretch cut out, doubled, or a piece put in or in another's place. */
static void mutate(void)
{
    size_t from = draw(length + 1), some = draw(length - from + 1);
    const char *piece = pieces[draw(PIECES)];
    char byte = (char)draw(256), stretch[64];

    some = some > 64 ? 1 + some % 64 : some;
    switch (draw(5)) {
    case 0:
        replace(from, from < length, &byte, 1);
        break;
    case 1:
        replace(from, some, "", 0);
        break;
    case 2:
        memcpy(stretch, text + from, some);
        replace(from, 0, stretch, some);
        break;
    case 3:
        replace(from, 0, piece, strlen(piece));
        break;
    default: /* a word or a number as a whole */
        from -= from > 0 && from == length;
        while (from > 0 && strchr(",:[{", text[from - 1]) == NULL) {
            from--;
        }
        some = 0;
        while (from + some < length && strchr(",:]}", text[from + some]) == NULL) {
            some++;
        }
        replace(from, some, piece, strlen(piece));
    }
    length = length > TEXT_MAX ? TEXT_MAX : length;
}

static void try_text(void)
{
    uint8_t *exact = malloc(length + (length == 0));

    memcpy(exact, text, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
}

static void take_seed(size_t i)
{
    length = strlen(seed[i]);
    memcpy(text, seed[i], length);
}

static int run(unsigned long count)
{
    signal(SIGABRT, show_text);
    for (size_t i = 0; i < SEEDS; i++) {
        take_seed(i);
        try_text();
    }
    while (count-- > 0) {
        take_seed(draw(SEEDS));
        for (uint64_t edits = 1 + draw(4); edits > 0; edits--) {
            mutate();
        }
        try_text();
    }
    return EXIT_SUCCESS;
}

static int write_seeds(const char *folder)
{
    for (size_t i = 0; i < SEEDS; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%zu", folder, i);
        FILE *file = fopen(path, "w");
        if (file == NULL || fputs(seed[i], file) < 0 || fclose(file) != 0) {
            perror(path);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static int act(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "seeds") == 0) {
        return write_seeds(arguments[2]);
    }
    if (count == 3 && strcmp(arguments[1], "run") == 0) {
        return run(strtoul(arguments[2], NULL, 10));
    }
    fprintf(stderr, "usage: format_fuzz_driver seeds FOLDER | run COUNT\n");
    return 2;
}

int main(int count, char **arguments)
{
    for (size_t i = 0; i < SEEDS; i++) {
        seed[i] = make_seed(i);
    }
    int status = act(count, arguments);
    for (size_t i = 0; i < SEEDS; i++) {
        free(seed[i]);
    }
    return status;
}
