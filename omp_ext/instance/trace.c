/* KEEL_TRACE. */
#include "omp_ext/instance/trace.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/replaced_file.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/trace_file.h"

/* Written by the thread that has got its place; `complete` last. */
struct entry {
    struct keel_site *site;
    uint64_t instance, first, last;
    double time_ns;
    uint32_t thread;
    atomic_bool complete;
};

struct keel_trace_worker {
    struct keel_site *site; /* NULL: there are too many */
    uint64_t instance, first, last, start_ticks;
    uint32_t thread;
    int mode;
    bool running; /* a chunk does */
};

/* Written once, by open_trace(), but for what is atomic. */
static struct {
    struct entry *entries; /* KEEL_TRACE_CHUNKS_MAX; NULL: nothing is traced */
    char file[PATH_MAX];   /* its name */
    int descriptor;
    struct stat opened; /* what it was: the program may close it, and open something else */
    bool own;           /* a regular file that the process does not write to anyway */
    _Atomic uint64_t entries_used;
    _Atomic uint64_t instances;
    _Atomic uint64_t piece_at; /* ticks: when what is complete by then is written next */
    uint64_t written;          /* entries; guarded by keel_slow_lock */
    bool pieces;               /* some are in the file; by who writes one */
} trace;

static pid_t process; /* that loaded the library; 0: not yet */

/* --- the file and the memory --- */

void keel_trace_begin(void)
{
    process = getpid();
}

static void report(const char *file, const char *problem, int error, const char *instead)
{
    keel_message("KEEL_TRACE: '%.200s' %s: %s; %s", file, problem, keel_trace_file_reason(error),
                 instead);
}

static bool is_own(const char *path)
{
    struct stat status;

    return !keel_trace_file_is_shared(path) &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

/* A program that is killed leaves what is older than a second. */
static uint64_t next_piece(void)
{
    return keel_clock_ticks() + (uint64_t)(1e9 / keel_clock_ns_per_tick());
}

/* At once: who asks for a trace that cannot be written learns that at the start. */
static bool open_file(void)
{
    if (!keel_trace_file_name(keel_settings()->trace_file, trace.file)) {
        report(keel_settings()->trace_file, "cannot be written", ENAMETOOLONG, "nothing is traced");
        return false;
    }
    trace.own = is_own(trace.file);
    trace.descriptor =
        trace.own ? keel_trace_file_open_kept(trace.file) : keel_trace_file_open(trace.file);
    if (trace.descriptor < 0 || fstat(trace.descriptor, &trace.opened) != 0) {
        report(trace.file, "cannot be written", errno, "nothing is traced");
    }
    return trace.descriptor >= 0;
}

static bool is_still_open(void)
{
    struct stat status;

    return fstat(trace.descriptor, &status) == 0 && status.st_dev == trace.opened.st_dev &&
           status.st_ino == trace.opened.st_ino;
}

/* Another process has put its own trace in place, or somebody has removed the file. */
static bool is_replaced(void)
{
    struct stat status;

    return trace.own && fstat(trace.descriptor, &status) == 0 && status.st_nlink == 0;
}

/* The present name of a file that a new one may take the place of: it has no other name, and no
 * other owner. False: there is none; the file itself is written to. The program may have changed
 * its folder. */
static bool find_place(char path[PATH_MAX])
{
    char link[64];
    struct stat status;

    snprintf(link, sizeof link, "/proc/self/fd/%d", trace.descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
    return trace.own && trace.opened.st_uid == geteuid() && lstat(path, &status) == 0 &&
           status.st_dev == trace.opened.st_dev && status.st_ino == trace.opened.st_ino &&
           status.st_nlink == 1;
}

/* What the program has written by stdio comes before the trace where both go to one file. */
static void flush_output(void)
{
    struct stat output;

    if (fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == trace.opened.st_dev &&
        output.st_ino == trace.opened.st_ino) {
        fflush(stdout);
    }
}

static void open_trace(void)
{
    const size_t bytes = KEEL_TRACE_CHUNKS_MAX * sizeof(struct entry);
    int kept_errno = errno;

    if ((process == 0 || process == getpid()) && open_file()) {
        process = getpid();
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            report(trace.file, "has no memory", errno, "nothing is traced");
        } else {
            trace.entries = memory;
            atomic_store(&trace.piece_at, next_piece());
        }
    }
    errno = kept_errno;
}

/* --- taking part --- */

/* All threads of an instance get the number that the first one has given it. */
static uint64_t agree(_Atomic uint64_t *number)
{
    uint64_t agreed = atomic_load(number);

    if (agreed == 0) {
        uint64_t next = atomic_fetch_add(&trace.instances, 1) + 1;
        agreed = atomic_compare_exchange_strong(number, &agreed, next) ? next : agreed;
    }
    return agreed;
}

struct keel_trace_worker *keel_trace_join(_Atomic uint64_t *number,
                                          const struct keel_call_site *place, uint32_t thread)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, open_trace);
    if (trace.entries == NULL) {
        return NULL;
    }
    struct keel_trace_worker *worker = malloc(sizeof *worker);
    if (worker != NULL) {
        *worker = (struct keel_trace_worker){
            .site = keel_site_to_name(place), .instance = agree(number), .thread = thread};
    }
    return worker;
}

