/* Report data of a recording:
 *
 *   objects of the recording -> [checked] -> sums by place -> report data
 *
 * Nothing in the recording is trusted. */
#include "omp_ext/recorder/recording_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schedules/text/text.h"

/* Busy time after a region's last loop is counted to that loop, up to FOLDED_PART of the loop's
 * time, or FOLDED_S per thread and instance. */
#define FOLDED_PART 0.05
#define FOLDED_S 2e-6
#define KINDS (KEEL_REPORT_PART + 1)

/* A loop of the report while it is summed up, without names. */
struct sum {
    struct keel_report_loop loop;
    struct keel_report_thread *thread; /* loop.thread */
    uint64_t place;
    const struct keel_recording_schedule *schedule; /* the last one; NULL: not known */
    uint64_t region;          /* place of the one with most of its time; 0: none */
    double region_s;          /* that time */
    struct keel_median waits; /* of an instance, ticks */
};

struct reading {
    struct keel_report_document *document; /* of the report data */
    const char *bytes;
    uint64_t used;
    const struct keel_recording_header *header;
    struct sum *sum;
    size_t sums;
    size_t *number;                      /* of a sum, from 1, by kind and place; 0: none */
    struct keel_recording_entry *uneven; /* parts that are not complete yet; NULL: none */
};

static uint64_t scaled(uint64_t number, double scale)
{
    double value = (double)number * scale;

    return scale == 1 ? number : value < 1e18 ? (uint64_t)(value + 0.5) : 0;
}

static double seconds(const struct reading *reading, uint64_t ticks)
{
    return (double)ticks * reading->header->seconds_per_tick;
}

/* --- objects --- */

/* The object at the offset; NULL unless it has that type and at least that size. */
static const void *object_at(const struct reading *reading, uint64_t offset, uint32_t type,
                             size_t size)
{
    if (offset < sizeof(struct keel_recording_header) || offset % KEEL_RECORDING_ALIGNMENT != 0 ||
        offset > reading->used || reading->used - offset < size) {
        return NULL;
    }
    const struct keel_recording_object *object = (const void *)(reading->bytes + offset);
    return object->type == type && object->bytes >= size && object->bytes <= reading->used - offset
               ? object
               : NULL;
}

/* The entry at the offset, with all of its threads; NULL if there is none. */
static const struct keel_recording_entry *entry_at(const struct reading *reading, uint64_t offset)
{
    const struct keel_recording_entry *entry =
        object_at(reading, offset, KEEL_RECORDING_ENTRY, sizeof *entry);

    return entry != NULL && entry->room > 0 && entry->room <= KEEL_RECORDING_THREADS_MAX &&
                   entry->object.bytes - sizeof *entry >=
                       entry->room * sizeof(struct keel_recording_thread) &&
                   entry->kind <= KEEL_RECORDING_OUTSIDE && entry->place < reading->used
               ? entry
               : NULL;
}

/* --- sums --- */

/* The address of the sum's number for a kind and place. */
static size_t *number_of(const struct reading *reading, enum keel_report_kind kind, uint64_t place)
{
    return &reading->number[KINDS * (place / KEEL_RECORDING_ALIGNMENT) + kind];
}

/* The sum for a kind and place, which is added if it is new; there is room for all. */
static struct sum *sum_of(struct reading *reading, enum keel_report_kind kind, uint64_t place)
{
    size_t *number = number_of(reading, kind, place);

    if (*number == 0) {
        reading->sum[reading->sums] = (struct sum){.loop.kind = kind, .place = place};
        *number = ++reading->sums;
    }
    return &reading->sum[*number - 1];
}

/* Gives the sum room for `threads`; false if there is no memory. */
static bool make_room(struct reading *reading, struct sum *sum, uint32_t threads)
{
    if (threads <= sum->loop.threads) {
        return true;
    }
    struct keel_report_thread *thread =
        keel_report_memory(reading->document, threads, sizeof *thread);
    if (thread == NULL) {
        return false;
    }
    if (sum->loop.threads > 0) {
        memcpy(thread, sum->thread, sum->loop.threads * sizeof *thread);
    }
    sum->loop.thread = sum->thread = thread;
    sum->loop.threads = threads;
    return true;
}

