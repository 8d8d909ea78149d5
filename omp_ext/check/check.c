/* Loops under adversarial schedules: what is known of them, their policies, barriers between them,
 * and delays. */
#define _GNU_SOURCE
#include "omp_ext/check/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"
#include "omp_ext/support/uncancelled.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/adversary.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* --- what is known of each loop of the program --- */

static struct keel_address_table table; /* guarded by keel_slow_lock */

/* --- the lists --- */

static FILE *open_in_folder(const char *name, const char *mode)
{
    const char *folder = keel_settings()->check.folder;
    char *path;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        return NULL;
    }
    FILE *file = fopen(path, mode);
    free(path);
    return file;
}

/* Whether the file has the line `name`; absent: the answer where there is no such file. */
static bool listed(const char *list, const char *name, bool absent)
{
    FILE *file = open_in_folder(list, "re");
    char *line = NULL;
    size_t size = 0;
    bool found = false;

    if (file == NULL) {
        return absent;
    }
    while (!found && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, name) == 0;
    }
    free(line);
    fclose(file);
    return found;
}

/* --- the table --- */

static struct keel_check_site *add(const struct keel_call_site *place, bool is_region)
{
    struct keel_check_site *site = keel_address_new(&table, sizeof *site, KEEL_SITE_KEY(place));
    char name[sizeof KEEL_CHECK_REGION + KEEL_SITE_NAME_MAX] = KEEL_CHECK_REGION;

    if (site == NULL) {
        return NULL;
    }
    keel_site_name(place, name + (is_region ? strlen(KEEL_CHECK_REGION) : 0));
    site->name = strdup(name);
    if (site->name == NULL) {
        free(site);
        return NULL;
    }
    site->hash = keel_digest_text(KEEL_DIGEST_START, name);
    site->active = listed("active", name, true);
    site->barrier = listed("barriers", name, false);
    keel_address_put(&table, site);
    return site;
}

struct keel_check_site *keel_check_site(const struct keel_call_site *place, bool is_region)
{
    struct keel_check_site *site = keel_address_find(&table, KEEL_SITE_KEY(place));

    if (site == NULL && keel_site_ready()) {
        keel_slow_lock();
        site = keel_address_find(&table, KEEL_SITE_KEY(place));
        if (site == NULL) {
            site = add(place, is_region);
        }
        keel_slow_unlock();
    }
    return site;
}

/* --- the report --- */

/* One write, so that lines of several processes don't mix. An error loses the line; there is no
 * place to report it. */
__attribute__((format(printf, 1, 2))) static void report(const char *format, ...)
{
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();
    FILE *file = open_in_folder("report", "ae");
    va_list arguments;

    if (file != NULL) {
        va_start(arguments, format);
        vfprintf(file, format, arguments);
        va_end(arguments);
        fclose(file);
    }
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

/* True for who comes first. */
static bool first_time(atomic_bool *done)
{
    /* relaxed: no other data is read by it */
    return !atomic_load_explicit(done, memory_order_relaxed) &&
           !atomic_exchange_explicit(done, true, memory_order_relaxed);
}

void keel_check_report_loop(struct keel_check_site *site, unsigned threads)
{
    if (first_time(&site->reported)) {
        report("loop\t%s\t%u\n", site->name, threads);
    }
}

/* Whether `before` is new to the site and there is room for it. */
static bool add_before(struct keel_check_site *site, const struct keel_check_site *before)
{
    for (unsigned i = 0; i < KEEL_CHECK_BEFORE_MAX; i++) {
        const struct keel_check_site *known = NULL;
        /* relaxed: only compared */
        if (atomic_compare_exchange_strong_explicit(&site->before[i], &known, before,
                                                    memory_order_relaxed, memory_order_relaxed)) {
            return true;
        }
        if (known == before) {
            return false;
        }
    }
    return false;
}

/* Reports that `site` begins with no barrier since `before` has ended, once. */
static void check_report_after(struct keel_check_site *site, const struct keel_check_site *before)
{
    if (add_before(site, before)) {
        report("after\t%s\t%s\n", before->name, site->name);
    }
}

static void check_report_region(struct keel_check_site *region)
{
    if (first_time(&region->reported)) {
        report("region\t%s\n", region->name);
    }
}

static void check_report_reached(struct keel_check_site *region)
{
    if (first_time(&region->reached)) {
        report("reached\t%s\n", region->name);
    }
}

/* --- policies, barriers between loops, and delays --- */

/* Placeholders of adversarial schedules. Empty specs: plans and shared states are not for them. */
struct adversarial {
    struct keel_policy any_order, in_order;
    struct adversarial *next;
};

static _Atomic(struct adversarial *) adversarials; /* one for each grain, the last one first */

/* The whole loop is one chunk. */
static const struct keel_policy serial_policy = {
    .spec = {.schedule = &keel_schedule_css,
             .given = KEEL_BIT(KEEL_CHUNK),
             .value = {[KEEL_MIN] = {.count = 1}, [KEEL_CHUNK] = {.count = INT64_MAX}}},
    .grain = 1,
};

/* --- which policy --- */

/* The shares that depend on nothing, whatever the loop's clause. */
static const struct keel_policy *static_policy(uint64_t grain)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_static);

    return keel_policy_grained(keel_policy_intern(&spec), grain);
}

