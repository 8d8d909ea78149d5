/* Writing of the trace. */
#define _GNU_SOURCE
#include "omp_ext/trace/trace_writer.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/safe_file.h"
#include "omp_ext/support/trace_file.h"
#include "omp_ext/support/uncancelled.h"
#include "omp_ext/trace/event_text.h"

#define ALL_AFTER_NS 1e9
#define TURN_WAIT_NS 100000 /* between two checks whether another thread writes a timeline */
#define TURN_TRIES 20000    /* 2 s */
#define HEAD_MAX 3072       /* bytes */
#define CSV_HEAD "loop,instance,thread,first,last,time_ns\n"
#define JSON_END "\n]\n"
#define END_MAX 8 /* bytes of the end of a file */

_Atomic(enum keel_trace_state) keel_trace_state;
bool keel_trace_chunks_only;

static struct {
    /* Written once, by keel_trace_writer_begin(). */
    pid_t process; /* that has loaded the library */
    uint64_t events_max;
    bool is_open;
    char path[PATH_MAX];
    char job[KEEL_LAUNCH_JOB_MAX]; /* the launcher's name of it; boot and process without one */
    char host[65];
    char boot[40]; /* equal if CLOCK_MONOTONIC is the same */
    /* Guarded by `lock`. */
    int descriptor;
    struct stat opened;     /* the file: the program may close it and open another one */
    bool is_own;            /* a regular file of the trace, which can be overwritten */
    off_t end;              /* offset after the last piece */
    int64_t head_offset_ns; /* of the clock in the file's last head */
    /* Set by keel_trace_writer_place(). */
    _Atomic int rank, ranks;   /* 0 of 1 without a launcher */
    atomic_bool is_named;      /* the file contains the process's name */
    _Atomic int64_t offset_ns; /* to rank 0's clock */
    atomic_bool is_set;        /* offset_ns has been set */
    /* Written by all threads. */
    _Atomic uint64_t chunks; /* so far */
    _Atomic uint64_t events; /* that have room in the file */
    _Atomic uint64_t left_out;
    _Atomic uint64_t all_written_at; /* ticks */
} trace;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of file and tick times */

void keel_trace_writer_loaded(void)
{
    trace.process = getpid();
}

/* --- messages --- */

/* Prints one message; nothing is traced after that. */
static void fail(int error, const char *instead)
{
    enum keel_trace_state before = atomic_exchange(&keel_trace_state, KEEL_TRACE_OFF);

    if (before == KEEL_TRACE_OFF) {
        return;
    }
    if (error == EBADF && trace.is_open) {
        keel_message("KEEL_TRACE: '%.200s' has been closed by the program; %s", trace.path,
                     instead);
    } else if (error == ESTALE) {
        keel_message("KEEL_TRACE: '%.200s' has become another program's; %s", trace.path, instead);
    } else {
        keel_message("KEEL_TRACE: '%.200s' cannot be written: %s; %s", trace.path,
                     keel_trace_file_reason(error), instead);
    }
}

/* --- clock and rank --- */

static void note_rank(int rank, int ranks)
{
    bool others = atomic_exchange(&trace.rank, rank) != rank;

    others |= atomic_exchange(&trace.ranks, ranks) != ranks;
    if (others) {
        atomic_store(&trace.is_named, false);
    }
}

void keel_trace_writer_place(int rank, int ranks, int64_t offset_ns)
{
    atomic_store(&trace.is_set, true);
    atomic_store(&trace.offset_ns, offset_ns);
    if (keel_trace_writer_begin()) {
        note_rank(rank, ranks);
    }
}

/* --- the file grows by pieces ---
 *
 *   pieces -> [overwrite the end of the file] -> file
 *
 * The file is complete after each piece: the file of a killed process can be read. A pipe, or a
 * file that the program itself writes to, cannot be overwritten: its end is written last. Call with
 * `lock` held. */

static const char *file_end(void)
{
    return keel_trace_chunks_only ? "" : JSON_END;
}

/* Writes the head of the file. Returns 0 or an errno. */
static int write_first(const char *head)
{
    size_t done;

    if (!trace.is_own) {
        return keel_trace_file_write(trace.descriptor, head, strlen(head), -1, &done);
    }
    int error = keel_trace_file_write(trace.descriptor, head, strlen(head), 0, &done);
    if (error == 0) {
        trace.end = (off_t)strlen(head);
        error = keel_trace_file_write(trace.descriptor, file_end(), strlen(file_end()), trace.end,
                                      &done);
    }
    return error;
}

