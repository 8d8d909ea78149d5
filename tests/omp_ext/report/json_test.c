/* Report data to JSON and back, and JSON that is not a report. */
#include <string.h>

#include <jansson.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_file.h"
#include "tests/omp_ext/report/sample.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

static char *written_of(const struct keel_report_process *const *each, size_t count)
{
    size_t length;
    char *text = keel_report_json(each, count, &length);

    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    return text;
}

static char *written(const struct keel_report_process *process, size_t count)
{
    const struct keel_report_process *each[8];

    for (size_t i = 0; i < count; i++) {
        each[i] = &process[i];
    }
    return written_of(each, count);
}

/* Reads a text, and writes the result. */
static char *read_and_written(const char *text)
{
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX];

    assert_true(keel_report_read(text, strlen(text), &document, reason));
    assert_string_equal(reason, "");
    char *again = written_of(document.process, document.count);
    keel_report_document_free(&document);
    return again;
}

TEST(written_data_are_read_back)
{
    struct keel_report_process process[] = {sample_process(0, 2), sample_process(1, 2)};
    char *text = written(process, 2);
    char *again = read_and_written(text);

    assert_non_null(strstr(text, "\"reason\": \"rank 1 is slower by 30 %\""));
    assert_string_equal(text, again);
    free(again);
    free(text);
}

static json_t *parsed(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);

    assert_non_null(root);
    return root;
}

/* The document of these processes, valid until the next call. */
static json_t *document_of(const struct keel_report_process *process, size_t count)
{
    static json_t *root;
    char *text = written(process, count);

    json_decref(root);
    root = parsed(text);
    free(text);
    return root;
}

static double number(json_t *object, const char *name)
{
    assert_true(json_is_number(json_object_get(object, name)));
    return json_number_value(json_object_get(object, name));
}

TEST(computed_members_are_written_too)
{
    struct keel_report_process process = sample_process(0, 1);
    json_t *root = document_of(&process, 1);
    json_t *first = json_array_get(json_object_get(root, "processes"), 0);
    json_t *loop = json_array_get(json_object_get(first, "loop"), 0);
    json_t *summary = json_object_get(root, "summary");

    assert_near(number(root, "keel_report"), 1);
    assert_near(number(loop, "lost_s"), 2);
    assert_near(number(loop, "waited_s"), 1);
    assert_near(number(loop, "claiming_s"), 0.5);
    assert_near(number(loop, "imbalance_percent"), 12.5);
    assert_near(number(summary, "useful_s"), 15.5);
    assert_near(number(json_object_get(summary, "efficiency"), "parallel"), 0.775);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(summary, "hosts"), 0), "host")),
                        "alpha");
    assert_true(json_equal(json_object_get(json_object_get(first, "summary"), "efficiency"),
                           json_object_get(summary, "efficiency")));
}

TEST(processes_of_several_jobs_have_no_common_summary)
{
    struct keel_report_process process[] = {sample_process(0, 1), sample_process(0, 1)};
    json_t *root = document_of(process, 2);

    assert_true(json_is_null(json_object_get(root, "summary")));
}

TEST(unknown_factors_of_ranks_are_null)
{
    struct keel_report_process process[] = {sample_process(0, 2), sample_process(1, 2)};
    json_t *root = document_of(process, 2);
    json_t *efficiency = json_object_get(json_object_get(root, "summary"), "efficiency");
    static const char *const unknown[] = {"parallel",          "mpi",    "mpi_balance",
                                          "mpi_communication", "openmp", "serial"};

    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        assert_true(json_is_null(json_object_get(efficiency, unknown[i])));
    }
    assert_near(number(efficiency, "balance"), 28.0 / 30);
}

TEST(missing_ranks_are_written)
{
    struct keel_report_process process[] = {sample_process(0, 4), sample_process(3, 4)};
    json_t *root = document_of(process, 2);

    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "summary"), "missing_ranks")),
        "1 to 2");
}

TEST(numbers_that_are_not_finite_are_0)
{
    allow_exceptions();
    struct keel_report_process process = sample_process(0, 1);
    const double costs[] = {NAN, INFINITY, 1};
    struct keel_report_loop loop = {
        .function = "",
        .file = "",
        .place = "",
        .schedule = "",
        .suggestion = "",
        .iterations = UINT64_MAX,
        .elapsed_s = NAN,
        .measured = {.costs = costs, .costs_count = 3},
    };

    process.loop = &loop;
    process.loop_count = 1;
    json_t *root = document_of(&process, 1);
    json_t *first = json_array_get(
        json_object_get(json_array_get(json_object_get(root, "processes"), 0), "loop"), 0);
    assert_near(number(first, "elapsed_s"), 0);
    assert_true(json_integer_value(json_object_get(first, "iterations")) == INT64_MAX);
}

