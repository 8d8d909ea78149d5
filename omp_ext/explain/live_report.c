/* The figures of this process. */
#include "omp_ext/explain/live_report.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/explain/learned.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/cores.h"
#include "omp_ext/observe/observers.h"
#include "omp_ext/recorder/recording_reader.h"
#include "omp_ext/recorder/recorder.h"
#include "omp_ext/recorder/recording.h"
#include "omp_ext/recorder/teams.h"
#include "omp_ext/report/own_report.h"
#include "omp_ext/report/report_ranks.h"
#include "omp_ext/report/report_advice.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/site.h"

#define EXPORT __attribute__((visibility("default")))

/* What CLOCK_MONOTONIC said when the process began. */
static double began_s(void)
{
    const struct keel_recording_header *header = keel_recording;
    uint64_t recorded = keel_clock_ticks() - header->start;

    return keel_clock_s() - (double)recorded * header->seconds_per_tick - header->before_s;
}

static bool is_wanted(void)
{
    return keel_settings()->report || keel_settings()->explain;
}

/* --- what the layer across ranks adds --- */

static keel_report_ranks_provider *_Atomic ranks_provider;
static keel_report_calls_provider *_Atomic calls_provider;

EXPORT bool keel_report_meet(uint32_t version, keel_report_ranks_provider *provider,
                             uint32_t *newest)
{
    *newest = KEEL_REPORT_RANKS_VERSION;
    if (version != KEEL_REPORT_RANKS_VERSION) {
        return false;
    }
    atomic_store(&ranks_provider, provider);
    return true;
}

EXPORT bool keel_report_meet_calls(uint32_t version, keel_report_calls_provider *provider)
{
    if (version != KEEL_REPORT_CALLS_VERSION || !is_wanted()) {
        return false;
    }
    atomic_store(&calls_provider, provider);
    return true;
}

static bool add_ranks(double began_s, struct keel_report_process *process)
{
    keel_report_ranks_provider *provider = atomic_load(&ranks_provider);

    return provider != NULL && provider(began_s, process);
}

static bool add_calls(struct keel_report_process *process)
{
    keel_report_calls_provider *provider = atomic_load(&calls_provider);

    return provider != NULL && provider(process);
}

static void name_calls(struct keel_report_document *document,
                       const struct keel_report_process *process)
{
    for (size_t i = 0; i < process->call_count; i++) {
        struct keel_report_call *call = (struct keel_report_call *)&process->call[i];
        const struct keel_call_site site = {.caller = call->caller};
        char place[KEEL_SITE_NAME_MAX] = "several places";
        if (call->caller != NULL) {
            keel_site_name(&site, place);
        }
        call->place = keel_report_copy(document, place, strlen(place));
    }
}

/* Recording begins with the first region. A rank without any has rows and objects to tell of, so it
 * begins at its end. Other processes that have come to no region have not looked at the
 * environment, and do not say what is wrong with it. */
static void begin_for_ranks(void)
{
    struct keel_report_process process = {0};

    if (keel_recording == NULL && (add_ranks(keel_clock_s(), &process) || add_calls(&process)) &&
        is_wanted()) {
        keel_observers_begin();
    }
}

/* False: memory is short. */
static bool add_figures(struct keel_report_document *document)
{
    keel_recording_find_names(true);
    struct keel_report_process *process =
        keel_recording_figures(keel_recording, keel_recording_used(), document);
    if (process == NULL) {
        return false;
    }
    struct keel_cores cores = keel_cores_of_process();
    process->cores = (struct keel_report_cores){cores.online, cores.allowed, cores.quota};
    add_ranks(began_s(), process);
    if (keel_site_source_ready() && add_calls(process)) {
        name_calls(document, process);
    }
    keel_learned_fill_in(document, process, keel_settings()->explain);
    keel_report_complete(document, process);
    return true;
}

void keel_live_report(bool quickly)
{
    struct keel_report_document document = {0};

    begin_for_ranks();
    if (!keel_recorder_records()) {
        return;
    }
    keel_team_places_end();
    keel_recording_complete();
    if (!quickly) {
        fflush(stdout);
    }
    if (add_figures(&document) &&
        keel_report_hand_over(document.process[0], keel_report_file_name())) {
        keel_recording_store_remove();
    }
    keel_report_document_free(&document);
}