/* Opens the file, truncates a regular one and writes the head. Returns 0 or an errno. */
static int create_file(const char *head)
{
    trace.descriptor = keel_trace_file_open(trace.path);
    if (trace.descriptor < 0 || fstat(trace.descriptor, &trace.opened) != 0) {
        return errno;
    }
    trace.is_own = S_ISREG(trace.opened.st_mode) && !keel_trace_file_is_shared(trace.path);
    int error = write_first(head);
    if (error != 0) {
        close(trace.descriptor);
    }
    return error;
}

static bool is_still_open(void)
{
    struct stat status;

    return fstat(trace.descriptor, &status) == 0 && status.st_dev == trace.opened.st_dev &&
           status.st_ino == trace.opened.st_ino;
}

/* Restores the end of the file, also on a full disk: existing bytes can be overwritten. */
static void restore_end(void)
{
    size_t done, length = strlen(file_end());

    if (ftruncate(trace.descriptor, trace.end + (off_t)length) == 0) {
        keel_trace_file_write(trace.descriptor, file_end(), length, trace.end, &done);
    }
}

/* Appends a piece. text[length] is followed by room for END_MAX bytes, which are overwritten.
 * Returns 0 or an errno: ESTALE if another process has written to the file, EBADF if the program
 * has closed it; after other errors the file is restored if possible. */
static int append_piece(char *text, size_t length)
{
    struct stat status;
    size_t done, closing = strlen(file_end());

    if (!is_still_open()) {
        return EBADF;
    }
    if (!trace.is_own) {
        return keel_trace_file_write(trace.descriptor, text, length, -1, &done);
    }
    if (fstat(trace.descriptor, &status) != 0 || status.st_size != trace.end + (off_t)closing) {
        return ESTALE;
    }
    memcpy(text + length, file_end(), closing);
    int error = keel_trace_file_write(trace.descriptor, text, length + closing, trace.end, &done);
    if (error == 0) {
        trace.end += (off_t)length;
    } else if (done > 0) {
        restore_end();
    }
    return error;
}

/* Writes the end of the file, if that is not done yet, and closes it. */
static void close_file(void)
{
    size_t done;

    if (!is_still_open()) {
        return;
    }
    if (!trace.is_own) {
        keel_trace_file_write(trace.descriptor, file_end(), strlen(file_end()), -1, &done);
    }
    close(trace.descriptor);
}

/* --- name and head of the file --- */

/* A rank of a job has a file of its own, FILE.RANK. Pipes and devices are written to as they are.
 */
static bool find_path(void)
{
    if (!keel_trace_file_name(keel_settings()->trace.file, trace.path)) {
        return false;
    }
    size_t length = strlen(trace.path);
    int more = trace.ranks > 1 && keel_trace_file_is_plain(trace.path)
                   ? snprintf(trace.path + length, PATH_MAX - length, ".%d", trace.rank)
                   : 0;
    return length + (size_t)more < PATH_MAX;
}

/* Time of day minus CLOCK_MONOTONIC, us. Nodes roughly agree on the time of day. */
static int64_t epoch_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    int64_t real_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    return real_us - (int64_t)(keel_clock_ns() / 1000);
}

static void find_machine(void)
{
    unsigned ranks = keel_launch_ranks(keel_environment_value);
    int rank = keel_launch_rank(keel_environment_value);

    trace.rank = rank >= 0 ? rank : 0;
    trace.ranks = ranks > 0 ? (int)ranks : 1;
    gethostname(trace.host, sizeof trace.host - 1);
    if (!keel_small_file_read("/proc/sys/kernel/random/boot_id", trace.boot, sizeof trace.boot)) {
        trace.boot[0] = '\0';
    }
    keel_launch_job(keel_environment_value, trace.job);
    if (trace.job[0] == '\0') {
        snprintf(trace.job, sizeof trace.job, "%s %ld", trace.boot, (long)getpid());
    }
}

