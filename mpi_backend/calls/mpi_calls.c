/* Measuring calls of MPI. */
#define _GNU_SOURCE
#include "mpi_backend/calls/mpi_calls.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/machine/clock.h"
#include "omp_ext/report/report_data.h"
#include "omp_ext/support/message.h"
#include "omp_ext/trace/trace_ranks.h"

/* Places in the program that call MPI; those for which there is no room share the last one. */
#define PLACES 1024
#define PROBES 32
#define TRACED_MIN_NS 1000 /* shorter calls, such as tests in a loop, would fill the trace */

struct keel_mpi_call_place {
    const void *_Atomic caller; /* NULL: the place is free */
    const char *_Atomic name;   /* NULL: the thread that took it has not named it yet */
    bool apart;                 /* libkeel_mpi.so calls: it counts its waits itself */
    _Atomic uint64_t calls, ns, longest_ns;
};

static struct keel_mpi_call_place places[PLACES];
static _Atomic bool measuring;
static _Atomic uint64_t sum_ns, in_regions_ns; /* of the initial thread */
static pid_t process;
static int own_rank, all_ranks = 1;
static bool (*report_waited)(double ns);
static const struct keel_trace_ranks *trace; /* NULL: none is written */

/* Threads of a preloaded library have these without a call. */
static __thread unsigned depth __attribute__((tls_model("initial-exec")));
static __thread bool initial __attribute__((tls_model("initial-exec")));

/* A program may refer to MPI weakly, for runs without it: here it finds the wrappers. */
static int fail(void)
{
    return 1; /* no code of MPI's but MPI_SUCCESS is 0 */
}

static keel_mpi_function *find_next(struct keel_mpi_wrapped *wrapped, const void *caller)
{
    keel_mpi_function *next =
        atomic_load_explicit(&wrapped->next, memory_order_relaxed); /* it never changes */

    if (next == NULL) {
        void *found = keel_mpi_symbol(RTLD_NEXT, wrapped->symbol, caller);
        next = found != NULL ? (keel_mpi_function *)found : (keel_mpi_function *)fail;
        if (found == NULL) {
            keel_message("there is no MPI in the process; %s() returns an error", wrapped->symbol);
        }
        atomic_store_explicit(&wrapped->next, next, memory_order_relaxed);
    }
    return next;
}

/* --- places --- */

static bool is_libkeel_mpi(const void *caller)
{
    Dl_info module;

    return dladdr(caller, &module) != 0 && module.dli_fname != NULL &&
           strstr(module.dli_fname, "libkeel_mpi.so") != NULL;
}

/* The thread that takes a place names it; others come to it meanwhile. */
static struct keel_mpi_call_place *place_of(const void *caller, const char *name)
{
    size_t first = (uintptr_t)caller * UINT64_C(0x9e3779b97f4a7c15) >> 54;

    for (size_t i = 0; i < PROBES; i++) {
        struct keel_mpi_call_place *place = &places[(first + i) % (PLACES - 1)];
        const void *taken = atomic_load_explicit(&place->caller, memory_order_relaxed);
        if (taken == NULL && atomic_compare_exchange_strong(&place->caller, &taken, caller)) {
            place->apart = is_libkeel_mpi(caller);
            /* release: `apart` is set */
            atomic_store_explicit(&place->name, name, memory_order_release);
            return place;
        }
        if (taken == caller) {
            return place;
        }
    }
    atomic_store_explicit(&places[PLACES - 1].name, "other calls", memory_order_release);
    return &places[PLACES - 1];
}

/* --- calls --- */

struct keel_mpi_call keel_mpi_call_begin(struct keel_mpi_wrapped *wrapped, const void *caller)
{
    struct keel_mpi_call call = {.next = find_next(wrapped, caller)};

    if (depth++ > 0) {
        return call;
    }
    keel_mpi_sleeping_begin(wrapped->waits);
    /* relaxed: calls about the time when it begins may count or not */
    if (atomic_load_explicit(&measuring, memory_order_relaxed)) {
        call.place = place_of(caller, wrapped->name);
        call.name = wrapped->name;
        call.caller = caller;
        call.began = trace != NULL ? trace->call_begins() : 0;
        call.began_ns = (double)keel_clock_ns();
    }
    return call;
}

