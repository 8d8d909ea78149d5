/* What is kept of rows and of sets of objects: sums, the first phases and the latest, and words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mpi_backend/report/mpi_report.h"
#include "tests/support/turkish_locale.h"

static struct keel_mpi_object_set copy;
static struct keel_mpi_distribution rows_copy;

static int read_objects(const void *objects, void *report)
{
    *(struct keel_mpi_objects_report *)report = *(const struct keel_mpi_objects_report *)objects;
    return KEEL_MPI_OK;
}

static int read_rows(const void *rows, void *report)
{
    *(struct keel_mpi_rows_report *)report = *(const struct keel_mpi_rows_report *)rows;
    return KEEL_MPI_OK;
}

/* One that is freed and one that is not. */
static void objects_are_kept_while_they_live_and_after(void **state)
{
    const struct keel_mpi_objects_report freed = {
        .computed = 5, .bytes_taken = 11, .answering_s = 3, .copies_bytes = 9};
    const struct keel_mpi_objects_report lives = {.computed = 7, .idle_s = 0.5, .quantum_s = 2};
    size_t before = keel_mpi_reported_count(KEEL_MPI_REPORTED_OBJECTS);
    struct keel_mpi_reported *first =
        keel_mpi_reported_new(KEEL_MPI_REPORTED_OBJECTS, &freed, read_objects);

    (void)state;
    keel_mpi_reported_end(first, &freed);
    keel_mpi_reported_new(KEEL_MPI_REPORTED_OBJECTS, &lives, read_objects);
    assert_int_equal(keel_mpi_reported_count(KEEL_MPI_REPORTED_OBJECTS), before + 2);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_OBJECTS, before, &copy.of);
    assert_string_equal(copy.of.name, "set 1");
    assert_int_equal(copy.sum.computed, 5);
    assert_int_equal(copy.sum.bytes_taken, 11);
    assert_int_equal(copy.sum.copies_bytes, 9);
    assert_true(copy.sum.answering_s == 3 && copy.sum.idle_s == 0);
    for (int i = 0; i < 2; i++) { /* each copy has it once */
        keel_mpi_reported_copy(KEEL_MPI_REPORTED_OBJECTS, before + 1, &copy.of);
        assert_string_equal(copy.of.name, "set 2");
        assert_int_equal(copy.sum.computed, 7);
        assert_true(copy.sum.idle_s == 0.5 && copy.sum.quantum_s == 2);
    }
}

/* The last of too many stands for all that come later: 64 + 3 - 63 = 4. */
static void the_last_distribution_stands_for_others(void **state)
{
    const struct keel_mpi_rows_report report = {.hooks = 2, .copies_bytes = 6};

    (void)state;
    for (int i = 0; i < KEEL_MPI_REPORTED_MAX + 3; i++) {
        struct keel_mpi_reported *one =
            keel_mpi_reported_new(KEEL_MPI_REPORTED_ROWS, &report, read_rows);
        keel_mpi_reported_end(one, &report);
    }
    assert_int_equal(keel_mpi_reported_count(KEEL_MPI_REPORTED_ROWS), KEEL_MPI_REPORTED_MAX);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_ROWS, 0, &rows_copy.of);
    assert_string_equal(rows_copy.of.name, "distribution 1");
    assert_int_equal(rows_copy.sum.hooks, 2);
    keel_mpi_reported_copy(KEEL_MPI_REPORTED_ROWS, KEEL_MPI_REPORTED_MAX - 1, &rows_copy.of);
    assert_string_equal(rows_copy.of.name, "distribution 64 and others");
    assert_int_equal(rows_copy.of.members, 4);
    assert_int_equal(rows_copy.sum.hooks, 4 * 2);
    assert_int_equal(rows_copy.sum.copies_bytes, 6); /* the most of them, not the sum */
}

static void the_first_phases_and_the_latest_are_kept(void **state)
{
    const struct keel_mpi_objects_report report = {.computed = 7};
    struct keel_mpi_object_set *set = (struct keel_mpi_object_set *)keel_mpi_reported_new(
        KEEL_MPI_REPORTED_OBJECTS, &report, read_objects);
    const uint64_t phases = 3 * KEEL_MPI_PHASES_MAX, first = KEEL_MPI_PHASES_FIRST;

    (void)state;
    for (uint64_t i = 1; i <= phases; i++) {
        keel_mpi_phase_note(set, &(struct keel_mpi_phase){.phase = i});
        assert_int_equal(set->phases + set->left_out, i);
    }
    assert_int_equal(set->phases, KEEL_MPI_PHASES_MAX);
    for (uint64_t i = 0; i < KEEL_MPI_PHASES_MAX; i++) {
        uint64_t number = i < first ? i + 1 : phases - KEEL_MPI_PHASES_MAX + i + 1;
        assert_int_equal(set->phase[i].phase, number);
    }
}

static void assert_text(const struct keel_mpi_phase *phase, const char *expected)
{
    char text[KEEL_MPI_PHASE_TEXT];

    keel_mpi_phase_text(phase, text);
    assert_string_equal(text, expected);
}

static void advice_is_in_words(void **state)
{
    struct keel_mpi_phase phase = {
        .mean_s = 0.0021, .longest_s = 0.125, .moves = true, .bounds.upper_s = 1};

    (void)state;
    phase.advice = (struct keel_objects_advice){4, 0.125, 400};
    assert_text(&phase,
                "objects take 2.1 ms and 125 ms at most; 4 objects in place of each (400 on "
                "each rank) would take 12 % less time");
    phase.advice = (struct keel_objects_advice){0.25, 0.5, 12.5};
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; one object in place of 4 (13 on "
                        "each rank) would take 50 % less time");
    phase.advice = (struct keel_objects_advice){1, 0, 4};
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; another number of objects would "
                        "gain less than 1 %");
    phase.moves = false;
    assert_text(&phase, "objects take 2.1 ms and 125 ms at most; they stay where they are");
    phase.bounds.upper_s = 0;
    assert_text(&phase, "no bounds are known");
    phase = (struct keel_mpi_phase){.mean_s = 1.7e308,
                                    .longest_s = -1.7e308,
                                    .moves = true,
                                    .bounds.upper_s = 1,
                                    .advice = {1.0 / 64, 0.99, 1e20}};
    char text[KEEL_MPI_PHASE_TEXT];
    keel_mpi_phase_text(&phase, text);
    assert_true(strlen(text) < KEEL_MPI_PHASE_TEXT);
}

static void words_are_those_of_the_c_locale(void **state)
{
    enter_turkish_locale();
    advice_is_in_words(state);
    assert_turkish_locale();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_kept_while_they_live_and_after),
        cmocka_unit_test(the_last_distribution_stands_for_others),
        cmocka_unit_test(the_first_phases_and_the_latest_are_kept),
        cmocka_unit_test(advice_is_in_words),
        cmocka_unit_test_teardown(words_are_those_of_the_c_locale, back_to_c_locale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
