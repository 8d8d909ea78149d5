/* Ticks as times, and events as lines of JSON. */
#include "omp_ext/trace/event_text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/gomp/libgomp.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/report/report_data.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/slow_lock.h"

/* --- ticks as times --- */

#define STRETCHES_MAX 4096
#define STRETCH_MIN_NS 50000000 /* between two readings of both clocks */
#define STRETCH_PART 256        /* later, at least this part of the time so far */
#define AHEAD_NS 10000000       /* a stretch begins this long after its readings, see go_on() */
#define CATCH_UP_NS 500000000.0 /* time in which an error is corrected */
#define CATCH_UP_MAX 0.05       /* of the rate */

/* f(t) = ns + (t - ticks) * rate + min(t - ticks, catch_up_ticks) * catch_up, up to the start of
 * the next stretch. Never changes once `stretches` counts it. */
struct stretch {
    uint64_t ticks;
    double ns; /* since the first one */
    double rate;
    double catch_up;
    double catch_up_ticks;
};

static struct stretch stretch[STRETCHES_MAX];
static _Atomic unsigned stretches;
static uint64_t origin_ns; /* CLOCK_MONOTONIC at the start of the first one */

static double ns_in(const struct stretch *in, uint64_t ticks)
{
    double since = (double)(int64_t)(ticks - in->ticks);
    double caught = since < in->catch_up_ticks ? since : in->catch_up_ticks;

    return in->ns + since * in->rate + (caught > 0 ? caught : 0) * in->catch_up;
}

static void begin_stretch(struct stretch *next, uint64_t ticks, double ns, double error_ns)
{
    double rate = keel_clock_ns_per_tick();
    double catch_up = error_ns / CATCH_UP_NS;

    catch_up = catch_up > CATCH_UP_MAX    ? CATCH_UP_MAX
               : catch_up < -CATCH_UP_MAX ? -CATCH_UP_MAX
                                          : catch_up;
    *next = (struct stretch){.ticks = ticks, .ns = ns, .rate = rate};
    if (catch_up != 0) {
        next->catch_up = catch_up * rate;
        next->catch_up_ticks = error_ns / next->catch_up;
    }
}

/* Adds a stretch that begins AHEAD_NS later: other threads may convert moments up to the present
 * meanwhile, and get the same result before and after it is added. A thread that is delayed for
 * half of that time drops the stretch. */
static void go_on(unsigned count, uint64_t ticks, double real_ns)
{
    const struct stretch *last = &stretch[count - 1];
    uint64_t ahead = (uint64_t)(AHEAD_NS / last->rate);
    double least_ns = real_ns / STRETCH_PART;

    least_ns = least_ns > STRETCH_MIN_NS ? least_ns : STRETCH_MIN_NS;
    if (real_ns - last->ns < least_ns || (int64_t)(ticks - last->ticks) <= 0) {
        return;
    }
    double ns = ns_in(last, ticks + ahead), error_ns = real_ns - ns_in(last, ticks);
    begin_stretch(&stretch[count], ticks + ahead, ns, error_ns);
    if (keel_clock_ticks() - ticks < ahead / 2) {
        atomic_store_explicit(&stretches, count + 1, memory_order_release);
    }
}

void keel_tick_time_refine(void)
{
    unsigned count = atomic_load_explicit(&stretches, memory_order_relaxed);
    struct keel_moment now = keel_clock_moment();

    if (count == 0) {
        origin_ns = now.ns;
        begin_stretch(&stretch[0], now.ticks, 0, 0);
        /* release: pairs with the acquire in tick_time_ns() */
        atomic_store_explicit(&stretches, 1, memory_order_release);
    } else if (count < STRETCHES_MAX) {
        go_on(count, now.ticks, (double)(now.ns - origin_ns));
    }
}

/* CLOCK_MONOTONIC at `ticks`, ns. Any thread, after a call of keel_tick_time_refine(). */
static int64_t tick_time_ns(uint64_t ticks)
{
    /* acquire: pairs with the release in keel_tick_time_refine() */
    unsigned number = atomic_load_explicit(&stretches, memory_order_acquire);

    if (number == 0) {
        return 0;
    }
    number--;
    while (number > 0 && (int64_t)(ticks - stretch[number].ticks) < 0) {
        number--;
    }
    double ns = ns_in(&stretch[number], ticks);
    return (int64_t)origin_ns + (int64_t)(ns >= 0 ? ns + 0.5 : ns - 0.5);
}

