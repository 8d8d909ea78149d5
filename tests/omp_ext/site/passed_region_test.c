/* What is learned of regions: when they are passed on, for which loops, and how long that holds. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "omp_ext/site/passed_region.h"
#include "omp_ext/support/unload.h"

enum { ENOUGH = 8, EPOCH = 5 };

static const char first[1], second[1], third[1]; /* stand for return addresses */

/* A region of the next test, which nothing is known of. */
static struct keel_known_region *fresh(void)
{
    static char regions[100];
    static unsigned used;

    return keel_known_region((void (*)(void *))(void *)&regions[used++]);
}

static struct keel_met_loops with(const void *caller, uint64_t threads, uint64_t most)
{
    struct keel_met_loops met = {0};

    keel_met_loops_divided(&met, &(struct keel_met_loop){caller, threads, most});
    return met;
}

static void learn(struct keel_known_region *region, const struct keel_met_loops *met,
                  unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        keel_known_region_learn(region, met, EPOCH, 1000);
    }
}

static bool is_passed(struct keel_known_region *region)
{
    return keel_known_region_passing(region, EPOCH) != NULL;
}

/* Whether a region that is passed on for the loops of `met` would need Keel at this one. */
static bool needs(struct keel_known_region *region, const void *caller, uint64_t threads,
                  uint64_t iterations)
{
    struct keel_met_loops met = {.passing = keel_known_region_passing(region, EPOCH)};

    assert_non_null(met.passing);
    keel_met_loops_check(&met, caller, threads, iterations);
    return met.needs_keel;
}

static void a_region_is_known_by_its_function(void **state)
{
    struct keel_known_region *region = fresh();

    (void)state;
    assert_non_null(region);
    assert_ptr_not_equal(fresh(), region);
    assert_ptr_equal(keel_known_region((void (*)(void *))(void *)0x1234),
                     keel_known_region((void (*)(void *))(void *)0x1234));
}

static void it_is_passed_on_after_enough_instances_that_need_nothing(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops nothing = {0}, keel = {.needs_keel = true};

    (void)state;
    learn(region, &nothing, ENOUGH - 1);
    assert_false(is_passed(region));
    learn(region, &keel, 1);
    learn(region, &nothing, ENOUGH - 1);
    assert_false(is_passed(region));
    learn(region, &nothing, 1);
    assert_true(is_passed(region));
}

static void a_long_region_is_not(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops nothing = {0};

    (void)state;
    for (int i = 0; i < 100; i++) {
        keel_known_region_learn(region, &nothing, EPOCH, 1e6);
    }
    assert_false(is_passed(region));
}

static void it_holds_in_one_epoch_and_until_a_library_goes(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops nothing = {0};

    (void)state;
    learn(region, &nothing, ENOUGH);
    assert_null(keel_known_region_passing(region, EPOCH - 1));
    assert_null(keel_known_region_passing(region, EPOCH + 1));
    assert_true(is_passed(region));
    keel_unload_note();
    assert_false(is_passed(region));
    learn(region, &nothing, ENOUGH);
    assert_true(is_passed(region));
}

static void instances_of_another_epoch_do_not_count(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops nothing = {0};

    (void)state;
    learn(region, &nothing, ENOUGH - 1);
    keel_known_region_learn(region, &nothing, EPOCH + 1, 1000);
    assert_null(keel_known_region_passing(region, EPOCH + 1));
    learn(region, &nothing, ENOUGH - 1);
    assert_false(is_passed(region));
}

static void known_loops_need_nothing_and_others_do(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops met = with(first, 2, 127);

    (void)state;
    keel_met_loops_divided(&met, &(struct keel_met_loop){second, 0, UINT64_MAX});
    learn(region, &met, ENOUGH);
    assert_false(needs(region, first, 2, 127));
    assert_false(needs(region, second, 7, UINT64_MAX));
    assert_true(needs(region, first, 2, 128));
    assert_true(needs(region, first, 3, 100));
    assert_true(needs(region, third, 2, 1));
}

static void loops_in_any_order_and_number_are_known(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops met = with(first, 2, 10);

    (void)state;
    keel_met_loops_divided(&met, &(struct keel_met_loop){second, 2, 20});
    keel_met_loops_divided(&met, &(struct keel_met_loop){third, 2, 30});
    learn(region, &met, ENOUGH);
    struct keel_met_loops checked = {.passing = keel_known_region_passing(region, EPOCH)};
    for (int i = 0; i < 3; i++) {
        keel_met_loops_check(&checked, third, 2, 30);
        keel_met_loops_check(&checked, first, 2, 10);
        keel_met_loops_check(&checked, first, 2, 10);
        keel_met_loops_check(&checked, second, 2, 20);
    }
    assert_false(checked.needs_keel);
    keel_met_loops_check(&checked, second, 2, 21);
    assert_true(checked.needs_keel);
}

