/* The cores of a node's ranks. */
#define _GNU_SOURCE
#include "mpi_backend/calls/mpi_calls.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/loop/team_sizes.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/report/report_data.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

#define PATIENCE_S 10   /* for the others to begin */
#define PERIOD_S 0.01   /* at least, between two looks at them */
#define AWAKE_NS 100000 /* those that waited for the same as this rank compute after that */

typedef void set_threads(int threads);

static struct keel_node_rank ranks[KEEL_NODE_RANKS_MAX];
static unsigned own_rank, rank_count;
static cpu_set_t all_cores;
static double own_cores[KEEL_NODE_RANKS_MAX]; /* of each rank */
static bool shares;                           /* this rank's teams use others' cores */
static double met_s;                          /* how long it waited for the other ranks */
static bool late;                             /* the process has begun without MPI */

/* Of a rank whose teams change. */
static bool changes;
static struct keel_cores_seen seen;
static double looked_s, busy_s[KEEL_NODE_RANKS_MAX];
static _Atomic unsigned threads;
static _Atomic bool joins;
static _Atomic bool asked;         /* some thread has, before it took iterations */
static _Atomic bool unasked;       /* threads need not: cores are idle while no rank waits */
static _Atomic uint64_t waited_ns; /* when this rank's last wait ended */
static _Atomic uint64_t regions;
static uint64_t regions_before;
static uint32_t waits_before[KEEL_NODE_RANKS_MAX];
static uint64_t waited_before_ns[KEEL_NODE_RANKS_MAX];

/* --- as a region begins --- */

unsigned keel_cores_joined(const struct keel_cores_seen *seen, unsigned ranks, unsigned waiting,
                           double free)
{
    unsigned computing = waiting < ranks ? ranks - waiting : 1;
    unsigned more = (unsigned)(free / computing + 0.5);

    return more < seen->all - seen->own ? seen->own + more : seen->all;
}

static bool rank_waits(unsigned rank)
{
    return keel_node_table_waits(rank) % 2 == 1;
}

static unsigned joined(void)
{
    unsigned waiting = 0;
    double free = 0;

    for (unsigned i = 0; i < rank_count; i++) {
        bool is_free = i != own_rank && rank_waits(i);
        waiting += is_free;
        free += is_free ? own_cores[i] : 0;
    }
    return keel_cores_joined(&seen, rank_count, waiting, free);
}

/* Whether those that seem to wait have had the time to wake up. */
static bool are_awake(void)
{
    return keel_clock_ns() - atomic_load_explicit(&waited_ns, memory_order_relaxed) > AWAKE_NS;
}

static unsigned threads_of_region(void)
{
    /* relaxed: a sum, and numbers that may be old */
    unsigned now = atomic_load_explicit(&threads, memory_order_relaxed);

    atomic_fetch_add_explicit(&regions, 1, memory_order_relaxed);
    if (now == seen.all || !atomic_load_explicit(&joins, memory_order_relaxed)) {
        return now;
    }
    return are_awake() ? joined() : now;
}

/* --- threads beyond the rank's own cores, in loops --- */

/* Moves a thread to one of `cores`, and leaves it there: it may still run on all, as before.
 * Threads that the program has bound stay where they are. 0: the calling one. */
static void move(pid_t thread, const cpu_set_t *cores)
{
    cpu_set_t now;

    if (sched_getaffinity(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, &all_cores) &&
        sched_setaffinity(thread, sizeof *cores, cores) == 0) {
        sched_setaffinity(thread, sizeof all_cores, &all_cores);
    }
}

static cpu_set_t cores_of_waiting(void)
{
    cpu_set_t cores;

    CPU_ZERO(&cores);
    for (unsigned i = 0; i < rank_count; i++) {
        if (rank_waits(i)) {
            CPU_OR(&cores, &cores, &ranks[i].cores);
        }
    }
    return cores;
}

struct part {
    uint32_t thread;
    bool (*is_over)(const void *);
    const void *loop;
};

static bool may_go(const void *context)
{
    const struct part *part = context;

    return part->is_over(part->loop) || rank_waits(own_rank) ||
           atomic_load_explicit(&unasked, memory_order_relaxed) ||
           (part->thread < joined() && are_awake());
}

/* Before iterations are taken. The rank whose core it is may want it again as the thread becomes a
 * guest, and not see it: so it looks once more. */
