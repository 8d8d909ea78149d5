/* The chunks of every schedule that is planned: worked out by hand, and static ones as libgomp has
 * them. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/unit.h"

/* --- by hand: the chunk sequences of every schedule for N = 1000, worked out by hand or with a
 * desk calculator (20 digits for the formulas with roots and logarithms) from the published
 * formulas --- */

#define ALL 100000 /* more steps than any sequence here has */

struct example {
    const char *spec;
    uint64_t iterations, threads;
    const char *chunks;
};

static struct example examples[] = {
    /* static: N/P each, the remainder one by one to the first threads; with k in turn. */
    {"static", 1000, 2, "500x2"},
    {"static", 1000, 4, "250x4"},
    {"static", 1003, 4, "251x3 250"},
    {"static,300", 1000, 2, "300x3 100"},
    {"static,300", 1000, 4, "300x3 100"},
    {"static:min=300", 1000, 4, "300x3 100"},

    {"ss", 1000, 2, "1x1000"},
    {"ss", 1000, 4, "1x1000"},
    {"ss,30", 1000, 4, "30x33 10"},
    {"css,30", 1000, 2, "30x33 10"},
    {"css,30", 1000, 4, "30x33 10"},
    {"dynamic", 1000, 4, "1x1000"},

    /* gss: ceil(R/P); P = 4 is the row of the table in Chronopoulos, Andonie, Benche & Grosu 2001
     * that all later papers repeat. */
    {"gss", 1000, 2, "500 250 125 63 31 16 8 4 2 1"},
    {"gss", 1000, 4, "250 188 141 106 79 59 45 33 25 19 14 11 8 6 4 3x2 2 1x4"},
    {"gss,20", 1000, 4, "250 188 141 106 79 59 45 33 25 20x3 14"},

    /* tss, P = 4: f = floor(1000/8) = 125, l = 1, C = ceil(2000/126) = 16, d = floor(124/15) = 8.
     * P = 2: f = 250, C = ceil(2000/251) = 8, d = floor(249/7) = 35.
     * 100,10: C = ceil(2000/110) = 19, d = floor(90/18) = 5. 100: C = 20, d = floor(99/19) = 5. */
    {"tss", 1000, 2, "250 215 180 145 110 75 25"},
    {"tss", 1000, 4, "125 117 109 101 93 85 77 69 61 53 45 37 28"},
    {"tss,100,10", 1000, 2, "100 95 90 85 80 75 70 65 60 55 50 45 40 35 30 25"},
    {"tss,100", 1000, 4, "100 95 90 85 80 75 70 65 60 55 50 45 40 35 30 25"},
    {"tss:min=60", 1000, 4, "125 117 109 101 93 85 77 69 61 60x2 43"},
    /* f = 11, l = 1, C = ceil(30/12) = 3, d = 5 */
    {"tss,11", 15, 4, "11 4"},

    /* tfss: means of P chunks of tss, rounded down. P = 4: (125+117+109+101)/4 = 113,
     * (93+85+77+69)/4 = 81, (61+53+45+37)/4 = 49, (29+21+13+5)/4 = 17. P = 2: 465/2 = 232,
     * 325/2 = 162, 185/2 = 92, (40+5)/2 = 22. 100,10: 370/4 = 92, 290/4 = 72, 210/4 = 52, 130/4 =
     * 32, then (20+15+10+10)/4 = 13; P = 2: 195/2 = 97, 185/2 = 92 less 5 and so on in steps of
     * 10, at last 25/2 = 12 raised to l. */
    {"tfss", 1000, 2, "232x2 162x2 92x2 22 6"},
    {"tfss", 1000, 4, "113x4 81x4 49x4 17 11"},
    /* The last chunks of a batch that have reached l count as l: f = 15, d = 1, 54/4 = 13, 38/4 =
     * 9, 22/4 = 5, (3+2+1+1)/4 = 1. With f = 11, d = 5: (11+6+1+1)/4 = 4. */
    {"tfss", 120, 4, "13x4 9x4 5x4 1x12"},
    {"tfss,11", 15, 4, "4x3 3"},
    /* f = 4, d = 1: 10/4 = 2, and then l, where f - j d would be 0 and less. */
    {"tfss,4", 10, 4, "2x4 1x2"},

