/* Traces of loops. */
#include "omp_ext/command/model/kinds/loop_trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/model/kinds/description.h"

#define BINS KEEL_PROFILE_BINS
#define CHUNK_FIELDS 6
#define WHOLE_MAX 9007199254740992.0 /* 2^53 */
#define COST_MAX 1e12                /* of an iteration, s */
#define ROUNDS 4 /* speeds by the profile, then the profile by speeds: they settle quickly */

struct chunk {
    double first, last, time_ns;
    unsigned thread;
};

struct chunks {
    size_t count;
    struct chunk *chunk;
};

enum { LOOP, INSTANCE, THREAD, FIRST, LAST, TIME };

/* --- reading --- */

static bool is_of_chunks(const struct keel_recorded *trace)
{
    return trace->line[0].fields == CHUNK_FIELDS;
}

/* The only loop of the trace; NULL, and what is wrong: there are several. */
static const char *only_loop(const struct keel_recorded *trace, char *problem)
{
    for (size_t i = 1; i < trace->count; i++) {
        if (strcmp(trace->line[i].field[LOOP], trace->line[0].field[LOOP]) != 0) {
            snprintf(
                problem, KEEL_MODEL_PROBLEM_MAX,
                "there are several loops, '%.60s' and '%.60s' among them: choose one by --loop",
                trace->line[0].field[LOOP], trace->line[i].field[LOOP]);
            return NULL;
        }
    }
    return trace->line[0].field[LOOP];
}

static bool read_chunk(const struct keel_recorded_line *line, struct chunk *chunk, char *problem)
{
    double thread;

    if (line->fields != CHUNK_FIELDS) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "line %zu: %u fields, not %d", line->number,
                 line->fields, CHUNK_FIELDS);
        return false;
    }
    if (!keel_recorded_count(line, THREAD, 0, KEEL_LOOP_TRACE_THREADS_MAX - 1, &thread, problem) ||
        !keel_recorded_count(line, FIRST, 0, WHOLE_MAX, &chunk->first, problem) ||
        !keel_recorded_count(line, LAST, chunk->first + 1, WHOLE_MAX, &chunk->last, problem)) {
        return false;
    }
    chunk->thread = (unsigned)thread;
    return keel_recorded_number(line, TIME, 0, COST_MAX * 1e9, &chunk->time_ns, problem);
}

static bool read_chunks(const struct keel_recorded *trace, const char *loop, struct chunks *chunks,
                        char *problem)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct chunk *chunk = &chunks->chunk[chunks->count];
        if (!read_chunk(&trace->line[i], chunk, problem)) {
            return false;
        }
        chunks->count += strcmp(trace->line[i].field[LOOP], loop) == 0;
    }
    if (chunks->count == 0) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no loop '%.60s' in it", loop);
    }
    return chunks->count > 0;
}

/* Iteration i is a chunk of its own. */
static bool read_costs(const struct keel_recorded *trace, struct chunks *chunks, char *problem)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct keel_recorded_line *line = &trace->line[i];
        double cost_s;
        if (!keel_recorded_number(line, line->fields - 1, 0, COST_MAX, &cost_s, problem)) {
            return false;
        }
        chunks->chunk[chunks->count++] =
            (struct chunk){.first = (double)i, .last = (double)i + 1, .time_ns = cost_s * 1e9};
    }
    return true;
}

/* --- what it tells --- */

static double iterations_of(const struct chunks *chunks)
{
    double iterations = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        iterations = fmax(iterations, chunks->chunk[i].last);
    }
    return iterations;
}

/* Adds time and iterations of a chunk to the bins that it lies in, evenly. */
static void add_chunk(double *time_ns, double *seen, const struct chunk *chunk, double iterations,
                      double speed)
{
    double from = chunk->first / iterations * BINS, to = chunk->last / iterations * BINS;

    for (int b = (int)from; b < BINS && b < to; b++) {
        double part = (fmin(to, b + 1) - fmax(from, b)) / (to - from);
        time_ns[b] += part * chunk->time_ns * speed;
        seen[b] += part * (chunk->last - chunk->first);
    }
}

/* Bins that nobody has run cost what the others do. */
static void take_profile(struct keel_loop_trace *loop_trace, const struct chunks *chunks)
{
    double time_ns[BINS] = {0}, seen[BINS] = {0}, sum_ns = 0, all = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        const struct chunk *chunk = &chunks->chunk[i];
        add_chunk(time_ns, seen, chunk, loop_trace->iterations, loop_trace->speed[chunk->thread]);
    }
    for (int b = 0; b < BINS; b++) {
        sum_ns += seen[b] > 0 ? time_ns[b] / seen[b] : 0;
        all += seen[b] > 0;
    }
    loop_trace->mean_ns = sum_ns / all;
    for (int b = 0; b < BINS; b++) {
        loop_trace->profile.cost[b] =
            seen[b] > 0 && sum_ns > 0 ? time_ns[b] / seen[b] / loop_trace->mean_ns : 1;
    }
}

