/* Feeds the fuzz target without a fuzzer:
 *   spec_fuzz_driver seeds FOLDER   writes the texts to begin with, one file each
 *   spec_fuzz_driver run COUNT      tries them all, then COUNT texts made from them, the same ones
 *                                   in every run; after abort the last one is on standard error */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/schedules/loop/draws.h"
#include "tests/schedules/loop/spec_fuzz.h"

#define TEXT_MAX 96

static const char *const seeds[] = {
    "static",
    "static,7",
    "ss",
    "ss,5",
    "css,7",
    "dynamic",
    "gss",
    "guided,6",
    "tss",
    "tss,100,10",
    "trapezoidal:last=9",
    "tfss,11",
    "fac2,16",
    "mfac2",
    "fac:mu=100,sigma=30",
    "mfac:min=9",
    "wf2,10",
    "af,20",
    "aid:chunk=2,ratio=0.5,min=7",
    "rate,30",
    "afs",
    "steal:chunk=3,min=8",
    "ich",
    "fsc:sigma=5,overhead=1e3",
    "mfsc,30",
    "tap:mu=1,sigma=1e18,alpha=1e6",
    "taper:alpha=0",
    "bold:min=10,mu=100,sigma=100,overhead=1000",
    "fiss:stages=1000000",
    "viss:stages=4,min=12",
    "pls:ratio=0.9,min=4",
    "rnd:seed=18446744073709551615",
    "monotonic:gss,4",
    "nonmonotonic : Static , 4 ",
    "gss,abc",
    "fac:sigm=1,mu=2",
    "gss,3,min=4",
    "tss,9223372036854775807,9223372036854775807",
    "gsx",
    "",
    ",:=",
};

#define SEEDS (sizeof seeds / sizeof seeds[0])

static unsigned char text[2 * TEXT_MAX];
static size_t length;

static void show_text(int signal_number)
{
    static const char says[] = "the text was: ";

    (void)signal_number;
    if (write(STDERR_FILENO, says, sizeof says - 1) < 0 || write(STDERR_FILENO, text, length) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(2);
    }
}

static void try_text(void)
{
    unsigned char *exact = malloc(length + (length == 0));

    memcpy(exact, text, length);
    LLVMFuzzerTestOneInput(exact, length);
    free(exact);
}

static void replace(size_t from, size_t removed, const void *bytes, size_t inserted)
{
    memmove(text + from + inserted, text + from + removed, length - from - removed);
    memcpy(text + from, bytes, inserted);
    length = length - removed + inserted;
}

/* One edit: a byte changed, a stretch cut out, or a stretch of another seed put in. */
static void mutate(struct draws *draws)
{
    size_t from = draws_below(draws, length + 1);
    const char *other = seeds[draws_below(draws, SEEDS)];
    size_t other_length = strlen(other), start = draws_below(draws, other_length + 1);
    unsigned char byte = (unsigned char)draws_next(draws);

    switch (draws_below(draws, 4)) {
    case 0:
        replace(from, from < length, &byte, 1);
        break;
    case 1:
        replace(from, draws_below(draws, length - from + 1), "", 0);
        break;
    case 2:
        replace(from, 0, &"0123456789.,:=e- \0"[byte % 18], 1);
        break;
    default:
        replace(from, 0, other + start, draws_below(draws, other_length - start + 1));
    }
    length = length > TEXT_MAX ? TEXT_MAX : length;
}

static void take_seed(size_t i)
{
    length = strlen(seeds[i]);
    memcpy(text, seeds[i], length);
}

static int run(unsigned long count)
{
    struct draws draws = {1};

    signal(SIGABRT, show_text);
    for (size_t i = 0; i < SEEDS; i++) {
        take_seed(i);
        try_text();
    }
    while (count-- > 0) {
        take_seed(draws_below(&draws, SEEDS));
        for (uint64_t edits = 1 + draws_below(&draws, 6); edits > 0; edits--) {
            mutate(&draws);
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
        if (file == NULL || fputs(seeds[i], file) < 0 || fclose(file) != 0) {
            perror(path);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "seeds") == 0) {
        return write_seeds(arguments[2]);
    }
    if (count == 3 && strcmp(arguments[1], "run") == 0) {
        return run(strtoul(arguments[2], NULL, 10));
    }
    fprintf(stderr, "usage: spec_fuzz_driver seeds FOLDER | run COUNT\n");
    return 2;
}