    /* fac2: ceil(R/2P), P times. R = 1000 500 248 124 60 28 12 4 for P = 4. */
    {"fac2", 1000, 2, "250x2 125x2 63x2 31x2 16x2 8x2 4x2 2x2 1x2"},
    {"fac2", 1000, 4, "125x4 63x4 31x4 16x4 8x4 4x4 2x4 1x4"},
    {"fac2,16", 1000, 4, "125x4 63x4 31x4 16x7 12"},
    {"mfac2", 1000, 4, "125x4 63x4 31x4 16x4 8x4 4x4 2x4 1x4"},

    /* fac, P = 4, sigma = mu: b = 4/(2 sqrt 1000) = 0.063246, x = 1.0935, ceil(250/1.0935) = 229;
     * R = 84: b = 0.21822, x = 2.4866, ceil(21/2.4866) = 9; R = 48: x = 2.6667, ceil(12/2.6667) =
     * 5 (4.5); R = 28: x = 2.9013, 3 (2.41); R = 16: b = 0.5, x = 3.2808, 2 (1.22); R = 8: 1.
     * Without deviation b = 0 and x = 1: everything in the first batch. */
    {"fac:mu=100,sigma=0", 1000, 2, "500x2"},
    {"fac:mu=100,sigma=0", 1000, 4, "250x4"},
    {"fac:mu=100,sigma=100", 1000, 2, "479x2 10x2 5x2 3x2 1x6"},
    {"fac:mu=100,sigma=100", 1000, 4, "229x4 9x4 5x4 3x4 2x4 1x8"},
    {"mfac:mu=100,sigma=1000", 1000, 2, "321x2 54x2 34x2 23x2 15x2 11x2 8x2 6x2 4x4 3x2 2x6 1x22"},
    {"mfac:mu=100,sigma=1000", 1000, 4,
     "106x4 32x4 23x4 17x4 12x4 9x4 7x4 6x4 5x4 4x4 3x8 2x16 1x60"},

    /* tap, sigma = mu, alpha = 1.3, P = 4: v = 1.3; t = 250: 250 + 0.845 - 1.3 sqrt(500.4225) =
     * 221.76; t = 778/4: 194.5 + 0.845 - 1.3 sqrt(389.4225) = 169.69 and so on. Without deviation
     * it is gss. */
    {"tap:mu=100,sigma=0", 1000, 4, "250 188 141 106 79 59 45 33 25 19 14 11 8 6 4 3x2 2 1x4"},
    {"taper:mu=100,sigma=100", 1000, 2, "460 241 128 70 39 22 13 8 5 3 2x2 1x7"},
    {"taper:mu=100,sigma=100", 1000, 4,
     "222 170 131 101 78 60 47 36 29 22 18 14 11 9 8 6 5 4x2 3 2x4 1x14"},
    {"tap:mu=100,sigma=100,alpha=3", 1000, 2, "410 227 129 76 46 29 19 13 9 6 4 3x2 2x2 1x22"},
    /* t <= v^2 gives nothing above 0, however large v is. */
    {"tap:mu=1,sigma=258732409.30916664,alpha=1", 96, 46, "1x96"},
    {"tap:mu=1,sigma=7947257820.3246813,alpha=1", 2309, 1, "1x2309"},

    /* bold: Hagerup's algorithm 2 with the expected state that the schedule documents, in 50
     * digits. P = 2, sigma 30, h 500: a = 0.18, b = 0.52508, c1 = 7.2135, c2 = 18.0815; first R =
     * m = 1000, t = 500: v = 0.99895, d = 6174.4, s = a ln(d/c2) (1 + 1/2) = 1.575, w = 1.1813:
     * 500 + 8.524 + 0.788 - sqrt(s (500.394)) = 481.2. Without deviation a = 0: int(n/P), n = R +
     * half of what runs. */
    {"bold:mu=100,sigma=0,overhead=100", 1000, 2, "500 375 125"},
    {"bold:mu=100,sigma=0,overhead=100", 1000, 4, "250 218 191 156 104 59 22"},
    {"bold:mu=100,sigma=30,overhead=500", 1000, 2, "481 364 155"},
    {"bold:mu=100,sigma=30,overhead=500", 1000, 4, "240 211 185 153 105 63 32 11"},
    {"bold:mu=100,sigma=100,overhead=100", 1000, 4,
     "200 179 160 138 103 72 48 32 22 15 11 7 5 3 2 1x3"},
    {"bold:mu=100,sigma=5,overhead=10", 1000, 4, "246 215 189 155 104 60 29 1x2"},
    /* Free chunks make s infinite, and t + s/2 - sqrt(s (t + s/4)) tends to t^2/s, to 0. */
    {"bold:mu=100,sigma=30,overhead=0", 1000, 4, "1x1000"},

