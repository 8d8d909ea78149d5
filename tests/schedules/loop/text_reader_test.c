/* Reading words and numbers, and writing texts. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedules/text/text.h"
#include "tests/support/unit.h"

/* --- numbers: what is one, its range, lists; locales: spec_test.c and
 * omp_ext/process/bad_input_test.sh --- */

TEST(whole_numbers_have_digits_only_and_a_range)
{
    static const char *const wrong[] = {"",  " 1",  "1 ",  "+1",  "-1", "1.0",
                                        "x", "0x1", "1e1", "101", "9",  "18446744073709551616"};
    uint64_t number;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(keel_number_whole(wrong[i], 10, 100, &number));
    }
    assert_false(keel_number_whole("18446744073709551616", 0, UINT64_MAX, &number));
    assert_true(keel_number_whole("18446744073709551615", 0, UINT64_MAX, &number));
    assert_true(number == UINT64_MAX);
    assert_true(keel_number_whole("0010", 10, 100, &number) && number == 10);
    assert_true(keel_number_whole("100", 10, 100, &number) && number == 100);
}

TEST(reals_begin_with_a_digit_or_a_point_and_are_finite)
{
    allow_exceptions();
    static const char *const wrong[] = {"",    ".",   " 1", "1 ", "+1",    "-1",   "1,5",
                                        "inf", "nan", "e5", "1e", "1e999", "1.5s", ",5"};
    double number;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(keel_number_real(wrong[i], &number));
    }
    assert_true(keel_number_real("1.5", &number) && number == 1.5);
    assert_true(keel_number_real(".5", &number) && number == 0.5);
    assert_true(keel_number_real("25e-1", &number) && number == 2.5);
    assert_true(keel_number_real("1e-999", &number) && number == 0);
}

TEST(the_programs_errno_stays)
{
    allow_exceptions();
    uint64_t whole;
    double real;

    errno = EINTR;
    assert_false(keel_number_whole("18446744073709551616", 0, UINT64_MAX, &whole));
    assert_int_equal(errno, EINTR);
    assert_true(keel_number_whole("1", 0, UINT64_MAX, &whole));
    assert_int_equal(errno, EINTR);
    assert_false(keel_number_real("1e999", &real));
    assert_int_equal(errno, EINTR);
}

TEST(a_unit_may_stand_behind_a_number)
{
    double number;

    assert_int_equal(keel_number_begin("1.5ms", &number), 3);
    assert_true(number == 1.5);
    assert_int_equal(keel_number_begin("1,5", &number), 1);
    assert_int_equal(keel_number_begin("ms", &number), 0);
    assert_int_equal(keel_number_begin("", &number), 0);
}

TEST(lists_are_read_whole_or_not)
{
    static const char *const wrong[] = {"",  ",",   "1,",  ",1",   "1,,2", "1 2",  "1;2",
                                        " ", "1, ", "0,1", "1,11", "1,x",  "1,-2", "1.5.2"};
    char digits[100];
    double number[3] = {0, 0, 7};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(keel_number_list(wrong[i], 0.5, 10, 2, number), 0);
    }
    snprintf(digits, sizeof digits, "1,%064d", 2);
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 0);
    snprintf(digits, sizeof digits, "1,%063d", 2);
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 2);
    snprintf(digits, sizeof digits, "1,%63d", 2); /* blanks before it */
    assert_int_equal(keel_number_list(digits, 0.5, 10, 2, number), 2);
    assert_int_equal(keel_number_list("0.5, 10\t,3", 0.5, 10, 2, number), 3);
    assert_true(number[0] == 0.5 && number[1] == 10 && number[2] == 7);
    assert_int_equal(keel_number_list("1", 0.5, 10, 0, NULL), 1);
}

/* --- the nearest word: edit distance, ties, letter case, long words --- */

static size_t distance(const char *wanted, const char *word)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, wanted, strlen(wanted));
    keel_nearest_consider(&nearest, word, strlen(word));
    assert_string_equal(nearest.best, word);
    return nearest.best_distance;
}