static struct adversarial *find_adversarial(uint64_t grain)
{
    /* acquire: pairs with the release in add_adversarial() */
    struct adversarial *known = atomic_load_explicit(&adversarials, memory_order_acquire);

    while (known != NULL && known->any_order.grain != grain) {
        known = known->next;
    }
    return known;
}

/* Under keel_slow_lock; never freed. NULL: no memory. */
static struct adversarial *add_adversarial(uint64_t grain)
{
    struct adversarial *made = calloc(1, sizeof *made);

    if (made != NULL) {
        made->in_order = (struct keel_policy){.spec = {.in_order = true}, .grain = grain};
        made->any_order = (struct keel_policy){.in_order = &made->in_order, .grain = grain};
        made->next = atomic_load_explicit(&adversarials, memory_order_relaxed);
        /* release: pairs with the acquire in find_adversarial() */
        atomic_store_explicit(&adversarials, made, memory_order_release);
    }
    return made;
}

/* The same for all threads, which agree on a policy by its address. */
static struct adversarial *adversarial_of(uint64_t grain)
{
    struct adversarial *known = find_adversarial(grain);

    if (known == NULL) {
        keel_slow_lock();
        known = find_adversarial(grain);
        if (known == NULL) {
            known = add_adversarial(grain);
        }
        keel_slow_unlock();
    }
    return known;
}

/* Follows the thread from loop to loop. Combined loops are met before their region begins. One that
 * has begun and whose end has not come to Keel was run by the program itself, and ended without a
 * barrier: that would have come. */
static void note_loop(struct keel_check_thread *thread, struct keel_check_site *site,
                      const struct keel_call_site *place)
{
    if (place->outlined != NULL) {
        return;
    }
    if (thread->loop != NULL) {
        thread->ended = thread->loop;
    }
    if (thread->ended != NULL) {
        check_report_after(site, thread->ended);
    }
    if (thread->region != NULL) {
        check_report_reached(thread->region);
    }
    thread->loop = site;
}

const struct keel_policy *keel_check_policy(struct keel_check_thread *thread,
                                            const struct keel_construct *construct)
{
    struct keel_check_site *site = keel_check_site(&construct->place, false);

    if (site == NULL) {
        return NULL;
    }
    note_loop(thread, site, &construct->place);
    if (!site->active) {
        return keel_settings()->check.others_serial
                   ? &serial_policy
                   : static_policy(construct->grain > 1 ? construct->grain : 1);
    }
    struct adversarial *policies = adversarial_of(construct->grain > 1 ? construct->grain : 1);
    if (policies == NULL) {
        return NULL;
    }
    return construct->in_order ? &policies->in_order : &policies->any_order;
}

/* Threads have to come to the same one by themselves: it depends on the run's seed only. */
const struct keel_policy *keel_check_ordered_policy(void)
{
    struct keel_spec spec = keel_spec_of(&keel_schedule_rnd);

    spec.value[KEEL_SEED].count = keel_settings()->check.seed;
    spec.given |= KEEL_BIT(KEEL_SEED);
    return keel_policy_intern(&spec);
}

/* --- between loops --- */

struct keel_check_site *keel_check_begin_region(const void *caller, void (*outlined)(void *))
{
    struct keel_check_site *region =
        keel_check_wanted() ? keel_check_site(&(struct keel_call_site){caller, outlined}, true)
                            : NULL;

    if (region != NULL) {
        check_report_region(region);
    }
    return region;
}

bool keel_check_take_barrier(struct keel_check_thread *thread)
{
    struct keel_check_site *left = thread->loop;

    if (left == NULL || left->barrier) {
        keel_check_passed_barrier(thread);
        return left != NULL;
    }
    thread->loop = NULL;
    thread->ended = left;
    return false;
}

/* --- delays --- */

#define OFTEN 16            /* instances that are delayed for certain */
#define SLEEP_NS_MAX 300000 /* longest brief sleep */

void keel_delay_sleep(uint64_t ns)
{
    struct timespec span = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};
    int kept_errno = errno, cancel_state = keel_uncancelled_begin();

    nanosleep(&span, NULL); /* a signal may end it: delays need not be exact */
    keel_uncancelled_end(cancel_state);
    errno = kept_errno;
}

void keel_delay_sleep_briefly(uint64_t draw)
{
    keel_delay_sleep(draw % SLEEP_NS_MAX);
}

bool keel_delay_is_due(uint64_t draw, uint64_t number)
{
    return number <= OFTEN || draw % number < OFTEN;
}

void keel_delay_region(const struct keel_check_site *region)
{
    static _Atomic uint64_t threads;
    static _Thread_local uint64_t regions, thread_number; /* 0 until the thread has reached one */

    if (thread_number == 0) {
        /* relaxed: makes threads differ */
        thread_number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
    }
    uint64_t seed = keel_settings()->check.seed ^ region->hash;
    uint64_t draw = keel_adversary_draw(keel_adversary_draw(seed, thread_number), ++regions);
    if (draw % 2 == 0 && keel_delay_is_due(draw / 2, regions)) {
        keel_delay_sleep_briefly(draw / 2 / regions);
    }
}