/* Writes `begin` and the first element, which is repeated before events on another clock. */
static void write_head(char head[HEAD_MAX], const char *begin, int64_t offset_ns)
{
    struct keel_json_text json = keel_json_text_in(head, HEAD_MAX - 1);
    bool common_clock = atomic_load(&trace.is_set) || trace.rank == 0;

    trace.head_offset_ns = offset_ns;
    keel_json_text_add(&json, begin, strlen(begin));
    KEEL_JSON_TEXT_ADD(&json, "{\"name\":\"keel_trace\",\"ph\":\"M\",\"pid\":0,\"tid\":0,"
                              "\"args\":{\"version\":1,\"job\":");
    keel_json_text_string(&json, trace.job, sizeof trace.job);
    KEEL_JSON_TEXT_ADD(&json, ",\"program\":");
    keel_json_text_string(&json, program_invocation_short_name, 100);
    KEEL_JSON_TEXT_ADD(&json, ",\"host\":");
    keel_json_text_string(&json, trace.host, sizeof trace.host);
    KEEL_JSON_TEXT_ADD(&json, ",\"clock\":");
    keel_json_text_string(&json, common_clock ? "rank 0" : trace.host, sizeof trace.host);
    KEEL_JSON_TEXT_ADD(&json, ",\"boot\":");
    keel_json_text_string(&json, trace.boot, sizeof trace.boot);
    KEEL_JSON_TEXT_ADD(&json, ",\"epoch_us\":");
    keel_json_text_signed(&json, epoch_us() - offset_ns / 1000);
    KEEL_JSON_TEXT_ADD(&json, "}}");
    *json.at = '\0';
}

static bool open_file(void)
{
    static char head[HEAD_MAX] = CSV_HEAD; /* used once; stacks may be small */
    int error = ENAMETOOLONG;

    if (find_path()) {
        if (!keel_trace_chunks_only) {
            write_head(head, "[\n", atomic_load(&trace.offset_ns));
        }
        error = create_file(head);
    }
    if (error != 0) {
        fail(error, "nothing is traced");
        return false;
    }
    trace.is_open = true;
    return true;
}

/* --- pieces --- */

/* Guarded by `lock`: stacks may be small. */
static char lines[HEAD_MAX + END_MAX];

/* Appends the name of the process. Call with `lock` held. */
static int append_name(const struct keel_event_place *place)
{
    struct keel_json_text json = keel_json_text_in(lines, HEAD_MAX);

    keel_event_text_add_process(&json, place, atomic_load(&trace.ranks), trace.host,
                                program_invocation_short_name);
    return append_piece(lines, keel_json_text_length(&json));
}

/* Appends a head: later events are on another clock. Call with `lock` held. */
static int append_head(const struct keel_event_place *place)
{
    write_head(lines, ",\n", place->offset_ns);
    return append_piece(lines, strlen(lines));
}

static int append_locked(struct keel_json_text *json, size_t length,
                         const struct keel_event_place *place)
{
    int error = 0;

    if (atomic_load(&keel_trace_state) == KEEL_TRACE_OFF) {
        return 0;
    }
    if (!keel_trace_chunks_only && trace.head_offset_ns != place->offset_ns) {
        error = append_head(place);
    }
    if (error == 0 && !keel_trace_chunks_only && !atomic_exchange(&trace.is_named, true)) {
        error = append_name(place);
    }
    return error != 0 ? error : append_piece(json->start, length);
}

/* Appends the text and clears it. Calls the program's message handler without the lock. */
static void append(struct keel_json_text *json, const struct keel_event_place *place)
{
    size_t length = keel_json_text_length(json);

    json->at = json->start;
    if (length > 0) {
        pthread_mutex_lock(&lock);
        int error = append_locked(json, length, place);
        pthread_mutex_unlock(&lock);
        if (error != 0) {
            fail(error, "the trace ends here");
        }
    }
}

/* Leaves events that need more than `state` out from now on. */
static void shut(enum keel_trace_state state, uint64_t most, const char *what, const char *rest)
{
    enum keel_trace_state before = atomic_load(&keel_trace_state);

    while (before > state) {
        if (atomic_compare_exchange_weak(&keel_trace_state, &before, state)) {
            keel_message("KEEL_TRACE: limit of %llu %s reached; later ones are left out%s",
                         (unsigned long long)most, what, rest);
            return;
        }
    }
}

/* Whether the file has room for another event; counts it. */
static bool takes_event(unsigned kind)
{
    uint64_t chunks_max = keel_trace_chunks_only ? trace.events_max : trace.events_max / 4 * 3;

    /* relaxed: counters that publish no other data */
    if (kind == KEEL_EVENT_CHUNK &&
        atomic_fetch_add_explicit(&trace.chunks, 1, memory_order_relaxed) >= chunks_max) {
        shut(KEEL_TRACE_NO_CHUNKS, chunks_max, "chunks",
             keel_trace_chunks_only ? "" : ", loops and waits are not");
    } else if (atomic_fetch_add_explicit(&trace.events, 1, memory_order_relaxed) >=
               trace.events_max) {
        shut(KEEL_TRACE_FULL, trace.events_max, "events", "");
    } else {
        return true;
    }
    atomic_fetch_add_explicit(&trace.left_out, 1, memory_order_relaxed);
    return false;
}

