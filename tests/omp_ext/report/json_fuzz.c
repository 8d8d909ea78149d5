/* Fuzz target: no text makes the reader of reports fail; accepted values are within bounds, can be
 * summed up and printed, and are equal after writing and reading, except for digits that are not
 * written. Aborts otherwise. */
#include "tests/fuzz/driver.h"

#include <string.h>

#include "omp_ext/report/report_document.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/report/report_text.h"

static void check_process(const struct keel_report_process *process)
{
    expect(process->rank >= 0 && process->rank < process->ranks, "a rank is out of range");
    expect(process->elapsed_s >= 0, "a time is negative");
    expect(process->program != NULL && process->host != NULL && process->job != NULL,
           "a text is missing");
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        expect(loop->region < 0 || (size_t)loop->region < process->loop_count,
               "a region is out of range");
        expect(loop->kind <= KEEL_REPORT_PART, "a kind is not known");
    }
}

static char *write_back(struct keel_report_document *document)
{
    const struct keel_report_text_options all = {.all = true};
    size_t count = document->count, length;

    for (size_t i = 0; i < count; i++) {
        check_process(document->process[i]);
    }
    keel_report_job_sort(document->process, count);
    char *text = keel_report_text(document->process, count, all, &length);
    expect(text != NULL && strlen(text) == length, "the text is not whole");
    free(text);
    char *written = keel_report_json(document->process, count, &length);
    expect(written != NULL && strlen(written) == length, "what was read can't be written");
    return written;
}

static char *read_and_write_back(const char *text)
{
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX];

    expect(keel_report_read(text, strlen(text), &document, reason),
           "what was written can't be read");
    char *written = write_back(&document);
    keel_report_document_free(&document);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keel_report_document document = {0};
    char reason[KEEL_REPORT_REASON_MAX] = "";
    bool good = keel_report_read((const char *)data, size, &document, reason);

    expect(memchr(reason, '\0', sizeof reason) != NULL, "the reason has no end");
    expect(good == (reason[0] == '\0'), "reason and result disagree");
    expect(good || document.count == 0, "a refused text left processes behind");
    if (good) {
        char *first = write_back(&document);
        char *second = read_and_write_back(first), *third = read_and_write_back(second);
        expect(strcmp(second, third) == 0, "what was written reads back otherwise");
        free(third);
        free(second);
        free(first);
    }
    keel_report_document_free(&document);
    return 0;
}

/* --- seeds --- */

static const char *const seeds[] = {
    "{\"keel_report\":1,\"processes\":[]}",
    "{\"keel_report\":1,\"processes\":[{\"program\":\"./p\",\"host\":\"h\",\"job\":\"j\","
    "\"pid\":7,\"rank\":1,\"ranks\":2,\"complete\":true,\"elapsed_s\":2.5,\"serial_s\":0.5,"
    "\"mpi_s\":0.1,\"threads\":2,\"cores\":{\"online\":4,\"allowed\":1,\"quota\":0.5},"
    "\"loop\":[{\"kind\":\"region\",\"region\":-1,\"elapsed_s\":2,\"threads\":2,"
    "\"thread\":[{\"busy_s\":1},{\"busy_s\":2,\"waited_s\":0.1}]},"
    "{\"kind\":\"loop\",\"function\":\"f\",\"file\":\"a.c\",\"line\":3,\"place\":\"a.c:3\","
    "\"region\":0,\"nested\":false,\"schedule\":\"fac2\",\"suggestion\":\"gss\",\"gain_s\":0.1,"
    "\"instances\":3,\"iterations\":30,\"elapsed_s\":1,\"threads\":2,"
    "\"thread\":[{\"busy_s\":0.5,\"chunks\":3},{\"busy_s\":1,\"claiming_s\":1e-3}],"
    "\"measured\":{\"iteration_s\":0.1,\"costs\":[1,2],\"speeds\":[0.5,1.5]}}],"
    "\"shared\":[{\"place\":\"a.c:9\",\"schedule\":\"tree\",\"iterations\":10,\"executed\":5}],"
    "\"rows\":[{\"name\":\"t\",\"hooks\":3,\"decision\":[{\"hook\":1,\"gain\":-0.5,"
    "\"policy\":\"rate\",\"reason\":\"r\"}]}]},{\"rank\":0,\"ranks\":2,\"job\":\"j\"}]}",
    "{\"keel_report\":1,\"processes\":[{},{\"loop\":[{},{\"kind\":\"part\",\"region\":0}]}]}",
};

static const char *const pieces[] =
    LIST("{", "}", "[", "]", ",", ":", "0", "-1", "1e9", "0.5", "1e400", "-0.0", "null", "true",
         "\"\"", "[]", "{}", "65537", "2147483648", "4611686018427387904", "\\u0000", "\xff",
         "\x1b[2J", "1e-320", "9223372036854775808", "\"region\"", "\"loop\"",
         "\"thread\":", "\"ranks\":", "\"rows\":[{}]", "1e308", "\"ranks\":2147483647");

FUZZ_TEXTS(.separators = ",:[]{}", .text_max = FUZZ_TEXT_MAX, .edits_max = 4);
