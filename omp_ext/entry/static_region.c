/* Static regions by shares. See entry.h. */
#define _GNU_SOURCE
#include "omp_ext/entry/entry.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_open.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/shares/shares.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/sibling_library.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/arithmetic/arithmetic.h"

/* Never freed. */
struct keel_static_region {
    struct keel_address_key key; /* the function; keel_unload_count when it was looked at */
    uintptr_t begin, size;       /* its code; 0: it is refused */
    bool meets;                  /* it calls barriers, which shares pass */
    atomic_bool asks;            /* its calls come to Keel, as the program's own do; those of a
                                    library may go to libraries that it has brought with it */
    atomic_bool met;             /* one of its barriers has come */
    atomic_uint timed;           /* instances, */
    _Atomic uint64_t fastest_ns; /* and what the fastest of them took */
    struct keel_remember_other proof;
};

typedef void prover(const char *, uint64_t, const void *, struct keel_shares_verdict *);

static struct keel_address_table table;
static unsigned regions, taken; /* with static loops; of these, those that are not refused */
static pid_t process;           /* that has looked */
static pthread_mutex_t proving = PTHREAD_MUTEX_INITIALIZER;
static struct keel_sibling_library library = {
    .library = "libkeel_shares.so",
    .name = "keel_shares_prove",
    .purpose = "KEEL_OVERRIDE=static",
    .instead = "static loops stay as they are",
};

/* The share that the thread runs; count 0: none. */
static _Thread_local struct {
    uintptr_t begin, size; /* code that it is for */
    int number, count;
    bool passes; /* its barriers */
    struct keel_static_region *region;
} share __attribute__((tls_model("initial-exec")));

int keel_entry_thread_num(void);
int keel_entry_num_threads(void);

/* --- what may be run so --- */

/* Whether the program's own calls for its thread number come to Keel, and directly: no tool is
 * before Keel, or between them. */
static bool is_asked(void)
{
    return keel_environment_value("LD_AUDIT") == NULL &&
           dlvsym(RTLD_DEFAULT, "omp_get_thread_num", "OMP_1.0") ==
               (const void *)keel_entry_thread_num &&
           dlvsym(RTLD_DEFAULT, "omp_get_num_threads", "OMP_1.0") ==
               (const void *)keel_entry_num_threads;
}

/* Whether a rule says of the region that it may be run so whatever its code shows. */
static bool is_by_word(const struct keel_call_site *place)
{
    const struct keel_rules_entry *rule = NULL;

    if (keel_settings()->schedules.rules > 0 && keel_site_source_ready()) {
        keel_slow_lock();
        rule = keel_site_rule(place);
        keel_slow_unlock();
    }
    return rule != NULL && rule->by_word;
}

/* --- proofs, kept between runs ---
 *
 *   build id, offset, build id of the prover -> the verdict on the code, and its digest
 *
 * A state of the memory holds one: the size of the code as `instances`, its other properties as
 * `calm`, the digest as chunks of the cost, and the reason of a refusal as the choice. */

enum { MEETS = 1, DIVIDES = 2, BY_WORD = 4, RIGHT = 8 }; /* of struct keel_shares_verdict */

static bool is_build_id(const char *name)
{
    return strchr(name, ':') == NULL;
}

/* False: another run could not know the function again, or what has proved it. */
static bool find_proof_key(uintptr_t function, struct keel_remember_key *own)
{
    struct keel_module prover;

    if (keel_settings()->memory_file == NULL ||
        !keel_module_of((const void *)function, &own->module) ||
        !keel_module_of(library.symbol, &prover) || !is_build_id(own->module.name) ||
        !is_build_id(prover.name)) {
        return false;
    }
    snprintf(own->schedule, sizeof own->schedule, "static by %.200s", prover.name);
    own->key = (struct keel_memory_key){.module = own->module.name,
                                        .outlined = function - own->module.base,
                                        .schedule = own->schedule,
                                        .threads = 1};
    return true;
}

static uint64_t digest_of(uintptr_t function, uint64_t size)
{
    return keel_digest_bytes(KEEL_DIGEST_START, (const void *)function, size);
}

/* Whether it is what was kept of that code. Keel writes no size beyond the code and loses no
 * reason, but others may edit the file. */
static bool is_proof_of(const struct keel_memory_state *kept,
                        const struct keel_static_region *region)
{
    uintptr_t function = region->key.first;
    bool is_right = (kept->calm & RIGHT) != 0;

    return kept->instances <= region->proof.key.module.end - function &&
           is_right == (kept->choice[0] == '\0') &&
           digest_of(function, kept->instances) == kept->cost.chunks;
}

static bool recall_proof(struct keel_static_region *region)
{
    keel_slow_lock();
    const struct keel_memory_state *kept = keel_remember_find(&region->proof.key.key);
    if (kept != NULL) {
        region->proof.state = *kept;
    }
    keel_slow_unlock();
    return kept != NULL && is_proof_of(kept, region);
}

