/* Lists of parameters, by hand: what is set, and what is said of what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/text/parameters.h"

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

static void values_are_set_by_position_and_by_name(void **state)
{
    (void)state;
    reads(known_of(7, 2), "", 0, "");
    reads(known_of(7, 2), ",5", 2, "");
    assert_string_equal(value[SECOND], "5");
    reads(known_of(7, 2), ":5, 6 :third = x,", 7,
          "owner takes at most 2 values by position; '' is ignored");
    assert_string_equal(value[SECOND], "5");
    assert_string_equal(value[FIRST], "6");
    assert_string_equal(value[THIRD], "x");
}

static void what_is_wrong_is_left_out_and_told(void **state)
{
    char longest[KEEL_PARAMETERS_WORD_MAX + 1] = ",";

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_set_by_position_and_by_name),
        cmocka_unit_test(what_is_wrong_is_left_out_and_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