    /* fsc, sigma 200, h 100, P = 4: (1.41421 * 100000 / (200 * 4 * sqrt(1.38629)))^(2/3) =
     * (150.145)^(2/3) = 28.249; P = 2: (424.66)^(2/3) = 56.497. h / sigma = 10: 208.138 and
     * 416.276. No deviation: ceil(N/P). */
    {"fsc:sigma=200,overhead=100", 1000, 2, "56x17 48"},
    {"fsc:sigma=200,overhead=100", 1000, 4, "28x35 20"},
    {"fsc:sigma=30,overhead=500", 1000, 4, "250x4"},
    {"fsc:sigma=1000,overhead=10", 1000, 2, "4x250"},
    {"fsc:sigma=0,overhead=100", 1000, 4, "250x4"},
    {"fsc:sigma=100,overhead=100", 1000, 1, "1000"},

    /* mfsc: q = 500: 500 * 0.693147 / 6.214608 = 55.768, rounded 56; q = 250: 31.384, 31. */
    {"mfsc", 1000, 2, "56x17 48"},
    {"mfsc", 1000, 4, "31x32 8"},

    /* fiss, s = 3, X = 5, P = 4: floor(1000/20) = 50, increment floor(2000 (1 - 3/5) / (4*3*2)) =
     * 33. P = 2: 100 and floor(800/12) = 66. s = 2: X = 4, 62 and floor(4000/(4*4*2)) = 125; s = 4:
     * X = 6, 41 and floor(4000/(6*4*12)) = 13. */
    {"fiss", 1000, 2, "100x2 166x2 232x2 4"},
    {"fiss", 1000, 4, "50x4 83x4 116x4 4"},
    {"fiss:stages=4", 1000, 4, "41x4 54x4 67x4 80x4 32"},

    /* viss, X = 4, P = 4: 62, + 31, + 15; P = 2: 125, + 62, + 31. s = 4: X = 6: 41 + 20 + 10 + 5.
     * A minimum lifts chunks, not what is added to: 62 + 31 stays 93. */
    {"viss", 1000, 2, "125x2 187x2 218 158"},
    {"viss", 1000, 4, "62x4 93x4 108x3 56"},
    {"viss:stages=4", 1000, 4, "41x4 61x4 71x4 76x4 4"},
    {"viss:min=80", 1000, 4, "80x4 93x4 108x2 92"},
    /* fewer iterations than P X: the published first chunk is 0 */
    {"viss", 15, 4, "1x15"},

    /* pls: ceil(ratio N / P), P times, then gss of the rest. */
    {"pls", 1000, 2, "250x3 125 63 31 16 8 4 2 1"},
    {"pls", 1000, 4, "125x5 94 71 53 40 30 22 17 12 9 7 5 4 3 2x2 1x4"},
    {"pls:ratio=0", 1000, 4, "250 188 141 106 79 59 45 33 25 19 14 11 8 6 4 3x2 2 1x4"},
    {"pls:ratio=1", 1000, 4, "250x4"},

    /* rnd: splitmix64 from 1234567 begins 6457827717110365317, 3203168211198807973,
     * 9817491932198370423 (the published test vector): of 2^64 that is 0.35008, 0.17365, 0.53221;
     * times 250 choices (N/P): 87.5, 43.4, 133.05, plus 1. From 7 with at least 20: 0.38983 and
     * 0.01679 of 231: 90.05 and 3.9, plus 20. */
    {"rnd:seed=1234567", 1000, 2, "176 87 267 125 345"},
    {"rnd:seed=1234567", 1000, 4, "88 44 134 63 223 106 148 69 110 15"},
    {"rnd:seed=7,min=20", 1000, 4, "110 23 228 154 124 77 128 95 51 10"},
    {"rnd", 1000, 2, "284 373 343"},
};

#define EXAMPLES (sizeof examples / sizeof examples[0])

static void example_is_reproduced(void **state)
{
    const struct example *example = *state;
    struct keel_spec spec = specs_read(example->spec);
    struct keel_problem problem = {
        .spec = &spec, .iterations = example->iterations, .threads = example->threads};
    struct keel_plan fallback, *plan = keel_plan_build(&problem, realloc, &fallback);
    struct sequence sequence = sequence_of_plan(plan, ALL);
    char text[1024];

    sequence_write(&sequence, text, sizeof text);
    assert_string_equal(text, example->chunks);
    assert_int_equal(keel_plan_steps(plan), sequence.steps);
    sequence_free(&sequence);
    if (plan != &fallback) {
        free(plan);
    }
}

