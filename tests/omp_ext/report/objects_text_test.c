/* Objects in the text of a report, by rank and by phase; and short numbers. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/text/print.h"
#include "omp_ext/report/text/report_text.h"
#include "tests/omp_ext/report/texts.h"
#include "tests/support/unit.h"

#define RANKS 4

static char *text_of(const struct keel_report_process *process, size_t count, bool all)
{
    const struct keel_report_process *each[RANKS];
    size_t length;

    for (size_t i = 0; i < count; i++) {
        each[i] = &process[i];
    }
    char *text =
        keel_report_text(each, count, (struct keel_report_text_options){.all = all}, &length);
    assert_non_null(text);
    return text;
}

TEST(objects_are_told_by_rank_and_by_phase)
{
    struct keel_report_process process[RANKS];

    for (int i = 0; i < RANKS; i++) {
        process[i] = sample_process(i, RANKS);
    }
    char *text = text_of(process, RANKS, false);
    assert_in_order(
        text, "\nobjects of set 1: 14 phases\n",
        "     3      1234      567       66       33      660.0k    3.500    0.250       "
        "0.125        7\n");
    assert_holds(text, "  an idle rank looked at 8 others at a time, lately\n");
    assert_holds(text, "  a thread looked for questions every 0.0078 s, lately\n");
    assert_holds(text,
                 "      1 diffuse       400    0.500        -        -    0.438    0.562      "
                 "0.750\n        objects take 2 ms and 125 ms at most; 4 objects in place");
    assert_holds(text,
                 "      3 diffuse       400    0.469    0.422    0.516    0.438    0.531      "
                 "0.625\n");
    assert_holds(text, "  and 11 earlier phases\n");
    assert_lacks(strstr(text, "objects of set 1") + 1, "objects of set 1");
    free(text);
}

/* Of many phases the last ones are shown, unless all are wanted. */
TEST(the_last_phases_are_shown)
{
    struct keel_report_phase phase[12];
    struct keel_report_process process = sample_process(0, 1);

    for (uint64_t i = 0; i < 12; i++) {
        phase[i] = (struct keel_report_phase){.phase = 100 + i, .policy = "off", .advice = ""};
    }
    const struct keel_report_objects objects = {
        .name = "set 1", .phase_count = 12, .phase = phase, .phases = 12};
    process.objects = &objects;
    char *text = text_of(&process, 1, false);
    char *all = text_of(&process, 1, true);
    assert_lacks(text, "\n    101 off");
    assert_in_order(text, "\n    102 off", "and 2 earlier phases\n");
    assert_in_order(all, "\n    100 off", "\n    111 off");
    assert_lacks(all, "earlier phases");
    free(all);
    free(text);
}

TEST(numbers_are_short)
{
    static const struct {
        double seconds;
        const char *text;
    } seconds[] = {{0, "0"},
                   {0.0000001, "0"},
                   {0.000012, "0.00001"},
                   {0.00123, "0.0012"},
                   {0.000491, "0.0005"},
                   {0.0123, "0.012"},
                   {1.2345, "1.234"},
                   {12.345, "12.35"},
                   {123.45, "123.5"},
                   {12345.6, "12346"}};
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},         {99999, "99999"},  {100000, "100.0k"},   {999949, "999.9k"},
                  {999950, "1.0M"}, {1234567, "1.2M"}, {5000000000, "5.0G"}, {UINT64_MAX, "18.4E"}};

    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        assert_string_equal(keel_report_seconds(seconds[i].seconds).text, seconds[i].text);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_string_equal(keel_report_count(counts[i].count).text, counts[i].text);
    }
}
