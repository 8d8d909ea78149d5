/* Weights of recorded instances of regions, along the time of an initial thread. */
#include "omp_ext/recorder/teams.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- one sample --- */

static const struct keel_weighing ten = {.forked = 1000, .weight = 10, .beyond = 450};

TEST(instances_that_are_all_recorded_count_once)
{
    struct keel_weighing_time time = {.kept = 5000, .joined = 700};
    struct keel_weighing one = keel_weighing_of(&time, 0, 700, 1000);

    assert_int_equal(one.weight, 1);
    assert_int_equal(keel_weighing_until(&one, 1000), 0);
    assert_int_equal(keel_weighing_until(&one, 999999), 998999);
}

TEST(an_instance_counts_for_the_skipped_ones)
{
    assert_int_equal(keel_weighing_until(&ten, 1020), 200);
    assert_int_equal(keel_weighing_between(&ten, 1020, 1050), 300);
    assert_true(keel_weighing_squares(&ten, 50, 500) == 10 * 50.0 * 50.0);
}

TEST(an_interrupted_one_counts_no_more_than_has_passed)
{
    assert_int_equal(keel_weighing_until(&ten, 1050), 500);
    assert_int_equal(keel_weighing_until(&ten, 9050), 500 + 8000);
    assert_int_equal(keel_weighing_between(&ten, 1040, 1060), 50 + 50 + 10);
    assert_true(keel_weighing_squares(&ten, 8050, 8500) == 8050.0 * 8050.0 + 450.0 * 450.0 / 9);
}

/* --- many, of several regions --- */

enum { REGIONS = 3 };

struct region {
    uint64_t skips; /* between recorded instances */
    uint64_t left;  /* to skip */
    uint64_t since;
    uint64_t lasted; /* true time */
    uint64_t counted;
};

static uint64_t now;
static struct keel_weighing_time initial;

static void record(struct region *region, uint64_t lasts)
{
    keel_weighing_time_fork(&initial, now);
    struct keel_weighing weighing = keel_weighing_of(
        &initial, region->since > 0 ? region->skips - region->left : 0, region->since, now);
    now += lasts;
    region->counted += keel_weighing_until(&weighing, now);
    region->since = now;
    region->left = region->skips;
    keel_weighing_time_join(&initial, &weighing, now);
}

static void run(struct region *region, uint64_t lasts)
{
    region->lasted += lasts;
    if (region->left > 0 && region->since > 0) {
        region->left--;
        now += lasts;
    } else {
        record(region, lasts);
    }
}

static uint64_t counted_by(const struct region *region)
{
    uint64_t counted = 0;

    for (int i = 0; i < REGIONS; i++) {
        counted += region[i].counted;
    }
    return counted;
}

static void begin(void)
{
    now = 1;
    initial = (struct keel_weighing_time){0};
}

/* Each recorded instance of a region takes a thousand times as long. */
TEST(sums_never_exceed_the_run)
{
    struct region region[REGIONS] = {{.skips = 400}, {.skips = 100}, {.skips = 1000}};
    struct draws draws = draws_begin();

    begin();
    for (int i = 0; i < 1000000; i++) {
        struct region *next = &region[draws_below(&draws, REGIONS)];
        run(next, next->left == 0 && draws_below(&draws, 3) == 0 ? 5000 : 5);
        assert_true(counted_by(region) < now);
    }
}

/* Levels of a multigrid: instances of one region that last 1, 8, 64, and 512, and some serial
 * time. */
TEST(unequal_instances_are_counted_as_they_are_in_the_mean)
{
    struct region region[REGIONS] = {{.skips = 50}, {.skips = 20}, {.skips = 70}};
    struct draws draws = draws_begin();

    begin();
    for (int i = 0; i < 2000000; i++) {
        run(&region[draws_below(&draws, REGIONS)], UINT64_C(1) << 3 * draws_below(&draws, 4));
        now += draws_below(&draws, 20);
    }
    for (int i = 0; i < REGIONS; i++) {
        assert_true((double)region[i].counted > 0.85 * (double)region[i].lasted);
        assert_true((double)region[i].counted < 1.15 * (double)region[i].lasted);
    }
}
