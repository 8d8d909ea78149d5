/* The recorder.
 *
 * Each thread adds up its own times, in ticks, in the entries of its team's region and of the loop
 * or part of it. Threads' waits at the end of a region are known after the join: the encountering
 * thread adds them. */
#define _GNU_SOURCE
#include "omp_ext/recorder/recording.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "omp_ext/recorder/teams.h"
#include "omp_ext/settings/settings.h"

static uint64_t loaded_ns; /* load time of the library; 0: not recorded */
static pthread_t initial;  /* the initial thread of the program */
static bool initial_is_known;
static pid_t process; /* the process that records */
static bool stopped;  /* set in a child of fork(), which has one thread */

/* --- its begin --- */

void keel_recorder_begin(void)
{
    loaded_ns = keel_clock_ns();
    initial = pthread_self();
    initial_is_known = gettid() == getpid();
}

static void stop(void)
{
    stopped = true;
}

static bool wanted(void)
{
    const struct keel_settings *settings = keel_settings();

    if ((!settings->report && !settings->explain) || !keel_recording_begin(loaded_ns)) {
        return false;
    }
    process = getpid();
    pthread_atfork(NULL, NULL, stop);
    return true;
}

bool keel_recorder_records(void)
{
    return keel_recording != NULL && !stopped && process == getpid();
}

/* --- regions --- */

/* Regions that take less than this per instance are sampled so seldom that it costs little. */
#define SKIP_BELOW_NS 800000.0 /* a rare sample costs 2 us, as its memory is not in the cache */
#define SKIP_AFTER 32          /* instances; the first ones are often the longest */
#define SKIPS_MAX 1000.0

static bool is_outermost(const struct keel_observed_region *region)
{
    return region->outer == NULL || region->outer->region == NULL;
}

static bool is_initial(void)
{
    return initial_is_known && pthread_equal(pthread_self(), initial);
}

/* Whether the region interrupts the serial part of the program. */
static bool ends_serial_part(const struct keel_observed_region *region)
{
    return is_outermost(region) && is_initial();
}

/* A random number around `mean`, so that samples do not hit one phase of periodic behaviour. */
static uint64_t draw(uint64_t *state, double mean)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint64_t)(mean * (0.5 + (double)(*state >> 40) / (double)(1 << 24)) + 0.5);
}

/* The number of instances to skip from now on. */
static uint64_t skips_of(const struct keel_recording_entry *entry)
{
    static uint64_t state = 1; /* of the initial thread */
    double mean_ns = (double)entry->elapsed / (double)entry->weighed * keel_clock_ns_per_tick();

    if (!keel_observe_may_skip() || entry->recorded < SKIP_AFTER || mean_ns >= SKIP_BELOW_NS) {
        return 0;
    }
    return draw(&state, fmin(SKIP_BELOW_NS / fmax(mean_ns, 1) - 1, SKIPS_MAX));
}

static void begin_region(struct keel_observed_region *region, uint64_t now)
{
    bool outermost = is_outermost(region);
    struct keel_team_place *team =
        stopped ? NULL : keel_team_place_take(&region->place, outermost && is_initial(), now);

    region->own[KEEL_OBSERVER_RECORDER] = team;
    struct keel_team_place *outer = outermost ? NULL : region->outer->own[KEEL_OBSERVER_RECORDER];
    if (outer != NULL && !outer->has_nested) {
        outer->has_nested = true;
    }
    if (team == NULL) {
        return;
    }
    struct keel_recording_entry *entry = team->entry;
    if (entry != NULL) {
        entry->forked = now;
    }
    if (ends_serial_part(region)) {
        keel_recording->forked = now;
    }
}

/* Adds the threads' waits at the end of the instance, which all of them have reached. */
static void add_end_waits(struct keel_recording_entry *entry, const struct keel_weighing *weighing,
                          uint64_t now)
{
    uint64_t threads = 0, waited = 0;

    for (uint32_t i = 0; i < entry->room; i++) {
        struct keel_recording_thread *own = &entry->thread[i];
        if (own->ended != 0) {
            uint64_t counted =
                now > own->ended ? keel_weighing_between(weighing, own->ended, now) : 0;
            own->waited_at_end += counted;
            own->ended = 0;
            waited += counted;
            threads++;
        }
    }
    if (threads > 1) {
        keel_median_add(&entry->waits, waited / threads / weighing->weight, weighing->weight);
    }
}

