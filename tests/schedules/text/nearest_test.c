/* The nearest word: edit distance, ties, letter case, long words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/text/nearest.h"

static size_t distance(const char *wanted, const char *word)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, wanted, strlen(wanted));
    keel_nearest_consider(&nearest, word, strlen(word));
    assert_string_equal(nearest.best, word);
    return nearest.best_distance;
}

static void distances_count_edits(void **state)
{
    (void)state;
    assert_int_equal(distance("gss", "gss"), 0);
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("", "fac2"), 4);
    assert_int_equal(distance("fac2", ""), 4);
    assert_int_equal(distance("fac", "fac2"), 1);   /* insert */
    assert_int_equal(distance("ffac2", "fac2"), 1); /* delete */
    assert_int_equal(distance("fax2", "fac2"), 1);  /* replace */
    assert_int_equal(distance("fca2", "fac2"), 1);  /* exchange */
    assert_int_equal(distance("raet", "rate"), 1);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("flaw", "lawn"), 2);
    assert_int_equal(distance("intention", "execution"), 5);
}

static void letter_case_is_no_edit_and_the_word_keeps_its_own(void **state)
{
    (void)state;
    assert_int_equal(distance("GSS", "gss"), 0);
    assert_int_equal(distance("keel_schedule", "KEEL_SCHEDULE"), 0);
}

static const char *nearest_of(const char *wanted, const char *const *words)
{
    static struct keel_nearest nearest;

    keel_nearest_begin(&nearest, wanted, strlen(wanted));
    for (; *words != NULL; words++) {
        keel_nearest_consider(&nearest, *words, strlen(*words));
    }
    return nearest.best;
}

static void a_word_that_another_begins_with_is_near(void **state)
{
    (void)state;
    assert_int_equal(distance("gss=5", "gss"), 1);
    assert_int_equal(distance("trap", "trapezoidal"), 1);
    assert_int_equal(distance("s", "static"), 5); /* says nothing */
    assert_string_equal(nearest_of("rat", (const char *const[]){"rate-local", "rate", NULL}),
                        "rate");
}

static const char *hint(const char *wanted, const char *word)
{
    static struct keel_nearest nearest;

    keel_nearest_begin(&nearest, wanted, strlen(wanted));
    if (word != NULL) {
        keel_nearest_consider(&nearest, word, strlen(word));
    }
    return keel_nearest_hint(&nearest);
}

static void a_hint_is_given_up_to_a_third_of_the_letters(void **state)
{
    (void)state;
    assert_string_equal(hint("gsx", "gss"), ", nearest is 'gss'");
    assert_string_equal(hint("gs", "ss"), ", nearest is 'ss'");
    assert_string_equal(hint("guxxed", "guided"), ", nearest is 'guided'");
    assert_string_equal(hint("gxxxed", "guided"), "");
    assert_string_equal(hint("foo", "auto"), "");
    assert_string_equal(hint("foo", "fac"), "");
    assert_string_equal(hint("", "ss"), "");
    assert_string_equal(hint("gss", NULL), "");
}

static void fewest_edits_win_and_ties_go_to_the_first(void **state)
{
    static const char *const words[] = {"css", "gss", "tss", "tfss", NULL};

    (void)state;
    assert_string_equal(nearest_of("tgss", words), "gss"); /* tgss: css 2, gss 1, tss 1, tfss 1 */
    assert_string_equal(nearest_of("tfs", words), "tss");  /* 1 as is tfss */
    assert_string_equal(nearest_of("tffss", words), "tfss");
    assert_string_equal(nearest_of("ass", words), "css");
    assert_string_equal(nearest_of("zzz", words), "css");
}

static void before_any_offer_there_is_no_word(void **state)
{
    struct keel_nearest nearest;

    (void)state;
    keel_nearest_begin(&nearest, "gss", 3);
    assert_string_equal(nearest.best, "");
    assert_true(nearest.best_distance == SIZE_MAX);
}

static void lengths_end_words_not_terminators(void **state)
{
    struct keel_nearest nearest;

    (void)state;
    keel_nearest_begin(&nearest, "gssabc", 3);
    keel_nearest_consider(&nearest, "gss tss", 3);
    assert_string_equal(nearest.best, "gss");
    assert_int_equal(nearest.best_distance, 0);
}

/* Bytes above 127 are compared like any other. */
static void any_byte_may_occur(void **state)
{
    struct keel_nearest nearest;

    (void)state;
    keel_nearest_begin(&nearest, "\xff\0\x80", 3);
    keel_nearest_consider(&nearest, "gss", 3);
    assert_int_equal(nearest.best_distance, 3);
    keel_nearest_consider(&nearest, "\xff\0s", 3);
    assert_int_equal(nearest.best_distance, 1);
}

static void long_words_are_compared_by_their_beginning(void **state)
{
    struct keel_nearest nearest;
    char wanted[200], word[200];

    (void)state;
    memset(wanted, 'a', sizeof wanted);
    memset(word, 'a', sizeof word);
    word[KEEL_NEAREST_MAX - 1] = 'b'; /* beyond what is kept */
    keel_nearest_begin(&nearest, wanted, sizeof wanted);
    keel_nearest_consider(&nearest, word, sizeof word);
    assert_int_equal(nearest.best_distance, 0);
    assert_int_equal(strlen(nearest.best), KEEL_NEAREST_MAX - 1);
    keel_nearest_begin(&nearest, wanted, sizeof wanted);
    word[KEEL_NEAREST_MAX - 2] = 'b';
    keel_nearest_consider(&nearest, word, sizeof word);
    assert_int_equal(nearest.best_distance, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_count_edits),
        cmocka_unit_test(a_word_that_another_begins_with_is_near),
        cmocka_unit_test(a_hint_is_given_up_to_a_third_of_the_letters),
        cmocka_unit_test(letter_case_is_no_edit_and_the_word_keeps_its_own),
        cmocka_unit_test(fewest_edits_win_and_ties_go_to_the_first),
        cmocka_unit_test(before_any_offer_there_is_no_word),
        cmocka_unit_test(lengths_end_words_not_terminators),
        cmocka_unit_test(any_byte_may_occur),
        cmocka_unit_test(long_words_are_compared_by_their_beginning),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
