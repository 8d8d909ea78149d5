/* The recording of this process. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/launch.h"
#include "omp_ext/report/report_data.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/trace/event_text.h"

#define NAMING_PART 1000 /* finding names takes at most 1/NAMING_PART of the run time */

struct keel_recording_header *keel_recording;

_Static_assert(sizeof keel_recording->job == KEEL_LAUNCH_JOB_MAX, "it holds any name");

/* --- the beginning --- */

/* Rank and number of ranks from the launcher's environment; 0 of 1 without a launcher. */
static void find_rank(struct keel_recording_header *header)
{
    unsigned ranks = keel_launch_ranks(keel_environment_value);
    int rank = keel_launch_rank(keel_environment_value);
    bool known = ranks > 1 && ranks <= INT32_MAX && rank >= 0 && (unsigned)rank < ranks;

    header->rank = known ? rank : 0;
    header->ranks = known ? (int32_t)ranks : 1;
}

bool keel_recording_begin(uint64_t loaded_ns)
{
    int kept_errno = errno;
    struct keel_recording_header found = {.magic = KEEL_RECORDING_MAGIC,
                                          .version = KEEL_RECORDING_VERSION,
                                          .pid = getpid(),
                                          .seconds_per_tick = keel_clock_ns_per_tick() / 1e9};

    find_rank(&found);
    struct keel_recording_header *header =
        keel_recording_store_open(sizeof *header, found.ranks > 1 ? found.rank : -1);
    errno = kept_errno;
    if (header == NULL) {
        return false;
    }
    *header = found;
    keel_launch_job(keel_environment_value, header->job);
    gethostname(header->host, sizeof header->host - 1);
    snprintf(header->program, sizeof header->program, "%s", program_invocation_short_name);
    header->start = keel_clock_ticks();
    header->before_s = loaded_ns != 0 ? (double)(keel_clock_ns() - loaded_ns) / 1e9 : 0;
    atomic_store_explicit(&header->last, header->start, memory_order_relaxed);
    atomic_store_explicit(&header->used, sizeof *header, memory_order_release);
    keel_recording = header;
    return true;
}

/* --- objects --- */

uint64_t keel_recording_offset(const void *object)
{
    return (uint64_t)((const char *)object - (const char *)keel_recording);
}

void keel_recording_leave_out(void)
{
    /* not atomic: the count of dropped events need not be exact */
    keel_recording->places_left_out++;
}

static void say_room_is_missing(int error)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&said)) {
        keel_message("KEEL_REPORT: no room to record more places: %s; later ones are left out",
                     strerror(error));
    }
}

/* Returns a new object, zeroed except for its type and size; readers see it only after
 * publish_object(). NULL if there is no room. Call with keel_slow_lock held. */
static void *new_object(enum keel_recording_type type, size_t bytes)
{
    uint64_t used = atomic_load_explicit(&keel_recording->used, memory_order_relaxed);
    size_t size = (bytes + KEEL_RECORDING_ALIGNMENT - 1) & ~(size_t)(KEEL_RECORDING_ALIGNMENT - 1);
    int error = size <= UINT32_MAX ? keel_recording_store_grow(used + size) : ENOMEM;

    if (error != 0) {
        say_room_is_missing(error);
        return NULL;
    }
    struct keel_recording_object *object = (void *)((char *)keel_recording + used);
    *object = (struct keel_recording_object){.type = type, .bytes = (uint32_t)size};
    return object;
}

static void publish_object(const struct keel_recording_object *object)
{
    /* release: pairs with the acquire in keel_recording_used(); the object is complete */
    atomic_store_explicit(&keel_recording->used, keel_recording_offset(object) + object->bytes,
                          memory_order_release);
}

/* --- places --- */

struct known_place {
    struct known_place *next;
    struct keel_site *site;
    struct keel_call_site place;
    bool is_part;
    struct keel_recording_place *recorded;
};

static struct known_place *places; /* guarded by keel_slow_lock; latest first */
static _Atomic unsigned unnamed;
static _Atomic uint64_t naming_ticks; /* time spent on names so far */

/* Returns the offset of the place, which is added if it is new; 0 if there is no room. */
static uint64_t place_of(struct keel_site *site, const struct keel_call_site *place, bool is_part)
{
    for (const struct known_place *known = places; known != NULL; known = known->next) {
        if (known->site == site) {
            return keel_recording_offset(known->recorded);
        }
    }
    struct known_place *known = calloc(1, sizeof *known);
    struct keel_recording_place *recorded =
        known != NULL ? new_object(KEEL_RECORDING_PLACE, sizeof *recorded) : NULL;
    if (recorded == NULL) {
        free(known);
        return 0;
    }
    keel_site_address(place, recorded->address);
    publish_object(&recorded->object);
    *known = (struct known_place){places, site, *place, is_part, recorded};
    places = known;
    atomic_fetch_add_explicit(&unnamed, 1, memory_order_relaxed);
    return keel_recording_offset(recorded);
}

struct keel_call_site keel_recording_named(const struct keel_call_site *place)
{
    return place->outlined != NULL
               ? (struct keel_call_site){(const char *)(uintptr_t)place->outlined + 1,
                                         place->outlined}
               : *place;
}