TEST(distances_count_edits)
{
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

TEST(letter_case_is_no_edit_and_the_word_keeps_its_own)
{
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

TEST(a_word_that_another_begins_with_is_near)
{
    assert_int_equal(distance("gss=5", "gss"), 1);
    assert_int_equal(distance("trap", "trapezoidal"), 1);
    assert_int_equal(distance("s", "static"), 5); /* says nothing */
    assert_string_equal(nearest_of("rat", (const char *const[]){"rate-local", "rate", NULL}),
                        "rate");
}

TEST(fewest_edits_win_and_ties_go_to_the_first)
{
    static const char *const words[] = {"css", "gss", "tss", "tfss", NULL};

    assert_string_equal(nearest_of("tgss", words), "gss"); /* tgss: css 2, gss 1, tss 1, tfss 1 */
    assert_string_equal(nearest_of("tfs", words), "tss");  /* 1 as is tfss */
    assert_string_equal(nearest_of("tffss", words), "tfss");
    assert_string_equal(nearest_of("ass", words), "css");
    assert_string_equal(nearest_of("zzz", words), "css");
}

TEST(long_words_are_compared_by_their_beginning)
{
    struct keel_nearest nearest;
    char wanted[200], word[200];

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

/* --- variables that no part reads: which ones are named, and how --- */

static char said[500];

static const char *name_at(size_t i)
{
    static const char *const names[] = {"OUR_FIRST", "OUR_SECOND"};

    return i < 2 ? names[i] : NULL;
}

static bool is_ours(const char *variable)
{
    return strncmp(variable, "OUR_", 4) == 0;
}

static void report(const char *problem)
{
    strcat(said, problem);
    strcat(said, "\n");
}

static const struct keel_unknown_table table = {
    .name = name_at, .is_ours = is_ours, .report = report};

TEST(each_unknown_variable_is_named)
{
    char *const environment[] = {"OUR_FIRST=1", "OTHER=2",  "OUR_SECONT=3",
                                 "OUR_SECOND=", "OUR_FIRS", "OUR_FIRSTS=OUR_FIRST",
                                 NULL};

    keel_unknown_report_all(environment, &table);
    assert_string_equal(said, "OUR_SECONT: no such variable, nearest is 'OUR_SECOND'; ignored\n"
                              "OUR_FIRS: no such variable, nearest is 'OUR_FIRST'; ignored\n"
                              "OUR_FIRSTS: no such variable, nearest is 'OUR_FIRST'; ignored\n");
}

/* --- appending to texts of a fixed size --- */

/* A full text stays terminated, and takes further pieces without any effect. */
TEST(what_has_no_room_is_cut)
{
    char text[8] = "";
    size_t length = 0;

    memset(text, '#', sizeof text);
    for (int i = 0; i < 5; i++) {
        length = keel_text_append(text, 6, length, "%s", "abc");
    }
    assert_int_equal(length, 5);
    assert_string_equal(text, "abcab");
    assert_int_equal(text[6], '#');
    assert_int_equal(keel_text_append(text, 6, 2, "%s", "xyz"), 5);
    assert_string_equal(text, "abxyz");
}

/* --- times in the unit that suits them --- */

static void assert_written(double seconds, int digits, const char *wanted)
{
    char text[KEEL_DURATION_MAX];

    assert_string_equal(keel_duration_write(seconds, digits, text), wanted);
}

TEST(the_unit_suits)
{
    assert_written(12e-9, 3, "12.0 ns");
    assert_written(3.0649e-6, 3, "3.06 us");
    assert_written(0.0412, 3, "41.2 ms");
    assert_written(0.412, 3, "0.412 s");
    assert_written(0.412, 2, "0.41 s");
    assert_written(41.26, 3, "41.3 s");
    assert_written(86400, 3, "86400 s");
    assert_written(0.25e-9, 2, "0.25 ns");
}

TEST(rounding_changes_the_unit)
{
    assert_written(999.4e-9, 3, "999 ns");
    assert_written(999.6e-9, 3, "1.00 us");
    assert_written(0.09994, 3, "99.9 ms");
    assert_written(0.09996, 3, "0.100 s");
    assert_written(9.996, 3, "10.0 s");
    assert_written(999.6e-6, 1, "1 ms");
}

TEST(what_is_no_time_is_none)
{
    allow_exceptions();
    assert_written(0, 3, "0 ns");
    assert_written(-1, 3, "0 ns");
    assert_written(NAN, 3, "0 ns");
    assert_written(INFINITY, 3, "0 ns");
}