/* The number of threads that have taken part. */
static uint32_t threads_of(const struct keel_recording_entry *entry)
{
    uint32_t threads = entry->room;

    while (threads > 1 && entry->thread[threads - 1].instances == 0 &&
           entry->thread[threads - 1].busy == 0) {
        threads--;
    }
    return threads;
}

/* The last instances of a region may have been skipped: those before are scaled to include them. */
static double scale_of(const struct keel_recording_entry *region)
{
    return region != NULL && region->kind == KEEL_RECORDING_REGION && region->weighed > 0 &&
                   region->instances > region->weighed
               ? (double)region->instances / (double)region->weighed
               : 1;
}

/* Adds recorded times of a thread, scaled. */
static void add_times(const struct reading *reading, struct keel_report_thread *to, double scale,
                      uint64_t busy, uint64_t waited, uint64_t chunks)
{
    to->busy_s += scale * seconds(reading, busy);
    to->waited_s += scale * seconds(reading, waited);
    to->chunks += scaled(chunks, scale);
}

/* Adds `instances` of `elapsed` ticks in all; squares: the sum of their squares, ticks^2. */
static void add_instances(const struct reading *reading, struct sum *sum, uint64_t instances,
                          uint64_t elapsed, double squares)
{
    double tick_s = reading->header->seconds_per_tick;

    sum->loop.instances += instances;
    sum->loop.elapsed_s += seconds(reading, elapsed);
    sum->loop.elapsed_squares_s2 += squares * tick_s * tick_s;
}

static void note_schedule(struct sum *sum, const struct keel_recording_entry *entry)
{
    const struct keel_recording_schedule *now = entry->has_schedule ? &entry->schedule : NULL;

    sum->loop.mixed |= entry->mixed != 0 || (sum->schedule != NULL && now != NULL &&
                                             !keel_recording_asks_the_same(sum->schedule, now));
    sum->schedule = now != NULL ? now : sum->schedule;
}

/* Ticks of the running instance up to the last event; 0 if none runs or it has had no event. */
static uint64_t running_for(const struct reading *reading, const struct keel_recording_entry *entry)
{
    return entry->forked != 0 && reading->header->last > entry->forked
               ? reading->header->last - entry->forked
               : 0;
}

/* --- regions --- */

static void add_region(struct reading *reading, const struct keel_recording_entry *entry)
{
    struct sum *sum = sum_of(reading, KEEL_REPORT_REGION, entry->place);
    uint32_t threads = threads_of(entry);
    uint64_t running = running_for(reading, entry);
    double scale = scale_of(entry);

    if (!make_room(reading, sum, threads)) {
        return;
    }
    for (uint32_t i = 0; i < threads; i++) {
        const struct keel_recording_thread *own = &entry->thread[i];
        add_times(reading, &sum->thread[i], scale, own->busy, own->waited + own->waited_at_end,
                  own->chunks);
    }
    add_instances(reading, sum, entry->instances + (running > 0),
                  scaled(entry->elapsed, scale) + running,
                  scale * entry->elapsed_squares + (double)running * (double)running);
    keel_median_merge(&sum->waits, &entry->waits);
    sum->loop.nested |= entry->nested != 0;
}

/* The time after the region's last loop or barrier, with the wait at the region's end. */
struct end_part {
    uint64_t busy;    /* of all threads; 0: the region has no loop or barrier */
    uint64_t longest; /* busy and waiting, of one thread */
};

static struct end_part end_part_of(const struct keel_recording_entry *entry)
{
    struct end_part part = {0};

    for (uint32_t i = 0; i < entry->room; i++) {
        const struct keel_recording_thread *own = &entry->thread[i];
        uint64_t all = own->busy_at_end + own->waited_at_end;
        part.busy += own->busy_at_end;
        part.longest = all > part.longest ? all : part.longest;
    }
    return part;
}

