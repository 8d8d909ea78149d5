/* What one that watches a process makes of its beats, and of its silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_backend/job/processes/beats.h"

#define RUNS KEEL_MPI_PROCESS_RUNS
#define STOPPED KEEL_MPI_PROCESS_STOPPED

static struct keel_mpi_beats beats;
static double now_s;

static int set_up(void **state)
{
    (void)state;
    beats = (struct keel_mpi_beats){0};
    now_s = 1000;
    return 0;
}

static enum keel_mpi_process_state look(double after_s, bool answers)
{
    now_s += after_s;
    return keel_mpi_beats_look(&beats, now_s, NULL,
                               answers ? KEEL_MPI_ANSWER_YES : KEEL_MPI_ANSWER_NO);
}

static enum keel_mpi_process_state hear(double after_s, unsigned char beat)
{
    now_s += after_s;
    return keel_mpi_beats_look(&beats, now_s, &beat, KEEL_MPI_ANSWER_UNKNOWN);
}

/* Looks that find nothing, so far apart, until it counts as stopped: after how long; 0: not within
 * 100 s. */
static double stops_after(double apart_s, bool answers)
{
    double began_s = now_s;

    while (now_s - began_s < 100) {
        if (look(apart_s, answers) == STOPPED) {
            return now_s - began_s;
        }
    }
    return 0;
}

static void beat_for(double seconds)
{
    for (double end_s = now_s + seconds; now_s < end_s;) {
        assert_int_equal(hear(KEEL_MPI_BEAT_S, keel_mpi_beat(false)), RUNS);
    }
}

static void silence_of_a_machine_that_answers_is_a_stop(void **state)
{
    (void)state;
    beat_for(10);
    double after_s = stops_after(0.1, true);
    assert_true(after_s > KEEL_MPI_SILENCE_S && after_s < KEEL_MPI_SILENCE_S + 0.2);
    assert_int_equal(hear(0.1, keel_mpi_beat(false)), RUNS); /* it has woken */
}

static void nothing_is_known_before_the_first_look(void **state)
{
    (void)state;
    assert_int_equal(look(0, true), RUNS);
    assert_int_equal(look(1, true), RUNS);
}

static void silence_of_a_machine_that_does_not_answer_is_none(void **state)
{
    (void)state;
    beat_for(10);
    assert_true(stops_after(1, false) == 0);
    /* the first beat may take as long again */
    assert_int_equal(look(1, true), RUNS);
    assert_int_equal(look(100, true), RUNS);
    assert_int_equal(look(120, true), STOPPED);
}

static void a_process_that_beats_slowly_has_longer(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 3; j++) {
            assert_int_equal(look(0.45, true), RUNS);
        }
        hear(0.45, keel_mpi_beat(false)); /* each 1.8 s */
    }
    double after_s = stops_after(0.1, true);
    assert_true(after_s > 5.3 && after_s < 5.6);
}

/* As nobody has looked, it may have come at any time. */
static void a_beat_that_is_found_late_was_no_silence(void **state)
{
    (void)state;
    beat_for(10);
    assert_int_equal(hear(500, keel_mpi_beat(false)), RUNS);
    double after_s = stops_after(0.1, true);
    assert_true(after_s > KEEL_MPI_SILENCE_S && after_s < KEEL_MPI_SILENCE_S + 0.2);
}

/* This process has computed meanwhile, and asks the machine only now. */
static void a_silence_without_looks_makes_none_longer(void **state)
{
    (void)state;
    beat_for(10);
    for (int i = 0; i < 5; i++) {
        now_s += i == 0 ? 60 : 0.1;
        assert_int_equal(keel_mpi_beats_look(&beats, now_s, NULL, KEEL_MPI_ANSWER_UNKNOWN), RUNS);
    }
    assert_int_equal(look(0.1, true), STOPPED);
}

/* A stop that has ended does not make the next one harder to see. */
static void a_stop_is_no_silence_between_beats(void **state)
{
    (void)state;
    beat_for(10);
    assert_true(stops_after(0.1, true) > 0);
    look(50, true);
    hear(0.1, keel_mpi_beat(false));
    assert_true(stops_after(0.1, true) < KEEL_MPI_SILENCE_S + 0.2);
}

static void who_is_quiet_is_not_stopped(void **state)
{
    (void)state;
    beat_for(10);
    hear(0.5, keel_mpi_beat(true));
    assert_true(stops_after(1, true) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(silence_of_a_machine_that_answers_is_a_stop, set_up),
        cmocka_unit_test_setup(nothing_is_known_before_the_first_look, set_up),
        cmocka_unit_test_setup(silence_of_a_machine_that_does_not_answer_is_none, set_up),
        cmocka_unit_test_setup(a_process_that_beats_slowly_has_longer, set_up),
        cmocka_unit_test_setup(a_beat_that_is_found_late_was_no_silence, set_up),
        cmocka_unit_test_setup(a_silence_without_looks_makes_none_longer, set_up),
        cmocka_unit_test_setup(a_stop_is_no_silence_between_beats, set_up),
        cmocka_unit_test_setup(who_is_quiet_is_not_stopped, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
