/* Figures of a recording. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/recorder/sums.h"
#include "schedules/text/text.h"

static const char *copy_text(struct keel_sums *reading, const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    char *copy = keel_sums_memory(reading, length + 1, 1);

    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy != NULL ? copy : "";
}

static const struct keel_recording_place *place_at(const struct keel_sums *reading, uint64_t offset)
{
    return keel_sums_object_at(reading, offset, KEEL_RECORDING_PLACE,
                               sizeof(struct keel_recording_place));
}

static bool is_recording(const struct keel_recording_header *header, size_t length)
{
    return length >= sizeof *header &&
           memcmp(header->magic, KEEL_RECORDING_MAGIC, sizeof header->magic) == 0 &&
           header->version == KEEL_RECORDING_VERSION && isfinite(header->seconds_per_tick) &&
           header->seconds_per_tick > 0 && header->seconds_per_tick <= 1;
}

/* --- the report --- */

static void describe_place(struct keel_sums *reading, const struct keel_sum *sum,
                           struct keel_report_loop *loop)
{
    const struct keel_recording_place *place = place_at(reading, sum->place);
    char text[KEEL_RECORDING_TEXT_MAX];

    loop->function = loop->file = "";
    loop->place = "";
    if (place == NULL) {
        return;
    }
    loop->place = loop->address = copy_text(reading, place->address, sizeof place->address);
    /* acquire: pairs with the release of who has found the names */
    if (atomic_load_explicit(&place->named, memory_order_acquire) == 0) {
        return;
    }
    loop->function = copy_text(reading, place->function, sizeof place->function);
    loop->file = copy_text(reading, place->file, sizeof place->file);
    loop->line = place->line;
    if (loop->line > 0 && loop->file[0] != '\0') {
        snprintf(text, sizeof text, "%s:%u", keel_text_base_name(loop->file), loop->line);
        loop->place = copy_text(reading, text, sizeof text);
    }
}

static void describe_schedule(struct keel_sums *reading, const struct keel_sum *sum,
                              struct keel_report_loop *loop)
{
    const struct keel_recording_schedule *schedule =
        keel_sums_object_at(reading, sum->schedule, KEEL_RECORDING_SCHEDULE, sizeof *schedule);

    /* of a loop that thread 0 has not ended it is not known */
    loop->schedule = schedule != NULL ? copy_text(reading, schedule->text, sizeof schedule->text)
                     : sum->kind == KEEL_REPORT_LOOP ? ""
                                                     : "static by the compiler";
    loop->under_keel = schedule != NULL && schedule->under_keel != 0;
    loop->mixed = sum->mixed;
}

static int region_of(const struct keel_sums *reading, const struct keel_sum *sum)
{
    return sum->kind != KEEL_REPORT_REGION && sum->region != 0
               ? (int)keel_sums_number_of(reading, KEEL_REPORT_REGION, sum->region) - 1
               : -1;
}

static void describe_loop(struct keel_sums *reading, const struct keel_sum *sum,
                          struct keel_report_loop *loop)
{
    double tick_s = reading->header->seconds_per_tick;

    describe_place(reading, sum, loop);
    describe_schedule(reading, sum, loop);
    loop->kind = sum->kind;
    loop->region = region_of(reading, sum);
    loop->nested = sum->nested;
    loop->suggestion = loop->learned = "";
    loop->instances = sum->instances;
    loop->iterations = sum->iterations;
    loop->elapsed_s = keel_sums_seconds(reading, sum->elapsed);
    loop->elapsed_squares_s2 = sum->squares * tick_s * tick_s;
    loop->waits_seen = keel_median_count(&sum->waits);
    loop->median_wait_s = keel_median_of(&sum->waits) * tick_s;
    loop->threads = sum->threads;
    loop->thread = sum->thread;
}

