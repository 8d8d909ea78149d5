/* Advice on the loops of a report. */
#include "omp_ext/report/report_document.h"

#include <math.h>
#include <string.h>

#include "schedules/forecast/predict.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/schedule.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

#define TIMED_CLAIM_S 1e-7 /* a claim and a clock reading, if not measured */

/* --- the schedule in force --- */

/* libgomp's schedules, and those of Keel with the same chunks, or nearly: libgomp's guided divides
 * the remaining iterations by the threads, as gss does. */
static const struct libgomp_schedule {
    const char *name;
    const struct keel_schedule *schedule;
    const struct keel_schedule *with_chunk;
} libgomp_schedules[] = {
    {"static", &keel_schedule_static, &keel_schedule_static},
    {"dynamic", &keel_schedule_ss, &keel_schedule_css},
    {"guided", &keel_schedule_gss, &keel_schedule_gss},
};

/* "dynamic,4" */
static bool read_libgomp(const char *text, struct keel_spec *spec)
{
    size_t length = strcspn(text, ",");
    uint64_t chunk = 0;

    for (const char *c = text + length; *c != '\0'; c++) {
        chunk = *c >= '0' && *c <= '9' && chunk < UINT32_MAX ? 10 * chunk + (uint64_t)(*c - '0')
                                                             : chunk;
    }
    for (size_t i = 0; i < sizeof libgomp_schedules / sizeof libgomp_schedules[0]; i++) {
        const struct libgomp_schedule *known = &libgomp_schedules[i];
        if (strlen(known->name) == length && memcmp(known->name, text, length) == 0) {
            const struct keel_schedule *schedule = chunk > 1 ? known->with_chunk : known->schedule;
            *spec = keel_spec_of(schedule);
            if (chunk > 1) {
                spec->value[schedule->positional[0]].count = chunk;
                spec->given |= KEEL_BIT(schedule->positional[0]);
            }
            return true;
        }
    }
    return false;
}

/* In "auto: steal", the chosen schedule follows the colon. */
static bool read_keel(const char *text, struct keel_spec *spec)
{
    const char *colon = strstr(text, ": ");
    const char *last = colon != NULL ? colon + 2 : text;
    char problem[KEEL_PROBLEM_MAX];

    return keel_spec_read(last, strlen(last), spec, problem) == KEEL_SPEC_GOOD;
}

static bool read_schedule(const char *text, struct keel_spec *spec)
{
    if (strncmp(text, "libgomp ", 8) == 0) {
        return read_libgomp(text + 8, spec);
    }
    if (strcmp(text, KEEL_REPORT_BY_THE_COMPILER) == 0) {
        *spec = keel_spec_of(&keel_schedule_static);
        return true;
    }
    return text[0] != '\0' && read_keel(text, spec);
}

static void fill_in(struct keel_spec *spec, enum keel_parameter parameter, double seconds)
{
    const struct keel_parameter_info *info = &keel_parameters[parameter];

    if (keel_spec_unmeasured(spec) & KEEL_BIT(parameter)) {
        spec->value[parameter].real =
            fmin(fmax(1e9 * seconds, info->lowest.real), info->highest.real);
        spec->given |= KEEL_BIT(parameter);
    }
}

/* Completes the spec with Keel's measurements, as in the program. */
static void complete(struct keel_spec *spec, const struct keel_report_measured *measured)
{
    fill_in(spec, KEEL_MU, measured->iteration_s);
    fill_in(spec, KEEL_SIGMA, measured->deviation_s);
    fill_in(spec, KEEL_OVERHEAD, measured->claim_s);
    if (!keel_least_chunk_is_stated(spec) && spec->schedule->claim != KEEL_CLAIM_OWN) {
        uint64_t least = keel_least_chunk(1e9 * measured->claim_s, 1e9 * measured->iteration_s);
        spec->min_measured = least > 1;
        spec->value[KEEL_MIN].count = least > 1 ? least : spec->value[KEEL_MIN].count;
    }
}

bool keel_report_schedule_of(const struct keel_report_loop *loop, struct keel_spec *spec)
{
    if (loop->mixed || loop->schedule == NULL || !read_schedule(loop->schedule, spec) ||
        (spec->given & KEEL_BIT(KEEL_GRAIN)) != 0) {
        return false;
    }
    if (loop->under_keel) {
        complete(spec, &loop->measured);
    }
    return true;
}

/* --- costs along the loop --- */

/* Returns false if costs are not known. */
static bool profile_of(const struct keel_report_measured *measured, struct keel_profile *profile)
{
    if (measured->costs == NULL || measured->costs_count != KEEL_PROFILE_BINS) {
        return false;
    }
    keel_profile_begin(profile);
    memcpy(profile->cost, measured->costs, sizeof profile->cost);
    return true;
}

