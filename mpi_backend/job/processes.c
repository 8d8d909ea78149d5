/* Which rank runs on which host, the processes of other ranks, and interruptions of this one. */
#define _GNU_SOURCE
#include "mpi_backend/job/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/objects/gift.h"
#include "schedules/objects/pace.h"

/* --- hosts --- */

typedef const char host_name[KEEL_MPI_HOST_MAX];

/* Names lie behind the numbers, each with its end. */
struct keel_mpi_hosts {
    host_name **order; /* room for a name of each rank, until they are recorded */
    uint32_t ranks;
    uint32_t number[]; /* of each rank: where its name begins */
};

static size_t size_of(uint32_t ranks, size_t text)
{
    return sizeof(struct keel_mpi_hosts) + ranks * sizeof(uint32_t) + text;
}

static char *text_of(const struct keel_mpi_hosts *hosts)
{
    return (char *)(hosts->number + hosts->ranks);
}

struct keel_mpi_hosts *keel_mpi_hosts_room(uint32_t ranks)
{
    struct keel_mpi_hosts *hosts = calloc(1, size_of(ranks, (size_t)ranks * KEEL_MPI_HOST_MAX));
    host_name **order = malloc(ranks * sizeof *order);

    if (hosts == NULL || order == NULL) {
        free(hosts);
        free(order);
        return NULL;
    }
    hosts->ranks = ranks;
    hosts->order = order;
    return hosts;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(**(host_name *const *)a, **(host_name *const *)b);
}

struct keel_mpi_hosts *keel_mpi_hosts_note(struct keel_mpi_hosts *hosts, host_name *name)
{
    host_name **order = hosts->order;
    char *text = text_of(hosts), *last = NULL;
    size_t used = 0;

    for (uint32_t i = 0; i < hosts->ranks; i++) {
        order[i] = &name[i];
    }
    qsort(order, hosts->ranks, sizeof *order, compare_names);
    for (uint32_t i = 0; i < hosts->ranks; i++) {
        if (last == NULL || strcmp(last, *order[i]) != 0) {
            last = strcpy(text + used, *order[i]);
            used += strlen(last) + 1;
        }
        hosts->number[order[i] - name] = (uint32_t)(last - text);
    }
    free(order);
    hosts->order = NULL;
    struct keel_mpi_hosts *smaller = realloc(hosts, size_of(hosts->ranks, used));
    return smaller != NULL ? smaller : hosts;
}

void keel_mpi_hosts_free(struct keel_mpi_hosts *hosts)
{
    if (hosts != NULL) {
        free(hosts->order);
        free(hosts);
    }
}

const char *keel_mpi_hosts_name(const struct keel_mpi_hosts *hosts, uint32_t rank)
{
    const char *name = hosts != NULL ? text_of(hosts) + hosts->number[rank] : "";

    return *name != '\0' ? name : "host not known";
}

void keel_mpi_hosts_add_to(const struct keel_mpi_hosts *hosts, uint32_t rank, char *text,
                           size_t size)
{
    size_t length = strlen(text);

    snprintf(text + length, size - length, "%srank %u (%s)", length > 0 ? ", " : "", rank,
             keel_mpi_hosts_name(hosts, rank));
}

uint32_t keel_mpi_hosts_number(const struct keel_mpi_hosts *hosts, uint32_t rank)
{
    return hosts != NULL ? hosts->number[rank] : 0;
}

/* --- processes ---
 *
 * The processes of other ranks, and of this one. */