TEST(names_that_are_not_utf_8_are_written)
{
    struct keel_report_process process = sample_process(0, 1);

    process.program = "./caf\xe9";
    process.host = "\xc3\xa9";
    char *text = written(&process, 1);
    assert_non_null(strstr(text, "\"./caf?\""));
    assert_non_null(strstr(text, "\"\xc3\xa9\""));
    free(text);
}

TEST_WITH(numbers_have_a_point_in_any_locale, NULL, back_to_c_locale)
{
    allow_exceptions();
    struct keel_report_process process = sample_process(0, 1);
    char *plain = written(&process, 1);

    enter_turkish_locale();
    char *text = written(&process, 1), *again = read_and_written(text);
    assert_turkish_locale();
    assert_string_equal(text, plain);
    assert_string_equal(again, plain);
    free(again);
    free(text);
    free(plain);
}

/* --- documents of others --- */

TEST(unknown_members_are_ignored_and_missing_ones_are_0)
{
    static const char text[] =
        "{\"keel_report\":1,\"new\":[{}],\"processes\":[{\"program\":\"p\",\"colour\":\"red\","
        "\"elapsed_s\":2,\"loop\":[{\"kind\":\"loop\",\"mood\":{}}]}]}";
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX];

    assert_true(keel_report_read(text, strlen(text), &document, reason));
    const struct keel_report_process *process = document.process[0];
    assert_string_equal(process->program, "p");
    assert_string_equal(process->host, "");
    assert_int_equal(process->ranks, 1);
    assert_near(process->elapsed_s, 2);
    assert_int_equal(process->loop_count, 1);
    assert_string_equal(process->loop[0].suggestion, "");
    assert_null(process->loop[0].thread);
    keel_report_document_free(&document);
}

#define PROCESS(members) "{\"keel_report\":1,\"processes\":[{" members "}]}"

TEST(invalid_values_are_refused_by_name)
{
    allow_exceptions();
    static const struct {
        const char *text, *reason;
    } cases[] = {
        {"", "is damaged or no report of Keel: no JSON at line 1"},
        {"{\"keel_report\":1", "no JSON at line 1"},
        {"[]", "is JSON, but no report of Keel"},
        {"{\"keel_report\":\"1\",\"processes\":[]}", "is JSON, but no report of Keel"},
        {"{\"keel_report\":2,\"processes\":[]}", "is a report of version 2, expected 1"},
        {"{\"keel_report\":1}", "'processes' is not an array"},
        {"{\"keel_report\":1,\"processes\":[7]}", "'processes' is not an array of objects"},
        {"{\"keel_report\":1,\"keel_report\":1,\"processes\":[]}", "no JSON at line 1"},
        {PROCESS("\"elapsed_s\":-1"), "'elapsed_s' of process 1 is not a number from 0"},
        {PROCESS("\"elapsed_s\":\"1\""), "'elapsed_s' of process 1 is not a number from 0"},
        {PROCESS("\"elapsed_s\":1e999"), "no JSON at line 1"},
        {PROCESS("\"program\":7"), "'program' of process 1 is not a text"},
        {PROCESS("\"complete\":1"), "'complete' of process 1 is not true or false"},
        {PROCESS("\"rank\":3,\"ranks\":3"), "process 1 is rank 3 of 3"},
        {PROCESS("\"rank\":-1,\"ranks\":3"), "process 1 is rank -1 of 3"},
        {PROCESS("\"threads\":4294967296"), "'threads' of process 1 is not a whole number"},
        {PROCESS("\"threads\":2.5"), "'threads' of process 1 is not a whole number"},
        {PROCESS("\"loop\":{}"), "'loop' of process 1 is not an array"},
        {PROCESS("\"loop\":[[]]"), "'loop' of process 1 is not an array of objects"},
        {PROCESS("\"loop\":[{},{\"kind\":\"area\"}]"),
         "'kind' of loop 2 is not one of region, loop and part"},
        {PROCESS("\"loop\":[{\"region\":1}]"), "loop 1 of process 1 is in region 1"},
        {PROCESS("\"loop\":[{\"threads\":3,\"thread\":[{},{}]}]"),
         "'thread' of loop 1 is not an array of objects, one for each"},
        {PROCESS("\"loop\":[{\"measured\":{\"costs\":[1,-1]}}]"),
         "'costs' of measured 1 is not an array of numbers from 0"},
        {PROCESS("\"cores\":[]"), "'cores' of process 1 is not an object"},
        {PROCESS("\"loops_left_out\":-1"), "'loops_left_out' of process 1 is not a whole number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct keel_report_document document = {0};
        char reason[KEEL_REPORT_REASON_MAX];
        assert_false(keel_report_read(cases[i].text, strlen(cases[i].text), &document, reason));
        if (strstr(reason, cases[i].reason) == NULL) {
            fail_msg("%s: '%s', wanted '%s'", cases[i].text, reason, cases[i].reason);
        }
        assert_int_equal(document.count, 0);
        keel_report_document_free(&document);
    }
}
