/* What one that watches a process makes of its beats, and of its silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mpi_backend/job/processes/beats.h"

#define RUNS KEEL_MPI_PROCESS_RUNS
#define STOPPED KEEL_MPI_PROCESS_STOPPED
#define LEFT_OUT KEEL_MPI_PROCESS_LEFT_OUT

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
        assert_int_equal(hear(KEEL_MPI_BEAT_S, keel_mpi_beat(0, false, false)), RUNS);
    }
}

static void silence_of_a_machine_that_answers_is_a_stop(void **state)
{
    (void)state;
    beat_for(10);
    double after_s = stops_after(0.1, true);
    assert_true(after_s > KEEL_MPI_SILENCE_S && after_s < KEEL_MPI_SILENCE_S + 0.2);
    assert_int_equal(hear(0.1, keel_mpi_beat(0, false, false)), RUNS); /* it has woken */
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
        hear(0.45, keel_mpi_beat(0, false, false)); /* each 1.8 s */
    }
    double after_s = stops_after(0.1, true);
    assert_true(after_s > 5.3 && after_s < 5.6);
}

/* As nobody has looked, it may have come at any time. */
static void a_beat_that_is_found_late_was_no_silence(void **state)
{
    (void)state;
    beat_for(10);
    assert_int_equal(hear(500, keel_mpi_beat(0, false, false)), RUNS);
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
    hear(0.1, keel_mpi_beat(0, false, false));
    assert_true(stops_after(0.1, true) < KEEL_MPI_SILENCE_S + 0.2);
}

static void who_is_quiet_is_not_stopped(void **state)
{
    (void)state;
    beat_for(10);
    hear(0.5, keel_mpi_beat(0, false, true));
    assert_true(stops_after(1, true) == 0);
}

static void who_says_that_it_is_out_is_out(void **state)
{
    (void)state;
    hear(0, keel_mpi_beat(7, false, false));
    assert_int_equal(hear(0.5, keel_mpi_beat(7, true, false)), LEFT_OUT);
    assert_int_equal(look(0.5, true), LEFT_OUT);
    /* it has lifted its fence, and was not let in here */
    assert_int_equal(hear(0.5, keel_mpi_beat(8, false, false)), LEFT_OUT);
    keel_mpi_beats_let_in(&beats, 8);
    assert_int_equal(look(0.5, true), RUNS);
}

static void who_was_left_stays_out_until_it_is_let_in(void **state)
{
    (void)state;
    hear(0, keel_mpi_beat(3, false, false));
    unsigned char told = keel_mpi_beats_leave(&beats);
    assert_true(keel_mpi_beats_says_out(told, 3));
    assert_false(keel_mpi_beats_says_out(told, 4));
    assert_false(keel_mpi_beats_says_out(0, 0)); /* what is sent to be acknowledged */
    assert_int_equal(hear(0.5, keel_mpi_beat(3, false, false)), LEFT_OUT);
    keel_mpi_beats_let_in(&beats, 4);
    assert_int_equal(hear(0.5, keel_mpi_beat(3, true, false)), RUNS); /* on its way since then */
    assert_int_equal(hear(0.5, keel_mpi_beat(4, false, false)), RUNS);
    assert_int_equal(hear(0.5, keel_mpi_beat(4, true, false)), LEFT_OUT);
    keel_mpi_beats_let_in(&beats, 4); /* nor is it, in the same epoch */
    assert_int_equal(look(0.5, true), LEFT_OUT);
}

static void epochs_go_round(void **state)
{
    (void)state;
    hear(0, keel_mpi_beat(0, false, false));
    for (uint64_t epoch = 0; epoch < 3 * KEEL_MPI_EPOCHS; epoch++) {
        assert_int_equal(hear(0.5, keel_mpi_beat(epoch, false, false)), RUNS);
        assert_true(keel_mpi_beats_says_out(keel_mpi_beats_leave(&beats), epoch));
        keel_mpi_beats_let_in(&beats, epoch + 1);
        keel_mpi_beats_let_in(&beats, epoch); /* too late */
        assert_int_equal(look(0.1, true), RUNS);
    }
}

/* Before anything was heard of it. */
static void who_is_let_in_first_is_in_that_epoch(void **state)
{
    (void)state;
    keel_mpi_beats_let_in(&beats, 40);
    assert_int_equal(look(0.5, true), RUNS);
    assert_int_equal(hear(0.5, keel_mpi_beat(39, true, false)), RUNS);
    assert_int_equal(hear(0.5, keel_mpi_beat(41, false, false)), LEFT_OUT);
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
        cmocka_unit_test_setup(who_says_that_it_is_out_is_out, set_up),
        cmocka_unit_test_setup(who_was_left_stays_out_until_it_is_let_in, set_up),
        cmocka_unit_test_setup(epochs_go_round, set_up),
        cmocka_unit_test_setup(who_is_let_in_first_is_in_that_epoch, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