static void ask_prover(struct keel_static_region *region, const char *file, uintptr_t base)
{
    uintptr_t function = region->key.first;
    struct keel_shares_verdict verdict = {.why = "it is in no file", .divides = true};
    char *why = NULL;

    if (file[0] != '\0') {
        ((prover *)library.symbol)(file, function - base, (const void *)function, &verdict);
    }
    if (verdict.why != NULL && asprintf(&why, "%s (%s)", verdict.why, verdict.where) < 0) {
        why = NULL;
    }
    region->proof.state = (struct keel_memory_state){
        .instances = verdict.size,
        .calm = (verdict.meets ? MEETS : 0u) | (verdict.divides ? DIVIDES : 0u) |
                (verdict.by_word ? BY_WORD : 0u) | (verdict.why == NULL ? RIGHT : 0u),
        .cost.chunks = digest_of(function, verdict.size),
        .choice = verdict.why == NULL ? ""
                  : why != NULL       ? why
                                      : verdict.why,
    };
}

/* Returns whether the code is the program's, not a library's. Not inlined, as threads may have
 * small stacks, and finding names takes some, too. */
static __attribute__((noinline)) bool find_proof(struct keel_static_region *region)
{
    char file[4096] = "";
    uintptr_t base = 0;
    bool lasts = find_proof_key(region->key.first, &region->proof.key);

    keel_module_path((const void *)region->key.first, file, sizeof file, &base);
    if (!lasts || !recall_proof(region)) {
        ask_prover(region, file, base);
    }
    if (lasts && region->proof.state.instances > 0) {
        keel_slow_lock();
        keel_remember_add(&region->proof);
        keel_slow_unlock();
    }
    return strcmp(file, "/proc/self/exe") == 0;
}

/* --- finding them --- */

static void prove(struct keel_static_region *region, const void *caller)
{
    struct keel_call_site place = {caller, (void (*)(void *))region->key.first};
    bool is_own = find_proof(region);
    const struct keel_memory_state *proof = &region->proof.state;
    bool is_right = (proof->calm & RIGHT) != 0, divides = (proof->calm & DIVIDES) != 0;

    regions += divides;
    if (is_right || ((proof->calm & BY_WORD) != 0 && is_by_word(&place))) {
        region->begin = region->key.first;
        region->size = proof->instances;
        region->meets = is_right && (proof->calm & MEETS) != 0;
        taken++;
        region->asks = is_own && is_asked();
    } else if (divides && (keel_settings()->explain || keel_settings()->report)) {
        char name[KEEL_SITE_NAME_MAX];
        keel_site_name(&place, name);
        keel_message("KEEL_OVERRIDE=static leaves the region of %s as it is: %s", name,
                     proof->choice);
    }
}

/* The mutex is held. */
static struct keel_static_region *add(uintptr_t function, unsigned unloadings, const void *caller)
{
    struct keel_static_region *region =
        keel_address_new(&table, sizeof *region, function, unloadings);

    if (region != NULL) {
        prove(region, caller);
        process = getpid();
        keel_address_put(&table, region);
    }
    return region;
}

/* NULL: another thread looks at one, or nothing can be looked at. */
static struct keel_static_region *look_at(uintptr_t function, const void *caller)
{
    unsigned unloadings = keel_unload_count_now();
    struct keel_static_region *region = NULL;
    int error = errno; /* the program's */
    int cancel_state = keel_uncancelled_begin();

    if (keel_sibling_library_ready(&library) && library.symbol != NULL &&
        pthread_mutex_trylock(&proving) == 0) {
        region = keel_address_find(&table, function, unloadings);
        if (region == NULL) {
            region = add(function, unloadings, caller);
        }
        pthread_mutex_unlock(&proving);
    }
    keel_uncancelled_end(cancel_state);
    errno = error;
    return region;
}

struct keel_static_region *keel_static_region_of(void (*outlined)(void *), const void *caller)
{
    uintptr_t function = (uintptr_t)outlined;
    struct keel_static_region *region =
        keel_address_find(&table, function, keel_unload_count_now());

    if (region == NULL) {
        region = look_at(function, caller);
    }
    return region != NULL && region->size > 0 ? region : NULL;
}

bool keel_static_region_asks(const struct keel_static_region *region)
{
    /* relaxed: they say no more than that */
    return atomic_load_explicit(&region->asks, memory_order_relaxed) &&
           (!region->meets || atomic_load_explicit(&region->met, memory_order_relaxed));
}

/* --- how many shares --- */

#define SHARES_LEAST 32
#define SHARES_MOST 256
#define SHARE_NS 10000 /* that one of more shares takes; to begin one takes some 50 */
#define TIMED_LEAST 3  /* instances: the first one may be slow */