/* --- events as text --- */

#define NAME_SHOWN 200

/* --- names of sites --- */

static const struct keel_event_name nameless = {"a loop", "\"a loop\"", "\"a loop\""};

/* Call with keel_slow_lock held: it guards the static texts here and below, as stacks may be
 * small. */
static char *json_copy(const char *text)
{
    static char memory[6 * KEEL_SITE_NAME_MAX + 4]; /* each byte may become \u001f */
    struct keel_json_text json = keel_json_text_in(memory, sizeof memory - 1);

    keel_json_text_string(&json, text, KEEL_SITE_NAME_MAX);
    *json.at = '\0';
    return strdup(memory);
}

/* Splits "mandel.c:42 (render)", whose function or brackets may be missing. As above; if memory is
 * short the site stays nameless, as another search would take long. */
static const struct keel_event_name *make_name(struct keel_site *site)
{
    static char place[KEEL_SITE_NAME_MAX], function[KEEL_SITE_NAME_MAX];
    struct keel_event_name *name = malloc(sizeof *name);
    char *whole = strdup(keel_site_name_of(site));

    if (name == NULL || whole == NULL) {
        return &nameless;
    }
    const char *bracket = strstr(whole, " (");
    int length = (int)(bracket != NULL ? bracket - whole : (ptrdiff_t)strlen(whole));
    snprintf(place, sizeof place, "%.*s", length, whole);
    snprintf(function, sizeof function, "%s", bracket != NULL ? bracket + 2 : whole);
    function[strlen(function) - (bracket != NULL)] = '\0';
    for (char *c = whole; *c != '\0'; c++) {
        *c = *c == ',' ? ';' : *c; /* a comma would end the field of a trace in CSV */
    }
    *name = (struct keel_event_name){whole, json_copy(place), json_copy(function)};
    return name->place != NULL && name->function != NULL ? name : &nameless;
}

const struct keel_event_name *keel_event_name_of(struct keel_site *site)
{
    if (site == NULL) {
        return &nameless;
    }
    _Atomic(const void *) *known = keel_site_shown_name(site);
    /* acquire: pairs with the release below */
    const struct keel_event_name *name = atomic_load_explicit(known, memory_order_acquire);
    if (__builtin_expect(name == NULL, 0)) {
        keel_slow_lock();
        name = atomic_load_explicit(known, memory_order_relaxed);
        name = name != NULL ? name : make_name(site);
        atomic_store_explicit(known, name, memory_order_release);
        keel_slow_unlock();
    }
    return name;
}

/* --- members --- */

static void add_plain(struct keel_json_text *json, const char *text)
{
    keel_json_text_add(json, text, strlen(text));
}

/* member: a literal, the text before the value. */
#define ADD_WHOLE(json, member, number)     \
    do {                                    \
        KEEL_JSON_TEXT_ADD(json, member);   \
        keel_json_text_whole(json, number); \
    } while (0)

/* ,"ts":...,"dur":...,"pid":...,"tid":... */
static void add_time(struct keel_json_text *json, const struct keel_event_place *place,
                     const struct keel_event *event, bool lasts)
{
    int64_t began_ns = tick_time_ns(event->began);

    KEEL_JSON_TEXT_ADD(json, ",\"ts\":");
    keel_json_text_us(json, began_ns + place->offset_ns);
    if (lasts) {
        int64_t length_ns = tick_time_ns(event->ended) - began_ns;
        KEEL_JSON_TEXT_ADD(json, ",\"dur\":");
        keel_json_text_us(json, length_ns > 0 ? length_ns : 0);
    }
    KEEL_JSON_TEXT_ADD(json, ",\"pid\":");
    keel_json_text_signed(json, place->process);
    ADD_WHOLE(json, ",\"tid\":", place->thread);
}

/* name: a JSON string. category: a literal. */
#define BEGIN(json, name, category)                                         \
    do {                                                                    \
        KEEL_JSON_TEXT_ADD(json, ",\n{\"name\":");                          \
        add_plain(json, name);                                              \
        KEEL_JSON_TEXT_ADD(json, ",\"cat\":\"" category "\",\"ph\":\"X\""); \
    } while (0)

/* --- the schedule of a loop --- */