/* The loop that the end of the region is counted to: the last construct in it, whose own barrier
 * the compiler omits before that of the region. NULL if there is none. */
static const struct keel_recording_entry *last_loop(const struct reading *reading,
                                                    const struct keel_recording_entry *region,
                                                    const struct end_part *part)
{
    const struct keel_recording_entry *loop = entry_at(reading, region->last_nowait);
    double busy = 0, parts = 0;

    for (uint32_t i = 0; loop != NULL && i < loop->room; i++) {
        busy += (double)loop->thread[i].busy;
        parts += (double)loop->thread[i].instances;
    }
    return loop != NULL && loop->kind == KEEL_RECORDING_LOOP &&
                   ((double)part->busy <= FOLDED_PART * busy ||
                    seconds(reading, part->busy) <= FOLDED_S * parts)
               ? loop
               : NULL;
}

static void note_region(struct sum *sum, uint64_t region, double elapsed_s)
{
    if (region != 0 && (sum->region == 0 || elapsed_s > sum->region_s)) {
        sum->region = region;
        sum->region_s = elapsed_s;
    }
}

static void add_end_part(struct reading *reading, const struct keel_recording_entry *entry,
                         const struct end_part *part)
{
    struct sum *sum = sum_of(reading, KEEL_REPORT_PART, entry->place);
    uint32_t threads = threads_of(entry);

    if (!make_room(reading, sum, threads)) {
        return;
    }
    for (uint32_t i = 0; i < threads; i++) {
        const struct keel_recording_thread *own = &entry->thread[i];
        add_times(reading, &sum->thread[i], scale_of(entry), own->busy_at_end, own->waited_at_end,
                  0);
    }
    uint64_t longest = scaled(part->longest, scale_of(entry));
    double mean = entry->instances > 0 ? (double)longest / (double)entry->instances : 0;
    add_instances(reading, sum, entry->instances, longest, mean * mean * (double)entry->instances);
    keel_median_merge(&sum->waits, &entry->waits);
    sum->loop.nested |= entry->nested != 0;
    note_region(sum, entry->place, seconds(reading, longest));
}

/* --- loops and parts --- */

/* The region at whose end threads wait for the loop's last threads; NULL if there is none. */
static const struct keel_recording_entry *region_that_ends(const struct reading *reading,
                                                           const struct keel_recording_entry *loop)
{
    const struct keel_recording_entry *region = entry_at(reading, loop->region);

    if (region == NULL || region->kind != KEEL_RECORDING_REGION) {
        return NULL;
    }
    struct end_part part = end_part_of(region);
    return part.busy > 0 && last_loop(reading, region, &part) == loop ? region : NULL;
}

static void add_construct(struct reading *reading, const struct keel_recording_entry *entry)
{
    struct sum *sum = sum_of(reading, entry->kind, entry->place);
    const struct keel_recording_entry *region = entry_at(reading, entry->region);
    const struct keel_recording_entry *ends = region_that_ends(reading, entry);
    double scale = scale_of(region);
    uint32_t threads = threads_of(entry);
    uint64_t elapsed = 0, instances = 0;
    double squares = 0;

    if (!make_room(reading, sum, threads)) {
        return;
    }
    for (uint32_t i = 0; i < threads; i++) {
        const struct keel_recording_thread *own = &entry->thread[i];
        const struct keel_recording_thread *last =
            ends != NULL && i < ends->room ? &ends->thread[i] : NULL;
        uint64_t waited_at_end = last != NULL ? last->waited_at_end : 0;
        uint64_t span = own->span + waited_at_end + (last != NULL ? last->busy_at_end : 0);
        add_times(reading, &sum->thread[i], scale, own->busy, own->waited + waited_at_end,
                  own->chunks);
        sum->thread[i].iterations += scaled(own->iterations, scale);
        elapsed = span > elapsed ? span : elapsed;
        squares = fmax(squares, own->span_squares);
        instances = own->instances > instances ? own->instances : instances;
    }
    add_instances(reading, sum, scaled(instances, scale), scaled(elapsed, scale), scale * squares);
    sum->loop.iterations += scaled(entry->loop_iterations, scale);
    keel_median_merge(&sum->waits, ends != NULL ? &ends->waits : &entry->waits);
    if (region != NULL && region->kind == KEEL_RECORDING_REGION) {
        sum->loop.nested |= region->nested != 0;
        note_region(sum, region->place, seconds(reading, elapsed));
    }
    note_schedule(sum, entry);
}