/* --- timelines --- */

static struct keel_event_place place_of(const struct keel_timeline *timeline)
{
    return (struct keel_event_place){
        .process = atomic_load(&trace.rank),
        .thread = timeline->number,
        .offset_ns = atomic_load(&trace.offset_ns),
    };
}

static void add_event(struct keel_json_text *json, const struct keel_event_place *place,
                      const struct keel_event *event)
{
    if (keel_trace_chunks_only && event->kind != KEEL_EVENT_CHUNK) {
        return;
    }
    if (takes_event(event->kind)) {
        const struct keel_event_name *name = keel_event_name_of(event->site);
        if (keel_trace_chunks_only) {
            keel_event_text_add_line(json, event, name,
                                     keel_clock_span_ns(event->began, event->ended));
        } else {
            keel_event_text_add(json, place, event, name, (const char *)(event + 1));
        }
    }
}

/* Writes places [timeline->written, used). Call while holding `busy`. */
static void write_places(struct keel_timeline *timeline, uint32_t used)
{
    struct keel_event_place place = place_of(timeline);
    struct keel_json_text json =
        keel_json_text_in(timeline->text, KEEL_TIMELINE_TEXT + KEEL_EVENT_LINE_MAX);

    if (!keel_trace_chunks_only && !timeline->is_named && timeline->written < used) {
        timeline->is_named = true;
        keel_event_text_add_thread(&json, &place);
    }
    for (uint32_t i = timeline->written; i < used; i++) {
        const struct keel_event *event = &timeline->event[i];
        bool has_text = event->kind == KEEL_EVENT_SPAN || event->kind == KEEL_EVENT_MOMENT;
        add_event(&json, &place, event);
        i += has_text ? keel_event_places(event->length) : 0;
        if (keel_json_text_length(&json) > KEEL_TIMELINE_TEXT) {
            append(&json, &place);
        }
    }
    timeline->written = used;
    append(&json, &place);
}

/* Whether the calling thread may write the timeline. Waits 2 s at most: a thread may end within. */
static bool takes_turn(struct keel_timeline *timeline)
{
    const struct timespec step = {.tv_nsec = TURN_WAIT_NS};

    for (int i = 0; i < TURN_TRIES; i++) {
        /* acquire: pairs with the release in end_turn() */
        if (!atomic_flag_test_and_set_explicit(&timeline->busy, memory_order_acquire)) {
            return true;
        }
        nanosleep(&step, NULL);
    }
    return false;
}

static void end_turn(struct keel_timeline *timeline)
{
    atomic_flag_clear_explicit(&timeline->busy, memory_order_release);
}

/* State of the calling thread that must not change for the program. */
struct aside {
    int error, cancel_state;
};

static struct aside step_aside(void)
{
    struct aside aside = {.error = errno, .cancel_state = keel_uncancelled_begin()};

    pthread_mutex_lock(&lock);
    keel_tick_time_refine();
    pthread_mutex_unlock(&lock);
    keel_site_source_ready();
    return aside;
}

static void step_back(const struct aside *aside)
{
    keel_uncancelled_end(aside->cancel_state);
    errno = aside->error;
}

/* False in a child of fork(): its timelines are copies that the parent writes itself. */
static bool check_process(void)
{
    if (trace.process == getpid()) {
        return true;
    }
    atomic_store(&keel_trace_state, KEEL_TRACE_OFF);
    return false;
}

static void empty(struct keel_timeline *timeline)
{
    timeline->written = 0;
    atomic_store_explicit(&timeline->used, 0, memory_order_relaxed);
}

static void write_own(struct keel_timeline *timeline)
{
    if (!check_process()) {
        empty(timeline);
        return;
    }
    struct aside aside = step_aside();
    if (takes_turn(timeline)) {
        write_places(timeline, atomic_load_explicit(&timeline->used, memory_order_relaxed));
        empty(timeline);
        end_turn(timeline);
    }
    step_back(&aside);
    timeline->written_at = keel_clock_ticks();
}

/* The time that the program's threads spend on the trace is an event, too. */
void keel_trace_writer_write_own(struct keel_timeline *timeline)
{
    struct keel_event writing = {.kind = KEEL_EVENT_WRITING, .began = keel_clock_ticks()};

    write_own(timeline);
    writing.ended = timeline->written_at;
    keel_timeline_add(timeline, &writing, NULL);
}

/* The thread ends. A later one may get its timeline. */
static void leave(struct keel_timeline *timeline)
{
    struct keel_event wait;

    if (keel_region_wait_take(&timeline->wait, keel_clock_ticks(), &wait)) {
        keel_timeline_add(timeline, &wait, NULL);
    }
    write_own(timeline);
}

