/* What subcommands that run programs are made of: comparisons, searches, lists of loops and of
 * libraries. */
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/programs/programs.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- searches find sets of which nothing can be left out, and stop when they have to --- */

#define MEMBERS_MAX 200

static struct draws draws;

/* Differs where all culprits are in. */
struct case_of {
    size_t culprit[4], culprits;
    unsigned asked, limit; /* questions; when to stop */
};

static bool is_in(size_t wanted, const size_t *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (member[i] == wanted) {
            return true;
        }
    }
    return false;
}

static bool all_are_in(const size_t *member, size_t count, void *context)
{
    struct case_of *tried = context;

    tried->asked++;
    for (size_t i = 0; i < tried->culprits; i++) {
        if (!is_in(tried->culprit[i], member, count)) {
            return false;
        }
    }
    return true;
}

static bool enough(void *context)
{
    const struct case_of *tried = context;

    return tried->asked >= tried->limit;
}

static size_t fill(size_t *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        member[i] = i;
    }
    return count;
}

static struct case_of draw_case(size_t count)
{
    struct case_of drawn = {.culprits = 1 + draws_below(&draws, 4), .limit = ~0u};

    for (size_t i = 0; i < drawn.culprits; i++) {
        drawn.culprit[i] = draws_below(&draws, count); /* the same one twice is one */
    }
    return drawn;
}

TEST(finds_what_is_needed)
{
    size_t member[MEMBERS_MAX];

    for (int i = 0; i < 2000; i++) {
        size_t count = fill(member, 1 + draws_below(&draws, MEMBERS_MAX));
        struct case_of drawn = draw_case(count);
        assert_true(keel_delta_debug(member, &count, all_are_in, enough, &drawn));
        assert_true(all_are_in(member, count, &drawn));
        for (size_t j = 0; j < count; j++) {
            assert_true(is_in(member[j], drawn.culprit, drawn.culprits));
            assert_true(j == 0 || member[j - 1] < member[j]);
        }
    }
}

TEST(one_of_many_takes_few_questions)
{
    size_t member[128];
    size_t count = fill(member, 128);
    struct case_of last = {.culprit = {127}, .culprits = 1, .limit = ~0u};

    assert_true(keel_delta_debug(member, &count, all_are_in, NULL, &last));
    assert_int_equal(count, 1);
    assert_true(last.asked <= 14);
}

TEST(stops)
{
    size_t member[128];
    size_t count = fill(member, 128);
    struct case_of two = {.culprit = {3, 99}, .culprits = 2, .limit = 5};

    assert_false(keel_delta_debug(member, &count, all_are_in, enough, &two));
    assert_int_equal(two.asked, 5);
    assert_true(is_in(3, member, count) && is_in(99, member, count));
}

/* --- outputs that are the same, exactly or within a tolerance, and where they differ --- */

TEST(exact_lines)
{
    assert_true(keel_lines_equal("a 1.0", "a 1.0", 0));
    assert_false(keel_lines_equal("a 1.0", "a 1.00", 0));

    /* a long line takes a time that grows with its length, not with its square: minutes */
    static char wanted[1 << 20], got[1 << 20];
    memset(wanted, 'a', sizeof wanted - 1);
    memset(got, 'a', sizeof got - 1);
    assert_true(keel_lines_equal(wanted, got, 1e-9));
}

TEST(numbers_within_the_tolerance)
{
    allow_exceptions();
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
    draws = draws_begin();
    close(mkstemp(wanted));
    close(mkstemp(got));
}

