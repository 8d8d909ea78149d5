/* Reading words and numbers, and writing texts. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
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

/* --- lists of parameters: what is set, and what is said of what is not --- */

enum { FIRST, SECOND, THIRD, FOREIGN, COUNT };

static char value[COUNT][KEEL_PARAMETERS_WORD_MAX];

static const char *name_of(const void *into, unsigned parameter)
{
    static const char *const names[COUNT] = {"first", "second", "third", "foreign"};

    (void)into;
    return names[parameter];
}

static bool set_to(void *into, unsigned parameter, const char *word)
{
    (void)into;
    if (word[0] == '\0' || word[0] == '?') {
        return false;
    }
    strcpy(value[parameter], word);
    return true;
}

static void expect(const void *into, unsigned parameter, char *text, size_t size)
{
    (void)into;
    snprintf(text, size, "a word; using %u", parameter);
}

static struct keel_parameters_known known_of(unsigned accepted, unsigned positionals)
{
    return (struct keel_parameters_known){.owner = "owner",
                                          .count = COUNT,
                                          .accepted = accepted,
                                          .positional = {SECOND, FIRST},
                                          .positionals = positionals,
                                          .name = name_of,
                                          .set = set_to,
                                          .expect = expect};
}

/* Reads by `known`: these bits are given, and this is said. */
static void reads(struct keel_parameters_known known, const char *list, unsigned wanted,
                  const char *said)
{
    char problem[200] = "";
    unsigned given = 0;

    memset(value, 0, sizeof value);
    keel_parameters_read((struct keel_text){list, strlen(list)}, &known, &given, problem,
                         sizeof problem);
    assert_int_equal(given, wanted);
    assert_string_equal(problem, said);
}

TEST(values_are_set_by_position_and_by_name)
{
    reads(known_of(7, 2), "", 0, "");
    reads(known_of(7, 2), ",5", 2, "");
    assert_string_equal(value[SECOND], "5");
    reads(known_of(7, 2), ":5, 6 :third = x,", 7,
          "owner takes at most 2 values by position; '' is ignored");
    assert_string_equal(value[SECOND], "5");
    assert_string_equal(value[FIRST], "6");
    assert_string_equal(value[THIRD], "x");
}

TEST(what_is_wrong_is_left_out_and_told)
{
    char longest[KEEL_PARAMETERS_WORD_MAX + 1] = ",";

    reads(known_of(7, 2), ",5,second=6", 2, "second is given twice; the first is used");
    assert_string_equal(value[SECOND], "5");
    reads(known_of(7, 2), ",?,6", 1, "second '?' is not a word; using 1");
    reads(known_of(7, 1), ",5,6", 2, "owner takes at most 1 value by position; '6' is ignored");
    reads(known_of(7, 0), ",5", 0, "owner takes no values by position; '5' is ignored");
    reads(known_of(0, 0), ",first=5", 0, "owner has no parameters; 'first' is ignored");
    reads(known_of(7, 2), ",thurd=5", 0,
          "owner has no parameter 'thurd', nearest is 'third'; ignored");
    reads(known_of(7, 2), ",foreign=5", 0, "owner has no parameter 'foreign'; ignored");
    memset(longest + 1, 'x', KEEL_PARAMETERS_WORD_MAX - 1);
    reads(known_of(7, 2), longest, 2, "");
    assert_string_equal(value[SECOND], longest + 1);
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

static const char *hint(const char *wanted, const char *word)
{
    static struct keel_nearest nearest;

    keel_nearest_begin(&nearest, wanted, strlen(wanted));
    if (word != NULL) {
        keel_nearest_consider(&nearest, word, strlen(word));
    }
    return keel_nearest_hint(&nearest);
}

TEST(a_hint_is_given_up_to_a_third_of_the_letters)
{
    assert_string_equal(hint("gsx", "gss"), ", nearest is 'gss'");
    assert_string_equal(hint("gs", "ss"), ", nearest is 'ss'");
    assert_string_equal(hint("guxxed", "guided"), ", nearest is 'guided'");
    assert_string_equal(hint("gxxxed", "guided"), "");
    assert_string_equal(hint("foo", "auto"), "");
    assert_string_equal(hint("foo", "fac"), "");
    assert_string_equal(hint("", "ss"), "");
    assert_string_equal(hint("gss", NULL), "");
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

TEST(lengths_end_words_not_terminators)
{
    struct keel_nearest nearest;

    keel_nearest_begin(&nearest, "gssabc", 3);
    keel_nearest_consider(&nearest, "gss tss", 3);
    assert_string_equal(nearest.best, "gss");
    assert_int_equal(nearest.best_distance, 0);
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

/* --- variables that nobody reads: which ones are told of, and what is said --- */

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

TEST(each_unknown_variable_is_told)
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
    assert_written(0, 3, "0 ns");
    assert_written(-1, 3, "0 ns");
    assert_written(NAN, 3, "0 ns");
    assert_written(INFINITY, 3, "0 ns");
}
