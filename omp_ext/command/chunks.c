/* keel chunks: the chunks that a schedule gives for a loop, from the plan that programs run by or,
 * where sizes follow from measurements, as equal threads would get them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/support/message.h"
#include "schedules/claim/plan.h"
#include "schedules/forecast/predict.h"
#include "schedules/loop/spec.h"
#include "schedules/text/text.h"

#define CHUNKS_MAX 1000000 /* that are shown */

/* Equal threads and iterations, by which schedules that measure are shown, ns. */
#define ITERATION_NS 1000.0
#define CLAIM_NS 100.0

struct request {
    bool csv;
    char **words; /* SPEC N P */
};

/* --- reading the command line ----------------------------------------------------------------- */

static bool read_number(const char *name, const char *text, uint64_t low, uint64_t high,
                        uint64_t *number)
{
    if (keel_number_whole(text, low, high, number)) {
        return true;
    }
    keel_message("%s '%s' is not a whole number from %llu to %llu; no chunks are shown", name, text,
                 (unsigned long long)low, (unsigned long long)high);
    return false;
}

/* Says which parameters a program would measure, and how to state them. */
static void report_unmeasured(const struct keel_spec *spec, unsigned unmeasured)
{
    char names[128] = "";
    size_t length = 0;

    for (unsigned i = 0; i < KEEL_PARAMETERS; i++) {
        if (unmeasured & KEEL_BIT(i)) {
            length = keel_text_append(names, sizeof names, length, "%s%s=...",
                                      length > 0 ? "," : "", keel_parameters[i].name);
        }
    }
    keel_message(
        "%s measures parameters while a program runs, which have to be stated here: '%s:%s' "
        "(see `keel list %s`); no chunks are shown",
        spec->schedule->name, spec->schedule->name, names, spec->schedule->name);
}

static bool read_spec(const char *text, struct keel_spec *spec)
{
    char problem[KEEL_PROBLEM_MAX];
    enum keel_spec_result result = keel_spec_read(text, strlen(text), spec, problem);

    if (result == KEEL_SPEC_UNKNOWN) {
        keel_message("%s; no chunks are shown", problem);
        return false;
    }
    if (result == KEEL_SPEC_CORRECTED) {
        keel_message("'%s': %s", text, problem);
    }
    unsigned unmeasured = keel_spec_unmeasured(spec);
    if (unmeasured != 0) {
        report_unmeasured(spec, unmeasured);
    }
    return unmeasured == 0;
}

/* --- chunks ----------------------------------------------------------------------------------- */

/* Where chunks come from, one by one: the plan that programs run by, weighted ones driven as by a
 * team whose threads take turns; or for schedules that measure, a simulation of equal threads. */
struct source {
    struct keel_problem problem; /* in units of the grain */
    struct keel_spec spec;       /* the problem's */
    uint64_t iterations, grain;
    struct keel_plan *plan;
    struct keel_plan fallback;    /* where there is no memory */
    struct keel_plan thread_plan; /* weighted: of the thread whose turn it is */
    struct keel_claims claims;    /* of weighted plans */
    struct keel_cursor cursor;    /* walks only forward, so that one serves all threads */
    struct keel_simulation_setup setup;
    struct keel_simulation *simulation; /* NULL: there is a plan */
    uint64_t step;                      /* of the next chunk */
    uint64_t handed;                    /* units before it */
};

/* In iterations. */
struct chunk {
    uint64_t step, first, size, thread;
};

static double equal_time(const struct keel_simulated_chunk *chunk, void *context)
{
    const struct source *source = context;

    return (double)(chunk->last - chunk->first) * (double)source->grain * ITERATION_NS;
}