static void wait_for_core(uint32_t thread, bool (*is_over)(const void *), const void *loop)
{
    const struct part part = {thread, is_over, loop};
    _Atomic pid_t *guest = keel_node_table_guest(own_rank, thread - seen.own);

    /* relaxed: that some thread has been here */
    atomic_store_explicit(&asked, true, memory_order_relaxed);
    if (atomic_load_explicit(guest, memory_order_relaxed) != 0) {
        return;
    }
    for (int look = 0; look < 2; look++) {
        if (!may_go(&part)) {
            keel_node_table_park(may_go, &part, are_awake() ? 0 : AWAKE_NS);
        }
        cpu_set_t cores = cores_of_waiting();
        if (is_over(loop) || CPU_COUNT(&cores) == 0) {
            return;
        }
        move(0, &cores);
        atomic_store(guest, gettid());
        if (may_go(&part)) {
            return;
        }
    }
}

/* The loop counts as left already. tests/models/cores.pml: leave */
static void leave_loop(uint32_t thread)
{
    if (thread >= seen.own) {
        atomic_store(keel_node_table_guest(own_rank, thread - seen.own), 0);
    }
    keel_node_table_ring();
}

/* Guests go to cores of their own ranks, and of those that still wait: this one does no longer.
 * tests/models/cores.pml: send */
static void send_guests_home(void)
{
    cpu_set_t waiting = cores_of_waiting(), cores;

    for (unsigned i = 0; i < rank_count; i++) {
        CPU_OR(&cores, &waiting, &ranks[i].cores);
        for (unsigned k = 0; k < KEEL_NODE_GUESTS_MAX; k++) {
            _Atomic pid_t *guest = keel_node_table_guest(i, k);
            pid_t thread = atomic_load(guest) != 0 ? atomic_exchange(guest, 0) : 0;
            if (thread != 0) {
                move(thread, &cores);
            }
        }
    }
}

void keel_share_cores_waited(bool slept)
{
    keel_node_table_call();
    if (!shares) {
        return;
    }
    atomic_store_explicit(&waited_ns, keel_clock_ns(), memory_order_relaxed);
    if (!slept) {
        return;
    }
    send_guests_home();
    if (!CPU_ISSET(sched_getcpu(), &ranks[own_rank].cores)) {
        move(0, &ranks[own_rank].cores);
    }
}

static struct keel_team_sizes sizes = {
    .threads = threads_of_region, .wait = wait_for_core, .over = leave_loop};

/* --- as the process begins --- */

/* libkeel.so says so where the value is another one. */
static bool is_asked(void)
{
    const char *value = keel_environment_value("KEEL_SHARE_CORES");

    return value != NULL && strcmp(value, "1") == 0;
}

/* One rank of the node speaks. */
static void say(const char *why)
{
    if (own_rank == 0) {
        keel_message("KEEL_SHARE_CORES: %s", why);
    }
}

/* The first number of OMP_NUM_THREADS; 0: it is not set, or none. */
static unsigned asked_threads(void)
{
    const char *value = keel_environment_value("OMP_NUM_THREADS");
    long number = value != NULL ? strtol(value, NULL, 10) : 0;

    return number > 0 && number < INT_MAX ? (unsigned)number : 0;
}

