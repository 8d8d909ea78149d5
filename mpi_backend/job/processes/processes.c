/* The processes of other ranks. */
#include "mpi_backend/job/processes/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

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