/* --- one barrier, several calls --- */

/* Compilers call the barrier after `single` from two places: one for the thread that has run it,
 * one for the others. So uneven parts of a region are merged until they are even. */

/* Whether all threads have passed the part equally often, relative to their instances of the
 * region; once more or less while the region runs. */
static bool is_even(const struct keel_recording_entry *part,
                    const struct keel_recording_entry *region)
{
    uint32_t threads = threads_of(region) < part->room ? threads_of(region) : part->room;
    double first = fmax((double)region->thread[0].instances, 1);
    double slack = region->forked != 0 ? 1 : 0;

    for (uint32_t i = 1; i < threads; i++) {
        double own = fmax((double)region->thread[i].instances, 1);
        double expected = (double)part->thread[0].instances * own / first;
        if (fabs((double)part->thread[i].instances - expected) > slack * own / first) {
            return false;
        }
    }
    return true;
}

static void merge(struct keel_recording_entry *into, const struct keel_recording_entry *entry)
{
    memset(&into->waits, 0, sizeof into->waits); /* each covers only some of the threads */
    for (uint32_t i = 0; i < into->room && i < entry->room; i++) {
        struct keel_recording_thread *to = &into->thread[i];
        to->busy += entry->thread[i].busy;
        to->waited += entry->thread[i].waited;
        to->instances += entry->thread[i].instances;
        to->span += entry->thread[i].span;
        to->span_squares += entry->thread[i].span_squares;
    }
}

static struct keel_recording_entry *copy_of(struct reading *reading,
                                            const struct keel_recording_entry *entry)
{
    size_t bytes = sizeof *entry + entry->room * sizeof entry->thread[0];
    struct keel_recording_entry *copy = keel_report_memory(reading->document, bytes, 1);

    if (copy != NULL) {
        memcpy(copy, entry, bytes);
    }
    return copy;
}

/* Adds a part. Uneven ones wait in reading->uneven, which is of one region at a time. */
static void add_part(struct reading *reading, const struct keel_recording_entry *entry)
{
    const struct keel_recording_entry *region = entry_at(reading, entry->region);

    if (region == NULL || is_even(entry, region)) {
        add_construct(reading, entry);
        return;
    }
    if (reading->uneven != NULL && reading->uneven->region != entry->region) {
        add_construct(reading, reading->uneven);
        reading->uneven = NULL;
    }
    if (reading->uneven == NULL) {
        reading->uneven = copy_of(reading, entry);
        return;
    }
    merge(reading->uneven, entry);
    if (is_even(reading->uneven, region)) {
        add_construct(reading, reading->uneven);
        reading->uneven = NULL;
    }
}

static void add_last_part(struct reading *reading)
{
    if (reading->uneven != NULL) {
        add_construct(reading, reading->uneven);
        reading->uneven = NULL;
    }
}

static void add_entry(struct reading *reading, const struct keel_recording_entry *entry)
{
    if (entry->kind == KEEL_RECORDING_REGION) {
        add_region(reading, entry);
        struct end_part part = end_part_of(entry);
        if (part.busy > 0 && last_loop(reading, entry, &part) == NULL) {
            add_end_part(reading, entry, &part);
        }
    } else if (entry->kind == KEEL_RECORDING_PART) {
        add_part(reading, entry);
    } else if (entry->kind == KEEL_RECORDING_LOOP) {
        add_construct(reading, entry);
    }
}