/* Reads what is there of a small file. False: nothing. */
static bool read_file(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, size - 1) : -1;

    if (file >= 0) {
        close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* proc(5): `PID (NAME) STATE ...`, the 20th is the number of threads, the 22nd when it began. */
static bool read_stat(const char *path, char *state, long *threads, uint64_t *started)
{
    char text[1024];
    unsigned long long began;

    if (!read_file(path, text, sizeof text)) {
        return false;
    }
    const char *end = strrchr(text, ')'); /* a name may have any character */
    if (end == NULL || sscanf(end + 1,
                              " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                              "%ld %*s %llu",
                              state, threads, &began) != 3) {
        return false;
    }
    *started = began;
    return true;
}

static bool digest_name_space(const char *path, uint64_t *sum)
{
    char name[64];
    ssize_t length = readlink(path, name, sizeof name - 1);

    name[length > 0 ? length : 0] = '\0';
    *sum = keel_digest_text(*sum, name);
    return length > 0;
}

/* Processes are numbered, and their beginnings counted, alike where all of this is the same. */
static uint64_t own_numbering(void)
{
    uint64_t sum = KEEL_DIGEST_START;
    char boot[64];

    if (!read_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
        !digest_name_space("/proc/self/ns/pid", &sum)) {
        return 0;
    }
    digest_name_space("/proc/self/ns/time", &sum); /* since Linux 5.6 */
    sum = keel_digest_text(sum, boot);
    return sum != 0 ? sum : 1;
}

/* What a process does, as far as others can see. STOPPED: by SIGSTOP or a terminal; one that a
 * debugger holds counts as running, as somebody looks at it. ENDED: also one whose parent has not
 * asked for its exit status yet. */
enum state { UNKNOWN, RUNS, STOPPED, ENDED };

/* Whether `own` can look at that process. */
static bool is_near(const struct keel_mpi_process *own, const struct keel_mpi_process *other)
{
    return own->numbering != 0 && other->numbering == own->numbering;
}

/* The state of `other`, looked at by `own`. Takes some 20 us. Any thread. */
static enum state look_at(const struct keel_mpi_process *own, const struct keel_mpi_process *other)
{
    char path[64], letter;
    long threads;
    uint64_t started;

    if (!is_near(own, other) || other->pid <= 0) {
        return UNKNOWN;
    }
    if (kill((pid_t)other->pid, 0) != 0 && errno == ESRCH) {
        return ENDED;
    }
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)other->pid);
    if (!read_stat(path, &letter, &threads, &started)) {
        return UNKNOWN; /* it has ended just now, or may not be looked at */
    }
    /* a first thread that has ended alone is a zombie, too */
    if (started != other->started || letter == 'X' || (letter == 'Z' && threads <= 1)) {
        return ENDED;
    }
    return letter == 'T' ? STOPPED : RUNS;
}

struct keel_mpi_process keel_mpi_process_own(void)
{
    struct keel_mpi_process own = {.pid = getpid()}, none = {0};
    enum state state;
    char letter;
    long threads;

    if (!read_stat("/proc/self/stat", &letter, &threads, &own.started)) {
        return none;
    }
    own.numbering = own_numbering();
    state = look_at(&own, &own); /* not so where /proc is another name space's */
    return state == RUNS ? own : none;
}

/* --- of the other ranks --- */

void keel_mpi_processes_open(struct keel_mpi_processes *processes, uint32_t own,
                             const struct keel_mpi_process *all, uint32_t count)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < count; i++) {
        seen += i != own && is_near(&all[own], &all[i]);
    }
    *processes = (struct keel_mpi_processes){
        .own = all[own], .other = seen > 0 ? malloc(seen * sizeof *processes->other) : NULL};
    for (uint32_t i = 0; processes->other != NULL && i < count; i++) {
        if (i != own && is_near(&all[own], &all[i])) {
            processes->other[processes->count++] =
                (struct keel_mpi_rank_process){.process = all[i], .rank = i};
        }
    }
}

void keel_mpi_processes_close(struct keel_mpi_processes *processes)
{
    free(processes->other);
}

static int32_t next_look(int32_t before, enum state state)
{
    switch (state) {
    case STOPPED:
        return before > 0 ? before + 1 : 1;
    case ENDED:
        return before < 0 ? before - 1 : -1;
    default:
        return 0;
    }
}

void keel_mpi_processes_look(struct keel_mpi_processes *processes, bool first)
{
    const struct keel_mpi_process *own = &processes->own;
    /* not so in a process that was restored from a checkpoint: others were, too */
    bool known = look_at(own, own) == RUNS;

    for (uint32_t i = 0; i < processes->count; i++) {
        struct keel_mpi_rank_process *other = &processes->other[i];
        int32_t before = first || !known ? 0 : other->looks;
        other->looks = known ? next_look(before, look_at(own, &other->process)) : 0;
    }
}

uint32_t keel_mpi_process_stopped(const struct keel_mpi_rank_process *other)
{
    return other->looks > 0 ? (uint32_t)other->looks : 0;
}

uint32_t keel_mpi_processes_long_stopped(const struct keel_mpi_processes *processes, double looks)
{
    for (uint32_t i = 0; i < processes->count; i++) {
        uint32_t stopped = keel_mpi_process_stopped(&processes->other[i]);
        if (stopped > 0 && stopped >= looks) {
            return processes->other[i].rank;
        }
    }
    return KEEL_MPI_NO_RANK;
}

