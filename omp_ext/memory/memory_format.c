/* The states of a memory, and their text in its file. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/memory/memory_parts.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- the table --- */

static bool keys_equal(const struct keel_memory_key *a, const struct keel_memory_key *b)
{
    return a->caller == b->caller && a->outlined == b->outlined && a->threads == b->threads &&
           strcmp(a->module, b->module) == 0 && strcmp(a->schedule, b->schedule) == 0;
}

struct keel_memory_entry *keel_memory_table_find(const struct keel_memory_table *table,
                                                 const struct keel_memory_key *key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (keys_equal(&table->entry[i].state.key, key)) {
            return &table->entry[i];
        }
    }
    return NULL;
}

bool keel_memory_table_put(struct keel_memory_table *table, const struct keel_memory_state *state,
                           uint64_t used, struct keel_memory_thread *own)
{
    struct keel_memory_entry *entry = keel_memory_table_find(table, &state->key);

    if (entry != NULL) {
        free(entry->own);
    } else {
        if (table->count == table->room) {
            size_t room = table->room == 0 ? 64 : 2 * table->room;
            struct keel_memory_entry *larger = realloc(table->entry, room * sizeof *larger);
            if (larger == NULL) {
                free(own);
                return false;
            }
            table->entry = larger;
            table->room = room;
        }
        entry = &table->entry[table->count++];
    }
    *entry = (struct keel_memory_entry){*state, used, own};
    return true;
}

/* Those used last come first. */
static int by_age(const void *a, const void *b)
{
    uint64_t x = ((const struct keel_memory_entry *)a)->used;
    uint64_t y = ((const struct keel_memory_entry *)b)->used;

    return (x < y) - (x > y);
}

/* Upper bound of the text of a state: a number takes at most 17 bytes with its blank. */
static size_t text_bytes(const struct keel_memory_state *state)
{
    return 17 * (2 * KEEL_PROFILE_BINS + 8 * state->key.threads) + strlen(state->key.module) +
           strlen(state->key.schedule) + strlen(state->choice) + 512;
}

void keel_memory_table_shrink(struct keel_memory_table *table, size_t count, size_t bytes)
{
    size_t kept = 0, needed = 0;

    if (table->count > 0) {
        qsort(table->entry, table->count, sizeof *table->entry, by_age);
    }
    while (kept < count && kept < table->count &&
           (needed += text_bytes(&table->entry[kept].state)) <= bytes) {
        kept++;
    }
    while (table->count > kept) {
        free(table->entry[--table->count].own);
    }
}

void keel_memory_table_free(struct keel_memory_table *table)
{
    while (table->count > 0) {
        free(table->entry[--table->count].own);
    }
    free(table->entry);
    *table = (struct keel_memory_table){0};
}

/* --- the text --- */

static const char beginning[] = "keel-memory ";
static const char old_beginning[] = "{\"format\": \"keel-memory\"";

#define SUM_LENGTH 21 /* "sum ", 16 digits, a line feed */

static void write_sum(const char *text, char sum[SUM_LENGTH + 1])
{
    snprintf(sum, SUM_LENGTH + 1, "sum %016" PRIx64 "\n",
             keel_digest_text(KEEL_DIGEST_START, text));
}

/* --- members --- */

/* States are checked, written and read by the same functions, so that each member is named once. */
struct pass {
    FILE *stream; /* to write to */
    char *at;     /* what is read next; neither: numbers are only checked */
    bool good;    /* so far */
};

static void pass_count(struct pass *pass, uint64_t *count)
{
    char *end;

    if (pass->stream != NULL) {
        fprintf(pass->stream, " %" PRIx64, *count);
    } else if (pass->at != NULL) {
        *count = strtoull(pass->at, &end, 16);
        pass->good &= end > pass->at;
        pass->at = end;
    }
}

static void pass_real(struct pass *pass, double *real)
{
    uint64_t bits;

    memcpy(&bits, real, sizeof bits);
    pass_count(pass, &bits);
    memcpy(real, &bits, sizeof bits);
    pass->good &= isfinite(*real) != 0;
}

static void pass_bins(struct pass *pass, double *bin)
{
    for (size_t i = 0; i < KEEL_PROFILE_BINS; i++) {
        pass_real(pass, &bin[i]);
    }
}

/* What is read stays part of the text. */
static void pass_text(struct pass *pass, const char **text)
{
    if (pass->stream != NULL) {
        fprintf(pass->stream, "%s\t", *text);
    } else if (pass->at != NULL) {
        char *end = strchr(pass->at, '\t');
        *text = pass->at;
        pass->good &= end != NULL;
        pass->at = end != NULL ? end + 1 : strchr(pass->at, '\0');
        if (end != NULL) {
            *end = '\0';
        }
    }
    pass->good &= strpbrk(*text, "\t\n") == NULL;
}

static void pass_thread(struct pass *pass, struct keel_memory_thread *thread)
{
    uint64_t state = thread->rate.state;

    pass_real(pass, &thread->rate.filtered);
    pass_count(pass, &state);
    pass_real(pass, &thread->bound);
    pass_real(pass, &thread->mean_ns);
    pass_real(pass, &thread->variance_ns2);
    pass_count(pass, &thread->sample.count);
    pass_real(pass, &thread->sample.iterations);
    pass_real(pass, &thread->sample.time_ns);
    pass->good &= state < KEEL_RATE_STATES;
    thread->rate.state = (enum keel_rate_state)state;
}