static void describe_process(struct keel_sums *reading)
{
    const struct keel_recording_header *header = reading->header;
    struct keel_report_process *process = &reading->figures->process;
    uint64_t last = header->last > header->start ? header->last : header->start;
    uint64_t parallel = header->parallel +
                        (header->forked != 0 && last > header->forked ? last - header->forked : 0);

    process->program = copy_text(reading, header->program, sizeof header->program);
    process->host = copy_text(reading, header->host, sizeof header->host);
    process->job = "";
    process->pid = (long)header->pid;
    process->rank = header->rank >= 0 && header->rank < INT32_MAX ? header->rank : 0;
    process->ranks = header->ranks > process->rank ? header->ranks : process->rank + 1;
    process->complete = header->complete == 1;
    process->elapsed_s = (isfinite(header->before_s) ? fmax(header->before_s, 0) : 0) +
                         keel_sums_seconds(reading, last - header->start);
    process->serial_s = fmax(process->elapsed_s - keel_sums_seconds(reading, parallel), 0);
    process->threads = header->threads;
    process->loops_left_out = header->places_left_out;
}

static void describe(struct keel_sums *reading)
{
    struct keel_report_loop *loop =
        keel_sums_memory(reading, reading->sums > 0 ? reading->sums : 1, sizeof *loop);

    describe_process(reading);
    for (size_t i = 0; loop != NULL && i < reading->sums; i++) {
        describe_loop(reading, &reading->sum[i], &loop[i]);
    }
    reading->figures->process.loop = loop;
    reading->figures->process.loop_count = loop != NULL ? reading->sums : 0;
}

struct keel_report_process *keel_recording_figures(const void *bytes, size_t length, double claim_s)
{
    const struct keel_recording_header *header = bytes;

    if (!is_recording(header, length)) {
        errno = EINVAL;
        return NULL;
    }
    uint64_t used = atomic_load_explicit(&header->used, memory_order_acquire);
    struct keel_sums reading = {
        .figures = calloc(1, sizeof *reading.figures),
        .bytes = bytes,
        .used = used < sizeof *header ? sizeof *header
                : used < length       ? used
                                      : length,
        .header = header,
        .claim_s = claim_s,
    };
    if (reading.figures == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    bool added = keel_sums_add(&reading);
    if (added) {
        describe(&reading);
    }
    if (!added || reading.short_of_memory) {
        keel_recording_figures_free(&reading.figures->process);
        reading.figures = NULL;
        errno = ENOMEM;
    }
    free(reading.slot);
    free(reading.sum);
    return reading.figures != NULL ? &reading.figures->process : NULL;
}

void keel_recording_figures_free(struct keel_report_process *process)
{
    struct keel_sums_figures *figures = (struct keel_sums_figures *)process;

    for (struct keel_sums_piece *piece = figures->pieces, *next; piece != NULL; piece = next) {
        next = piece->next;
        free(piece);
    }
    free(figures);
}

/* --- files --- */

/* All of the file, or its first KEEL_RECORDING_BYTES_MAX; NULL: errno. */
static void *contents(int file, size_t *length)
{
    struct stat status;

    if (fstat(file, &status) != 0) {
        return NULL;
    }
    if (!S_ISREG(status.st_mode)) {
        errno = EINVAL;
        return NULL;
    }
    size_t size = (uint64_t)status.st_size < KEEL_RECORDING_BYTES_MAX
                      ? (size_t)status.st_size
                      : (size_t)KEEL_RECORDING_BYTES_MAX;
    char *bytes = aligned_alloc(64, size / 64 * 64 + 64);
    *length = 0;
    for (ssize_t got = 1;
         bytes != NULL && got > 0 && *length<size; *length += got> 0 ? (size_t)got : 0) {
        got = read(file, bytes + *length, size - *length);
    }
    return bytes;
}

struct keel_report_process *keel_recording_figures_of_file(const char *path, double claim_s)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    size_t length = 0;
    struct keel_report_process *process = NULL;

    if (file < 0) {
        return NULL;
    }
    void *bytes = contents(file, &length);
    int error = errno;
    close(file);
    if (bytes == NULL) {
        errno = error;
        return NULL;
    }
    process = keel_recording_figures(bytes, length, claim_s);
    error = errno;
    free(bytes);
    errno = error;
    return process;
}