static void write_wait(struct keel_timeline *timeline)
{
    struct keel_event_place place = place_of(timeline);
    struct keel_json_text json =
        keel_json_text_in(timeline->text, KEEL_TIMELINE_TEXT + KEEL_EVENT_LINE_MAX);
    struct keel_event event;

    if (timeline->is_named && keel_region_wait_take(&timeline->wait, 0, &event) &&
        takes_event(event.kind)) {
        keel_event_text_add(&json, &place, &event, keel_event_name_of(event.site), NULL);
        append(&json, &place);
    }
}

static void write_line(struct keel_timeline *timeline)
{
    if (takes_turn(timeline)) {
        /* acquire: pairs with the release in keel_timeline_add() */
        uint32_t used = atomic_load_explicit(&timeline->used, memory_order_acquire);
        if (used > timeline->written) {
            write_places(timeline, used);
        }
        write_wait(timeline);
        end_turn(timeline);
    }
}

void keel_trace_writer_write_all(void)
{
    struct keel_timeline *timeline;

    if (atomic_load(&keel_trace_state) == KEEL_TRACE_OFF || !check_process()) {
        return;
    }
    struct aside aside = step_aside();
    for (uint32_t i = 0; i < KEEL_TIMELINES_MAX; i++) {
        if ((timeline = keel_timeline_of(i)) != NULL) {
            write_line(timeline);
        }
    }
    step_back(&aside);
}

void keel_trace_writer_tick(uint64_t now)
{
    /* relaxed: publishes no other data */
    uint64_t before = atomic_load_explicit(&trace.all_written_at, memory_order_relaxed);

    if (__builtin_expect(keel_clock_span_ns(before, now) > ALL_AFTER_NS, 0) &&
        atomic_compare_exchange_strong(&trace.all_written_at, &before, now)) {
        keel_trace_writer_write_all();
    }
}

/* --- the beginning --- */

static void begin(void)
{
    const struct keel_settings *settings = keel_settings();

    if (settings->trace.file == NULL || (trace.process != 0 && trace.process != getpid())) {
        return;
    }
    trace.process = getpid();
    keel_trace_chunks_only = settings->trace.chunks_only;
    find_machine();
    trace.events_max = settings->trace.events / (uint64_t)trace.ranks;
    trace.events_max = trace.events_max > 0 ? trace.events_max : 1;
    atomic_store(&keel_trace_state, KEEL_TRACE_ON);
    if (open_file()) {
        keel_tick_time_refine();
        atomic_store(&trace.all_written_at, keel_clock_ticks());
        keel_timeline_begin(keel_trace_chunks_only ? KEEL_TIMELINE_CHUNKS : KEEL_TIMELINE_EVENTS,
                            leave);
    }
}

bool keel_trace_writer_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    pthread_once(&once, begin);
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
    return keel_trace_writer_is_on();
}

/* --- the end --- */

/* The number of events left out here, and dropped by threads whose timelines were full. */
static uint64_t count_left_out(void)
{
    uint64_t count = atomic_load(&trace.left_out);
    struct keel_timeline *timeline;

    for (uint32_t i = 0; i < KEEL_TIMELINES_MAX; i++) {
        if ((timeline = keel_timeline_of(i)) != NULL) {
            count += atomic_load_explicit(&timeline->dropped, memory_order_relaxed);
        }
    }
    return count;
}

static void append_left_out(uint64_t count)
{
    char memory[512];
    struct keel_json_text json = keel_json_text_in(memory, sizeof memory - 8);
    struct keel_event_place place = {.process = atomic_load(&trace.rank),
                                     .offset_ns = atomic_load(&trace.offset_ns)};

    keel_event_text_add_left_out(&json, &place, keel_clock_ticks(), count);
    append(&json, &place);
}

void keel_trace_writer_end(bool quickly)
{
    if (atomic_load(&keel_trace_state) == KEEL_TRACE_OFF || !check_process()) {
        return;
    }
    if (!quickly && !trace.is_own) {
        fflush(stdout); /* the program's output comes before the trace's end */
    }
    keel_trace_writer_write_all();
    uint64_t left_out = count_left_out();
    if (left_out > 0 && !keel_trace_chunks_only) {
        append_left_out(left_out);
    }
    pthread_mutex_lock(&lock);
    if (atomic_exchange(&keel_trace_state, KEEL_TRACE_OFF) != KEEL_TRACE_OFF) {
        close_file();
    }
    pthread_mutex_unlock(&lock);
}
