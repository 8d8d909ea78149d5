/* What is learned of regions: when they are passed on, and how long that holds. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "omp_ext/site/passed_region.h"
#include "omp_ext/support/unload.h"
#include "tests/support/unit.h"

enum { ENOUGH = 8 };

/* A region of the next test, which nothing is known of. */
static struct keel_known_region *fresh(void)
{
    static char regions[100];
    static unsigned used;

    return keel_known_region((void (*)(void *))(void *)&regions[used++]);
}

static void needs_nothing(struct keel_known_region *region, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        keel_known_region_learn(region, false, 1000);
    }
}

/* So many instances that need nothing, and no fewer. */
static void assert_passed_after(struct keel_known_region *region, unsigned times)
{
    needs_nothing(region, times - 1);
    assert_false(keel_known_region_is_passed(region));
    needs_nothing(region, 1);
    assert_true(keel_known_region_is_passed(region));
}

TEST(a_region_is_known_by_its_function)
{
    struct keel_known_region *region = fresh();

    assert_non_null(region);
    assert_ptr_not_equal(fresh(), region);
    assert_ptr_equal(keel_known_region((void (*)(void *))(void *)0x1234),
                     keel_known_region((void (*)(void *))(void *)0x1234));
}

TEST(it_is_passed_on_after_enough_instances_that_need_nothing)
{
    struct keel_known_region *region = fresh();

    needs_nothing(region, ENOUGH - 1);
    assert_false(keel_known_region_is_passed(region));
    keel_known_region_learn(region, true, 0);
    assert_passed_after(region, ENOUGH);
}

TEST(an_instance_that_needs_keel_ends_it)
{
    struct keel_known_region *region = fresh();

    needs_nothing(region, ENOUGH);
    keel_known_region_learn(region, true, 0);
    assert_false(keel_known_region_is_passed(region));
    assert_passed_after(region, ENOUGH);
}

TEST(a_long_region_is_not)
{
    struct keel_known_region *region = fresh();

    for (int i = 0; i < 100; i++) {
        keel_known_region_learn(region, false, 1e6);
    }
    assert_false(keel_known_region_is_passed(region));
}

TEST(the_quickest_of_its_instances_counts)
{
    struct keel_known_region *region = fresh();

    for (int i = 0; i < 100; i++) {
        keel_known_region_learn(region, false, i == 50 ? 1000 : 1e6);
        assert_int_equal(keel_known_region_is_passed(region), i >= 50);
    }
    keel_known_region_learn(region, true, 0);
    for (int i = 0; i < 100; i++) {
        keel_known_region_learn(region, false, 1e6);
    }
    assert_false(keel_known_region_is_passed(region)); /* what was quick before does not count */
}

TEST(it_holds_until_a_library_goes)
{
    struct keel_known_region *region = fresh();

    needs_nothing(region, ENOUGH);
    assert_true(keel_known_region_is_passed(region));
    keel_unload_note();
    assert_false(keel_known_region_is_passed(region));
    assert_passed_after(region, ENOUGH);
}

TEST(each_return_doubles_what_is_enough)
{
    struct keel_known_region *region = fresh();

    needs_nothing(region, ENOUGH);
    keel_known_region_return(region);
    assert_false(keel_known_region_is_passed(region));
    assert_passed_after(region, 2 * ENOUGH);
    for (int i = 0; i < 10; i++) {
        keel_known_region_return(region);
    }
    needs_nothing(region, 100000);
    assert_false(keel_known_region_is_passed(region));
}

/* --- threads that start the same regions --- */

static void *learns_and_returns(void *unused)
{
    for (int i = 0; i < 2000; i++) {
        struct keel_known_region *region =
            keel_known_region((void (*)(void *))(void *)(uintptr_t)(0x4000 + i % 7));

        if (!keel_known_region_is_passed(region)) {
            needs_nothing(region, 1);
        } else if (i % 100 == 99) {
            keel_known_region_return(region);
        }
    }
    return unused;
}

TEST(threads_share_what_is_known)
{
    pthread_t threads[4];

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
TEST(there_is_room_for_so_many)
{
    unsigned known = 0;

    for (uintptr_t i = 0; i < 5000; i++) {
        known += keel_known_region((void (*)(void *))(void *)(0x100000 + 64 * i)) != NULL;
    }
    assert_in_range(known, 400, 512);
    assert_non_null(keel_known_region((void (*)(void *))(void *)0x4003));
}
