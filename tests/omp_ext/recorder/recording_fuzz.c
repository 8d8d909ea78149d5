/* Fuzz target: no bytes of a recording harm its reader. Aborts if they do. A text that is no
 * recording is also tried with a valid beginning. */
#include <math.h>
#include <string.h>

#include "omp_ext/recorder/recording_format.h"
#include "tests/fuzz/driver.h"

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
    struct keel_report_document document = {0};
    const struct keel_report_process *process = keel_recording_report(aligned, size, &document);
    free(aligned);
    expect(document.count == (process != NULL), "processes and result disagree");
    if (process == NULL) {
        keel_report_document_free(&document);
        return;
    }
    expect(process->rank >= 0 && process->rank < process->ranks, "a rank that is none");
    expect(isfinite(process->elapsed_s) && process->elapsed_s >= 0, "a time that is none");
    expect(length_of(process->program) <= 256 && length_of(process->host) <= 64, "texts too long");
    for (size_t i = 0; i < process->loop_count; i++) {
        check_loop(process, &process->loop[i]);
    }
    keel_report_document_free(&document);
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

/* --- the seed: a recording of a region, a loop in it and a part, each of two threads --- */

#define THREADS 2

struct with_threads {
    struct keel_recording_entry entry;
    struct keel_recording_thread thread[THREADS];
};

static struct recording {
    struct keel_recording_header header;
    _Alignas(64) struct keel_recording_place place;
    _Alignas(64) struct with_threads region, loop, part;
} recording, last_rank;

_Static_assert(sizeof recording <= FUZZ_TEXT_MAX, "a seed is a text");

#define AT(member) offsetof(struct recording, member)

static struct keel_recording_object object_of(enum keel_recording_type type, size_t bytes)
{
    return (struct keel_recording_object){type, (uint32_t)((bytes + 63) / 64 * 64)};
}

static void fill_entry(struct with_threads *filled, enum keel_recording_kind kind, uint64_t region)
{
    struct keel_recording_entry *entry = &filled->entry;

    entry->object = object_of(KEEL_RECORDING_ENTRY, sizeof *filled);
    entry->kind = kind;
    entry->room = THREADS;
    entry->place = AT(place);
    entry->region = region;
    entry->schedule = (struct keel_recording_schedule){.asked = 4, .text = "fac2"};
    entry->has_schedule = 1;
    entry->loop_iterations = 100;
    entry->instances = entry->weighed = entry->recorded = 3;
    entry->elapsed = 5000000;
    for (unsigned t = 0; t < THREADS; t++) {
        filled->thread[t] = (struct keel_recording_thread){
            .busy = 4000000, .waited = 1000, .instances = 3, .chunks = 7, .span = 4500000};
    }
}

__attribute__((constructor)) static void fill(void)
{
    struct keel_recording_header *header = &recording.header;

    memcpy(header->magic, KEEL_RECORDING_MAGIC, sizeof header->magic);
    header->version = KEEL_RECORDING_VERSION;
    header->seconds_per_tick = 1e-9;
    header->start = 1000;
    header->last = 100000000;
    header->threads = THREADS;
    header->ranks = 1;
    header->used = sizeof recording;
    strcpy(header->program, "p");
    recording.place.object = object_of(KEEL_RECORDING_PLACE, sizeof recording.place);
    recording.place.line = 7;
    recording.place.named = 1;
    strcpy(recording.place.address, "p+0x12");
    strcpy(recording.place.file, "p.c");
    fill_entry(&recording.region, KEEL_RECORDING_REGION, 0);
    fill_entry(&recording.loop, KEEL_RECORDING_LOOP, AT(region));
    fill_entry(&recording.part, KEEL_RECORDING_PART, AT(region));
    last_rank = recording;
    last_rank.header.rank = INT32_MAX;
}

static const char *const pieces[] = {
    "",     "\x01",     "\x02",         "\x40",
    "\x80", "\xff\xff", "\xc0\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff",
    "\x7f", "\xf0\x7f", "\xf8\xff"};

static const char *const seeds[] = {(const char *)&recording, (const char *)&recording,
                                    (const char *)&last_rank};
static const size_t length[] = {sizeof recording, sizeof recording / 2, sizeof last_rank};

FUZZ_TEXTS(.seed_length = length, .separators = "", .text_max = FUZZ_TEXT_MAX, .edits_max = 6);