/* --- those that have ended, or have been stopped for long --- */

bool keel_mpi_say_lost(const struct keel_mpi_processes *processes, uint32_t own, const char *where,
                       const struct keel_mpi_hosts *hosts)
{
    uint32_t i = 0;

    while (i < processes->count && processes->other[i].looks > -2) {
        i++;
    }
    if (i == processes->count) {
        return false;
    }
    const struct keel_mpi_rank_process *other = &processes->other[i];
    keel_message("rank %u (%s) waits %s for rank %u (%s, process %lld), which has ended; nothing "
                 "is shared among these ranks any more",
                 own, keel_mpi_hosts_name(hosts, own), where, other->rank,
                 keel_mpi_hosts_name(hosts, other->rank), (long long)other->process.pid);
    return true;
}

/* Whether this rank has done so: another one may have before. */
static bool end_process(const struct keel_mpi_processes *processes,
                        const struct keel_mpi_process *other)
{
    return look_at(&processes->own, other) == STOPPED && kill((pid_t)other->pid, SIGKILL) == 0;
}

void keel_mpi_end_stopped(const struct keel_mpi_processes *processes, uint32_t own,
                          const struct keel_mpi_hosts *hosts, double looks, double apart_s)
{
    if (keel_mpi_settings()->on_late != KEEL_RANKS_ON_LATE_END) {
        return;
    }
    for (uint32_t i = 0; i < processes->count; i++) {
        const struct keel_mpi_rank_process *other = &processes->other[i];
        uint32_t stopped = keel_mpi_process_stopped(other);
        if (stopped > 0 && stopped >= looks && end_process(processes, &other->process)) {
            keel_message("rank %u (%s, process %lld) has been stopped by a signal for %.1f s; rank "
                         "%u ends it (KEEL_MPI_ON_LATE=end)",
                         other->rank, keel_mpi_hosts_name(hosts, other->rank),
                         (long long)other->process.pid, stopped * apart_s, own);
        }
    }
}

/* --- giving way --- */

#ifdef KEEL_SIMULATED /* each look takes long to simulate, and no other program computes there */
#define PATIENCE 0
#else
#define PATIENCE 1
#endif

/* How long this process was away when it last gave way, s. */
static _Atomic double away_s;

struct keel_mpi_give_way keel_mpi_give_way_begin(double time_s)
{
    /* relaxed: a hint */
    double last_s = atomic_load_explicit(&away_s, memory_order_relaxed);

    return (struct keel_mpi_give_way){time_s + PATIENCE * keel_presence_patience_s(last_s)};
}

void keel_mpi_give_way_note(struct keel_mpi_give_way *way, double began_s, double time_s)
{
    /* relaxed: as above */
    atomic_store_explicit(&away_s, time_s - began_s, memory_order_relaxed);
    *way = keel_mpi_give_way_begin(time_s);
}

/* --- interruptions --- */

/* Counts of the calling thread. */
struct mark {
    double at_s; /* by the clock; 0: there is none */
    double processor_s;
    uint64_t taken, given_up;
};

#ifdef KEEL_SIMULATED /* its clock is not the system's */
void keel_mpi_interruptions_mark(double now_s)
{
    (void)now_s;
}

double keel_mpi_interruptions_of(double took_s, double now_s)
{
    (void)took_s;
    (void)now_s;
    return 0;
}
#else
static _Thread_local struct mark mark;

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static struct mark look(double now_s)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0) {
        return (struct mark){0};
    }
    return (struct mark){now_s, seconds(usage.ru_utime) + seconds(usage.ru_stime),
                         (uint64_t)usage.ru_nivcsw, (uint64_t)usage.ru_nvcsw};
}

#define MARKS_APART_S 100e-6 /* time before a mark can't be separated from the object's */
#define SHORTEST_S 500e-6    /* of an object that has been interrupted for long enough to matter */

void keel_mpi_interruptions_mark(double now_s)
{
    if (now_s - mark.at_s >= MARKS_APART_S) {
        mark = look(now_s);
    }
}

double keel_mpi_interruptions_of(double took_s, double now_s)
{
    struct mark before = mark;

    if (took_s < SHORTEST_S || before.at_s <= 0) {
        return 0;
    }
    mark = look(now_s);
    const struct keel_interruption_case counts = {
        .took_s = took_s,
        .passed_s = now_s - before.at_s,
        .processor_s = mark.processor_s - before.processor_s,
        .taken = mark.taken - before.taken,
        .given_up = mark.given_up - before.given_up,
    };
    return mark.at_s > 0 ? keel_interruption_s(&counts) : 0;
}
#endif

