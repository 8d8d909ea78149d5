/* Fuzz target: no text makes the reader of reports fail; what it accepts is within bounds, can be
 * summed up and shown, and is written and read back the same, but for digits beyond those that are
 * written. Aborts where that does not hold. */
#include "tests/fuzz/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_job.h"
#include "omp_ext/report/json/report_reader.h"
#include "omp_ext/report/json/report_writer.h"
#include "omp_ext/report/text/report_text.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

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

static char *write_back(const struct keel_report_document *document)
{
    size_t count = document->report.process_count, length;
    const struct keel_report_process **process = calloc(count + 1, sizeof(void *));

    for (size_t i = 0; i < count; i++) {
        check_process(&document->report.process[i]);
        process[i] = &document->report.process[i];
    }
    keel_report_job_sort(process, count);
    char *text =
        keel_report_text(process, count, (struct keel_report_text_options){.all = true}, &length);
    expect(text != NULL && strlen(text) == length, "the text is not whole");
    free(text);
    char *written = keel_report_json(process, count, &length);
    expect(written != NULL && strlen(written) == length, "what was read can't be written");
    free(process);
    return written;
}

static char *read_and_write_back(const char *text)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX];

    expect(keel_report_document_read(text, strlen(text), &document, reason),
           "what was written can't be read");
    char *written = write_back(&document);
    keel_report_document_free(&document);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keel_report_document document;
    char reason[KEEL_REPORT_REASON_MAX] = "";
    bool good = keel_report_document_read((const char *)data, size, &document, reason);

    expect(memchr(reason, '\0', sizeof reason) != NULL, "the reason has no end");
    expect(good == (reason[0] == '\0'), "reason and result disagree");
    expect(good || document.report.process_count == 0, "a refused text left processes behind");
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
