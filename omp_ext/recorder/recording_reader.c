/* Figures of a recording. */
#include "omp_ext/recorder/recording_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/recorder/sums.h"
#include "schedules/text/text.h"

static const char *copy_text(struct keel_sums *reading, const char *text, size_t size)
{
    return keel_report_copy(reading->document, text, strnlen(text, size));
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
                     : loop->kind == KEEL_REPORT_LOOP ? ""
                                                      : KEEL_REPORT_BY_THE_COMPILER;
    loop->under_keel = schedule != NULL && schedule->under_keel != 0;
}

static int region_of(const struct keel_sums *reading, const struct keel_sum *sum)
{
    return sum->loop.kind != KEEL_REPORT_REGION && sum->region != 0
               ? (int)keel_sums_number_of(reading, KEEL_REPORT_REGION, sum->region) - 1
               : -1;
}

static void describe_loop(struct keel_sums *reading, const struct keel_sum *sum,
                          struct keel_report_loop *loop)
{
    *loop = sum->loop;
    describe_place(reading, sum, loop);
    describe_schedule(reading, sum, loop);
    loop->region = region_of(reading, sum);
    loop->suggestion = loop->learned = "";
    loop->waits_seen = keel_median_count(&sum->waits);
    loop->median_wait_s = keel_median_of(&sum->waits) * reading->header->seconds_per_tick;
}

static void describe_process(struct keel_sums *reading, struct keel_report_process *process)
{
    const struct keel_recording_header *header = reading->header;
    uint64_t last = header->last > header->start ? header->last : header->start;
    uint64_t parallel = header->parallel +
                        (header->forked != 0 && last > header->forked ? last - header->forked : 0);

    process->program = copy_text(reading, header->program, sizeof header->program);
    process->host = copy_text(reading, header->host, sizeof header->host);
    process->job = copy_text(reading, header->job, sizeof header->job);
    process->pid = (uint64_t)header->pid;
    process->rank = header->rank >= 0 && header->rank < INT32_MAX ? header->rank : 0;
    process->ranks = header->ranks > process->rank ? header->ranks : process->rank + 1;
    process->complete = header->complete == 1;
    process->elapsed_s = (isfinite(header->before_s) ? fmax(header->before_s, 0) : 0) +
                         keel_sums_seconds(reading, last - header->start);
    process->serial_s = fmax(process->elapsed_s - keel_sums_seconds(reading, parallel), 0);
    process->threads = header->threads;
    process->loops_left_out = header->places_left_out;
}

static void describe(struct keel_sums *reading, struct keel_report_process *process)
{
    struct keel_report_loop *loop =
        keel_report_memory(reading->document, reading->sums, sizeof *loop);

    describe_process(reading, process);
    for (size_t i = 0; loop != NULL && i < reading->sums; i++) {
        describe_loop(reading, &reading->sum[i], &loop[i]);
    }
    process->loop = loop;
    process->loop_count = reading->sums;
}

struct keel_report_process *keel_recording_figures(const void *bytes, size_t length,
                                                   struct keel_report_document *document)
{
    const struct keel_recording_header *header = bytes;

    if (!is_recording(header, length)) {
        return NULL;
    }
    const size_t before = document->count;
    struct keel_report_process *process = keel_report_add_process(document);
    uint64_t used = atomic_load_explicit(&header->used, memory_order_acquire);
    struct keel_sums reading = {
        .document = document,
        .bytes = bytes,
        .used = used < sizeof *header ? sizeof *header
                : used < length       ? used
                                      : length,
        .header = header,
    };
    if (process != NULL && keel_sums_add(&reading)) {
        describe(&reading, process);
    }
    if (document->short_of_memory) {
        document->count = before;
        return NULL;
    }
    return process;
}
