/* Functions that are found by name, and sleeping while MPI finds nothing to do. */
#define _GNU_SOURCE
#include "mpi_backend/calls/mpi_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"

static void *find_beside(const char *symbol, const void *caller)
{
    Dl_info module;
    void *handle =
        dladdr(caller, &module) != 0 ? dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = handle != NULL ? dlsym(handle, symbol) : NULL;

    if (handle != NULL) {
        dlclose(handle);
    }
    return found;
}

void *keel_mpi_symbol(void *among, const char *symbol, const void *caller)
{
    void *found = dlsym(among, symbol);

    return found != NULL ? found : find_beside(symbol, caller);
}

/* --- sleeping ---
 *
 * Sleeping while MPI finds nothing to do. */

#define PUBLIC __attribute__((visibility("default")))

/* What comes meanwhile is seen at most so late: an eighth of the wait. Waking up twice in a
 * millisecond takes 1 % of a core. Where ranks know each other, the last one that comes to wait, or
 * ends a call, wakes the others at once. */
#define POLL_NS 20000 /* shorter waits do not sleep */
#define PART 8
#define SHORTEST_NS 10000
#define LONGEST_NS 500000

/* Between two looks in vain there is less than that; in more, something has come. */
#define BUSY_NS 3000

static bool sleeping;

static __thread bool waits __attribute__((tls_model("initial-exec")));
static __thread bool slept __attribute__((tls_model("initial-exec")));      /* in this wait */
static __thread int slack_ns __attribute__((tls_model("initial-exec")));    /* before it */
static __thread uint32_t called __attribute__((tls_model("initial-exec"))); /* seen last */
static __thread uint64_t idle_since_ns, looked_ns __attribute__((tls_model("initial-exec")));

void keel_mpi_waits_sleep(void)
{
    sleeping = true;
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
}

void keel_mpi_waits_read(void)
{
    const char *value = keel_environment_value("KEEL_MPI_WAIT");

    if (value != NULL && strcmp(value, "sleep") == 0) {
        keel_mpi_waits_sleep();
    } else if (value != NULL && strcmp(value, "poll") != 0) {
        keel_message("KEEL_MPI_WAIT: '%s' is not poll or sleep; using poll", value);
    }
}

void keel_mpi_sleeping_begin(bool call_waits)
{
    waits = sleeping && call_waits;
    looked_ns = 0;
}

enum keel_mpi_wait keel_mpi_sleeping_end(void)
{
    bool was_asleep = slept;

    if (!waits) {
        return KEEL_MPI_NO_WAIT;
    }
    waits = slept = false;
    if (was_asleep) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns);
        keel_node_table_wait(false);
    }
    return was_asleep ? KEEL_MPI_SLEPT : KEEL_MPI_POLLED;
}

/* How long to sleep after `waited_ns` in vain; 0: not yet. */
static uint64_t sleep_after(uint64_t waited_ns)
{
    uint64_t part = waited_ns / PART;

    return waited_ns < POLL_NS  ? 0
           : part < SHORTEST_NS ? SHORTEST_NS
           : part <= LONGEST_NS ? part
                                : LONGEST_NS;
}

/* Linux makes sleeps of a thread longer by its slack, usually 50 us; 0: one of real-time priority
 * has none. */
/* Whether another rank has called meanwhile. */
static bool sleep_for(uint64_t ns)
{
    if (!slept) {
        slept = true;
        slack_ns = prctl(PR_GET_TIMERSLACK);
        prctl(PR_SET_TIMERSLACK, 1ul);
        keel_node_table_wait(true);
    }
    return keel_node_table_sleep(&(struct timespec){.tv_nsec = (long)ns}, &called);
}

/* MPI has looked in vain. */
static void idle(void)
{
    uint64_t now = keel_clock_ns();

    if (looked_ns == 0) {
        keel_node_table_call(); /* all that this rank had to send is on its way */
    }
    if (now - looked_ns > BUSY_NS) {
        idle_since_ns = now;
    }
    uint64_t sleep_ns = sleep_after(now - idle_since_ns);
    if (sleep_ns > 0) {
        bool is_called = sleep_for(sleep_ns);
        now = keel_clock_ns();
        idle_since_ns = is_called ? now : idle_since_ns;
    }
    looked_ns = now;
}

/* In the middle of a wait of Open MPI's; all other callers get what they ask for. */
PUBLIC int sched_yield(void);
PUBLIC int sched_yield(void)
{
    if (waits) {
        idle();
        return 0;
    }
    return (int)syscall(SYS_sched_yield);
}

/* Open MPI over UCX yields as well: then that is enough. */
static bool is_mpich(const void *caller)
{
    static _Atomic int answer; /* 0: not known, 1: no, 2: yes */
    int known = atomic_load_explicit(&answer, memory_order_relaxed);

    if (known == 0) {
        known = keel_mpi_symbol(RTLD_DEFAULT, "ompi_mpi_comm_world", caller) == NULL ? 2 : 1;
        atomic_store_explicit(&answer, known, memory_order_relaxed);
    }
    return known == 2;
}

typedef unsigned progress(void *worker);

PUBLIC unsigned ucp_worker_progress(void *worker);
PUBLIC unsigned ucp_worker_progress(void *worker)
{
    static progress *_Atomic known;
    progress *next = atomic_load_explicit(&known, memory_order_relaxed); /* it never changes */

    if (next == NULL) {
        next = (progress *)keel_mpi_symbol(RTLD_NEXT, "ucp_worker_progress",
                                           __builtin_return_address(0));
        if (next == NULL) {
            abort(); /* the caller has found what no library defines */
        }
        atomic_store_explicit(&known, next, memory_order_relaxed);
    }
    unsigned came = next(worker);
    if (waits && came == 0 && is_mpich(__builtin_return_address(0))) {
        idle();
    }
    return came;
}
