/* Feeds figures_fuzz with a recording of a region, a loop in it and a part, each of two threads. */
#include <stdio.h>
#include <string.h>

#include "omp_ext/recorder/recording_format.h"
#include "tests/fuzz/driver.h"

#define THREADS 2

struct with_threads {
    struct keel_recording_entry entry;
    struct keel_recording_thread thread[THREADS];
};

static struct recording {
    struct keel_recording_header header;
    _Alignas(64) struct keel_recording_place place;
    _Alignas(64) struct keel_recording_schedule schedule;
    _Alignas(64) struct with_threads region, loop, part;
} recording;

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
    entry->room = entry->threads = THREADS;
    entry->place = AT(place);
    entry->region = region;
    entry->schedule = AT(schedule);
    entry->loop_iterations = 100;
    entry->instances = entry->weighed = entry->recorded = 3;
    entry->elapsed = 5000000;
    for (unsigned t = 0; t < THREADS; t++) {
        filled->thread[t] = (struct keel_recording_thread){
            .busy = 4000000, .waited = 1000, .instances = 3, .chunks = 7, .span = 4500000};
    }
}

static void fill(void)
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
    recording.schedule.object = object_of(KEEL_RECORDING_SCHEDULE, sizeof recording.schedule);
    strcpy(recording.schedule.text, "fac2");
    fill_entry(&recording.region, KEEL_RECORDING_REGION, 0);
    fill_entry(&recording.loop, KEEL_RECORDING_LOOP, AT(region));
    fill_entry(&recording.part, KEEL_RECORDING_PART, AT(region));
}

static const char *const pieces[] = {
    "",     "\x01",     "\x02",         "\x40",
    "\x80", "\xff\xff", "\xc0\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff",
    "\x7f", "\xf0\x7f", "\xf8\xff",
};

int main(int count, char **arguments)
{
    static struct recording last_rank;
    static const char *seeds[] = {(const char *)&recording, (const char *)&recording,
                                  (const char *)&last_rank};
    static const size_t length[] = {sizeof recording, sizeof recording / 2, sizeof last_rank};
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_length = length,
        .seed_count = 3,
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = "",
        .text_max = FUZZ_TEXT_MAX,
        .edits_max = 6,
    };

    _Static_assert(sizeof recording <= FUZZ_TEXT_MAX, "a seed is a text");
    fill();
    last_rank = recording;
    last_rank.header.rank = INT32_MAX;
    return fuzz_drive(&texts, count, arguments);
}