/* --- the loop --- */

/* Whether loops or parts of the region `loop` are listed by themselves. */
static bool holds_loops(const struct keel_report_process *process,
                        const struct keel_report_loop *loop)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        if (process->loop[i].region >= 0 && &process->loop[process->loop[i].region] == loop &&
            &process->loop[i] != loop) {
            return true;
        }
    }
    return false;
}

static enum keel_advice_subject subject_of(const struct keel_report_loop *loop)
{
    switch (loop->kind) {
    case KEEL_REPORT_REGION:
        return KEEL_ADVICE_REGION;
    case KEEL_REPORT_PART:
        return KEEL_ADVICE_PART;
    case KEEL_REPORT_LOOP:
        break;
    }
    bool built = loop->schedule != NULL && strcmp(loop->schedule, KEEL_REPORT_BY_THE_COMPILER) == 0;
    return built ? KEEL_ADVICE_STATIC : KEEL_ADVICE_LOOP;
}

static void add_threads(const struct keel_report_loop *loop, struct keel_advice_loop *known)
{
    for (uint32_t i = 0; i < loop->threads && loop->thread != NULL; i++) {
        const struct keel_report_thread *thread = &loop->thread[i];
        known->busy_s += thread->busy_s;
        known->busiest_s = fmax(known->busiest_s, thread->busy_s);
        known->claiming_s += thread->claiming_s;
        known->chunks += thread->chunks;
    }
}

struct keel_advice keel_report_advice_of(const struct keel_report_process *process,
                                         const struct keel_report_loop *loop)
{
    const struct keel_report_measured *measured = &loop->measured;
    struct keel_spec spec;
    struct keel_profile profile;
    struct keel_advice_loop known = {
        .subject = subject_of(loop),
        .spec = keel_report_schedule_of(loop, &spec) ? &spec : NULL,
        .threads = loop->threads,
        .instances = loop->instances,
        .iterations = loop->iterations,
        .elapsed_s = loop->elapsed_s,
        .elapsed_squares_s2 = loop->elapsed_squares_s2,
        .waits_seen = loop->waits_seen,
        .median_wait_s = loop->median_wait_s,
        .holds_loops = holds_loops(process, loop),
        .iteration_s = measured->iteration_s,
        .deviation_s = measured->deviation_s,
        .claim_s = measured->claim_s,
        .profile = profile_of(measured, &profile) ? &profile : NULL,
        .speed = measured->speeds_count == loop->threads ? measured->speeds : NULL,
    };

    if (loop->schedule != NULL && strcmp(loop->schedule, KEEL_REPORT_BY_RANKS) == 0) {
        return (struct keel_advice){.evidence = KEEL_ADVICE_NOT_KNOWN}; /* threads wait for ranks */
    }
    add_threads(loop, &known);
    return keel_advise(&known);
}

/* --- results from report data --- */

/* The cost of a claim under the schedule in force, 0 without claims. Plans need no clock. */
static double claim_s(const struct keel_report_loop *loop)
{
    double timed_s = loop->measured.claim_s > 0 ? loop->measured.claim_s : TIMED_CLAIM_S;
    struct keel_claim_costs costs = keel_predict_claim_costs(1e9 * timed_s);
    struct keel_spec spec;

    return (keel_report_schedule_of(loop, &spec) ? keel_predict_claim_ns(spec.schedule, &costs)
                                                 : costs.timed_ns) /
           1e9;
}

static void divide_busy_time(const struct keel_report_loop *loop)
{
    double each_s = claim_s(loop);

    for (uint32_t i = 0; i < loop->threads && loop->thread != NULL; i++) {
        struct keel_report_thread *thread = (struct keel_report_thread *)&loop->thread[i];
        double both_s = thread->busy_s + thread->claiming_s;
        thread->claiming_s = fmin((double)thread->chunks * each_s, both_s / 2);
        thread->busy_s = both_s - thread->claiming_s;
    }
}

/* Report data are const only for their readers. */
void keel_report_complete(struct keel_report_document *document,
                          const struct keel_report_process *process)
{
    locale_t previous = keel_c_locale_enter();

    for (size_t i = 0; i < process->loop_count; i++) {
        struct keel_report_loop *loop = (struct keel_report_loop *)&process->loop[i];
        char text[KEEL_ADVICE_TEXT_MAX];
        divide_busy_time(loop);
        struct keel_advice advice = keel_report_advice_of(process, loop);
        keel_advice_write(&advice, text);
        loop->suggestion = keel_report_copy(document, text, strlen(text));
        loop->gain_s = advice.gain_s;
    }
    keel_c_locale_leave(previous);
}