static void add_instance(struct keel_recording_entry *entry, const struct keel_weighing *weighing,
                         uint64_t now)
{
    uint64_t counted = keel_weighing_until(weighing, now);

    add_end_waits(entry, weighing, now);
    entry->elapsed += counted;
    entry->elapsed_squares += keel_weighing_squares(weighing, now - weighing->forked, counted);
    entry->recorded++;
    entry->instances += weighing->weight;
    entry->weighed += weighing->weight;
    entry->forked = 0;
}

static void note_time(uint64_t now)
{
    atomic_store_explicit(&keel_recording->last, now, memory_order_relaxed);
}

static void end_region(struct keel_observed_region *region, uint64_t now)
{
    struct keel_team_place *team = region->own[KEEL_OBSERVER_RECORDER];

    if (team == NULL || stopped) {
        return;
    }
    struct keel_recording_entry *entry = team->entry;
    const struct keel_weighing weighing = team->weighing;
    bool serial_is_next = ends_serial_part(region);
    if (entry != NULL) {
        add_instance(entry, &weighing, now);
    }
    if (serial_is_next) {
        keel_team_place_join(team, now);
    }
    if (serial_is_next && entry != NULL && !team->has_nested) {
        keel_team_place_skip(team, skips_of(entry), now);
    }
    keel_team_place_release(team);
    if (serial_is_next) {
        keel_recording->parallel += keel_weighing_until(&weighing, now);
        keel_recording->forked = 0;
        keel_clock_refine_when_due(now);
        keel_recording->seconds_per_tick = keel_clock_ns_per_tick() / 1e9;
        note_time(now);
        keel_recording_find_names(false);
    }
}

/* --- threads of regions --- */

static void begin_of_team(struct keel_recording_entry *entry,
                          const struct keel_observed_thread *thread)
{
    const struct keel_observed_region *region = thread->region;

    if (entry->forked == 0) {
        entry->forked = region->forked;
    }
    if (entry->nested == 0 && !is_outermost(region)) {
        entry->nested = 1;
    }
    if (keel_recording->threads < thread->threads) {
        keel_recording->threads = thread->threads;
    }
}

static void begin_thread(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_observed_region *region = thread->region;
    struct keel_team_place *team = NULL;

    if (!stopped) {
        team = region != NULL ? region->own[KEEL_OBSERVER_RECORDER]
                              : keel_team_place_take(&(struct keel_call_site){0}, false, now);
    }
    struct keel_recording_entry *entry =
        team != NULL ? keel_team_place_entry(team, thread->threads) : NULL;
    thread->own[KEEL_OBSERVER_RECORDER] = entry != NULL ? team : NULL;
    if (entry == NULL) {
        if (team != NULL && region == NULL) {
            keel_team_place_release(team);
        }
        return;
    }
    if (thread->thread == 0 && region != NULL) {
        begin_of_team(entry, thread);
    }
}

static inline const struct keel_weighing *weighing_of(const struct keel_observed_thread *thread)
{
    return &((const struct keel_team_place *)thread->own[KEEL_OBSERVER_RECORDER])->weighing;
}

/* The counted times of a piece of a thread's time. */
struct counted {
    uint64_t busy, waited;
};

/* waited: ticks of that piece that were waits for other ranks. */
static inline struct counted count(const struct keel_weighing *weighing, uint64_t from, uint64_t to,
                                   uint64_t waited)
{
    uint64_t all = to > from ? keel_weighing_between(weighing, from, to) : 0;

    if (waited == 0 || all == 0) {
        return (struct counted){.busy = all};
    }
    double part = (double)keel_weighing_least(waited, to - from) / (double)(to - from);
    uint64_t counted = keel_weighing_least((uint64_t)((double)all * part + 0.5), all);
    return (struct counted){.busy = all - counted, .waited = counted};
}

