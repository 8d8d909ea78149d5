/* The chunks of every schedule that measures, for N = 1000 and threads of given paces, worked out
 * by hand from the published formulas. Fake times: a chunk is done before the next thread asks. */
#include <stdlib.h>
#include <string.h>

#include "schedules/claim/plan.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/registry.h"
#include "tests/schedules/support/simulated_team.h"
#include "tests/schedules/support/sequence.h"
#include "tests/support/unit.h"

#define LINES_MAX 40

struct line {
    uint64_t thread;
    uint64_t first, last; /* what it gets */
    double pace_ns;       /* time of each of these iterations */
    double claim_ns;      /* what getting them took */
};

struct example {
    const char *name, *spec;
    uint64_t threads;
    struct keel_pace known[4];
    struct line line[LINES_MAX];
};

static const struct example examples[] = {
    /* af. Probes of 1000/2/128 = 3. Thread 1: speeds 1/100 + 1/400 = 1/80, so 994 left take 79520;
     * without deviation half its share, 79520/400/2 = 99.4. Thread 0 knows no other one's rate and
     * takes the other one for as quick; its probe was over soon, so it counts from there:
     * 997/0.02/100/2 = 249.25. Then it looks at both: 644 * 80/100/2 = 257.6; 386 * 0.4 = 154.4.
     * Thread 1: 231 * 80/400/2 = 23.1. */
    LIST("af", "af", 2, {{0, 0}},
         LIST({0, 0, 3, 100, 20}, {1, 3, 6, 400, 20}, {1, 6, 106, 400, 20}, {0, 106, 356, 100, 20},
              {0, 356, 614, 100, 20}, {0, 614, 769, 100, 20}, {1, 769, 793, 400, 20})),
    /* D = 2 * 2.5e6/100 = 50000, T = 50: (50000 + 2 * 50000 - sqrt(50000^2 + 4 * 50000 * 50000)) /
     * 200 = (150000 - 111803.4)/200 = 190.98. Thread 1: 809 * 50 = 40450: (130900 -
     * sqrt(50000 * 211800))/200 = (130900 - 102907.2)/200 = 139.96. */
    LIST("af of known deviation", "af", 2, {{100, 2.5e6}, {100, 2.5e6}},
         LIST({0, 0, 191, 100, 0}, {1, 191, 331, 100, 0})),
    /* P = 4 at 100, 100, 200, 400: speed 11/400, T = 36.3636; D = 1e6 (1/100 + 1/100 + 1/200 +
     * 1/400) = 27500. L = 36363.6: (27500 + 72727.3 - sqrt(27500 * 172954.5))/2m = (100227.3 -
     * 68965.3)/2m: 31262.0/800 = 39.08 for thread 3; then L = 34909.1: (97318.2 - 67783.7)/200 =
     * 147.67 for thread 0; L = 29527.3: (86554.5 - 63258.6)/400 = 58.24 for thread 2. */
    LIST("af of four", "af", 4, {{100, 1e6}, {100, 1e6}, {200, 1e6}, {400, 1e6}},
         LIST({3, 0, 40, 400, 0}, {0, 40, 188, 100, 0}, {2, 188, 247, 200, 0})),

    /* maf counts 300 ns for the chunk of 3: 200 an iteration, so half of thread 1's share, beside
     * 500 an iteration of its own, 994/(1/200 + 1/500)/500/2 = 142. */
    LIST("maf", "maf", 2, {{0, 0}},
         LIST({0, 0, 3, 100, 300}, {1, 3, 6, 400, 300}, {1, 6, 148, 400, 300})),

    /* aid: samples of 1000/2/128 = 3 until all are measured; shares 0.8 * 1000 * 1/250/(1/100 +
     * 1/250) = 228.6 less 3, and 571.4 less 9, as thread 0 has not seen thread 1 yet when it takes
     * its third sample. Then 3 again. */
    LIST("aid", "aid", 2, {{0, 0}},
         LIST({0, 0, 3, 100, 20}, {0, 3, 6, 100, 20}, {1, 6, 9, 250, 20}, {1, 9, 235, 250, 20},
              {0, 235, 238, 100, 20}, {0, 238, 801, 100, 20}, {0, 801, 804, 100, 20},
              {1, 804, 807, 250, 20})),
    /* 10 at a time; 0.51 * 1000 * 1/300/(1/100 + 1/300) = 127.5 less 10. A thread that has its
     * share takes the small chunks again. */
    LIST("aid,10:ratio=0.51", "aid:chunk=10,ratio=0.51", 2, {{0, 0}},
         LIST({0, 0, 10, 100, 20}, {1, 10, 20, 300, 20}, {1, 20, 138, 300, 20},
              {1, 138, 148, 300, 20})),

    /* afs: 999 iterations are blocked; ceil(499/2), ceil(249/2) ... of [0, 499). */
    LIST("afs", "afs", 2, {{0, 0}},
         LIST({0, 0, 250, 0, 0}, {0, 250, 375, 0, 0}, {0, 375, 437, 0, 0})),

    /* lds, also blocked: ceil(999/4), ceil(749/4), and of ceil(561/4) = 141 what is left of
     * [0, 499); then ceil(500/4) and ceil(375/4) from the end of [499, 999); thread 1 takes
     * ceil(281/4) from its front. */
    LIST("lds", "lds", 2, {{0, 0}},
         LIST({0, 0, 250, 0, 0}, {0, 250, 438, 0, 0}, {0, 438, 499, 0, 0}, {0, 874, 999, 0, 0},
              {0, 780, 874, 0, 0}, {1, 499, 570, 0, 0}, {0, 727, 780, 0, 0})),

    /* steal: 999/(256 * 2) rounded up = 2. */
    LIST("steal", "steal", 2, {{0, 0}},
         LIST({0, 0, 2, 0, 0}, {1, 499, 501, 0, 0}, {0, 2, 4, 0, 0})),
    /* Half of 500 is 250, of which 200 at once; then thread 1 has none and takes half of the 50
     * left. The last iteration is kept for the end. */
    LIST("steal,200", "steal,200", 2, {{0, 0}},
         LIST({0, 0, 200, 0, 0}, {0, 200, 400, 0, 0}, {0, 400, 499, 0, 0}, {0, 749, 949, 0, 0},
              {1, 499, 699, 0, 0}, {1, 699, 749, 0, 0}, {1, 974, 999, 0, 0}, {0, 949, 974, 0, 0},
              {0, 999, 1000, 0, 0})),

    /* ich: d = 2: 250 of 499. 250 done, the mean is 125: more than 4/3 of it, so d = 4: ceil(249/4)
     * = 63; 313 of 156.5, d = 8: ceil(186/8) = 24. Thread 1 with d = 2: 250 of 500 done, the mean
     * is (337 + 250)/2 = 293.5, from 195.7 to 391.3: d stays, ceil(250/2) = 125. */
    LIST("ich", "ich", 2, {{0, 0}},
         LIST({0, 0, 250, 0, 0}, {0, 250, 313, 0, 0}, {0, 313, 337, 0, 0}, {1, 499, 749, 0, 0},
              {1, 749, 874, 0, 0})),

    /* rate: probe 3; ceil(496/2); and so on down to what is worth 32 claims of 20 ns: 7 of 100 ns.
     * Thread 1 at 500 ns takes a probe, its share is 999/6 = 166.5: half of what is missing. Of the
     * 415 that are left of its block, thread 0 takes 5/6, 345.8, and as it has had half of the
     * loop, a 32nd of that; then it has seen that 5/6 of 999 = 832.5 are its share: half of 317.5.
     */
    LIST("rate", "rate", 2, {{0, 0}},
         LIST({0, 0, 3, 100, 20}, {0, 3, 251, 100, 20}, {0, 251, 375, 100, 20},
              {0, 375, 437, 100, 20}, {0, 437, 468, 100, 20}, {0, 468, 484, 100, 20},
              {0, 484, 492, 100, 20}, {0, 492, 499, 100, 20}, {1, 499, 502, 500, 20},
              {1, 502, 584, 500, 20}, {0, 653, 669, 100, 20}, {0, 669, 828, 100, 20})),
    /* Thread 1 is not measured: half of its 500, and of these a 32nd of half the loop at once. */
    LIST("rate beside one that has not begun", "rate", 2, {{100, 0}},
         LIST({0, 0, 250, 100, 20}, {0, 250, 375, 100, 20})),
    /* 100 us are 100 iterations of thread 0. It takes 500/(1 + 1/100) = 495.05 from thread 1, whose
     * iterations last 100 us: an eighth of what is missing to 999 * 100/101 = 989.1. */
    LIST("rate beside a slow one", "rate", 2, {{1e3, 0}, {1e5, 0}},
         LIST({0, 0, 100, 1e3, 20}, {0, 100, 200, 1e3, 20}, {0, 200, 300, 1e3, 20},
              {0, 300, 400, 1e3, 20}, {0, 400, 450, 1e3, 20}, {0, 450, 475, 1e3, 20},
              {0, 475, 487, 1e3, 20}, {0, 487, 493, 1e3, 20}, {0, 493, 496, 1e3, 20},
              {0, 496, 498, 1e3, 20}, {0, 498, 499, 1e3, 20}, {0, 503, 565, 1e3, 20})),
    /* 100 us are 10 iterations of 10 us: an eighth of 499 and of 436, but no less than 10 (of 74/8)
     * while that is not more than half. */
    LIST("rate of long iterations", "rate", 2, {{1e4, 0}, {1e4, 0}},
         LIST({0, 0, 63, 1e4, 20}, {0, 63, 118, 1e4, 20}, {0, 118, 166, 1e4, 20})),
    /* Chooses by the site of a loop; without one it is rate. */
    LIST("auto", "auto", 2, {{0, 0}}, LIST({0, 0, 3, 100, 20}, {0, 3, 251, 100, 20})),

    /* In order: N share/128 = 4 at most, share 1/2 as no other one is measured, but no more than
     * twice what the thread has had, and 1. */
    LIST("rate, in order", "monotonic:rate", 2, {{0, 0}},
         LIST({0, 0, 3, 100, 20}, {0, 3, 7, 100, 20}, {1, 7, 10, 400, 20}, {1, 10, 12, 400, 20})),
    LIST("rate of four, in order", "monotonic:rate", 4, {{0, 0}},
         LIST({0, 0, 1, 100, 20}, {0, 1, 4, 100, 20}, {0, 4, 8, 100, 20})),
};