/* False: more threads than can be simulated, or no memory. */
static bool begin(struct source *source, const struct keel_problem *problem)
{
    bool weighted = problem->spec->schedule->claim == KEEL_CLAIM_WEIGHTED;

    *source = (struct source){
        .problem = *problem,
        .spec = keel_grain_spec(problem->spec),
        .iterations = problem->iterations,
        .grain = keel_grain_of(problem->spec),
    };
    source->problem.spec = &source->spec;
    source->problem.iterations = keel_grain_units(problem->iterations, source->grain);
    if (keel_plan_exists(problem->spec->schedule)) {
        /* the threads of a weighted plan share one walk from its start, so it gets no table */
        source->plan =
            keel_plan_build(&source->problem, weighted ? NULL : realloc, &source->fallback);
        source->cursor.walk = source->plan->walk;
        return true;
    }
    source->setup = (struct keel_simulation_setup){
        .spec = &source->spec,
        .iterations = source->problem.iterations,
        .threads = problem->threads,
        .claim_ns = CLAIM_NS,
        .time_ns = equal_time,
        .context = source,
    };
    source->simulation = keel_simulation_begin(&source->setup);
    return source->simulation != NULL;
}

static void end(struct source *source)
{
    if (source->simulation != NULL) {
        keel_simulation_end(source->simulation);
    } else if (source->plan != &source->fallback) {
        free(source->plan);
    }
}

/* Each claim needs the plan of its thread; one without a table is made in no time. */
static bool claim_in_turn(struct source *source, struct keel_simulated_chunk *chunk)
{
    source->problem.thread = chunk->thread;
    keel_plan_build(&source->problem, NULL, &source->thread_plan);
    source->cursor.share = source->thread_plan.share;
    return keel_claim_weighted(&source->thread_plan, &source->claims, &source->cursor,
                               &chunk->first, &chunk->last);
}

/* In units. */
static bool next_chunk(struct source *source, struct keel_simulated_chunk *chunk)
{
    if (source->simulation != NULL) {
        return keel_simulation_next(source->simulation, chunk);
    }
    chunk->thread = source->step % source->problem.threads;
    return source->plan->claim == KEEL_CLAIM_WEIGHTED
               ? claim_in_turn(source, chunk)
               : keel_plan_any_chunk(source->plan, &source->cursor.walk, source->step,
                                     &chunk->first, &chunk->last);
}

/* False: there is none. */
static bool next(struct source *source, struct chunk *chunk)
{
    struct keel_simulated_chunk units;

    if (source->handed == source->problem.iterations || !next_chunk(source, &units)) {
        return false;
    }
    source->handed += units.last - units.first;
    uint64_t first = keel_grain_iteration(units.first, source->iterations, source->grain);
    uint64_t last = keel_grain_iteration(units.last, source->iterations, source->grain);
    *chunk = (struct chunk){source->step++, first, last - first, units.thread};
    return true;
}

/* --- printing --------------------------------------------------------------------------------- */

struct table {
    bool csv;
    bool bound;            /* each chunk has its thread */
    int step_width, width; /* of the columns of steps, and of iterations */
    uint64_t chunks;       /* so far */
    uint64_t iterations;   /* in these chunks */
    uint64_t smallest, largest;
};

static void print_head(const struct table *table)
{
    if (table->csv) {
        printf("step,first,last,size,thread\n");
    } else {
        printf("%*s %*s %*s %*s%s\n", table->step_width, "STEP", table->width, "FIRST",
               table->width, "LAST", table->width, "SIZE", table->bound ? "  THREAD" : "");
    }
}

static void print_chunk(const struct table *table, const struct chunk *chunk)
{
    unsigned long long step = chunk->step, first = chunk->first, size = chunk->size;
    char thread[24] = "";

    if (table->bound) {
        snprintf(thread, sizeof thread, "%llu", (unsigned long long)chunk->thread);
    }
    if (table->csv) {
        printf("%llu,%llu,%llu,%llu,%s\n", step, first, first + size - 1, size, thread);
    } else {
        printf("%*llu %*llu %*llu %*llu", table->step_width, step, table->width, first,
               table->width, first + size - 1, table->width, size);
        printf(table->bound ? "  %6s\n" : "%s\n", thread);
    }
}

static void print_chunks(struct table *table, struct source *source)
{
    struct chunk chunk;

    while (source->step < CHUNKS_MAX && next(source, &chunk)) {
        if (table->chunks++ == 0) {
            print_head(table);
        }
        print_chunk(table, &chunk);
        table->iterations += chunk.size;
        table->smallest = chunk.size < table->smallest ? chunk.size : table->smallest;
        table->largest = chunk.size > table->largest ? chunk.size : table->largest;
    }
    if (table->chunks == 0 && table->csv) {
        print_head(table);
    }
}

