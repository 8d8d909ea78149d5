/* keel chunks: the chunks that a schedule gives for a loop, from the plan that programs run by or,
 * where sizes follow from measurements, as equal threads would get them. */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/parts/drawing.h"
#include "omp_ext/command/parts/sequence.h"
#include "omp_ext/command/parts/subcommand.h"
#include "omp_ext/settings/variables.h"
#include "omp_ext/support/message.h"
#include "schedules/loop/parameter.h"
#include "schedules/loop/spec.h"
#include "schedules/text/number.h"
#include "schedules/text/text.h"

struct request {
    bool all, csv;
    const char *weights;
    char **words; /* SPEC N P */
};

/* --- reading the command line ----------------------------------------------------------------- */

static bool read_number(const char *name, const char *text, uint64_t low, uint64_t high,
                        uint64_t *number)
{
    text += text[0] == ' ' && text[1] == '-'; /* see protect_numbers() */
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

/* The table's own reader, under the option's name, scales the weights and complains. */
static void parse_weights(const char *text, struct keel_settings *settings)
{
    for (const struct keel_variable *variable = keel_variables; variable->name != NULL;
         variable++) {
        if (strcmp(variable->name, "KEEL_WEIGHTS") == 0) {
            struct keel_variable option = *variable;
            option.name = "--weights";
            option.read(settings, &option, text);
        }
    }
}

/* As a program does, uses equal weights, NULL, where those stated do not fit. */
static const double *read_weights(const char *text, const struct keel_problem *problem)
{
    static struct keel_settings settings;

    if (text == NULL) {
        return NULL;
    }
    if (problem->spec->schedule->claim != KEEL_CLAIM_WEIGHTED) {
        keel_message("--weights: %s takes no notice of weights; ignored",
                     problem->spec->schedule->name);
        return NULL;
    }
    parse_weights(text, &settings);
    if (settings.weights != 0 && settings.weights != problem->threads) {
        keel_message("--weights: '%s' has %u weights for %llu threads; using equal weights", text,
                     settings.weights, (unsigned long long)problem->threads);
        return NULL;
    }
    return settings.weights != 0 ? settings.weight : NULL;
}

/* --- printing --------------------------------------------------------------------------------- */

/* One pass over the sequence, to know how wide columns and how long bars have to be. */
static bool survey(const struct keel_problem *problem, bool all, struct keel_extent *total)
{
    struct keel_extent extent = {.smallest = UINT64_MAX};
    struct keel_sequence sequence;
    struct keel_chunk_run run;

    if (!keel_sequence_begin(&sequence, problem)) {
        return false;
    }
    while (keel_sequence_next(&sequence, &run)) {
        extent.chunks += run.chunks;
        if (keel_drawing_folds(&run, all)) {
            extent.rows++;
            extent.folded = run.chunks > extent.folded ? run.chunks : extent.folded;
        } else {
            extent.rows += run.chunks;
        }
        extent.largest = run.size > extent.largest ? run.size : extent.largest;
        extent.smallest = run.size < extent.smallest ? run.size : extent.smallest;
    }
    extent.cut = sequence.cut;
    extent.left = problem->iterations - keel_sequence_handed(&sequence);
    keel_sequence_end(&sequence);
    *total = extent;
    return true;
}

static bool is_bound(const struct keel_problem *problem)
{
    return problem->spec->schedule->claim != KEEL_CLAIM_STEPS;
}

static void print_csv_run(const struct keel_problem *problem, const struct keel_chunk_run *run)
{
    for (uint64_t i = 0; i < run->chunks; i++) {
        uint64_t first = run->first + i * run->size;
        printf("%llu,%llu,%llu,%llu,", (unsigned long long)(run->step + i),
               (unsigned long long)first, (unsigned long long)(first + run->size - 1),
               (unsigned long long)run->size);
        if (is_bound(problem)) {
            printf("%llu", (unsigned long long)((run->thread + i) % problem->threads));
        }
        putchar('\n');
    }
}

static void print_csv(const struct keel_problem *problem)
{
    struct keel_sequence sequence;
    struct keel_chunk_run run;

    printf("step,first,last,size,thread\n");
    if (!keel_sequence_begin(&sequence, problem)) {
        return;
    }
    while (keel_sequence_next(&sequence, &run)) {
        print_csv_run(problem, &run);
    }
    keel_sequence_end(&sequence);
}

static void print_table(const struct keel_problem *problem, const struct keel_extent *extent,
                        bool all)
{
    struct keel_drawing drawing;
    struct keel_sequence sequence;
    struct keel_chunk_run run;

    keel_drawing_begin(&drawing, extent, problem, all);
    if (!keel_sequence_begin(&sequence, problem)) {
        return;
    }
    while (keel_sequence_next(&sequence, &run)) {
        keel_drawing_run(&drawing, &run);
    }
    keel_sequence_end(&sequence);
}

static void print_summary(const struct keel_problem *problem, const struct keel_extent *extent)
{
    char spec[KEEL_SPEC_TEXT_MAX];

    keel_spec_write(problem->spec, spec, sizeof spec);
    printf("%s, %llu iterations, %llu threads: ", spec, (unsigned long long)problem->iterations,
           (unsigned long long)problem->threads);
    if (extent->chunks == 0) {
        printf("no chunks\n");
    } else if (extent->cut) {
        printf("more than %llu chunks; the last %llu iterations are not shown\n",
               (unsigned long long)extent->chunks, (unsigned long long)extent->left);
    } else {
        printf("%llu chunk%s, smallest %llu, largest %llu\n", (unsigned long long)extent->chunks,
               extent->chunks == 1 ? "" : "s", (unsigned long long)extent->smallest,
               (unsigned long long)extent->largest);
    }
}

/* What the chunks of a schedule that measures are shown for. */
static void print_conditions(const struct keel_problem *problem)
{
    if (keel_sequence_is_rehearsed(problem)) {
        printf("chunks of %s follow from what threads do; these are of equal threads, %g us an "
               "iteration, %g us to get a chunk\n",
               problem->spec->schedule->name, KEEL_SEQUENCE_ITERATION_NS / 1e3,
               KEEL_SEQUENCE_CLAIM_NS / 1e3);
    }
}

static int refuse_threads(const struct keel_problem *problem)
{
    keel_message("%s: chunks that follow from what threads do are shown for %d threads at most, "
                 "not for %llu; no chunks are shown",
                 problem->spec->schedule->name, KEEL_SIMULATION_THREADS_MAX,
                 (unsigned long long)problem->threads);
    return KEEL_EXIT_USAGE;
}

static int show(const struct request *request, const struct keel_problem *problem)
{
    struct keel_extent extent;

    if (!survey(problem, request->all, &extent)) {
        return refuse_threads(problem);
    }

    if ((request->all || request->csv) && (extent.cut || extent.chunks > KEEL_SEQUENCE_MAX)) {
        keel_message("%s gives more than %d chunks here, too many to print each; leave out %s",
                     problem->spec->schedule->name, KEEL_SEQUENCE_MAX,
                     request->csv ? "--csv" : "--all");
        return KEEL_EXIT_USAGE;
    }
    if (request->csv) {
        print_csv(problem);
        return 0;
    }
    print_table(problem, &extent, request->all);
    print_summary(problem, &extent);
    print_conditions(problem);
    return 0;
}

/* --- the subcommand --------------------------------------------------------------------------- */

static error_t take(int key, char *word, struct argp_state *state)
{
    struct request *request = state->input;

    switch (key) {
    case 'a':
        request->all = true;
        return 0;
    case 'c':
        request->csv = true;
        return 0;
    case 'w':
        request->weights = word;
        return 0;
    case ARGP_KEY_ARGS:
        request->words = state->argv + state->next;
        return 0;
    case ARGP_KEY_END:
        if (request->words == NULL || state->argv + state->argc - request->words != 3) {
            argp_error(state,
                       "expected a schedule, a number of iterations and a number of threads");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* -5 is a wrong number, not an option: with a blank before it, argp leaves it alone. */
static void protect_numbers(char **word)
{
    for (; word[0] != NULL && word[1] != NULL; word++) {
        char *text = word[1], *kept;
        bool of_option = strcmp(word[0], "-w") == 0 || strcmp(word[0], "--weights") == 0;
        if (text[0] == '-' && text[1] >= '0' && text[1] <= '9' && !of_option &&
            (kept = malloc(strlen(text) + 2)) != NULL) {
            sprintf(kept, " %s", text);
            word[1] = kept;
        }
    }
}

static int run(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"all", 'a', NULL, 0, "Print every chunk in a row of its own", 0},
        {"csv", 'c', NULL, 0, "Print every chunk as comma-separated values", 0},
        {"weights", 'w', "W0,W1,...", 0, "Relative speed of each thread, for wf2", 0},
        {0},
    };
    static const struct argp grammar = {
        .options = options,
        .parser = take,
        .args_doc = "SPEC N P",
        .doc = "Prints the chunks into which schedule SPEC divides a loop of N iterations for P "
               "threads, and draws them on a terminal.\v"
               "LAST is a chunk's last iteration, counted from 0. More than 8 equal chunks in a "
               "row are "
               "printed as one row. THREAD is given where it is settled beforehand; the threads of "
               "wf2 "
               "take turns. Where sizes follow from measurements, threads and iterations are taken "
               "to be equal. The environment (KEEL_MIN_CHUNK, KEEL_GRAIN, KEEL_WEIGHTS) has no "
               "influence.",
    };
    struct request request = {0};
    struct keel_spec spec;
    struct keel_problem problem = {.spec = &spec};

    protect_numbers(argv);
    argp_parse(&grammar, argc, argv, 0, NULL, &request);
    if (!read_spec(request.words[0], &spec) ||
        !read_number("N", request.words[1], 0, UINT64_MAX, &problem.iterations) ||
        !read_number("P", request.words[2], 1, INT_MAX, &problem.threads)) {
        return KEEL_EXIT_USAGE;
    }
    problem.weights = read_weights(request.weights, &problem);
    return show(&request, &problem);
}

const struct keel_subcommand keel_subcommand_chunks = {
    .name = "chunks",
    .summary = "show the chunks that a schedule gives",
    .run = run,
};
