/* Runs cases: all of the program, or those that the command line names. Each runs four times, as
 * Keel learns from runs of a region; each time the buffers are filled anew. */
#include "share_cases.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double x[room], y[room], z[room];
float f[room], g[room];
int a[room], b[room], c[room];
long l[room];
unsigned u[room];
short s[room];
unsigned char h[room];
struct point p[room];
double m[rows][columns], w[rows][columns];
long value[16];
double rounded[16];
unsigned long own[room];

int limit = n, few = 3, none = 0, stride = 7;
double factor = 1.25;

extern struct share_case __start_share_cases[], __stop_share_cases[];

#define BUFFER(name)              \
    {                             \
#name, &name, sizeof name \
    }

static const struct {
    const char *name;
    const void *start;
    size_t size;
} buffers[] = {BUFFER(x), BUFFER(y), BUFFER(z), BUFFER(f),    BUFFER(g), BUFFER(a),
               BUFFER(b), BUFFER(c), BUFFER(l), BUFFER(u),    BUFFER(s), BUFFER(h),
               BUFFER(p), BUFFER(m), BUFFER(w), BUFFER(value)};

static uint64_t drawn;

static unsigned draw(unsigned below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(drawn >> 33) % below;
}

static double sixteenths(void)
{
    return 0.5 + draw(128) / 16.0;
}

static void fill(void)
{
    drawn = 1;
    for (int i = 0; i < room; i++) {
        x[i] = sixteenths();
        y[i] = sixteenths();
        z[i] = sixteenths();
        f[i] = (float)sixteenths();
        g[i] = (float)sixteenths();
        a[i] = (int)draw(1000);
        b[i] = i < n ? i * 389 % n : i;
        c[i] = (int)draw(17) - 8;
        l[i] = draw(100000);
        u[i] = draw(1000000000);
        s[i] = (short)draw(1000);
        h[i] = (unsigned char)draw(256);
        p[i] = (struct point){sixteenths(), sixteenths(), (int)draw(100), i};
    }
    for (int i = 0; i < rows * columns; i++) {
        m[i / columns][i % columns] = sixteenths();
        w[i / columns][i % columns] = sixteenths();
    }
    memset(value, 0, sizeof value);
    memset(rounded, 0, sizeof rounded);
    memset(own, 0, sizeof own);
}

/* FNV-1a over words of eight bytes; all sizes are multiples of that. */
static uint64_t mix(uint64_t digest, const void *start, size_t size)
{
    uint64_t word;

    for (size_t at = 0; at < size; at += sizeof word) {
        memcpy(&word, (const char *)start + at, sizeof word);
        digest = (digest ^ word) * 1099511628211u;
        digest ^= digest >> 29;
    }
    return digest;
}

/* With SHARE_BUFFERS in the environment, prints which buffer differs. */
static uint64_t digest_all(uint64_t digest)
{
    bool shown = getenv("SHARE_BUFFERS") != NULL;
    char text[32];

    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        digest = mix(digest, buffers[k].start, buffers[k].size);
        if (shown) {
            printf("  %s %016llx\n", buffers[k].name,
                   (unsigned long long)mix(0, buffers[k].start, buffers[k].size));
        }
    }
    for (size_t k = 0; k < sizeof rounded / sizeof *rounded; k++) {
        memset(text, 0, sizeof text);
        snprintf(text, sizeof text, "%.9g", rounded[k]);
        digest = mix(digest, text, sizeof text);
        if (shown && rounded[k] != 0) {
            printf("  rounded[%zu] %s\n", k, text);
        }
    }
    return digest;
}

static void run(const struct share_case *one)
{
    uint64_t digest = 14695981039346656037u;

    for (int k = 0; k < 4; k++) {
        fill();
        one->run();
        digest = digest_all(digest);
    }
    printf("%s %016llx\n", one->name, (unsigned long long)digest);
    fflush(stdout);
}

static int by_line(const void *left, const void *right)
{
    const struct share_case *one = left, *other = right;

    return (one->line > other->line) - (one->line < other->line);
}

int main(int argc, char **argv)
{
    size_t count = (size_t)(__stop_share_cases - __start_share_cases);

    /* the compiler must not know them, also where it optimises all files together */
    __asm__ volatile("" : "+m"(limit), "+m"(few), "+m"(none), "+m"(stride), "+m"(factor));
    qsort(__start_share_cases, count, sizeof *__start_share_cases, by_line);
    for (size_t k = 0; k < count; k++) {
        bool named = argc < 2;
        for (int i = 1; i < argc; i++) {
            named |= strcmp(argv[i], __start_share_cases[k].name) == 0;
        }
        if (named) {
            run(&__start_share_cases[k]);
        }
    }
    return 0;
}
