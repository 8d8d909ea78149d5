/* The text of a memory file. */
#define _GNU_SOURCE
#include "omp_ext/memory/memory_format.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_file.h"
#include "schedules/arithmetic/digest.h"
#include "schedules/text/number.h"

#define EXACT JSON_REAL_PRECISION(17) /* digits that bring back every double */

/* A site as it goes into file and sum, to be freed; NULL: memory is short. */
static char *text_of(json_t *site)
{
    return json_dumps(site, JSON_COMPACT | EXACT);
}

/* The sum of a file that has no sites yet; others are added by keel_digest_text(). Against damage,
 * not against people. */
static uint64_t begin_sum(uint64_t run)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64 " ", run);
    return keel_digest_text(KEEL_DIGEST_START, text);
}

/* --- writing --- */

static json_t *pack_bins(const double *value)
{
    json_t *bins = json_array();

    for (size_t i = 0; i < KEEL_PROFILE_BINS; i++) {
        json_array_append_new(bins, json_real(value[i]));
    }
    return bins;
}

static json_t *pack_thread(const struct keel_memory_thread *thread)
{
    return json_pack("[f, i, f, f, f, I, f, f]", thread->rate.filtered, (int)thread->rate.state,
                     thread->bound, thread->mean_ns, thread->variance_ns2,
                     (json_int_t)thread->sample.count, thread->sample.iterations,
                     thread->sample.time_ns);
}

static json_t *pack_threads(const struct keel_memory_state *state)
{
    json_t *threads = json_array();

    for (uint64_t i = 0; i < state->key.threads; i++) {
        json_array_append_new(threads, pack_thread(&state->thread[i]));
    }
    return threads;
}

static json_t *pack_cost(const struct keel_cost *cost)
{
    return json_pack("[I, I, f, f, f]", (json_int_t)cost->chunks, (json_int_t)cost->iterations,
                     cost->time_ns, cost->square_ns2, cost->overhead_ns);
}

static json_t *pack_site(const struct keel_memory_entry *entry)
{
    const struct keel_memory_state *state = &entry->state;

    return json_pack(
        "{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:s, s:f, s:o, s:o, s:o, s:o}", /* as in read_site() */
        "module", state->key.module, "caller", (json_int_t)state->key.caller, "outlined",
        (json_int_t)state->key.outlined, "schedule", state->key.schedule, "used",
        (json_int_t)entry->used, "instances", (json_int_t)state->instances, "calm",
        (json_int_t)state->calm, "choice", state->choice, "choice_ns", state->choice_ns, "cost",
        pack_cost(&state->cost), "profile_cost", pack_bins(state->profile.cost), "profile_seen",
        pack_bins(state->profile.seen), "threads", pack_threads(state));
}

/* What is not a number has no form in JSON, so that an array lacks it, or the site is NULL. */
static bool is_whole(json_t *site, uint64_t threads)
{
    return json_array_size(json_object_get(site, "threads")) == threads &&
           json_array_size(json_object_get(site, "profile_cost")) == KEEL_PROFILE_BINS &&
           json_array_size(json_object_get(site, "profile_seen")) == KEEL_PROFILE_BINS;
}

static void print_site(FILE *stream, const struct keel_memory_entry *entry, bool first,
                       uint64_t *sum)
{
    json_t *site = pack_site(entry);
    char *text = is_whole(site, entry->state.key.threads) ? text_of(site) : NULL;

    if (text != NULL) {
        *sum = keel_digest_text(*sum, text);
        fprintf(stream, "%s\n%s", first ? "" : ",", text);
    }
    json_decref(site);
    free(text);
}