__attribute__((destructor)) static void remove_files(void)
{
    unlink(wanted);
    unlink(got);
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static void write_file(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
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

/* 10 is a line feed. */
TEST(binary_numbers)
{
    static const int numbers[][3] = {{0, 1, 2}, {0, 1, 3}, {10, 1, 2}};
    const struct keel_comparison exact = {0};

    for (size_t i = 0; i < 3; i++) {
        write_bytes(wanted, numbers[0], sizeof numbers[0]);
        write_bytes(got, numbers[i], sizeof numbers[i]);
        assert_int_equal(keel_files_equal(wanted, got, &exact, NULL), i == 0);
    }
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

/* --- what libkeel.so reports of loops, from several processes --- */

static struct keel_loops read_text(const char *text)
{
    char path[] = "/tmp/keel-report-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    struct keel_loops loops;

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    keel_loops_read(path, &loops);
    unlink(path);
    return loops;
}

static void free_loops(struct keel_loops *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        free(loops->name[i]);
    }
    for (size_t i = 0; i < loops->regions; i++) {
        free(loops->region[i]);
    }
    free(loops->name);
    free(loops->region);
    free(loops->open_end);
}

TEST(nothing)
{
    struct keel_loops loops = read_text("");

    assert_int_equal(loops.count + loops.regions + loops.open_ends + loops.threads, 0);
}

TEST(loops_in_the_order_of_lines)
{
    struct keel_loops loops = read_text("loop\teos.cc:53 (f)\t2\nloop\teos.cc:9 (f)\t4\n"
                                        "loop\teos.cc:53 (f)\t2\n"
                                        "after\teos.cc:9 (f)\teos.cc:53 (f)\n"
                                        "after\teos.cc:9 (f)\teos.cc:53 (f)\n"
                                        "after\teos.cc:7 (f)\teos.cc:53 (f)\n");

    assert_int_equal(loops.count, 2);
    assert_string_equal(keel_loops_name(&loops, 0), "eos.cc:9 (f)");
    assert_string_equal(keel_loops_name(&loops, 1), "eos.cc:53 (f)");
    assert_int_equal(loops.threads, 4);
    assert_int_equal(loops.open_ends, 1);
    assert_int_equal(loops.open_end[0].before, 0);
    assert_int_equal(loops.open_end[0].after, 1);
    free_loops(&loops);
}

TEST(regions_without_loops_come_first)
{
    struct keel_loops loops = read_text("region\tparallel region a.c:1\nloop\ta.c:2\t2\n"
                                        "reached\tparallel region a.c:1\n"
                                        "region\tparallel region a.c:30\n"
                                        "region\tparallel region a.c:4\n");

    assert_int_equal(loops.regions, 3);
    assert_int_equal(loops.unreached, 2);
    assert_string_equal(keel_loops_name(&loops, 1), "parallel region a.c:4");
    assert_string_equal(keel_loops_name(&loops, 2), "parallel region a.c:30");
    assert_string_equal(keel_loops_name(&loops, 3), "parallel region a.c:1");
    free_loops(&loops);
}

/* --- LD_PRELOAD: where Keel goes in LD_PRELOAD --- */

static void check(const char *list, const char *wanted)
{
    char *got = keel_preload_list(list, "/k/libkeel.so");

    assert_string_equal(got, wanted);
    free(got);
}

TEST(keel_stands_alone_in_an_empty_list)
{
    check(NULL, "/k/libkeel.so");
}

TEST(keel_follows_other_libraries)
{
    check("/usr/lib/libasan.so.8", "/usr/lib/libasan.so.8:/k/libkeel.so");
    check("a.so b.so", "a.so b.so:/k/libkeel.so");
    check("a.so:", "a.so:/k/libkeel.so");
    check("/x/libgomp.so/a.so", "/x/libgomp.so/a.so:/k/libkeel.so");
    check("notlibgomp.so", "notlibgomp.so:/k/libkeel.so");
}

TEST(keel_precedes_every_libgomp)
{
    check("libgomp.so.1", "/k/libkeel.so:libgomp.so.1");
    check("a.so:/usr/lib/libgomp.so.1", "a.so:/k/libkeel.so:/usr/lib/libgomp.so.1");
    check("a.so libgomp.so.1 b.so", "a.so /k/libkeel.so:libgomp.so.1 b.so");
    check("libgomp.so.1:/x/libgomp.so.1", "/k/libkeel.so:libgomp.so.1:/x/libgomp.so.1");
}

TEST(keel_is_not_added_twice)
{
    check("/k/libkeel.so", "/k/libkeel.so");
    check("a.so:/k/libkeel.so:b.so", "a.so:/k/libkeel.so:b.so");
    check("/k/libkeel.so.old", "/k/libkeel.so.old:/k/libkeel.so");
}
