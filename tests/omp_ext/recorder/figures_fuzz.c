/* Fuzz target: no recording, whatever its bytes are, does harm to its reader. Aborts where that
 * does not hold. Of a text that is no recording, the same is tried with a right beginning. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/recorder/recording_format.h"
#include "omp_ext/recorder/recording_reader.h"
#include "tests/fuzz/driver.h"

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static size_t length_of(const char *text)
{
    return text != NULL ? strlen(text) : 0;
}

static void check_loop(const struct keel_report_process *process,
                       const struct keel_report_loop *loop)
{
    double busy_s = 0;

    expect(loop->region >= -1 && loop->region < (int)process->loop_count, "a region elsewhere");
    expect(isfinite(loop->elapsed_s) && loop->elapsed_s >= 0, "a time that is none");
    expect(isfinite(loop->median_wait_s) && loop->median_wait_s >= 0, "a median that is none");
    expect(length_of(loop->function) + length_of(loop->file) + length_of(loop->place) +
                   length_of(loop->schedule) <
               4096,
           "texts without an end");
    for (unsigned t = 0; t < loop->threads; t++) {
        busy_s += loop->thread[t].busy_s;
    }
    expect(!isnan(busy_s), "threads' times that are none");
}

static void try_bytes(const void *bytes, size_t size)
{
    void *aligned = aligned_alloc(64, size / 64 * 64 + 64);

    memcpy(aligned, bytes, size);
    struct keel_report_process *process =
        keel_recording_figures(aligned, size, KEEL_RECORDING_CLAIM_S);
    free(aligned);
    if (process == NULL) {
        return;
    }
    expect(process->rank >= 0 && process->rank < process->ranks, "a rank that is none");
    expect(isfinite(process->elapsed_s) && process->elapsed_s >= 0, "a time that is none");
    expect(length_of(process->program) <= 256 && length_of(process->host) <= 64, "texts too long");
    for (size_t i = 0; i < process->loop_count; i++) {
        check_loop(process, &process->loop[i]);
    }
    keel_recording_figures_free(process);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct keel_recording_header header = {0};
    size_t kept = size < sizeof header ? size : sizeof header;

    try_bytes(data, size);
    char *mended = calloc(1, sizeof header + size - kept);
    memcpy(&header, data, kept);
    memcpy(header.magic, KEEL_RECORDING_MAGIC, sizeof header.magic);
    header.version = KEEL_RECORDING_VERSION;
    header.seconds_per_tick = 1e-9;
    header.used = sizeof header + size - kept;
    memcpy(mended, &header, sizeof header);
    memcpy(mended + sizeof header, data + kept, size - kept);
    try_bytes(mended, sizeof header + size - kept);
    free(mended);
    return 0;
}