static bool print_table(FILE *stream, const struct keel_memory_table *table)
{
    uint64_t none = begin_sum(table->run), sum = none;

    fprintf(stream,
            "{\"format\": \"" KEEL_MEMORY_FORMAT "\", \"version\": %d, \"run\": %" PRIu64
            ", \"sites\": [",
            KEEL_MEMORY_VERSION, table->run);
    for (size_t i = 0; i < table->count; i++) {
        print_site(stream, &table->entry[i], sum == none, &sum);
    }
    fprintf(stream, "\n], \"sum\": \"%016" PRIx64 "\"}\n", sum);
    return ferror(stream) == 0;
}

char *keel_memory_format_write(const struct keel_memory_table *table, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    locale_t previous = keel_c_locale_enter();
    bool printed = stream != NULL && print_table(stream, table);

    keel_c_locale_leave(previous);
    if ((stream != NULL && fclose(stream) != 0) || !printed) {
        free(text);
        text = NULL;
    }
    return text;
}

/* --- reading --- */

static bool read_bins(json_t *bins, double *value)
{
    for (size_t i = 0; i < json_array_size(bins) && i < KEEL_PROFILE_BINS; i++) {
        value[i] = json_number_value(json_array_get(bins, i));
    }
    return json_array_size(bins) == KEEL_PROFILE_BINS;
}

static bool read_cost(json_t *array, struct keel_cost *cost)
{
    json_int_t chunks, iterations;

    if (json_unpack(array, "[I, I, F, F, F!]", &chunks, &iterations, &cost->time_ns,
                    &cost->square_ns2, &cost->overhead_ns) != 0) {
        return false;
    }
    cost->chunks = (uint64_t)chunks;
    cost->iterations = (uint64_t)iterations;
    return true;
}

static bool read_thread(json_t *array, struct keel_memory_thread *thread)
{
    json_int_t state, samples;

    if (json_unpack(array, "[F, I, F, F, F, I, F, F!]", &thread->rate.filtered, &state,
                    &thread->bound, &thread->mean_ns, &thread->variance_ns2, &samples,
                    &thread->sample.iterations, &thread->sample.time_ns) != 0 ||
        state < 0 || state >= KEEL_RATE_STATES) {
        return false;
    }
    thread->rate.state = (enum keel_rate_state)state;
    thread->sample.count = (uint64_t)samples;
    return true;
}

/* Allocates state->thread. By their bounds, threads begin with parts of a loop: in order, and no
 * further than its end. */
static bool read_threads(json_t *threads, struct keel_memory_state *state)
{
    state->key.threads = json_array_size(threads);
    if (state->key.threads < 1 || state->key.threads > KEEL_MEMORY_THREADS_MAX) {
        return false;
    }
    state->thread = calloc(state->key.threads, sizeof *state->thread);
    double bound = 0;
    for (uint64_t i = 0; state->thread != NULL && i < state->key.threads; i++) {
        struct keel_memory_thread *thread = &state->thread[i];
        if (!read_thread(json_array_get(threads, i), thread) ||
            !(thread->bound >= bound && thread->bound <= 1)) {
            return false;
        }
        bound = thread->bound;
    }
    return state->thread != NULL;
}

/* Texts stay the site's; threads are to be freed, whatever is returned. */
static bool read_site(json_t *site, struct keel_memory_state *state, json_int_t *used)
{
    json_int_t caller, outlined, instances, calm;
    json_t *cost, *profile_cost, *profile_seen, *threads;

    if (json_unpack(site, "{s:s, s:I, s:I, s:s, s:I, s:I, s:I, s:s, s:F, s:o, s:o, s:o, s:o!}",
                    "module", &state->key.module, "caller", &caller, "outlined", &outlined,
                    "schedule", &state->key.schedule, "used", used, "instances", &instances, "calm",
                    &calm, "choice", &state->choice, "choice_ns", &state->choice_ns, "cost", &cost,
                    "profile_cost", &profile_cost, "profile_seen", &profile_seen, "threads",
                    &threads) != 0) {
        return false;
    }
    state->key.caller = (uint64_t)caller;
    state->key.outlined = (uint64_t)outlined;
    state->instances = (uint64_t)instances;
    state->calm = (uint64_t)calm;
    return read_cost(cost, &state->cost) && read_bins(profile_cost, state->profile.cost) &&
           read_bins(profile_seen, state->profile.seen) && read_threads(threads, state);
}