void keel_event_text_schedule(bool static_shares, long clause, uint64_t chunk, char *text,
                              size_t size)
{
    static const char *const names[] = {[KEEL_GFS_RUNTIME] = "runtime",
                                        [KEEL_GFS_STATIC] = "static",
                                        [KEEL_GFS_DYNAMIC] = "dynamic",
                                        [KEEL_GFS_GUIDED] = "guided",
                                        [KEEL_GFS_AUTO] = "auto"};
    const char *name = names[clause >= 0 && clause <= KEEL_GFS_AUTO ? clause : KEEL_GFS_RUNTIME];

    if (static_shares) {
        bool asked_for = keel_settings()->schedules.standard != NULL;
        snprintf(text, size, "%s", asked_for ? "static" : "static by the compiler");
    } else if (chunk > 0) {
        snprintf(text, size, "libgomp %s,%llu", name, (unsigned long long)chunk);
    } else {
        snprintf(text, size, "libgomp %s", name);
    }
}

int keel_event_text_policy(const struct keel_policy *policy, char *text, size_t size)
{
    if (policy->stated.schedule != NULL || policy == &keel_policy_libgomp) {
        return keel_policy_write(policy, text, size);
    }
    return snprintf(text, size, "%s",
                    policy->spec.schedule != NULL ? policy->spec.schedule->name
                    : policy->loan != NULL        ? KEEL_REPORT_BY_RANKS
                                                  : "random");
}

static void add_schedule(struct keel_json_text *json, const struct keel_event *event)
{
    char text[256];

    if (event->policy != NULL) {
        keel_event_text_policy(event->policy, text, sizeof text);
    } else {
        keel_event_text_schedule(event->has_static_shares, event->clause, event->chunk, text,
                                 sizeof text);
    }
    KEEL_JSON_TEXT_ADD(json, ",\"schedule\":");
    keel_json_text_string(json, text, sizeof text);
    if (event->policy != NULL && event->run != NULL && event->run != event->policy) {
        keel_event_text_policy(event->run, text, sizeof text);
        KEEL_JSON_TEXT_ADD(json, ",\"runs\":");
        keel_json_text_string(json, text, sizeof text);
    }
}

/* --- events --- */