int keel_trace_mode(const struct keel_trace_worker *worker)
{
    return worker->mode;
}

void keel_trace_set_mode(struct keel_trace_worker *worker, int mode)
{
    worker->mode = mode;
}

void keel_trace_leave(struct keel_trace_worker *worker)
{
    free(worker);
}

/* --- chunks --- */

void keel_trace_chunk(struct keel_trace_worker *worker, uint64_t first, uint64_t last)
{
    worker->first = first;
    worker->last = last;
    worker->running = true;
    worker->start_ticks = keel_clock_ticks();
}

/* The counter goes on beyond the room: 2^64 are never reached. */
static void add_entry(const struct keel_trace_worker *worker, double time_ns)
{
    uint64_t number = atomic_fetch_add_explicit(&trace.entries_used, 1, memory_order_relaxed);

    if (number >= KEEL_TRACE_CHUNKS_MAX) {
        if (number == KEEL_TRACE_CHUNKS_MAX) {
            keel_message("KEEL_TRACE: %u chunks have been traced, expected no more; those that "
                         "come now are left out",
                         (unsigned)KEEL_TRACE_CHUNKS_MAX);
        }
        return;
    }
    struct entry *entry = &trace.entries[number];
    entry->site = worker->site;
    entry->instance = worker->instance;
    entry->first = worker->first;
    entry->last = worker->last;
    entry->time_ns = time_ns;
    entry->thread = worker->thread;
    /* release: pairs with the acquire in write_entries() */
    atomic_store_explicit(&entry->complete, true, memory_order_release);
}

/* --- writing --- */

/* After the library has gone it would be too late: debug information is found by what is loaded. */
void keel_trace_find_names(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (settings != NULL && settings->trace_file != NULL && keel_site_source_ready()) {
        keel_slow_lock();
        keel_site_find_names();
        keel_slow_unlock();
    }
}

/* A comma would end the field. */
static void write_name(struct keel_site *site, FILE *stream)
{
    for (const char *c = site != NULL ? keel_site_name_of(site) : "a loop"; *c != '\0'; c++) {
        putc(*c == ',' ? ';' : *c, stream);
    }
}

/* Those from `first` on, up to one that is not complete where it is only a piece. Returns where it
 * has stopped. No fractions: stacks may be small. */