/* Allocates what is read. By their bounds, threads begin with parts of a loop: in order, and no
 * further than its end. */
static void pass_threads(struct pass *pass, struct keel_memory_state *state)
{
    uint64_t threads = state->key.threads;
    double bound = 0;

    if (pass->at != NULL) {
        pass->good &= threads >= 1 && threads <= KEEL_MEMORY_THREADS_MAX;
        state->thread = pass->good ? calloc(threads, sizeof *state->thread) : NULL;
        pass->good &= state->thread != NULL;
    }
    for (uint64_t i = 0; pass->good && i < threads; i++) {
        pass_thread(pass, &state->thread[i]);
        pass->good &=
            pass->at == NULL || (state->thread[i].bound >= bound && state->thread[i].bound <= 1);
        bound = state->thread[i].bound;
    }
}

static void pass_entry(struct pass *pass, struct keel_memory_entry *entry)
{
    struct keel_memory_state *state = &entry->state;

    pass_text(pass, &state->key.module);
    pass_text(pass, &state->key.schedule);
    pass_text(pass, &state->choice);
    pass_count(pass, &entry->used);
    pass_count(pass, &state->key.caller);
    pass_count(pass, &state->key.outlined);
    pass_count(pass, &state->key.threads);
    pass_count(pass, &state->instances);
    pass_count(pass, &state->calm);
    pass_real(pass, &state->choice_ns);
    pass_count(pass, &state->cost.chunks);
    pass_count(pass, &state->cost.iterations);
    pass_real(pass, &state->cost.time_ns);
    pass_real(pass, &state->cost.square_ns2);
    pass_real(pass, &state->cost.overhead_ns);
    pass_bins(pass, state->profile.cost);
    pass_bins(pass, state->profile.seen);
    pass_threads(pass, state);
}

/* --- writing --- */

static void print_entry(FILE *stream, struct keel_memory_entry entry)
{
    struct pass check = {.good = true}, out = {.stream = stream, .good = true};

    pass_entry(&check, &entry);
    if (check.good) {
        pass_entry(&out, &entry);
        putc('\n', stream);
    }
}

char *keel_memory_format_write(const struct keel_memory_table *table, size_t *length)
{
    char *text = NULL, sum[SUM_LENGTH + 1];
    FILE *stream = open_memstream(&text, length);

    if (stream == NULL) {
        return NULL;
    }
    fprintf(stream, "%s%d %" PRIx64 "\n", beginning, KEEL_MEMORY_VERSION, table->run);
    for (size_t i = 0; i < table->count; i++) {
        print_entry(stream, table->entry[i]);
    }
    bool printed = fflush(stream) == 0;
    if (printed) {
        write_sum(text, sum);
        fputs(sum, stream);
    }
    printed &= ferror(stream) == 0;
    if (fclose(stream) != 0 || !printed) {
        free(text);
        text = NULL;
    }
    return text;
}

/* --- reading --- */

bool keel_memory_format_begins(const char *text)
{
    return strncmp(text, beginning, strlen(beginning)) == 0 ||
           strncmp(text, old_beginning, strlen(old_beginning)) == 0;
}

/* Takes the sum off. */
static bool sum_fits(char *text, size_t length)
{
    char wanted[SUM_LENGTH + 1];

    if (length < SUM_LENGTH) {
        return false;
    }
    char *sum = text + length - SUM_LENGTH, first = *sum;
    *sum = '\0';
    write_sum(text, wanted);
    return first == wanted[0] && memcmp(sum + 1, wanted + 1, SUM_LENGTH - 1) == 0 &&
           strlen(text) == length - SUM_LENGTH;
}

static bool take_line(struct pass *in, struct keel_memory_table *table, const char **problem)
{
    struct keel_memory_entry entry = {0};

    pass_entry(in, &entry);
    in->good &= *in->at++ == '\n' && entry.used <= table->run;
    if (!in->good) {
        *problem = "it has a value that can't be";
        free(entry.state.thread);
        return false;
    }
    *problem = "there is no memory for it";
    return keel_memory_table_put(table, &entry.state, entry.used, entry.state.thread);
}

static bool read_lines(struct pass *in, struct keel_memory_table *table, char *reason)
{
    const char *problem;

    for (size_t line = 2; *in->at != '\0'; line++) {
        if (line - 1 > KEEL_MEMORY_SITES_MAX || !take_line(in, table, &problem)) {
            keel_memory_table_free(table);
            return keel_memory_reason(reason, "can't be used: line %zu, %s", line, problem);
        }
    }
    return true;
}

/* The version comes first: the rest of the format depends on it. */
bool keel_memory_format_read(char *text, size_t length, struct keel_memory_table *table,
                             char *reason)
{
    struct pass in = {.at = text + strlen(beginning), .good = true};

    if (!keel_memory_format_begins(text)) {
        return keel_memory_reason(reason, "is not a memory of Keel");
    }
    unsigned long version = text[0] == '{' ? 1 : strtoul(in.at, &in.at, 10);
    if (version != KEEL_MEMORY_VERSION) {
        return keel_memory_reason(reason, "has version %lu, expected %d", version,
                                  KEEL_MEMORY_VERSION);
    }
    if (!sum_fits(text, length)) {
        return keel_memory_reason(reason, "is damaged: its sum does not fit its contents");
    }
    pass_count(&in, &table->run);
    if (!in.good || *in.at++ != '\n') {
        return keel_memory_reason(reason, "is damaged: it has no number of runs");
    }
    return read_lines(&in, table, reason);
}