static void add_region(struct keel_json_text *json, const struct keel_event *event,
                       const struct keel_event_name *name)
{
    ADD_WHOLE(json, ",\"args\":{\"instance\":", event->instance);
    ADD_WHOLE(json, ",\"threads\":", event->threads);
    KEEL_JSON_TEXT_ADD(json, ",\"place\":");
    add_plain(json, name->place);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

static void add_loop(struct keel_json_text *json, const struct keel_event *event,
                     const struct keel_event_name *name)
{
    ADD_WHOLE(json, ",\"args\":{\"instance\":", event->instance);
    add_schedule(json, event);
    ADD_WHOLE(json, ",\"iterations\":", event->iterations);
    ADD_WHOLE(json, ",\"threads\":", event->threads);
    KEEL_JSON_TEXT_ADD(json, ",\"function\":");
    add_plain(json, name->function);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

static void add_chunk(struct keel_json_text *json, const struct keel_event *event)
{
    ADD_WHOLE(json, ",\"args\":{\"instance\":", event->instance);
    ADD_WHOLE(json, ",\"first\":", event->first);
    ADD_WHOLE(json, ",\"last\":", event->last);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

static void add_wait(struct keel_json_text *json, const struct keel_event *event,
                     const struct keel_event_name *name)
{
    KEEL_JSON_TEXT_ADD(json, ",\"args\":{\"at\":\"");
    add_plain(json, event->detail);
    KEEL_JSON_TEXT_ADD(json, "\",\"loop\":");
    add_plain(json, name->place);
    if (event->instance > 0) {
        ADD_WHOLE(json, ",\"instance\":", event->instance);
    }
    KEEL_JSON_TEXT_ADD(json, "}}");
}

static void add_call(struct keel_json_text *json, const struct keel_event_place *place,
                     const struct keel_event *event, const struct keel_event_name *name)
{
    KEEL_JSON_TEXT_ADD(json, ",\n{\"name\":\"");
    add_plain(json, event->detail);
    KEEL_JSON_TEXT_ADD(json, "\",\"cat\":\"mpi\",\"ph\":\"X\"");
    add_time(json, place, event, true);
    KEEL_JSON_TEXT_ADD(json, ",\"args\":{\"place\":");
    add_plain(json, name->place);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

static void add_text(struct keel_json_text *json, const struct keel_event_place *place,
                     const struct keel_event *event, const char *text)
{
    KEEL_JSON_TEXT_ADD(json, ",\n{");
    keel_json_text_add(json, text, event->length);
    add_time(json, place, event, event->kind == KEEL_EVENT_SPAN);
    KEEL_JSON_TEXT_ADD(json, "}");
}

void keel_event_text_add(struct keel_json_text *json, const struct keel_event_place *place,
                         const struct keel_event *event, const struct keel_event_name *name,
                         const char *text)
{
    switch ((enum keel_event_kind)event->kind) {
    case KEEL_EVENT_REGION:
        BEGIN(json, name->function, "region");
        add_time(json, place, event, true);
        add_region(json, event, name);
        break;
    case KEEL_EVENT_LOOP:
        BEGIN(json, name->place, "loop");
        add_time(json, place, event, true);
        add_loop(json, event, name);
        break;
    case KEEL_EVENT_CHUNK:
        BEGIN(json, name->place, "chunk");
        add_time(json, place, event, true);
        add_chunk(json, event);
        break;
    case KEEL_EVENT_WAIT:
        BEGIN(json, "\"wait\"", "wait");
        add_time(json, place, event, true);
        add_wait(json, event, name);
        break;
    case KEEL_EVENT_CALL:
        add_call(json, place, event, name);
        break;
    case KEEL_EVENT_WRITING:
        BEGIN(json, "\"writing the trace\"", "trace");
        add_time(json, place, event, true);
        KEEL_JSON_TEXT_ADD(json, "}");
        break;
    case KEEL_EVENT_SPAN:
    case KEEL_EVENT_MOMENT:
        add_text(json, place, event, text);
        break;
    }
}

void keel_event_text_add_line(struct keel_json_text *json, const struct keel_event *event,
                              const struct keel_event_name *name, double ns)
{
    add_plain(json, name->whole);
    ADD_WHOLE(json, ",", event->instance);
    ADD_WHOLE(json, ",", event->threads);
    ADD_WHOLE(json, ",", event->first);
    ADD_WHOLE(json, ",", event->last);
    ADD_WHOLE(json, ",", (uint64_t)(ns + 0.5));
    KEEL_JSON_TEXT_ADD(json, "\n");
}

void keel_event_text_add_left_out(struct keel_json_text *json, const struct keel_event_place *place,
                                  uint64_t now, uint64_t count)
{
    KEEL_JSON_TEXT_ADD(json,
                       ",\n{\"name\":\"left out\",\"cat\":\"trace\",\"ph\":\"i\",\"s\":\"p\"");
    add_time(json, place, &(struct keel_event){.began = now}, false);
    ADD_WHOLE(json, ",\"args\":{\"events\":", count);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

/* --- names of processes and threads --- */

static void begin_name(struct keel_json_text *json, const char *what,
                       const struct keel_event_place *place)
{
    KEEL_JSON_TEXT_ADD(json, ",\n{\"name\":\"");
    add_plain(json, what);
    KEEL_JSON_TEXT_ADD(json, "\",\"ph\":\"M\",\"pid\":");
    keel_json_text_signed(json, place->process);
    ADD_WHOLE(json, ",\"tid\":", place->thread);
    KEEL_JSON_TEXT_ADD(json, ",\"args\":{\"name\":");
}

void keel_event_text_add_process(struct keel_json_text *json, const struct keel_event_place *place,
                                 int ranks, const char *host, const char *program)
{
    char text[2 * NAME_SHOWN + 40];

    if (ranks > 1) {
        snprintf(text, sizeof text, "rank %d on %.*s: %.*s", place->process, NAME_SHOWN, host,
                 NAME_SHOWN, program);
    } else {
        snprintf(text, sizeof text, "%.*s: %.*s", NAME_SHOWN, host, NAME_SHOWN, program);
    }
    begin_name(json, "process_name", place);
    keel_json_text_string(json, text, sizeof text);
    KEEL_JSON_TEXT_ADD(json, "}}");
}

void keel_event_text_add_thread(struct keel_json_text *json, const struct keel_event_place *place)
{
    begin_name(json, "thread_name", place);
    ADD_WHOLE(json, "\"thread ", place->thread);
    KEEL_JSON_TEXT_ADD(json, "\"}}");
}
