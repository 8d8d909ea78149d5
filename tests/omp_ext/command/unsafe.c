/* Loops whose results depend on who runs what, each as programs have them; argv[1] names one. Lines
 * that a test looks for end in a comment with its name. */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 100000
#define ROUNDS 20
#define FEW 2000 /* iterations where more show no more */

static uint64_t words[N / 64 + 1];
static double a[N], b[N];

static int count_bits(void)
{
    int bits = 0;

    for (int w = 0; w <= N / 64; w++) {
        bits += __builtin_popcountll(words[w]);
    }
    return bits;
}

/* Neighbouring iterations write into one word. */
static void bitmap(void)
{
    int bits = 0;

    for (int round = 0; round < ROUNDS; round++) {
        memset(words, 0, sizeof words);
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < N; i++) { /* bitmap */
            words[i / 64] |= UINT64_C(1) << (i % 64);
        }
        bits += count_bits();
    }
    printf("bits %d\n", bits);
}

/* The same, but each word is one chunk's. */
static void bitmap_by_words(void)
{
    int bits = 0;

    for (int round = 0; round < ROUNDS; round++) {
        memset(words, 0, sizeof words);
#pragma omp parallel for schedule(dynamic, 64)
        for (long i = 0; i < N; i++) { /* words */
            words[i / 64] |= UINT64_C(1) << (i % 64);
        }
        bits += count_bits();
    }
    printf("bits %d\n", bits);
}

/* The second loop reads what the first one wrote, with no barrier between them. */
static void update(int step)
{
#pragma omp parallel
    {
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < FEW; i++) { /* pair, first */
            a[i] = i % 7 + step;
        }
#pragma omp for schedule(runtime) nowait
        for (int i = 0; i < FEW; i++) { /* pair, second */
            b[i] += a[i];
        }
#pragma omp barrier
#pragma omp for schedule(runtime)
        for (int i = 0; i < FEW; i++) { /* pair, third */
            a[i] = b[i];
        }
    }
}

static void pair(void)
{
    double sum = 0;

    for (int step = 0; step < ROUNDS; step++) {
        update(step);
    }
    for (int i = 0; i < FEW; i++) {
        sum += b[i];
    }
    printf("step %d\nenergy %.0f\n", ROUNDS, sum);
}

/* What a thread does depends on what it has done before. */
static void per_thread(void)
{
    long buffer[256] = {0}, sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) { /* thread */
        long *mine = &buffer[omp_get_thread_num() % 256];
        sum += *mine;
        *mine = i;
    }
    printf("sum %ld\n", sum);
}

/* Rounding depends on the order of additions. */
static void reduction(void)
{
    double sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 1; i <= N; i++) { /* reduction */
        sum += 1.0 / i;
    }
    printf("sum %.17g of %d\n", sum, N);
}

/* Each iteration needs the one before, and waits for it until a thread must have had its processor,
 * once: with static shares the result is the same however busy the machine is. */
static void chain(void)
{
    static atomic_int done[1000], waits = 1000; /* ms that are left */

    a[0] = 1;
    done[0] = 1;
#pragma omp parallel for schedule(runtime)
    for (int i = 1; i < 1000; i++) { /* chain */
        while (!done[i - 1] && waits > 0 && waits-- > 0) {
            usleep(1000);
        }
        a[i] = a[i - 1] + i;
        done[i] = 1;
    }
    printf("end %.0f\n", a[999]);
}

/* A loop that is wrong only when another one is scheduled otherwise, too: both shift the same
 * owners. */
static int owner[1000];

static void both(void)
{
    int wrong = 0;

#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; i++) { /* both, first */
        owner[i] = omp_get_thread_num() != i * omp_get_max_threads() / 1000;
    }
#pragma omp parallel for schedule(runtime) reduction(| : wrong)
    for (int i = 0; i < 1000; i++) { /* both, second */
        wrong |= owner[i] && omp_get_thread_num() != i * omp_get_max_threads() / 1000;
    }
    printf("wrong %d\n", wrong);
}

/* Ends otherwise when a thread other than the first runs the first iteration. */
static void crash(void)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; i++) { /* crash */
        if (i == 0 && omp_get_thread_num() != 0) {
            abort();
        }
    }
    puts("done");
}

static void hang(void)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; i++) { /* hang */
        while (i == 0 && omp_get_thread_num() != 0) {
            usleep(1000);
        }
    }
    puts("done");
}

/* Differs from run to run, whatever the schedule. */
static void process(void)
{
    printf("steady\nprocess %ld\nsteady\n", (long)getpid());
}

/* Differs from run to run where there is more than one thread, as if it depended on who comes when;
 * six runs are hardly ever alike. */
static void race(void)
{
    int order = -1;
    FILE *chance = fopen("/dev/urandom", "r");
    int drawn = chance != NULL ? getc(chance) : 0;

#pragma omp parallel
    {
        if (omp_get_num_threads() > 1 && omp_get_thread_num() == (drawn & 1)) {
            order = drawn;
        }
    }
    printf("order %d\n", order);
}

static void into_file(const char *path)
{
    FILE *file = fopen(path, "w");
    double sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 1; i <= N; i++) { /* file */
        sum += 3.0 / i;
    }
    fprintf(file, "sum\n%.17g\n", sum);
    fclose(file);
    puts("written");
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"bitmap", bitmap}, {"words", bitmap_by_words}, {"pair", pair}, {"thread", per_thread},
    {"chain", chain},   {"reduction", reduction},   {"both", both}, {"crash", crash},
    {"hang", hang},     {"process", process},       {"race", race},
};

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "file") == 0) {
        into_file(argv[2]);
        return 0;
    }
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    }
    fprintf(stderr, "unknown case\n");
    return 3;
}
