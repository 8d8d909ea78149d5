/* Rules for single loops: valid texts, and the loops that they match. */
#include <string.h>

#include "omp_ext/source/rule.h"
#include "tests/support/unit.h"

static bool readable(const char *text)
{
    struct keel_rule rule;

    return keel_rule_parse(text, strlen(text), &rule);
}

static void expect_rule(const char *text, unsigned line, const char *name)
{
    struct keel_rule rule;

    assert_true(keel_rule_parse(text, strlen(text), &rule));
    assert_int_equal(rule.line, line);
    assert_string_equal(rule.name, name);
}

TEST(a_line_rule_has_a_file_and_a_line)
{
    expect_rule("mandel.c:42", 42, "mandel.c");
    expect_rule("src/mandel.c:42", 42, "src/mandel.c");
    expect_rule("/home/u/mandel.c:1", 1, "/home/u/mandel.c");
    expect_rule("./././mandel.c:7", 7, "mandel.c");
    expect_rule("../a/mandel.c:7", 7, "../a/mandel.c");
    expect_rule("a-b+c,d.f90:4294967295", 4294967295u, "a-b+c,d.f90");
}

TEST(a_function_rule_has_a_name)
{
    expect_rule("render", 0, "render");
    expect_rule("ns::image::render", 0, "ns::image::render");
    expect_rule("__grid_MOD_sweep", 0, "__grid_MOD_sweep");
    expect_rule("outer::operator()", 0, "outer::operator()");
    expect_rule("operator()", 0, "operator()");
    expect_rule("m\xc3\xa4"
                "chtig",
                0,
                "m\xc3\xa4"
                "chtig");
}

TEST(unreadable_texts_are_refused)
{
    static const char *const texts[] = LIST(
        "", " ", ":", "::", ":42", "mandel.c:", "mandel.c:0", "mandel.c:042", "mandel.c:4x",
        "mandel.c:x4", "mandel.c:-4", "mandel.c:+4", "mandel.c: 4", "mandel.c:4 ", "mandel.c :4",
        " mandel.c:4", "my file.c:4", "a:b.c:4", "src/:4", "mandel.c:4294967296",
        "mandel.c:18446744073709551617", "mandel.c", "src/render", "42", "4render",
        "render:", "ren der", "render ", "\trender", "::render", "render::", "a::::b", "a:::b",
        "a:b", "render()", "operator()::x", "a=b", "a;b", "a.c:4=5",
        "a\x01"
        "b.c:4");

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (readable(texts[i])) {
            fail_msg("'%s' was read", texts[i]);
        }
    }
    assert_false(keel_rule_parse("ab\0cd", 5, &(struct keel_rule){0}));
    assert_false(keel_rule_parse("ab\0cd.c:4", 9, &(struct keel_rule){0}));
}

TEST(a_name_fits_or_is_refused)
{
    char text[KEEL_RULE_NAME_SIZE + 2];

    memset(text, 'a', sizeof text);
    assert_true(keel_rule_parse(text, KEEL_RULE_NAME_SIZE - 1, &(struct keel_rule){0}));
    assert_false(keel_rule_parse(text, KEEL_RULE_NAME_SIZE, &(struct keel_rule){0}));
    memcpy(text + KEEL_RULE_NAME_SIZE - 1, ":5", 2);
    assert_true(keel_rule_parse(text, KEEL_RULE_NAME_SIZE + 1, &(struct keel_rule){0}));
    memcpy(text + KEEL_RULE_NAME_SIZE - 1, "a:5", 3);
    assert_false(keel_rule_parse(text, KEEL_RULE_NAME_SIZE + 2, &(struct keel_rule){0}));
}

/* A loop in lines 40 to 42 of render(), inlined into main(). */
static const struct keel_source loop = {
    .file = "/home/u/src/mandel.c",
    .line = 41,
    .first_line = 40,
    .last_line = 42,
    .name_count = 3,
    .names = {"ns::image::render", "_ZN2ns5image6renderEv", "main"},
};

static bool means(const char *text, const struct keel_source *source)
{
    struct keel_rule rule;

    assert_true(keel_rule_parse(text, strlen(text), &rule));
    return keel_rule_matches(&rule, source);
}

TEST(a_line_matches_the_loop_whose_header_contains_it)
{
    assert_false(means("mandel.c:39", &loop));
    assert_true(means("mandel.c:40", &loop));
    assert_true(means("mandel.c:41", &loop));
    assert_true(means("mandel.c:42", &loop));
    assert_false(means("mandel.c:43", &loop));
}

TEST(a_file_is_the_end_of_a_path_from_a_slash_on)
{
    struct keel_source plain = loop;

    assert_true(means("src/mandel.c:41", &loop));
    assert_true(means("./src/mandel.c:41", &loop));
    assert_true(means("/home/u/src/mandel.c:41", &loop));
    assert_false(means("andel.c:41", &loop));
    assert_false(means("rc/mandel.c:41", &loop));
    assert_false(means("lib/mandel.c:41", &loop));
    assert_false(means("/src/mandel.c:41", &loop));
    assert_false(means("/x/home/u/src/mandel.c:41", &loop));
    assert_false(means("mandel.cc:41", &loop));
    strcpy(plain.file, "mandel.c");
    assert_true(means("mandel.c:41", &plain));
    assert_false(means("src/mandel.c:41", &plain));
}

TEST(a_function_is_the_end_of_a_qualified_name)
{
    assert_true(means("render", &loop));
    assert_true(means("image::render", &loop));
    assert_true(means("ns::image::render", &loop));
    assert_true(means("_ZN2ns5image6renderEv", &loop));
    assert_true(means("main", &loop));
    assert_false(means("ender", &loop));
    assert_false(means("mage::render", &loop));
    assert_false(means("ns::render", &loop));
    assert_false(means("x::ns::image::render", &loop));
    assert_false(means("image", &loop));
    assert_false(means("ns", &loop));
    assert_false(means("Render", &loop));
}

TEST(no_rule_matches_a_loop_without_debug_information)
{
    static const struct keel_source unknown;

    assert_false(means("mandel.c:1", &unknown));
    assert_false(means("main", &unknown));
}