static bool take_site(json_t *site, struct keel_memory_table *table, const char **problem)
{
    struct keel_memory_state state = {0};
    json_int_t used = -1;
    bool good = read_site(site, &state, &used) && used >= 0 && (uint64_t)used <= table->run;
    bool taken = good && keel_memory_table_put(table, &state, (uint64_t)used);

    *problem = good ? "there is no memory for it" : "it has a value that can't be";
    free(state.thread);
    return taken;
}

static bool read_sites(json_t *sites, struct keel_memory_table *table, char *reason)
{
    const char *problem;

    for (size_t i = 0; i < json_array_size(sites); i++) {
        if (!take_site(json_array_get(sites, i), table, &problem)) {
            return keel_memory_reason(reason, "can't be used: site %zu, %s", i + 1, problem);
        }
    }
    return true;
}

static bool sum_is(const char *expected, uint64_t run, json_t *sites)
{
    uint64_t sum = begin_sum(run);
    char text[17];

    for (size_t i = 0; i < json_array_size(sites); i++) {
        char *site = text_of(json_array_get(sites, i));
        if (site == NULL) {
            return false;
        }
        sum = keel_digest_text(sum, site);
        free(site);
    }
    snprintf(text, sizeof text, "%016" PRIx64, sum);
    return strcmp(text, expected) == 0;
}

/* The version comes first: what else there is depends on it. */
static bool read_file(json_t *root, struct keel_memory_table *table, char *reason)
{
    const char *format = json_string_value(json_object_get(root, "format")), *sum;
    json_t *version = json_object_get(root, "version"), *sites;
    json_int_t run;

    if (format == NULL || strcmp(format, KEEL_MEMORY_FORMAT) != 0) {
        return keel_memory_reason(reason, "is JSON, but not a memory of Keel");
    }
    if (!json_is_integer(version) || json_integer_value(version) != KEEL_MEMORY_VERSION) {
        return keel_memory_reason(reason, "has version %" JSON_INTEGER_FORMAT ", expected %d",
                                  json_integer_value(version), KEEL_MEMORY_VERSION);
    }
    if (json_unpack(root, "{s:s, s:i, s:s, s:I, s:o!}", "format", &format, "version", &(int){0},
                    "sum", &sum, "run", &run, "sites", &sites) != 0 ||
        !json_is_array(sites) || run < 0 || json_array_size(sites) > KEEL_MEMORY_SITES_MAX) {
        return keel_memory_reason(
            reason, "is damaged: something else than run, sites and sum stands in it");
    }
    if (!sum_is(sum, (uint64_t)run, sites)) {
        return keel_memory_reason(reason, "is damaged: its sum, %.16s, does not fit its contents",
                                  sum);
    }
    table->run = (uint64_t)run;
    return read_sites(sites, table, reason);
}

static bool read_text(const char *text, size_t length, struct keel_memory_table *table,
                      char *reason)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    bool good;

    if (root == NULL) {
        /* the parser's own message quotes the text, which may be anything */
        return keel_memory_reason(reason, "is damaged: no JSON at line %d, column %d", error.line,
                                  error.column);
    }
    good = read_file(root, table, reason);
    if (!good) {
        keel_memory_table_free(table);
    }
    json_decref(root);
    return good;
}

/* The library's own way with a decimal comma knows no points of several bytes. */
bool keel_memory_format_read(const char *text, size_t length, struct keel_memory_table *table,
                             char *reason)
{
    locale_t previous = keel_c_locale_enter();
    bool good = read_text(text, length, table, reason);

    keel_c_locale_leave(previous);
    return good;
}
