/* Appending to texts of a fixed size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/text/text.h"

static void pieces_follow_each_other(void **state)
{
    char text[16];
    size_t length = keel_text_append(text, sizeof text, 0, "%s", "fac2");

    (void)state;
    length = keel_text_append(text, sizeof text, length, ",%d", 8);
    assert_int_equal(length, 6);
    assert_string_equal(text, "fac2,8");
    assert_int_equal(keel_text_append(text, sizeof text, length, "%s", ""), 6);
}

/* A full text stays terminated, and takes further pieces without any effect. */
static void what_has_no_room_is_cut(void **state)
{
    char text[8] = "";
    size_t length = 0;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_follow_each_other),
        cmocka_unit_test(what_has_no_room_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