/* Weighted factoring has no sequence of its own: registry_test.c. Nor have schedules
 * whose chunks are sized when they are claimed: adaptive_sequence_test.c. */
static bool has_example(const struct keel_schedule *schedule, uint64_t threads)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        if (specs_read(examples[i].spec).schedule == schedule && examples[i].iterations == 1000 &&
            examples[i].threads == threads) {
            return true;
        }
    }
    return schedule->claim == KEEL_CLAIM_WEIGHTED || !keel_plan_exists(schedule);
}

TEST(every_schedule_has_examples)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        for (uint64_t threads = 2; threads <= 4; threads += 2) {
            if (!has_example(keel_registry[i], threads)) {
                fail_msg("%s has no example for N = 1000, P = %d", keel_registry[i]->name,
                         (int)threads);
            }
        }
    }
}

/* The first numbers that splitmix64 gives for 1234567, of which 2^63 choices leave all bits but the
 * lowest one. */
TEST(random_sizes_are_those_of_splitmix64)
{
    const struct keel_spec spec = specs_read("rnd:seed=1234567");
    struct keel_view view = {
        .spec = &spec, .iterations = UINT64_C(1) << 63, .threads = 1, .min_chunk = 1};

    assert_true(keel_schedule_rnd.size(&view) == 1 + UINT64_C(6457827717110365317) / 2);
    view.step = 1;
    assert_true(keel_schedule_rnd.size(&view) == 1 + UINT64_C(3203168211198807973) / 2);
}

BEFORE_TESTS
{
    omp_set_dynamic(0);
    for (size_t i = 0; i < EXAMPLES; i++) {
        ADD_CASE(example_is_reproduced, &examples[i], "%s N=%d P=%d", examples[i].spec,
                 (int)examples[i].iterations, (int)examples[i].threads);
    }
}

/* --- as libgomp: Keel's static schedule gives every thread the iterations that libgomp gives
 * it --- */

#define ITERATIONS_MAX 1000

/* Which thread ran each iteration; -1: none. */
struct division {
    int owner[ITERATIONS_MAX];
};

static struct division divide_by_libgomp(int iterations, int threads, int chunk)
{
    struct division division;

    memset(&division, -1, sizeof division);
    omp_set_schedule(omp_sched_static, chunk);
#pragma omp parallel for schedule(runtime) num_threads(threads)
    for (int i = 0; i < iterations; i++) {
        division.owner[i] = omp_get_thread_num();
    }
    return division;
}

static void note_claims(const struct keel_plan *plan, struct division *division)
{
    struct keel_claims claims = {0};
    struct keel_cursor cursor;
    uint64_t first, last;

    keel_cursor_begin(&cursor, plan);
    while (keel_claim(plan, &claims, &cursor, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            assert_int_equal(division->owner[i], -1);
            division->owner[i] = (int)plan->thread;
        }
    }
    assert_int_equal(claims.next, 0); /* own claims share nothing */
}

static struct division divide_by_keel(int iterations, int threads, int chunk)
{
    struct division division;
    char text[64] = "static";

    memset(&division, -1, sizeof division);
    if (chunk > 0) {
        snprintf(text, sizeof text, "static,%d", chunk);
    }
    struct keel_spec spec = specs_read(text);
    for (int i = 0; i < threads; i++) {
        struct keel_problem problem = {.spec = &spec,
                                       .iterations = (uint64_t)iterations,
                                       .threads = (uint64_t)threads,
                                       .thread = (uint64_t)i};
        struct keel_plan fallback, *plan = keel_plan_build(&problem, realloc, &fallback);
        note_claims(plan, &division);
        free(plan);
    }
    return division;
}

TEST(division_is_libgomps)
{
    static const int chunks[] = {0, 1, 3, 7, 50};
    static const int iterations[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 97, 100, 101, 999, 1000};

    for (int threads = 1; threads <= 9; threads++) {
        for (size_t c = 0; c < sizeof chunks / sizeof chunks[0]; c++) {
            for (size_t n = 0; n < sizeof iterations / sizeof iterations[0]; n++) {
                struct division wanted = divide_by_libgomp(iterations[n], threads, chunks[c]);
                struct division got = divide_by_keel(iterations[n], threads, chunks[c]);
                if (memcmp(&got, &wanted, sizeof got) != 0) {
                    fail_msg("N = %d, P = %d, chunk %d differs", iterations[n], threads, chunks[c]);
                }
            }
        }
    }
}
