/* Outputs that are the same, exactly or within a tolerance, and where they differ. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/programs/programs.h"
#include "tests/support/unit.h"

TEST(exact_lines)
{
    assert_true(keel_lines_equal("a 1.0", "a 1.0", 0));
    assert_false(keel_lines_equal("a 1.0", "a 1.00", 0));
}

TEST(numbers_within_the_tolerance)
{
    static const struct {
        const char *wanted, *got;
        double tolerance;
        bool same;
    } pairs[] = {
        {"x=1.0000001", "x=1.0000002", 1e-6, true},
        {"x=1.0000001", "x=1.0000002", 1e-8, false},
        {"1.0", "1", 1e-9, true},
        {"1e3 s", "1000 s", 1e-9, true},
        {"1.0D+03", "1000.0", 1e-9, true},
        {"-2 -2", "-2 2", 1e-3, false},
        {"0", "1e-300", 1e-3, false},
        {"100,200", "100.05,200.1", 1e-3, true},
        {"1000000", "1000001", 1e-5, true},
        {"eos 1.5 ok", "eos 1.5 no", 1e-3, false},
        {"eos 1.5", "eos 1.5 ", 1e-3, false},
        {"a", "1", 1e-3, false},
        {"1-2", "1-2", 1e-3, true},
        {"", "", 1e-3, true},
        {"1", "", 1e-3, false},
        {"nan", "nan", 1e-3, true},
        {"1e999 2", "1e999 2.0001", 1e-3, true},
        {"- 5", "- 5.001", 1e-3, true},
        {"v1.2.3", "v1.2.4", 1e-3, false},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        bool same = keel_lines_equal(pairs[i].wanted, pairs[i].got, pairs[i].tolerance);
        if (same != pairs[i].same) {
            fail_msg("'%s' and '%s' within %g: %d", pairs[i].wanted, pairs[i].got,
                     pairs[i].tolerance, same);
        }
    }
}

/* --- files --- */

static char wanted[] = "/tmp/keel-wanted-XXXXXX", got[] = "/tmp/keel-got-XXXXXX";

BEFORE_TESTS
{
    close(mkstemp(wanted));
    close(mkstemp(got));
}

__attribute__((destructor)) static void remove_files(void)
{
    unlink(wanted);
    unlink(got);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool same(const char *first, const char *second, const struct keel_comparison *how,
                 struct keel_difference *difference)
{
    write_file(wanted, first);
    write_file(got, second);
    return keel_files_equal(wanted, got, how, difference);
}

TEST(first_different_line)
{
    const struct keel_comparison exact = {0};
    struct keel_difference difference;

    assert_true(same("a\nb\n", "a\nb\n", &exact, &difference));
    assert_true(same("", "", &exact, &difference));
    assert_false(same("a\nb\nc\n", "a\nx\ny\n", &exact, &difference));
    assert_int_equal(difference.line, 2);
    assert_string_equal(difference.wanted, "b");
    assert_string_equal(difference.got, "x");
    assert_false(same("a\n", "a\nb\n", &exact, &difference));
    assert_int_equal(difference.line, 2);
    assert_string_equal(difference.wanted, "(end)");
    assert_string_equal(difference.got, "b");
    assert_false(same("a\n\n", "a\n", &exact, &difference));
}

TEST(excerpts_of_long_lines)
{
    const struct keel_comparison exact = {0};
    struct keel_difference difference;
    char first[400], second[400];

    memset(first, '.', sizeof first);
    first[sizeof first - 1] = '\0';
    memcpy(second, first, sizeof first);
    memcpy(first + 200, "wanted", 6);
    memcpy(second + 200, "got it", 6);
    assert_false(same(first, second, &exact, &difference));
    assert_non_null(strstr(difference.wanted, "wanted"));
    assert_non_null(strstr(difference.got, "got it"));
    assert_true(strlen(difference.wanted) < KEEL_EXCERPT_MAX);
}

TEST(missing_files)
{
    const struct keel_comparison exact = {0};
    struct keel_difference difference;

    write_file(wanted, "");
    assert_false(keel_files_equal(wanted, "/tmp/keel-no-such-file", &exact, &difference));
    assert_string_equal(difference.got, "(no file)");
    assert_true(
        keel_files_equal("/tmp/keel-no-such-file", "/tmp/keel-no-such-file", &exact, &difference));
}

TEST(ignored_lines)
{
    struct keel_comparison how = {0};
    regex_t pattern;

    assert_int_equal(regcomp(&pattern, "^time", REG_EXTENDED | REG_NOSUB), 0);
    how.ignored = &pattern;
    assert_true(same("a\ntime 1\n", "a\ntime 2\n", &how, NULL));
    assert_false(same("a\ntime 1\n", "a\ntime 1\ntime 2\n", &how, NULL));
    assert_false(same("a\ntime 1\n", "a\nother\n", &how, NULL));
    regfree(&pattern);
}

TEST(lines_that_are_left_out)
{
    static struct keel_left_out left_out;
    const struct keel_comparison exact = {0}, how = {.left_out = &left_out};

    left_out.count = 0;
    assert_false(same("1\n2\n3\n4\n", "1\nx\n3\ny\n", &how, NULL));
    assert_true(keel_files_leave_out(wanted, got, &exact, &left_out));
    assert_int_equal(left_out.count, 2);
    assert_true(same("1\n2\n3\n4\n", "1\nx\n3\ny\n", &how, NULL));
    assert_false(same("1\n2\n3\n4\n", "1\nx\nz\ny\n", &how, NULL));
    assert_true(keel_files_leave_out(wanted, got, &exact, &left_out));
    assert_int_equal(left_out.count, 3);
    assert_int_equal(left_out.line[0], 2);
    assert_int_equal(left_out.line[1], 3);
    assert_int_equal(left_out.line[2], 4);
    assert_false(same("1\n", "1\n2\n", &how, NULL));
    assert_false(keel_files_leave_out(wanted, got, &exact, &left_out));
}