/* Of a chunk on an average thread, by the profile. */
static double expected_ns(const struct keel_loop_trace *loop_trace, const struct chunk *chunk)
{
    double work = keel_profile_work(&loop_trace->profile, chunk->last / loop_trace->iterations) -
                  keel_profile_work(&loop_trace->profile, chunk->first / loop_trace->iterations);

    return work * loop_trace->iterations * loop_trace->mean_ns;
}

static void scale_speeds(struct keel_loop_trace *loop_trace)
{
    double sum = 0;

    for (unsigned i = 0; i < loop_trace->threads; i++) {
        sum += loop_trace->speed[i];
    }
    for (unsigned i = 0; i < loop_trace->threads; i++) {
        loop_trace->speed[i] *= loop_trace->threads / sum;
    }
}

static bool take_speeds(struct keel_loop_trace *loop_trace, const struct chunks *chunks)
{
    double *spent_ns = calloc(2 * (size_t)loop_trace->threads, sizeof *spent_ns);
    double *wanted_ns = spent_ns != NULL ? spent_ns + loop_trace->threads : NULL;

    for (size_t i = 0; spent_ns != NULL && i < chunks->count; i++) {
        const struct chunk *chunk = &chunks->chunk[i];
        spent_ns[chunk->thread] += chunk->time_ns;
        wanted_ns[chunk->thread] += expected_ns(loop_trace, chunk);
    }
    for (unsigned i = 0; spent_ns != NULL && i < loop_trace->threads; i++) {
        bool known = spent_ns[i] > 0 && wanted_ns[i] > 0;
        loop_trace->speed[i] = known ? wanted_ns[i] / spent_ns[i] : 1;
    }
    free(spent_ns);
    scale_speeds(loop_trace);
    return spent_ns != NULL;
}

/* As omp_ext/instance/auto.c has it: a chunk of n iterations strays by sqrt(n) times that. */
static double deviation_ns(const struct keel_loop_trace *loop_trace, const struct chunks *chunks)
{
    double squares = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        const struct chunk *chunk = &chunks->chunk[i];
        double stray_ns =
            chunk->time_ns * loop_trace->speed[chunk->thread] - expected_ns(loop_trace, chunk);
        squares += stray_ns * stray_ns / (chunk->last - chunk->first);
    }
    return chunks->count > 1 ? sqrt(squares / (double)(chunks->count - 1)) : 0;
}

static unsigned threads_of(const struct chunks *chunks)
{
    unsigned threads = 0;

    for (size_t i = 0; i < chunks->count; i++) {
        threads = chunks->chunk[i].thread >= threads ? chunks->chunk[i].thread + 1 : threads;
    }
    return threads;
}

static void take_chunks(struct keel_loop_trace *loop_trace, const struct chunks *chunks)
{
    loop_trace->iterations = iterations_of(chunks);
    for (unsigned i = 0; i < KEEL_LOOP_TRACE_THREADS_MAX; i++) {
        loop_trace->speed[i] = 1;
    }
    take_profile(loop_trace, chunks);
    for (int round = 0; round < ROUNDS && loop_trace->threads > 1; round++) {
        if (take_speeds(loop_trace, chunks)) {
            take_profile(loop_trace, chunks);
        }
    }
    loop_trace->deviation_ns = deviation_ns(loop_trace, chunks);
}

bool keel_loop_trace_read(const struct keel_recorded *trace, const char *loop,
                          struct keel_loop_trace *loop_trace, char *problem)
{
    struct chunks chunks = {.chunk = calloc(trace->count, sizeof *chunks.chunk)};
    bool good = false;

    *loop_trace = (struct keel_loop_trace){0};
    if (chunks.chunk == NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no memory");
    } else if (is_of_chunks(trace)) {
        const char *name = loop != NULL ? loop : only_loop(trace, problem);
        good = name != NULL && read_chunks(trace, name, &chunks, problem);
        loop_trace->threads = threads_of(&chunks);
    } else if (loop != NULL) {
        snprintf(problem, KEEL_MODEL_PROBLEM_MAX, "no loop '%.60s' in it, just costs", loop);
    } else {
        good = read_costs(trace, &chunks, problem);
    }
    if (good) {
        take_chunks(loop_trace, &chunks);
    }
    free(chunks.chunk);
    return good;
}
