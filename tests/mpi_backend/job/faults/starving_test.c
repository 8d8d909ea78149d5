/* A process is starved that wants a processor all the time and gets next to nothing; no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_backend/job/processes/starving.h"

/* Looks apart_s from each other, as a process gets that share of a processor, wants one at all
 * looks but each `idle`th (0: at all), and has it so often from one look to the next. Returns after
 * how many it is starved; 0: never. */
static int starves_after_with(double apart_s, double share, int idle, double runs, double limit_s)
{
    struct keel_mpi_starving starving = {0};

    for (int look = 0; look < 1000; look++) {
        struct keel_mpi_processor now = {.had_s = 3 + share * look * apart_s,
                                         .runs = 40 + (uint64_t)(runs * look),
                                         .wants = idle == 0 || look % idle != idle - 1};
        if (keel_mpi_starving_look(&starving, 5 + look * apart_s, now, limit_s)) {
            return look;
        }
    }
    return 0;
}

static int starves_after(double apart_s, double share, int idle, double limit_s)
{
    return starves_after_with(apart_s, share, idle, 0, limit_s);
}

static void a_process_that_gets_nothing_is_starved_at_the_limit(void **state)
{
    (void)state;
    assert_int_equal(starves_after(1, 0, 0, 60), 60);
    assert_int_equal(starves_after(1, 0.5 * KEEL_MPI_STARVING_SHARE, 0, 60), 60);
}

static void a_process_that_gets_little_is_not(void **state)
{
    (void)state;
    assert_int_equal(starves_after(1, 1.1 * KEEL_MPI_STARVING_SHARE, 0, 60), 0);
    assert_int_equal(starves_after(1, 0.5, 0, 60), 0);
}

static void nor_is_one_that_waits_for_something_else(void **state)
{
    (void)state;
    assert_int_equal(starves_after(1, 0, 1, 60), 0);
    assert_int_equal(starves_after(1, 0, 30, 60), 0);
}

static void nor_is_one_that_needs_little_of_a_busy_machine(void **state)
{
    (void)state;
    assert_int_equal(starves_after_with(1, 0.1 * KEEL_MPI_STARVING_SHARE, 0, 16, 60), 0);
    assert_int_equal(starves_after_with(1, 0, 0, 1, 60), 0);
    assert_int_equal(starves_after_with(1, 0, 0, 0.4, 60), 60); /* a thread beside it wakes up */
    assert_int_equal(starves_after_with(1, 0.5 * KEEL_MPI_STARVING_SHARE, 0, 4, 60),
                     60); /* computes */
}

/* Where the one that looks is itself left next to nothing. */
static void few_looks_do_not_tell(void **state)
{
    (void)state;
    assert_int_equal(starves_after(100, 0, 0, 60), KEEL_MPI_STARVING_LOOKS);
}

static struct keel_mpi_processor wanting(double had_s)
{
    return (struct keel_mpi_processor){.had_s = had_s, .wants = true};
}

static void what_it_got_before_does_not_count(void **state)
{
    struct keel_mpi_starving starving = {0};
    double processor_s = 0;
    (void)state;

    for (int look = 0; look < 100; look++) {
        processor_s += 1;
        assert_false(keel_mpi_starving_look(&starving, look, wanting(processor_s), 10));
    }
    for (int look = 100; look < 109; look++) {
        assert_false(keel_mpi_starving_look(&starving, look, wanting(processor_s), 10));
    }
    assert_true(keel_mpi_starving_look(&starving, 109, wanting(processor_s), 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_gets_nothing_is_starved_at_the_limit),
        cmocka_unit_test(a_process_that_gets_little_is_not),
        cmocka_unit_test(nor_is_one_that_waits_for_something_else),
        cmocka_unit_test(nor_is_one_that_needs_little_of_a_busy_machine),
        cmocka_unit_test(few_looks_do_not_tell),
        cmocka_unit_test(what_it_got_before_does_not_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