static void what_different_instances_meet_is_known_together(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops some = with(first, 2, 10), others = with(second, 2, 20);

    (void)state;
    learn(region, &some, ENOUGH / 2);
    learn(region, &others, ENOUGH / 2);
    assert_false(needs(region, first, 2, 10));
    assert_false(needs(region, second, 2, 20));
}

static void teams_of_changing_size_are_not_passed_on(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops two = with(first, 2, 10), three = with(first, 3, 10);

    (void)state;
    for (int i = 0; i < 4 * ENOUGH; i++) {
        learn(region, i % 2 == 0 ? &two : &three, 1);
    }
    assert_false(is_passed(region));
}

static void more_loops_than_there_is_room_for_need_keel(void **state)
{
    static const char place[KEEL_MET_LOOPS_MAX + 1];
    struct keel_met_loops met = {0};

    (void)state;
    for (int i = 0; i < KEEL_MET_LOOPS_MAX; i++) {
        keel_met_loops_divided(&met, &(struct keel_met_loop){&place[i], 2, 10});
    }
    assert_false(met.needs_keel);
    keel_met_loops_divided(&met, &(struct keel_met_loop){&place[KEEL_MET_LOOPS_MAX], 2, 10});
    assert_true(met.needs_keel);
}

static void each_return_doubles_what_is_enough(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops nothing = {0};

    (void)state;
    learn(region, &nothing, ENOUGH);
    keel_known_region_return(region);
    assert_false(is_passed(region));
    learn(region, &nothing, 2 * ENOUGH - 1);
    assert_false(is_passed(region));
    learn(region, &nothing, 1);
    assert_true(is_passed(region));
    for (int i = 0; i < 10; i++) {
        keel_known_region_return(region);
    }
    learn(region, &nothing, 100000);
    assert_false(is_passed(region));
}

static void a_region_that_needs_keel_is_looked_at_more_and_more_rarely(void **state)
{
    struct keel_known_region *region = fresh();
    struct keel_met_loops keel = {.needs_keel = true};
    unsigned looked_at = 0;

    (void)state;
    for (int i = 0; i < 10000; i++) {
        if (keel_known_region_is_learned(region)) {
            looked_at++;
            learn(region, &keel, 1);
        }
    }
    assert_in_range(looked_at, 10000 / 256, 10000 / 256 + 10);
}

/* --- threads that start the same regions --- */

static void *learns_and_returns(void *unused)
{
    struct keel_met_loops met = with(first, 2, 10);

    for (int i = 0; i < 2000; i++) {
        struct keel_known_region *region =
            keel_known_region((void (*)(void *))(void *)(uintptr_t)(0x4000 + i % 7));
        const struct keel_passing *passing = keel_known_region_passing(region, EPOCH);
        struct keel_met_loops checked = {.passing = passing};

        if (passing == NULL) {
            if (keel_known_region_is_learned(region)) {
                learn(region, &met, 1);
            }
            continue;
        }
        keel_met_loops_check(&checked, first, 2, i % 100 == 99 ? 11 : 10);
        if (checked.needs_keel) {
            keel_known_region_return(region);
        }
    }
    return unused;
}

static void threads_share_what_is_known(void **state)
{
    pthread_t threads[4];

    (void)state;
    for (int t = 0; t < 4; t++) {
        assert_int_equal(pthread_create(&threads[t], NULL, learns_and_returns, NULL), 0);
    }
    for (int t = 0; t < 4; t++) {
        pthread_join(threads[t], NULL);
    }
    assert_ptr_equal(keel_known_region((void (*)(void *))(void *)0x4003),
                     keel_known_region((void (*)(void *))(void *)0x4003));
}

/* Last: nothing is known of other regions behind this. */
static void there_is_room_for_so_many(void **state)
{
    unsigned known = 0;

    (void)state;
    for (uintptr_t i = 0; i < 5000; i++) {
        known += keel_known_region((void (*)(void *))(void *)(0x100000 + 64 * i)) != NULL;
    }
    assert_in_range(known, 400, 512);
    assert_non_null(keel_known_region((void (*)(void *))(void *)0x4003));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_is_known_by_its_function),
        cmocka_unit_test(it_is_passed_on_after_enough_instances_that_need_nothing),
        cmocka_unit_test(a_long_region_is_not),
        cmocka_unit_test(it_holds_in_one_epoch_and_until_a_library_goes),
        cmocka_unit_test(instances_of_another_epoch_do_not_count),
        cmocka_unit_test(known_loops_need_nothing_and_others_do),
        cmocka_unit_test(loops_in_any_order_and_number_are_known),
        cmocka_unit_test(what_different_instances_meet_is_known_together),
        cmocka_unit_test(teams_of_changing_size_are_not_passed_on),
        cmocka_unit_test(more_loops_than_there_is_room_for_need_keel),
        cmocka_unit_test(each_return_doubles_what_is_enough),
        cmocka_unit_test(a_region_that_needs_keel_is_looked_at_more_and_more_rarely),
        cmocka_unit_test(threads_share_what_is_known),
        cmocka_unit_test(there_is_room_for_so_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
