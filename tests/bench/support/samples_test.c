/* Samples of reports in bench/, and the names that they bear. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/support/names.h"
#include "bench/support/sample.h"
#include "bench/support/samples.h"

struct point {
    int x, y;
};

static int read_point(void *sample, FILE *file)
{
    struct point *point = sample;
    int fields = fscanf(file, "%d %d", &point->x, &point->y);

    return fields == EOF ? 0 : fields == 2 ? 1 : -1;
}

static FILE *file_of(const char *text)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    fputs(text, file);
    rewind(file);
    return file;
}

/* More than fit into the array at first. */
static void all_samples_are_read(void **state)
{
    const int points = 2000;
    FILE *file = file_of("");
    size_t count;

    (void)state;
    for (int i = 0; i < points; i++) {
        fprintf(file, "%d %d\n", i, -i);
    }
    rewind(file);
    struct point *point = samples_read(file, sizeof *point, read_point, "a test writes", &count);
    assert_int_equal(count, points);
    for (int i = 0; i < points; i++) {
        assert_int_equal(point[i].x, i);
        assert_int_equal(point[i].y, -i);
    }
    free(point);
    fclose(file);
}

/* What a program says that reads `text` as points, and that it ends with status 1. */
static void complaint_about(const char *text, char said[static 256])
{
    FILE *input = file_of(text), *messages = tmpfile();
    size_t count;
    int status;

    assert_non_null(messages);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(fileno(messages), STDERR_FILENO);
        samples_read(input, sizeof(struct point), read_point, "a test writes", &count);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    rewind(messages);
    said[fread(said, 1, 255, messages)] = '\0';
    fclose(messages);
    fclose(input);
}

static void what_is_no_sample_ends_the_program(void **state)
{
    static const char *const bad[] = {"", "1 2\n3 x\n", "1 2\n3\n"};
    char said[256];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        complaint_about(bad[i], said);
        assert_string_equal(
            said, "keel: support/samples_test: the input is not what a test writes; no report\n");
    }
}

static void names_come_once_in_the_order_of_the_first(void **state)
{
    struct names names = {0};
    char again[] = "tree";

    (void)state;
    assert_int_equal(names_add(&names, "tree"), 0);
    assert_int_equal(names_add(&names, "off"), 1);
    assert_int_equal(names_add(&names, again), 0);
    assert_int_equal(names_add(&names, "rate"), 2);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.name[0], "tree");
    assert_string_equal(names.name[1], "off");
    assert_string_equal(names.name[2], "rate");
}

static void are_in_order(const struct names *names, const char *const *expected)
{
    for (size_t i = 0; i < names->count; i++) {
        assert_string_equal(names->name[i], expected[i]);
    }
}

static void names_are_sorted_by_text_or_by_number(void **state)
{
    struct names names = {4, {"9", "1000", "0", "200"}};

    (void)state;
    names_sort_by_text(&names);
    are_in_order(&names, (const char *const[]){"0", "1000", "200", "9"});
    names_sort_by_number(&names);
    are_in_order(&names, (const char *const[]){"0", "9", "200", "1000"});
}

/* --- selections --- */

static const char lines[] = "unequal\t400 x 1 ms\ttree\t1\t1\t1.5\n"
                            "unequal\t400 x 1 ms\trate\t1\t1\t3\n"
                            "unequal\t400 x 1 ms\ttree\t2\t1\t2.5\n"
                            "unequal\t40 x 20 ms\trate\t1\t1\t5\n"
                            "alone\trate\tshared\t1\t2\t7\n";

static struct samples samples_of(const char *text)
{
    FILE *file = file_of(text);
    struct samples samples = {.size = sizeof(struct sample)};

    samples.first = samples_read(file, samples.size, sample_read, "a test", &samples.count);
    fclose(file);
    return samples;
}

static void cases_and_variants_are_those_of_a_kind(void **state)
{
    struct samples samples = samples_of(lines);
    struct names cases = samples_cases(&samples, "unequal");
    struct names variants = samples_variants(&samples, "unequal", "400 x 1 ms");
    struct names of_rate = samples_variants(&samples, NULL, "rate");

    (void)state;
    assert_int_equal(samples.count, 5);
    assert_int_equal(cases.count, 2);
    are_in_order(&cases, (const char *const[]){"400 x 1 ms", "40 x 20 ms"});
    assert_int_equal(variants.count, 2);
    are_in_order(&variants, (const char *const[]){"tree", "rate"});
    assert_int_equal(of_rate.count, 1);
    are_in_order(&of_rate, (const char *const[]){"shared"});
    assert_int_equal(samples_cases(&samples, NULL).count, 3);
    assert_true(sample_is(samples_key(&samples, 4), "alone", "rate", "shared"));
    assert_false(sample_is(samples_key(&samples, 4), "alone", "rate", "tree"));
    free((void *)samples.first);
}

static double value(const void *sample)
{
    return ((const struct sample *)sample)->value;
}

static double value_of_round_2(const void *sample)
{
    return ((const struct sample *)sample)->key.round == 2 ? value(sample) : NAN;
}

static void quantiles_are_those_of_one_variant(void **state)
{
    struct samples samples = samples_of(lines);

    (void)state;
    assert_true(samples_quantile(&samples, "unequal", "400 x 1 ms", "tree", value, 0.5) == 2);
    assert_true(samples_quantile(&samples, "unequal", "400 x 1 ms", "tree", value, 1) == 2.5);
    assert_true(samples_quantile(&samples, "unequal", "400 x 1 ms", "tree", value_of_round_2, 0) ==
                2.5);
    assert_true(isnan(samples_quantile(&samples, "unequal", "400 x 1 ms", "steal", value, 0.5)));
    assert_true(isnan(samples_quantile(&samples, "alone", "rate", NULL, value_of_round_2, 0.5)));
    free((void *)samples.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_samples_are_read),
        cmocka_unit_test(what_is_no_sample_ends_the_program),
        cmocka_unit_test(names_come_once_in_the_order_of_the_first),
        cmocka_unit_test(names_are_sorted_by_text_or_by_number),
        cmocka_unit_test(cases_and_variants_are_those_of_a_kind),
        cmocka_unit_test(quantiles_are_those_of_one_variant),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