static void count(struct keel_mpi_call_place *place, uint64_t ns)
{
    uint64_t longest = atomic_load_explicit(&place->longest_ns, memory_order_relaxed);

    /* relaxed: sums */
    atomic_fetch_add_explicit(&place->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&place->ns, ns, memory_order_relaxed);
    while (ns > longest &&
           !atomic_compare_exchange_weak_explicit(&place->longest_ns, &longest, ns,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

void keel_mpi_call_end(const struct keel_mpi_call *call)
{
    if (--depth > 0) {
        return;
    }
    enum keel_mpi_wait wait = keel_mpi_sleeping_end();
    if (wait != KEEL_MPI_NO_WAIT) {
        keel_share_cores_waited(wait == KEEL_MPI_SLEPT);
    }
    if (initial) {
        keel_share_cores_look();
    }
    if (call->place == NULL || call->place->apart) {
        return;
    }
    double took_ns = (double)keel_clock_ns() - call->began_ns;
    uint64_t ns = took_ns > 0 ? (uint64_t)took_ns : 0;
    bool in_region = report_waited != NULL && report_waited((double)ns);
    count(call->place, ns);
    if (initial) {
        atomic_fetch_add_explicit(&sum_ns, ns, memory_order_relaxed);
        atomic_fetch_add_explicit(&in_regions_ns, in_region ? ns : 0, memory_order_relaxed);
    }
    if (call->began != 0 && ns >= TRACED_MIN_NS) {
        trace->call_ends(call->name, call->caller, call->began);
    }
}

/* --- the report --- */

static bool give(struct keel_report_process *to)
{
    static struct keel_report_call call[PLACES];

    if (process != getpid()) {
        return false; /* a child is no rank */
    }
    to->rank = own_rank;
    to->ranks = all_ranks;
    to->mpi_seen = true;
    to->mpi_s += (double)atomic_load_explicit(&sum_ns, memory_order_relaxed) * 1e-9;
    to->mpi_in_regions_s +=
        (double)atomic_load_explicit(&in_regions_ns, memory_order_relaxed) * 1e-9;
    to->call = call;
    to->call_count = 0;
    keel_share_cores_report(to);
    for (size_t i = 0; i < PLACES; i++) {
        /* acquire: pairs with the naming */
        const char *name = atomic_load_explicit(&places[i].name, memory_order_acquire);
        uint64_t number = atomic_load_explicit(&places[i].calls, memory_order_relaxed);
        if (name != NULL && number > 0) {
            call[to->call_count++] = (struct keel_report_call){
                .caller = atomic_load_explicit(&places[i].caller, memory_order_relaxed),
                .name = name,
                .calls = number,
                .s = (double)atomic_load_explicit(&places[i].ns, memory_order_relaxed) * 1e-9,
                .longest_s =
                    (double)atomic_load_explicit(&places[i].longest_ns, memory_order_relaxed) *
                    1e-9,
            };
        }
    }
    return true;
}

/* MPI_COMM_WORLD of Open MPI is an object, of MPICH and those that came from it a number. */
#define MPICH_WORLD 0x44000000

typedef int asking(intptr_t comm, int *answer);

static void find_rank(const void *caller)
{
    void *object = keel_mpi_symbol(RTLD_DEFAULT, "ompi_mpi_comm_world", caller);
    intptr_t world = object != NULL ? (intptr_t)object : MPICH_WORLD;
    asking *rank = (asking *)keel_mpi_symbol(RTLD_DEFAULT, "PMPI_Comm_rank", caller);
    asking *size = (asking *)keel_mpi_symbol(RTLD_DEFAULT, "PMPI_Comm_size", caller);

    if (rank == NULL || size == NULL || rank(world, &own_rank) != 0 ||
        size(world, &all_ranks) != 0) {
        own_rank = 0;
        all_ranks = 1;
    }
}

typedef bool meeting(uint32_t version, keel_report_calls_provider *provider);
typedef bool waited(double ns);
typedef const struct keel_trace_ranks *trace_meeting(uint32_t version, uint32_t *newest);

static const struct keel_trace_ranks *find_trace(void)
{
    trace_meeting *meet = (trace_meeting *)dlsym(RTLD_DEFAULT, "keel_trace_meet");
    uint32_t newest;
    const struct keel_trace_ranks *found = meet != NULL ? meet(KEEL_TRACE_VERSION, &newest) : NULL;

    return found != NULL && found->wanted() ? found : NULL;
}

void keel_mpi_calls_start(const void *caller)
{
    meeting *meet = (meeting *)dlsym(RTLD_DEFAULT, "keel_report_meet_calls");

    initial = true;
    keel_share_cores_meet_mpi();
    if (process != 0 || meet == NULL) {
        return;
    }
    process = getpid();
    find_rank(caller);
    trace = find_trace();
    bool reported = meet(KEEL_REPORT_CALLS_VERSION, give);
    if (reported) {
        report_waited = (waited *)dlsym(RTLD_DEFAULT, "keel_report_waited");
    }
    atomic_store(&measuring, reported || trace != NULL);
}

__attribute__((constructor)) static void loaded(void)
{
    keel_mpi_waits_read();
    keel_share_cores_begin();
}