/* The function's name. For a barrier, the outermost of the functions that were inlined around it,
 * as the programmer wrote it. */
static const char *function_of(const struct known_place *known, const struct keel_source *source)
{
    unsigned number = source->name_count;

    if (!known->is_part) {
        return keel_site_function(source);
    }
    while (number > 1 && source->names[number - 1][0] == '_') {
        number--;
    }
    return source->name_count > 0 ? source->names[number - 1] : "";
}

static void name(struct known_place *known)
{
    struct keel_recording_place *recorded = known->recorded;
    const struct keel_call_site place = keel_recording_named(&known->place);
    struct keel_source source;

    if (keel_site_source(&place, &source)) {
        recorded->line = source.line;
        snprintf(recorded->file, sizeof recorded->file, "%.511s", source.file);
        snprintf(recorded->function, sizeof recorded->function, "%s", function_of(known, &source));
    }
    /* release: pairs with the acquire of readers in the process */
    atomic_store_explicit(&recorded->named, 1, memory_order_release);
    atomic_fetch_sub_explicit(&unnamed, 1, memory_order_relaxed);
}

static bool may_find_names(void)
{
    uint64_t spent = atomic_load_explicit(&naming_ticks, memory_order_relaxed);

    return spent < (keel_clock_ticks() - keel_recording->start) / NAMING_PART;
}

void keel_recording_find_names(bool all)
{
    /* relaxed: places that are being added are named at a later call */
    if (atomic_load_explicit(&unnamed, memory_order_relaxed) == 0 || (!all && !may_find_names()) ||
        !keel_site_source_ready()) {
        return;
    }
    uint64_t began = keel_clock_ticks();
    bool more = true;
    keel_slow_lock();
    for (struct known_place *known = places; known != NULL && more; known = known->next) {
        if (atomic_load_explicit(&known->recorded->named, memory_order_relaxed) == 0) {
            name(known);
            more = all;
        }
    }
    keel_slow_unlock();
    atomic_fetch_add_explicit(&naming_ticks, keel_clock_ticks() - began, memory_order_relaxed);
}

/* --- schedules --- */

/* Returns the length of the requested schedule in the text. */
static size_t write_policy(const struct keel_observed_loop *loop, char *text, size_t size)
{
    const struct keel_policy *run = loop->policy;

    if (loop->agreed == NULL) {
        return 0;
    }
    const struct keel_policy *wanted = keel_policy_wanted(loop->agreed);
    size_t length = (size_t)keel_event_text_policy(wanted, text, size);
    if (run != NULL && run->spec.schedule != NULL && run->spec.schedule != wanted->spec.schedule &&
        wanted->spec.schedule != NULL && length + 2 < size) {
        memcpy(text + length, ": ", 3);
        keel_event_text_policy(run, text + length + 2, size - length - 2);
    }
    return length;
}

static bool is_under_keel(const struct keel_observed_loop *loop)
{
    return loop->rule == KEEL_OBSERVED_POLICY ||
           (loop->rule == KEEL_OBSERVED_STATIC && keel_settings()->schedules.standard != NULL);
}

struct keel_recording_schedule keel_recording_schedule_of(const struct keel_observed_loop *loop)
{
    struct keel_recording_schedule schedule = {.under_keel = is_under_keel(loop)};
    size_t size = sizeof schedule.text, asked;

    if (loop->rule == KEEL_OBSERVED_POLICY) {
        asked = write_policy(loop, schedule.text, size);
    } else {
        keel_event_text_schedule(loop->rule == KEEL_OBSERVED_STATIC, loop->clause, loop->chunk,
                                 schedule.text, size);
        asked = strlen(schedule.text);
    }
    schedule.asked = (uint32_t)(asked < size ? asked : size);
    return schedule;
}

/* --- entries --- */

struct keel_recording_entry *keel_recording_add_entry(enum keel_recording_kind kind, uint32_t room,
                                                      struct keel_site *site,
                                                      const struct keel_call_site *place,
                                                      const struct keel_recording_entry *region)
{
    uint64_t where = site != NULL ? place_of(site, place, kind == KEEL_RECORDING_PART) : 0;
    struct keel_recording_entry *entry = NULL;

    if ((site == NULL || where != 0) && room <= KEEL_RECORDING_THREADS_MAX) {
        entry = new_object(KEEL_RECORDING_ENTRY,
                           sizeof *entry + room * sizeof(struct keel_recording_thread));
    }
    if (entry == NULL) {
        keel_recording_leave_out();
        return NULL;
    }
    entry->kind = kind;
    entry->room = room;
    entry->place = where;
    entry->region = region != NULL ? keel_recording_offset(region) : 0;
    publish_object(&entry->object);
    return entry;
}

/* --- the end --- */

size_t keel_recording_used(void)
{
    return atomic_load_explicit(&keel_recording->used, memory_order_acquire);
}

void keel_recording_complete(void)
{
    uint64_t now = keel_clock_ticks();

    keel_clock_refine_when_due(now);
    keel_recording->seconds_per_tick = keel_clock_ns_per_tick() / 1e9;
    atomic_store_explicit(&keel_recording->last, now, memory_order_relaxed);
    keel_recording->complete = 1;
}