long keel_static_region_shares(const struct keel_static_region *region)
{
    long shares = SHARES_LEAST;

    /* acquire: pairs with the release in keel_static_region_time() */
    if (atomic_load_explicit(&region->timed, memory_order_acquire) < TIMED_LEAST) {
        return shares;
    }
    uint64_t fastest_ns = atomic_load_explicit(&region->fastest_ns, memory_order_relaxed);
    while (shares < SHARES_MOST && fastest_ns >= 2 * (uint64_t)shares * SHARE_NS) {
        shares *= 2;
    }
    return shares;
}

void keel_static_region_time(struct keel_static_region *region, uint64_t elapsed_ns)
{
    /* relaxed: of two threads that start the region at a time, one may be left out */
    uint64_t fastest_ns = atomic_load_explicit(&region->fastest_ns, memory_order_relaxed);

    if (fastest_ns == 0 || elapsed_ns < fastest_ns) {
        atomic_store_explicit(&region->fastest_ns, elapsed_ns, memory_order_relaxed);
    }
    if (atomic_load_explicit(&region->timed, memory_order_relaxed) < TIMED_LEAST) {
        atomic_fetch_add_explicit(&region->timed, 1, memory_order_release);
    }
}

/* At exit, on one rank of a node, where `keel run` waits for the first loop. */
__attribute__((destructor)) static void tell_how_many(void)
{
    /* acquire: pairs with the release in keel_settings_take() */
    const struct keel_settings *settings =
        atomic_load_explicit(&keel_settings_taken, memory_order_acquire);

    if (regions > 0 && process == getpid() && settings->mark_file != NULL &&
        keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        keel_message("KEEL_OVERRIDE=static took %u of %u regions%s", taken, regions,
                     taken < regions && !settings->explain && !settings->report
                         ? "; KEEL_EXPLAIN=1 says why it left the others"
                         : "");
    }
}

/* --- running them --- */

/* What the function calls last of all returns to here: it is a jump, then. */
#define CALLS "keel_shares_call"
extern const char __start_keel_shares_call[], __stop_keel_shares_call[];

static __attribute__((noinline, noclone, section(CALLS))) void
call(const struct keel_static_shares *shares)
{
    shares->outlined(shares->data);
    __asm__ volatile(""); /* nor is this call a jump */
}

void keel_static_region_run(void *argument)
{
    const struct keel_static_shares *shares = argument;
    long from, to;

    share.begin = shares->region->begin;
    share.size = shares->plain ? 0 : shares->region->size;
    share.count = (int)shares->count;
    share.passes = shares->region->meets && !shares->plain;
    while (keel_loop_next(keel_thread.loop, (keel_bound *)&from, (keel_bound *)&to)) {
        if (shares->plain) {
            shares->outlined(shares->data);
            continue;
        }
        for (; from < to; from++) {
            share.number = (int)from;
            call(shares);
        }
    }
    share.count = 0;
    share.passes = false;
    keel_start_end_nowait(keel_thread.libgomp, shares->caller);
}

void keel_static_region_watch(void *argument)
{
    const struct keel_static_shares *shares = argument;

    share.begin = shares->region->begin;
    share.size = shares->region->size;
    share.region = shares->region;
    call(shares);
    share.region = NULL;
    share.size = 0;
}

/* --- what the function asks --- */

static bool is_for_share(const void *caller)
{
    return (uintptr_t)caller - share.begin < share.size;
}

static bool is_of_region(const void *caller)
{
    return is_for_share(caller) || ((uintptr_t)caller >= (uintptr_t)__start_keel_shares_call &&
                                    (uintptr_t)caller < (uintptr_t)__stop_keel_shares_call);
}

bool keel_static_region_pass(const void *caller)
{
    if (share.region != NULL && is_of_region(caller)) {
        atomic_store_explicit(&share.region->met, true, memory_order_relaxed);
    }
    return share.passes && is_of_region(caller);
}

static __attribute__((noinline)) bool answers(void)
{
    if (share.region != NULL) {
        atomic_store_explicit(&share.region->asks, true, memory_order_relaxed);
    }
    return share.count > 0;
}

KEEL_ENTRY_RUNTIME_ONLY("omp_get_thread_num@OMP_1.0") int keel_entry_thread_num(void)
{
    if (__builtin_expect(is_for_share(KEEL_CALLER), 0) && answers()) {
        return share.number;
    }
    return keel_loop_libgomp(KEEL_CALLER)->omp_get_thread_num();
}

KEEL_ENTRY_RUNTIME_ONLY("omp_get_num_threads@OMP_1.0") int keel_entry_num_threads(void)
{
    if (__builtin_expect(is_for_share(KEEL_CALLER), 0) && answers()) {
        return share.count;
    }
    return keel_loop_libgomp(KEEL_CALLER)->omp_get_num_threads();
}