#define EXAMPLES (sizeof examples / sizeof examples[0])

static struct keel_spec read_spec(const char *text)
{
    struct keel_spec spec = specs_read(text);

    if (spec.in_order) {
        spec.schedule = spec.schedule->in_order;
    }
    return spec;
}

static void follow(struct adaptive_team *team, const struct line *line, size_t number)
{
    assert_true(adaptive_team_claim(team, line->thread));
    const struct adaptive_chunk *got = &team->chunks[team->count - 1];
    if (got->first != line->first || got->last != line->last) {
        fail_msg("line %zu: thread %d gets [%d, %d), not [%d, %d)", number, (int)line->thread,
                 (int)got->first, (int)got->last, (int)line->first, (int)line->last);
    }
    adaptive_team_done(team, line->thread, line->pace_ns * (double)(line->last - line->first),
                       line->claim_ns);
}

static void example_is_reproduced(void **state)
{
    const struct example *example = *state;
    struct keel_spec spec = read_spec(example->spec);
    struct adaptive_team team = adaptive_team_begin(&spec, 1000, example->threads, NULL);

    for (uint64_t i = 0; i < example->threads; i++) {
        keel_team_recall(team.team, i, example->known[i]);
    }
    for (uint64_t i = 0; i < example->threads; i++) {
        keel_team_worker_begin(&team.members[i].worker, team.team, i, example->known[i]);
    }
    for (size_t i = 0; i < LINES_MAX && example->line[i].last > 0; i++) {
        follow(&team, &example->line[i], i);
    }
    adaptive_team_end(&team);
}