static bool add_all(struct reading *reading)
{
    /* a region has two sums */
    const size_t most = 2 * (reading->used / sizeof(struct keel_recording_entry)) + 2;
    const struct keel_recording_object *object;

    reading->sum = keel_report_memory(reading->document, most, sizeof *reading->sum);
    reading->number = keel_report_memory(reading->document,
                                         KINDS * (reading->used / KEEL_RECORDING_ALIGNMENT + 1),
                                         sizeof *reading->number);
    for (uint64_t at = sizeof(struct keel_recording_header);
         !reading->document->short_of_memory && reading->used - at >= sizeof *object;
         at += object->bytes) {
        object = (const void *)(reading->bytes + at);
        if (object->bytes < sizeof *object || object->bytes % KEEL_RECORDING_ALIGNMENT != 0 ||
            object->bytes > reading->used - at) {
            break;
        }
        const struct keel_recording_entry *entry = entry_at(reading, at);
        if (entry != NULL) {
            add_entry(reading, entry);
        }
    }
    add_last_part(reading);
    return !reading->document->short_of_memory;
}

/* --- report data of the sums --- */

static const char *copy_text(struct reading *reading, const char *text, size_t size)
{
    return keel_report_copy(reading->document, text, strnlen(text, size));
}

static const struct keel_recording_place *place_at(const struct reading *reading, uint64_t offset)
{
    return object_at(reading, offset, KEEL_RECORDING_PLACE, sizeof(struct keel_recording_place));
}

static bool is_recording(const struct keel_recording_header *header, size_t length)
{
    return length >= sizeof *header &&
           memcmp(header->magic, KEEL_RECORDING_MAGIC, sizeof header->magic) == 0 &&
           header->version == KEEL_RECORDING_VERSION && isfinite(header->seconds_per_tick) &&
           header->seconds_per_tick > 0 && header->seconds_per_tick <= 1;
}

static void describe_place(struct reading *reading, const struct sum *sum,
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
    /* acquire: pairs with the release in recording.c, name() */
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

static void describe_schedule(struct reading *reading, const struct sum *sum,
                              struct keel_report_loop *loop)
{
    const struct keel_recording_schedule *schedule = sum->schedule;

    /* not known for a loop that thread 0 has not ended */
    loop->schedule = schedule != NULL ? copy_text(reading, schedule->text, sizeof schedule->text)
                     : loop->kind == KEEL_REPORT_LOOP ? ""
                                                      : KEEL_REPORT_BY_THE_COMPILER;
    loop->under_keel = schedule != NULL && schedule->under_keel != 0;
}

static int region_of(const struct reading *reading, const struct sum *sum)
{
    return sum->loop.kind != KEEL_REPORT_REGION && sum->region != 0
               ? (int)*number_of(reading, KEEL_REPORT_REGION, sum->region) - 1
               : -1;
}

static void describe_loop(struct reading *reading, const struct sum *sum,
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

static void describe_process(struct reading *reading, struct keel_report_process *process)
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
                         seconds(reading, last - header->start);
    process->serial_s = fmax(process->elapsed_s - seconds(reading, parallel), 0);
    process->threads = header->threads;
    process->loops_left_out = header->places_left_out;
}

static void describe(struct reading *reading, struct keel_report_process *process)
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

struct keel_report_process *keel_recording_report(const void *bytes, size_t length,
                                                  struct keel_report_document *document)
{
    const struct keel_recording_header *header = bytes;

    if (!is_recording(header, length)) {
        return NULL;
    }
    const size_t before = document->count;
    struct keel_report_process *process = keel_report_add_process(document);
    uint64_t used = atomic_load_explicit(&header->used, memory_order_acquire);
    struct reading reading = {
        .document = document,
        .bytes = bytes,
        .used = used < sizeof *header ? sizeof *header
                : used < length       ? used
                                      : length,
        .header = header,
    };
    if (process != NULL && add_all(&reading)) {
        describe(&reading, process);
    }
    if (document->short_of_memory) {
        document->count = before;
        return NULL;
    }
    return process;
}