/* The entry of the thread's region; NULL if it is not recorded. */
static inline struct keel_recording_entry *entry_of(const struct keel_observed_thread *thread)
{
    struct keel_team_place *team = thread->own[KEEL_OBSERVER_RECORDER];

    return team != NULL && !stopped ? team->entry : NULL;
}

static void end_thread(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_recording_entry *entry = entry_of(thread);

    if (entry == NULL) {
        return;
    }
    struct keel_recording_thread *own = &entry->thread[thread->thread];
    const struct keel_weighing *weighing = weighing_of(thread);
    struct counted counted = count(weighing, thread->since, now, thread->waited);
    own->busy += counted.busy;
    own->waited += counted.waited;
    own->busy_at_end += thread->constructs > 0 ? counted.busy : 0;
    own->instances += weighing->weight;
    own->ended = thread->region != NULL ? now : 0;
    if (thread->region == NULL) {
        keel_team_place_release(thread->own[KEEL_OBSERVER_RECORDER]);
    } else if (thread->thread == 0) {
        struct keel_recorded_construct *last = thread->construct[KEEL_OBSERVER_RECORDER];
        entry->last_nowait = last != NULL ? keel_recording_offset(last->entry) : 0;
    }
}

/* --- loops and barriers --- */

static void begin_loop(struct keel_observed_thread *thread, uint64_t now)
{
    struct keel_recording_entry *entry = entry_of(thread);

    if (entry != NULL && now > thread->since) {
        struct keel_recording_thread *own = &entry->thread[thread->thread];
        struct counted counted =
            count(weighing_of(thread), thread->since, now, thread->waited_before);
        own->busy += counted.busy;
        own->waited += counted.waited;
    }
}

/* A loop that has been settled for static shares has no policy; it had one before. */
static bool is_settled(const struct keel_observed_loop *loop,
                       const struct keel_observed_loop *recorded)
{
    return loop->rule == KEEL_OBSERVED_STATIC && recorded->rule == KEEL_OBSERVED_POLICY;
}

/* Records the schedule if it differs from the last recorded one. Called by thread 0. */
static void note_schedule(struct keel_recorded_construct *construct,
                          const struct keel_observed_loop *loop)
{
    struct keel_recording_entry *entry = construct->entry;
    const struct keel_observed_loop *recorded = &construct->like;
    const bool known = entry->has_schedule != 0;

    if (known && ((recorded->rule == loop->rule && recorded->agreed == loop->agreed &&
                   recorded->policy == loop->policy) ||
                  is_settled(loop, recorded))) {
        return;
    }
    const struct keel_recording_schedule schedule = keel_recording_schedule_of(loop);
    entry->mixed |= known && !keel_recording_asks_the_same(&entry->schedule, &schedule);
    entry->schedule = schedule;
    entry->has_schedule = 1;
    construct->like = *loop;
}

static void add_loop(struct keel_recorded_construct *construct, struct keel_observed_thread *thread)
{
    struct keel_recording_thread *own = &construct->entry->thread[thread->thread];

    uint64_t weight = weighing_of(thread)->weight;

    own->iterations += weight * thread->loop.done;
    own->chunks += weight * thread->loop.chunks;
    if (thread->thread == 0) {
        construct->entry->loop_iterations += weight * thread->loop.iterations;
        note_schedule(construct, &thread->loop);
    }
}

/* Adds the time of the construct from its start to its end. */
static void add_span(struct keel_recording_thread *own, const struct keel_weighing *weighing,
                     uint64_t from, uint64_t to)
{
    uint64_t span = to > from ? to - from : 0;
    uint64_t counted = span > 0 ? keel_weighing_between(weighing, from, to) : 0;

    own->span += counted;
    own->span_squares += keel_weighing_squares(weighing, span, counted);
    own->instances += weighing->weight;
}

#define LOOKS_FIRST 16 /* consecutive instances that are sampled first */
/* Mean instances between later samples, per thread: a sample reads cache lines of all threads
 * twice. */
#define PASS_PER_THREAD 2.0

/* Threads may not have added their last waits yet: the median is robust to that. */
static uint64_t waited_by_all(const struct keel_recording_entry *entry)
{
    uint64_t waited = 0;

    for (uint32_t i = 0; i < entry->room; i++) {
        waited += __atomic_load_n(&entry->thread[i].waited, __ATOMIC_RELAXED);
    }
    return waited;
}