static uint64_t write_entries(FILE *stream, uint64_t first, bool piece)
{
    uint64_t count = atomic_load(&trace.entries_used), i;

    for (i = first; i < count && i < KEEL_TRACE_CHUNKS_MAX && !ferror(stream); i++) {
        const struct entry *entry = &trace.entries[i];
        /* acquire: pairs with the release in add_entry(); threads may still run at exit */
        if (atomic_load_explicit(&entry->complete, memory_order_acquire)) {
            write_name(entry->site, stream);
            fprintf(stream, ",%llu,%u,%llu,%llu,%llu\n", (unsigned long long)entry->instance,
                    (unsigned)entry->thread, (unsigned long long)entry->first,
                    (unsigned long long)entry->last, (unsigned long long)(entry->time_ns + 0.5));
        } else if (piece) {
            break;
        }
    }
    return i;
}

/* 0 or an errno. */
static int write_to(int descriptor, bool piece)
{
    struct keel_trace_file file = {.descriptor = descriptor};
    FILE *stream = keel_trace_file_stream(&file);

    if (stream == NULL) {
        return errno;
    }
    keel_slow_lock();
    if (!piece || !trace.pieces) {
        fprintf(stream, "loop,instance,thread,first,last,time_ns\n");
    }
    uint64_t written = write_entries(stream, piece ? trace.written : 0, piece);
    trace.written = piece ? written : trace.written;
    keel_slow_unlock();
    return fclose(stream) != 0 && file.error == 0 ? EIO : file.error;
}

/* Into the file itself, which is replaced as a whole at the end. A full disk ends that: the message
 * comes at the end. */
static void write_piece(void)
{
    if (process != getpid() || !is_still_open() || is_replaced()) {
        return;
    }
    keel_site_source_ready();
    if ((!trace.pieces && ftruncate(trace.descriptor, 0) != 0) ||
        write_to(trace.descriptor, true) != 0) {
        atomic_store(&trace.piece_at, UINT64_MAX);
    }
    trace.pieces = true;
}

/* Thread 0 writes pieces: others may be waited for by one that loads a library, as finding names
 * may, too. */
void keel_trace_chunk_over(struct keel_trace_worker *worker)
{
    uint64_t now = keel_clock_ticks();

    if (!worker->running) {
        return;
    }
    worker->running = false;
    add_entry(worker, keel_clock_span_ns(worker->start_ticks, now));
    uint64_t due = atomic_load_explicit(&trace.piece_at, memory_order_relaxed);
    if (trace.own && worker->thread == 0 && now >= due &&
        atomic_compare_exchange_strong(&trace.piece_at, &due, UINT64_MAX - 1)) {
        write_piece();
        due = UINT64_MAX - 1;
        atomic_compare_exchange_strong(&trace.piece_at, &due, next_piece());
    }
}

/* 0 or an errno, and then what there is. Where no file can be made beside it, it is written to in
 * place. */
static int write_trace(const char **instead)
{
    char path[PATH_MAX], *name;
    int file = find_place(path) ? keel_replaced_file_begin(path, &name) : -1;

    if (file >= 0) {
        *instead = "the file stays as it was";
        return keel_replaced_file_end(file, name, path, write_to(file, false));
    }
    *instead = "the trace is not complete";
    if (trace.own &&
        (ftruncate(trace.descriptor, 0) != 0 || lseek(trace.descriptor, 0, SEEK_SET) != 0)) {
        return errno;
    }
    return write_to(trace.descriptor, false);
}

void keel_trace_write(bool quickly)
{
    if (trace.entries == NULL || process != getpid()) {
        return;
    }
    if (!is_still_open()) {
        keel_message("KEEL_TRACE: '%.200s' has been closed by the program; there is no trace",
                     trace.file);
        return;
    }
    if (is_replaced()) {
        keel_message("KEEL_TRACE: '%.200s' has been replaced or removed meanwhile; there is no "
                     "trace (%%p in the name stands for the process)",
                     trace.file);
        return;
    }
    keel_site_source_ready();
    if (!quickly) {
        flush_output();
    }
    const char *instead;
    int error = write_trace(&instead);
    if (error != 0) {
        report(trace.file, "cannot be written", error, instead);
    }
}