/* Threads that somebody has bound stay where they are. */
static bool is_bound(void)
{
    static const char *const binding[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
    const char *value;

    for (size_t i = 0; i < sizeof binding / sizeof binding[0]; i++) {
        value = keel_environment_value(binding[i]);
        if (value != NULL && strcasecmp(value, "false") != 0) {
            return true;
        }
    }
    return false;
}

/* What each rank has of the cores: a core that several of them may use is divided. */
static void divide_cores(void)
{
    for (int core = 0; core < CPU_SETSIZE; core++) {
        unsigned users = 0;
        for (unsigned i = 0; i < rank_count; i++) {
            users += CPU_ISSET(core, &ranks[i].cores) != 0;
        }
        for (unsigned i = 0; i < rank_count; i++) {
            own_cores[i] += CPU_ISSET(core, &ranks[i].cores) ? 1.0 / users : 0;
        }
    }
}

static unsigned own_threads(void)
{
    unsigned asked = asked_threads(), cores = (unsigned)(own_cores[own_rank] + 1e-6);

    return asked > 0 ? asked : cores > 0 ? cores : 1;
}

/* Threads of a team that has all of them. */
static unsigned all_threads(void)
{
    unsigned cores = (unsigned)CPU_COUNT(&all_cores);
    double quota = keel_cores_of_process().quota;

    return quota > 0 && quota < cores ? (unsigned)ceil(quota) : cores;
}

static bool leaves_team_size(void)
{
    const char *value = keel_environment_value("OMP_DYNAMIC");

    return value != NULL && strcasecmp(value, "true") == 0;
}

/* Teams begin with the rank's own cores, if the program cannot notice. */
static void begin_changing(void)
{
    struct keel_team_use use = keel_team_use_of_program();
    keel_team_sizes_asking *ask = NULL;

    if (!use.sets_sizes && (leaves_team_size() || !use.sees_numbers)) {
        ask = (keel_team_sizes_asking *)dlsym(RTLD_DEFAULT, "keel_team_sizes_ask");
    }
    if (ask != NULL) {
        changes = true;
        threads = seen.own;
        sizes.own = seen.own;
        ask(&sizes);
    }
}

static void spread(void)
{
    set_threads *set = (set_threads *)dlsym(RTLD_DEFAULT, "omp_set_num_threads");

    if (set == NULL || own_cores[own_rank] + 1e-6 >= CPU_COUNT(&all_cores)) {
        return; /* a rank without teams, or one that has all cores anyway */
    }
    if (is_bound()) {
        say("threads are bound by OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY; they stay where "
            "they are");
        return;
    }
    if (sched_setaffinity(0, sizeof all_cores, &all_cores) != 0) {
        return;
    }
    shares = true;
    if (seen.all > seen.own) { /* otherwise its teams are that large already */
        set((int)seen.all);
        begin_changing();
    }
}

static bool meet(unsigned rank)
{
    struct keel_node_rank own = {.process = getpid()};
    char job[KEEL_LAUNCH_JOB_MAX];
    double began_s = keel_clock_s();

    keel_node_job(job);
    bool met = sched_getaffinity(0, sizeof own.cores, &own.cores) == 0 &&
               keel_node_table_meet(job, rank, rank_count, &own, PATIENCE_S, ranks);
    met_s = keel_clock_s() - began_s;
    return met;
}

void keel_share_cores_begin(void)
{
    int rank = keel_launch_local_rank(keel_environment_value);

    rank_count = keel_launch_local_ranks(keel_environment_value);
    if (!is_asked() || rank < 0) {
        return;
    }
    keel_mpi_waits_sleep();
    own_rank = (unsigned)rank;
    late = dlsym(RTLD_DEFAULT, "PMPI_Init") == NULL;
    if (late) {
        return;
    }
    if (!meet(own_rank)) {
        say("not all ranks of this node have begun with it; each keeps to its own cores");
        return;
    }
    for (unsigned i = 0; i < rank_count; i++) {
        CPU_OR(&all_cores, &all_cores, &ranks[i].cores);
    }
    divide_cores();
    seen.own = seen.threads = own_threads();
    seen.all = all_threads();
    seen.asks = true;
    spread();
}

void keel_share_cores_report(struct keel_report_process *process)
{
    if (shares) {
        process->own_threads = seen.own;
        process->shared_threads = seen.all;
        process->met_s = met_s;
    }
}

void keel_share_cores_meet_mpi(void)
{
    if (late) {
        say("MPI has come after the program had begun; each rank keeps to its own cores");
    }
}

/* --- after calls of MPI --- */

double keel_cores_idle(double own, double busy_s, double period_s)
{
    return fmax(0, own - busy_s / period_s);
}

/* Whether all cores in each region lose less than those of waiting ranks: see mpi_calls.h. */
static bool all_lose_less(const struct keel_cores_seen *seen, double on_own_s)
{
    double more = seen->all - seen->own;
    double others_compute = 1 - fmin(seen->idle / more, 1);
    double late_s = on_own_s / 2 * more / seen->all; /* half of the region is left */
    double each_s = seen->asks ? KEEL_CORES_ASKED_S : KEEL_CORES_SHARED_S;

    return isinf(seen->regions) || late_s > others_compute * seen->regions * each_s;
}

/* Of a region that takes `on_own_s` on the rank's own cores, on `cores` with all threads. */
static double gain_on(double cores, const struct keel_cores_seen *seen, double on_own_s)
{
    double switch_s = (seen->all - seen->own) * KEEL_CORES_SWITCH_S;

    return 1 - (on_own_s * seen->own / cores + switch_s) / on_own_s;
}

struct keel_cores_decision keel_cores_decide(const struct keel_cores_seen *seen)
{
    double more = seen->all - seen->own;
    double left = fmax(0, seen->idle - seen->own_idle * more / seen->own);
    double idle = fmin(left, more);
    double cores = seen->own + idle;
    double on_own_s = seen->region_s * cores / seen->own;
    double gain = gain_on(cores, seen, on_own_s);
    double wait_s = idle > 0 ? idle * seen->region_s * seen->regions : 0;
    bool all = gain >= KEEL_CORES_TAKE || (gain >= KEEL_CORES_LEAVE && seen->threads == seen->all);

    return (struct keel_cores_decision){
        .unasked = seen->idle - seen->waiting >= KEEL_CORES_UNASKED * more,
        .threads = all && all_lose_less(seen, on_own_s) ? seen->all : seen->own,
        .joins =
            wait_s >= KEEL_CORES_WAIT_S && gain_on(seen->all, seen, on_own_s) >= KEEL_CORES_TAKE};
}

/* Cores that a rank has left idle by waits. One that ends just now may count twice, or not yet. */
static double waiting_of(unsigned rank, double period_s)
{
    uint64_t now_ns = keel_node_table_waited_ns(rank);
    double waited_s = ((double)now_ns - (double)waited_before_ns[rank]) * 1e-9;

    waited_before_ns[rank] = now_ns;
    return own_cores[rank] * fmax(0, fmin(waited_s / period_s, 1));
}

/* Processor time of a rank until now, s; of one that has ended, as before. */
static double busy_until_now(unsigned rank)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(ranks[rank].process, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return busy_s[rank];
    }
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double idle_of(unsigned rank, double period_s)
{
    double before_s = busy_s[rank];

    busy_s[rank] = busy_until_now(rank);
    return keel_cores_idle(own_cores[rank], busy_s[rank] - before_s, period_s);
}

/* waiting: by their waits. */
static double idle_of_others(double period_s, double *waiting)
{
    double idle = 0;

    *waiting = 0;
    for (unsigned i = 0; i < rank_count; i++) {
        idle += i != own_rank ? idle_of(i, period_s) : 0;
        *waiting += i != own_rank ? waiting_of(i, period_s) : 0;
    }
    return idle;
}

/* How often another rank has begun to wait since the look before: the one that has most often. */
static uint32_t waits_of_others(void)
{
    uint32_t most = 0;

    for (unsigned i = 0; i < rank_count; i++) {
        uint32_t now = keel_node_table_waits(i), waits = (now - waits_before[i] + 1) / 2;
        waits_before[i] = now;
        most = i != own_rank && waits > most ? waits : most;
    }
    return most;
}

void keel_share_cores_look(void)
{
    double period_s = changes ? keel_clock_s() - looked_s : 0;

    if (period_s < PERIOD_S) {
        return;
    }
    double waiting, idle = idle_of_others(period_s, &waiting);
    double own_idle = idle_of(own_rank, period_s);
    uint32_t waits = waits_of_others();
    uint64_t begun = atomic_load_explicit(&regions, memory_order_relaxed);
    if (looked_s > 0 && begun > regions_before) {
        double more = (double)(begun - regions_before);
        seen.idle = (seen.idle + idle) / 2;
        seen.own_idle = (seen.own_idle + own_idle) / 2;
        seen.region_s = period_s / more;
        seen.regions = waits > 0 ? more / waits : INFINITY; /* there was none */
        seen.asks = atomic_exchange_explicit(&asked, false, memory_order_relaxed) ||
                    (seen.asks && seen.threads < seen.all);
        seen.waiting = (seen.waiting + waiting) / 2;
        struct keel_cores_decision decision = keel_cores_decide(&seen);
        atomic_store_explicit(&unasked, decision.unasked, memory_order_relaxed);
        seen.threads = decision.threads;
        atomic_store_explicit(&threads, decision.threads, memory_order_relaxed);
        atomic_store_explicit(&joins, decision.joins, memory_order_relaxed);
    }
    regions_before = begun;
    looked_s += period_s;
}