/* --- watching ---
 *
 * The processes of other ranks, while this one is in a call of MPI that can't be given up. */

#define APART_S 1     /* from look to look */
#define ENDED_LOOKS 3 /* it may have come before it ended, so that all is well */

#ifdef KEEL_SIMULATED
void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what)
{
    (void)processes, (void)rank, (void)hosts, (void)without, (void)what;
    watch->looks.runs = false;
}

void keel_mpi_watch_end(struct keel_mpi_watch *watch)
{
    (void)watch;
}
#else

/* Where a rank has ended, others may go on without this one, too. One that is stopped does not end
 * with it: all of them do, as where a program gets KEEL_MPI_LATE. */
static void end_this_process(const struct keel_mpi_watch *watch, uint32_t rank, int code)
{
    keel_message("rank %u (%s) ends, as rank %u (%s) has %s while %s, which MPI can't give up",
                 watch->rank, keel_mpi_hosts_name(watch->hosts, watch->rank), rank,
                 keel_mpi_hosts_name(watch->hosts, rank),
                 code == KEEL_MPI_LATE ? "been stopped by a signal" : "ended", watch->what);
    if (code == KEEL_MPI_LATE) {
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    _exit(code);
}

/* The first rank that is waited for and had ended at so many looks; KEEL_MPI_NO_RANK: none. */
static uint32_t ended_rank(const struct keel_mpi_watch *watch)
{
    const struct keel_mpi_processes *processes = watch->processes;

    for (uint32_t i = 0; i < processes->count; i++) {
        const struct keel_mpi_rank_process *other = &processes->other[i];
        if ((watch->without == NULL || watch->without[other->rank] != 1) &&
            other->looks <= -ENDED_LOOKS) {
            return other->rank;
        }
    }
    return KEEL_MPI_NO_RANK;
}

/* Says once that this rank waits for others whose processes it can't look at, as they are on other
 * machines. */
static void check_deadline(const struct keel_mpi_watch *watch, double deadline_looks, bool ends)
{
    if (watch->looked < deadline_looks || watch->looked - 1 >= deadline_looks) {
        return;
    }
    keel_message("rank %u (%s) has waited %.1f s while %s, which MPI can't give up "
                 "(KEEL_MPI_DEADLINE)%s",
                 watch->rank, keel_mpi_hosts_name(watch->hosts, watch->rank),
                 watch->looked * (double)APART_S, watch->what, ends ? "; the job ends" : "");
    if (ends) {
        MPI_Abort(MPI_COMM_WORLD, KEEL_MPI_LATE);
    }
}

static double watch_look(void *context)
{
    struct keel_mpi_watch *watch = context;
    enum keel_ranks_on_late on_late = keel_mpi_settings()->on_late;
    double deadline_looks = keel_mpi_settings()->deadline_s / APART_S;

    keel_mpi_processes_look(watch->processes, watch->looked == 0);
    watch->looked++;
    uint32_t rank = ended_rank(watch);
    if (rank != KEEL_MPI_NO_RANK) {
        end_this_process(watch, rank, KEEL_MPI_RANKS_LOST);
    }
    rank = keel_mpi_processes_long_stopped(watch->processes, deadline_looks);
    if (rank != KEEL_MPI_NO_RANK &&
        (on_late == KEEL_RANKS_ON_LATE_AUTO || on_late == KEEL_RANKS_ON_LATE_FAIL)) {
        end_this_process(watch, rank, KEEL_MPI_LATE);
    }
    keel_mpi_end_stopped(watch->processes, watch->rank, watch->hosts, deadline_looks, APART_S);
    check_deadline(watch, deadline_looks, on_late == KEEL_RANKS_ON_LATE_FAIL);
    return APART_S;
}

void keel_mpi_watch_begin(struct keel_mpi_watch *watch, struct keel_mpi_processes *processes,
                          uint32_t rank, const struct keel_mpi_hosts *hosts,
                          const unsigned char *without, const char *what)
{
    *watch = (struct keel_mpi_watch){
        .processes = processes, .hosts = hosts, .without = without, .what = what, .rank = rank};
    keel_mpi_periodic_start(&watch->looks, APART_S, watch_look, watch);
}

void keel_mpi_watch_end(struct keel_mpi_watch *watch)
{
    keel_mpi_periodic_stop(&watch->looks);
}
#endif