/* ich: within 4/3 and 2/3 of the mean the divisor stays; who has done more divides finer. */
TEST(progress_changes_divisors)
{
    static const struct {
        uint64_t done, before, after;
    } cases[] = {
        {100, 8, 8}, {133, 8, 8}, {134, 8, 16}, {67, 8, 8},
        {66, 8, 4},  {66, 3, 1},  {66, 1, 1},   {134, 1ull << 32, 1ull << 32},
        {134, 1, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct keel_claim_context context = {
            .done = cases[i].done, .progress = 100, .divisor = cases[i].before};
        keel_schedule_ich.adapt(&context);
        assert_int_equal(context.divisor, cases[i].after);
    }
    for (uint64_t done = 66; done <= 132; done += 66) { /* 2/3 and 4/3 themselves */
        struct keel_claim_context context = {.done = done, .progress = 99, .divisor = 8};
        keel_schedule_ich.adapt(&context);
        assert_int_equal(context.divisor, 8);
    }
}

/* Where a context comes seldom in whole loops. */
TEST(hooks_of_single_turns)
{
    struct keel_spec spec = specs_read("steal");
    struct keel_claim_context context = {
        .spec = &spec, .iterations = 5120, .threads = 2, .remaining = 2560};
    const struct keel_pace victim = {.mean_ns = 100};

    /* 256 chunks of each block */
    assert_int_equal(keel_schedule_steal.take(&context), 10);
    spec.value[KEEL_CHUNK].count = 1;
    assert_int_equal(keel_schedule_steal.take(&context), 1);
    spec.value[KEEL_CHUNK].count = 0;
    /* half from a thread that is timed for one that is not */
    assert_int_equal(keel_schedule_rate.steal(&context, &victim), 1280);

    /* Loot of a quicker thread takes as long as anything else: 100 us are 10 iterations, an eighth
     * 320. The thread is alone known, so its share is half. */
    context.own.mean_ns = 1e4;
    context.victim_ns = 100;
    assert_int_equal(keel_schedule_rate.take(&context), 320);
    context.remaining = 40;
    assert_int_equal(keel_schedule_rate.take(&context), 10);

    /* A 16th of a share of 32000/32 where that is less than a 256th of the loop; and the thread is
     * the whole team, though the others say that they are slower than it is by now. */
    context = (struct keel_claim_context){.spec = &spec,
                                          .iterations = 32000,
                                          .threads = 32,
                                          .remaining = 32000,
                                          .begun = 1000,
                                          .overhead_ns = 1,
                                          .own.mean_ns = 100,
                                          .team = {.measured = 32, .speed_per_ns = 0.32}};
    assert_int_equal(keel_schedule_rate_in_order.take(&context), 63);
    context.team.speed_per_ns = 0.001;
    context.begun = 0;
    context.remaining = 100;
    assert_true(keel_claim_context_share(&context) == 1);
    spec = specs_read("aid");
    assert_int_equal(keel_schedule_aid.take(&context), 25600);
    assert_true(keel_claim_context_team_speed(
                    &(struct keel_claim_context){.threads = 8, .own.mean_ns = 2}) == 4);
    /* a thread of weight 2 among 8 has shown a quarter of what the team can do */
    assert_true(keel_claim_context_team_speed(&(struct keel_claim_context){
                    .threads = 8, .own.mean_ns = 2, .own_weight = 2}) == 2);
    assert_true(keel_claim_context_team_speed(
                    &(struct keel_claim_context){.threads = 8,
                                                 .own.mean_ns = 2,
                                                 .own_weight = 2,
                                                 .team = {.measured = 2, .speed_per_ns = 0.75},
                                                 .team_weight = 3}) == 2);
}

static bool has_example(const struct keel_schedule *schedule)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        if (specs_read(examples[i].spec).schedule == schedule) {
            return true;
        }
    }
    /* packing_test.c */
    return schedule->wants_costs;
}

TEST(every_schedule_has_examples)
{
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        const struct keel_schedule *schedule = keel_registry[i];
        if (!keel_plan_exists(schedule) && !has_example(schedule)) {
            fail_msg("%s has no example", schedule->name);
        }
    }
}

BEFORE_TESTS
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        ADD_CASE(example_is_reproduced, &examples[i], "%s", examples[i].name);
    }
}
