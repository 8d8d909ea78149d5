/* Strings in JSON: what is escaped, replaced and cut. */
#include <string.h>

#include "omp_ext/trace/json_text.h"
#include "tests/support/unit.h"

static char memory[256];
static struct keel_json_text text;

/* The text written since the last call. */
static const char *written(void)
{
    *text.at = '\0';
    text.at = text.start;
    return memory;
}

static void begin(size_t size)
{
    text = keel_json_text_in(memory, size);
}

static const char *string(const char *bytes)
{
    keel_json_text_string(&text, bytes, 100);
    return written();
}

TEST(escapes_strings)
{
    begin(200);
    assert_string_equal(string(""), "\"\"");
    assert_string_equal(string("a\"b\\c"), "\"a\\\"b\\\\c\"");
    assert_string_equal(string("a\nb\x01"), "\"a\\u000ab\\u0001\"");
    assert_string_equal(string("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
                        "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

/* Bytes of another character set, overlong forms, surrogates, and characters cut in two. */
TEST(replaces_bytes_that_are_not_utf_8)
{
    begin(200);
    assert_string_equal(string("\xe9t"), "\"\\ufffdt\"");
    assert_string_equal(string("\xc0\xaf"), "\"\\ufffd\\ufffd\"");
    assert_string_equal(string("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
    assert_string_equal(string("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
    assert_string_equal(string("a\xe2\x82"), "\"a\\ufffd\\ufffd\"");
}

TEST(cuts_whole_characters)
{
    begin(12);
    keel_json_text_string(&text, "abcdefghijklmnopqrst", 100);
    assert_in_range(keel_json_text_length(&text), 2, 12);
    assert_int_equal(memory[keel_json_text_length(&text) - 1], '"');
    written();
    keel_json_text_string(&text, "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 100);
    assert_int_equal((keel_json_text_length(&text) - 2) % 3, 0);
    written();
    begin(200);
    keel_json_text_string(&text, "abcdef", 3);
    assert_string_equal(written(), "\"abc\"");
    begin(1);
    keel_json_text_string(&text, "abc", 3);
    assert_int_equal(keel_json_text_length(&text), 0);
}