/* Called by thread 0 at the barrier after the loop or part. The waits of the previous instance
 * there are counted by now; those of this one are not. */
static void look_at_waits(struct keel_recorded_construct *construct,
                          const struct keel_observed_thread *thread)
{
    struct keel_recorded_look *look = &construct->look;

    if (look->pass > 0) {
        look->pass--;
        return;
    }
    uint64_t waited = waited_by_all(construct->entry);
    if (look->weight > 0) {
        keel_median_add(&construct->entry->waits,
                        (waited - look->waited) / look->threads / look->weight, look->weight);
        look->looks++;
    }
    bool again = look->weight == 0 || look->looks < LOOKS_FIRST;
    look->pass = again ? 0 : draw(&look->state, PASS_PER_THREAD * (double)thread->threads);
    look->weight = again ? weighing_of(thread)->weight : 0;
    look->threads = thread->threads;
    look->waited = waited;
}

static void arrive(struct keel_observed_thread *thread, enum keel_observed_end end,
                   const void *caller, uint64_t now)
{
    struct keel_recording_entry *region = entry_of(thread);
    bool is_loop = thread->loop.place.caller != NULL;
    const struct keel_call_site place =
        is_loop ? thread->loop.place : (struct keel_call_site){caller, NULL};

    thread->construct[KEEL_OBSERVER_RECORDER] = NULL;
    if (region == NULL) {
        return;
    }
    const struct keel_weighing *weighing = weighing_of(thread);
    struct counted counted = count(weighing, thread->loop.began, now, thread->waited);
    region->thread[thread->thread].busy += counted.busy;
    region->thread[thread->thread].waited += counted.waited;
    region->thread[thread->thread].chunks += is_loop ? weighing->weight * thread->loop.chunks : 0;
    struct keel_recorded_construct *construct = keel_team_place_construct(
        thread->own[KEEL_OBSERVER_RECORDER], is_loop ? KEEL_RECORDING_LOOP : KEEL_RECORDING_PART,
        &place, thread->threads);
    if (construct == NULL) {
        return;
    }
    construct->entry->thread[thread->thread].busy += counted.busy;
    construct->entry->thread[thread->thread].waited += counted.waited;
    if (is_loop) {
        add_loop(construct, thread);
    }
    if (thread->thread == 0 && thread->threads > 1 && end != KEEL_OBSERVED_LOOP_NOWAIT) {
        look_at_waits(construct, thread);
    }
    if (end == KEEL_OBSERVED_LOOP_NOWAIT) {
        add_span(&construct->entry->thread[thread->thread], weighing, thread->loop.began, now);
    }
    thread->construct[KEEL_OBSERVER_RECORDER] = construct;
}

static void leave(struct keel_observed_thread *thread, enum keel_observed_end end,
                  const void *caller, uint64_t now)
{
    struct keel_recording_entry *region = entry_of(thread);
    struct keel_recorded_construct *construct = thread->construct[KEEL_OBSERVER_RECORDER];

    (void)end;
    (void)caller;
    if (region == NULL) {
        return;
    }
    const struct keel_weighing *weighing = weighing_of(thread);
    uint64_t waited = now > thread->since ? keel_weighing_between(weighing, thread->since, now) : 0;
    region->thread[thread->thread].waited += waited;
    if (construct != NULL) {
        struct keel_recording_thread *own = &construct->entry->thread[thread->thread];
        own->waited += waited;
        add_span(own, weighing, thread->loop.began, now);
    }
    thread->construct[KEEL_OBSERVER_RECORDER] = NULL;
    if (thread->thread == 0) {
        note_time(now);
    }
}

static void unload(void)
{
    if (!stopped) {
        keel_recording_find_names(true);
    }
}

const struct keel_observer keel_recorder = {
    .wanted = wanted,
    .skips = true,
    .fork = begin_region,
    .join = end_region,
    .begin = begin_thread,
    .end = end_thread,
    .loop = begin_loop,
    .arrive = arrive,
    .leave = leave,
    .unload = unload,
};