static void print_summary(const struct table *table, const struct keel_problem *problem,
                          uint64_t left)
{
    char spec[KEEL_SPEC_TEXT_MAX];

    keel_spec_write(problem->spec, spec, sizeof spec);
    printf("%s, %llu iterations, %llu threads: ", spec, (unsigned long long)problem->iterations,
           (unsigned long long)problem->threads);
    if (table->chunks == 0) {
        printf("no chunks\n");
    } else if (left > 0) {
        printf("more than %d chunks; the last %llu iterations are not shown\n", CHUNKS_MAX,
               (unsigned long long)left);
    } else {
        printf("%llu chunk%s, smallest %llu, largest %llu\n", (unsigned long long)table->chunks,
               keel_text_plural(table->chunks), (unsigned long long)table->smallest,
               (unsigned long long)table->largest);
    }
}

static int show(const struct request *request, const struct keel_problem *problem)
{
    const char *name = problem->spec->schedule->name;
    int width = snprintf(NULL, 0, "%llu", (unsigned long long)problem->iterations);
    struct table table = {
        .csv = request->csv,
        .bound = problem->spec->schedule->claim != KEEL_CLAIM_STEPS,
        .step_width = width < 4   ? 4
                      : width > 7 ? 7
                                  : width,
        .width = width < 5 ? 5 : width,
        .smallest = UINT64_MAX,
    };
    struct source source;

    if (!begin(&source, problem)) {
        keel_message("%s: chunks that follow from what threads do are shown for %d threads at "
                     "most, not for %llu; no chunks are shown",
                     name, KEEL_SIMULATION_THREADS_MAX, (unsigned long long)problem->threads);
        return KEEL_EXIT_USAGE;
    }
    print_chunks(&table, &source);
    uint64_t left = problem->iterations - table.iterations;
    if (request->csv && left > 0) {
        keel_message("%s gives more than %d chunks here; the others are not printed", name,
                     CHUNKS_MAX);
    } else if (!request->csv) {
        print_summary(&table, problem, left);
    }
    if (!request->csv && source.simulation != NULL) {
        printf("chunks of %s follow from what threads do; these are of equal threads, %g us an "
               "iteration, %g us to get a chunk\n",
               name, ITERATION_NS / 1e3, CLAIM_NS / 1e3);
    }
    end(&source);
    return request->csv && left > 0 ? KEEL_EXIT_USAGE : 0;
}

/* --- the subcommand --------------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    static const struct keel_option options[] = {
        {"csv", 'c', NULL, "Print every chunk as comma-separated values", 0, keel_take_flag,
         .at = offsetof(struct request, csv)},
        {0},
    };
    static const struct keel_command_line line = {
        .options = options,
        .words_at = offsetof(struct request, words),
        .least = 3,
        .most = 3,
        .form = "SPEC N P",
        .text = "Prints the chunks into which schedule SPEC divides a loop of N iterations for P "
                "threads.\v"
                "LAST is a chunk's last iteration, counted from 0. THREAD is given where it is "
                "settled beforehand; the threads of wf2 are equal, and take turns. Where sizes "
                "follow from "
                "measurements, threads and iterations are taken to be equal. The environment "
                "(KEEL_MIN_CHUNK, KEEL_GRAIN, KEEL_WEIGHTS) has no "
                "influence.",
    };
    struct request request = {0};
    struct keel_spec spec;
    struct keel_problem problem = {.spec = &spec};

    keel_command_line_read(&line, argc, argv, &request);
    if (!read_spec(request.words[0], &spec) ||
        !read_number("N", request.words[1], 0, UINT64_MAX, &problem.iterations) ||
        !read_number("P", request.words[2], 1, INT_MAX, &problem.threads)) {
        return KEEL_EXIT_USAGE;
    }
    return show(&request, &problem);
}

const struct keel_subcommand keel_subcommand_chunks = {
    .name = "chunks",
    .summary = "show the chunks that a schedule gives",
    .run = run,
};
