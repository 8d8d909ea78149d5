/* Times loops for bench/dispatch and writes one line per sample, see below.
 *
 *   sampler keel LIBGOMP_LOOPS   every schedule of Keel, which has to be preloaded, libgomp
 *                                itself, and a bare counter
 *   sampler idle NAME            the process as it is: without libkeel.so, or with it preloaded but
 *                                without any setting
 *
 * followed by THREADS SWEEPS FIRST_SWEEP. In each sweep every variant is timed once, in another
 * order each time, so that other activity of the machine affects all of them equally. A sample
 * takes some hundred microseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/dispatch_dir/timed_loops.h"
#include "bench/support/support.h"
#include "schedules/loop/registry.h"

/* --- samples --- */

/* Measurements on their way to dispatch_report.pl: one line each on standard output, fields
 * separated by tabs.
 *
 *   kind  threads  variant  detail  chunks  baselines  sweep  value
 *
 * `chunks` is the number of chunks of one loop. `baselines` names the variants of the same kind and
 * number of threads that this one is to be compared with, separated by ';', or is "-". Values of
 * two variants are paired if their sweeps are the same: they were measured shortly after one
 * another. */
#define VARIANTS_MAX 256
#define SAMPLE_CHUNKS 20000       /* per sample */
#define SAMPLE_INSTANCES_MAX 2000 /* of loops with few chunks */
#define MANY_CHUNKS 200           /* the start of a loop with at least as many hardly counts */
#define FEW_CHUNKS 30             /* that of a loop with fewer has a large weight */
#define LIBGOMP_DYNAMIC "libgomp dynamic,1"
#define LIBGOMP_GUIDED "libgomp guided"
#define LIBGOMP_STATIC "libgomp static"
#define BARE "bare fetch-add"

typedef struct loop_time timer(const struct loop_case *);

struct variant {
    const char *kind, *name, *detail; /* kind: see dispatch_report.pl */
    const char *baselines;
    uint64_t chunks;
    struct loop_case work;
    timer *time;
    const struct dispatch_loops *loops;
    const char *spec;    /* Keel's LOOP_RUNTIME; NULL: not set */
    bool libgomp_static; /* libgomp's LOOP_RUNTIME is static */
    double *value_ns;    /* by sweep */
};

static struct variant variants[VARIANTS_MAX];
static size_t count;
static unsigned threads;
static int (*set_schedule)(const char *);

static void __attribute__((noreturn, format(printf, 1, 2))) give_up(const char *format, ...)
{
    va_list arguments;

    fputs("keel: dispatch_dir/sampler: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("; nothing is measured\n", stderr);
    exit(1);
}

/* --- variants --------------------------------------------------------------------------------- */

/* A text that is kept until the end. */
static const char *__attribute__((format(printf, 1, 2))) text(const char *format, ...)
{
    va_list arguments;
    char *made;

    va_start(arguments, format);
    if (vasprintf(&made, format, arguments) < 0) {
        give_up("no memory");
    }
    va_end(arguments);
    return made;
}

static struct variant *add(const char *kind, const char *name, const char *detail, timer *time,
                           struct loop_case work)
{
    struct variant *variant = &variants[count];

    if (count == VARIANTS_MAX) {
        give_up("more than %d variants", VARIANTS_MAX);
    }
    count++;
    work.threads = threads;
    *variant = (struct variant){.kind = kind,
                                .name = name,
                                .detail = detail,
                                .baselines = "-",
                                .work = work,
                                .time = time,
                                .loops = &dispatch_loops};
    return variant;
}

static struct loop_time run(const struct variant *variant)
{
    if (variant->work.clause == LOOP_RUNTIME && variant->loops != &dispatch_loops) {
        variant->loops->use_static(variant->libgomp_static);
    } else if (variant->spec != NULL && set_schedule(variant->spec) != 0) {
        give_up("Keel does not take '%s' for a schedule (is KEEL_SCHEDULE set?)", variant->spec);
    }
    return variant->time(&variant->work);
}

/* Adapts the number of instances to the number of chunks of one. */
static void settle_chunks(struct variant *variant)
{
    variant->work.instances = 1;
    run(variant);
    uint64_t chunks = run(variant).chunks;
    if (chunks == 0) {
        give_up("'%s' gave no chunks", variant->name);
    }
    variant->chunks = chunks;
    variant->work.instances = (unsigned)(SAMPLE_CHUNKS / chunks);
    if (variant->work.instances == 0) {
        variant->work.instances = 1;
    } else if (variant->work.instances > SAMPLE_INSTANCES_MAX) {
        variant->work.instances = SAMPLE_INSTANCES_MAX;
    }
}

/* --- Keel's schedules ------------------------------------------------------------------------- */

#define MANY "1000000"
#define HUGE_RANGE "2^60" /* shares of the rest reach one iteration after 60 halvings */

/* How schedules are run: `spec` over `iterations` iterations, so that a team of two gets as many
 * chunks as the schedule can give, and with the parameters that Keel would otherwise measure first.
 * A schedule that is not listed runs with its defaults. */
static const struct plan {
    const char *schedule, *spec, *iterations;
    const char *short_spec; /* for loops of one iteration per thread; NULL: the name alone */
} plans[] = {
    {"static", "static,500", MANY, NULL},
    {"ss", "ss", "2000", NULL},
    {"css", "css,500", MANY, "css,1"},
    {"tss", "tss,2000,1", MANY, NULL},
    {"tfss", "tfss,2000,1", MANY, NULL},
    {"fac", "fac:mu=100,sigma=20000", MANY, "fac:mu=100,sigma=50"},
    {"fsc", "fsc:sigma=100,overhead=1.3", MANY, "fsc:sigma=100,overhead=10"},
    {"tap", "tap:mu=100,sigma=3000", MANY, "tap:mu=100,sigma=50"},
    {"bold", "bold:mu=100,sigma=10000,overhead=10", MANY, "bold:mu=100,sigma=50,overhead=10"},
    {"fiss", "fiss:stages=1000", MANY, NULL},
    {"af", "af", MANY, NULL},
    {"maf", "maf", MANY, NULL},
    {"aid", "aid,100", MANY, "aid"},
    {"rate", "rate", MANY, NULL},
    {"auto", "auto", MANY, NULL},
    {"steal", "steal,500", MANY, "steal,1"},
    {"ich", "ich", MANY, NULL},
    {"binlpt", "binlpt", MANY, NULL},
    {"lpt", "lpt", MANY, NULL},
    {"viss", "viss:stages=2000", MANY, NULL},
};

static struct plan plan_of(const struct keel_schedule *schedule)
{
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        if (strcmp(plans[i].schedule, schedule->name) == 0) {
            return plans[i];
        }
    }
    return (struct plan){schedule->name, schedule->name, HUGE_RANGE, NULL};
}

static long iterations_of(const char *text)
{
    return strcmp(text, HUGE_RANGE) == 0 ? 1L << 60 : strtol(text, NULL, 10);
}

/* libgomp's dynamic,1 with this many chunks: the start of the loop has the same weight in both. */
static const char *add_matched(const struct dispatch_loops *libgomp, uint64_t chunks)
{
    const char *name = text(LIBGOMP_DYNAMIC " of %llu", (unsigned long long)chunks);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(variants[i].name, name) == 0) {
            return name;
        }
    }
    struct variant *matched =
        add("chunk", name, "-", libgomp->chunks,
            (struct loop_case){.clause = LOOP_DYNAMIC, .iterations = (long)chunks, .chunk = 1});
    matched->loops = libgomp;
    settle_chunks(matched);
    return name;
}

static void compare_chunks(struct variant *variant, const struct dispatch_loops *libgomp)
{
    bool many = variant->chunks >= MANY_CHUNKS;

    variant->baselines =
        text("dynamic,1=%s%s%s", many ? LIBGOMP_DYNAMIC : add_matched(libgomp, variant->chunks),
             variant->chunks >= FEW_CHUNKS && threads > 1 ? ";guided=" LIBGOMP_GUIDED : "",
             many ? ";fetch-add=" BARE : "");
}

/* libgomp's guided gives a team of one the whole loop at once. */
static void add_chunk_baselines(const struct dispatch_loops *libgomp)
{
    struct loop_case each = {.clause = LOOP_FETCH_ADD, .iterations = 2000, .chunk = 1};
    struct variant *bare = add("chunk", BARE, "N = 2000", dispatch_loops.chunks, each);
    struct variant *guided;

    settle_chunks(bare);
    each.clause = LOOP_DYNAMIC;
    settle_chunks(add("chunk", LIBGOMP_DYNAMIC, "N = 2000", libgomp->chunks, each));
    compare_chunks(bare, libgomp);
    compare_chunks(bare + 1, libgomp);
    bare[1].loops = libgomp;
    each.clause = LOOP_GUIDED;
    each.iterations = iterations_of(HUGE_RANGE);
    guided = add("chunk", LIBGOMP_GUIDED, "guided, N = " HUGE_RANGE, libgomp->chunks, each);
    guided->loops = libgomp;
    settle_chunks(guided);
    compare_chunks(guided, libgomp);
}

/* Chunks are as small as possible: without `min`, Keel makes them larger than empty iterations are
 * worth, and gives short loops static shares. */
static void add_chunks(const struct dispatch_loops *libgomp)
{
    add_chunk_baselines(libgomp);
    for (size_t i = 0; keel_registry[i] != NULL; i++) {
        struct plan plan = plan_of(keel_registry[i]);
        struct variant *variant =
            add("chunk", plan.schedule, text("%s, N = %s", plan.spec, plan.iterations),
                dispatch_loops.chunks,
                (struct loop_case){.clause = LOOP_RUNTIME,
                                   .iterations = iterations_of(plan.iterations)});
        variant->spec = text("%s%smin=1", plan.spec, strchr(plan.spec, ':') != NULL ? "," : ":");
        settle_chunks(variant);
        compare_chunks(variant, libgomp);
    }
}

/* --- starts ----------------------------------------------------------------------------------- */

static const struct start {
    const char *kind;
    size_t time; /* offset in struct dispatch_loops */
    unsigned instances;
} starts[] = {
    {"parallel for", offsetof(struct dispatch_loops, combined), 200},
    {"for nowait", offsetof(struct dispatch_loops, nowait), 2000},
};

#define STARTS (sizeof starts / sizeof starts[0])

static struct variant *add_start(const struct start *start, const char *name, const char *detail,
                                 const struct dispatch_loops *loops, enum loop_clause clause)
{
    timer *time = *(timer *const *)((const char *)loops + start->time);
    struct variant *variant = add(start->kind, name, detail, time,
                                  (struct loop_case){
                                      .clause = clause,
                                      .iterations = (long)threads,
                                      .chunk = 1,
                                      .instances = start->instances,
                                  });

    variant->loops = loops;
    variant->baselines = "dynamic=" LIBGOMP_DYNAMIC ";static=" LIBGOMP_STATIC;
    return variant;
}

static void add_starts(const struct dispatch_loops *libgomp)
{
    for (size_t i = 0; i < STARTS; i++) {
        add_start(&starts[i], LIBGOMP_DYNAMIC, "-", libgomp, LOOP_DYNAMIC);
        add_start(&starts[i], LIBGOMP_STATIC, "runtime", libgomp, LOOP_RUNTIME)->libgomp_static =
            true;
        for (size_t j = 0; keel_registry[j] != NULL; j++) {
            struct plan plan = plan_of(keel_registry[j]);
            const char *spec = plan.short_spec != NULL ? plan.short_spec : plan.schedule;
            add_start(&starts[i], plan.schedule, spec, &dispatch_loops, LOOP_RUNTIME)->spec = spec;
        }
    }
}

/* --- the other process ------------------------------------------------------------------------ */

/* The same loops with and without Keel; schedule(runtime) is that of OMP_SCHEDULE. */
static void add_idle(const char *name)
{
    static const enum loop_clause clause[] = {LOOP_DYNAMIC, LOOP_RUNTIME};
    static const char *const what[] = {"schedule(dynamic)", "schedule(runtime)"};

    for (size_t i = 0; i < 2; i++) {
        struct variant *variant =
            add(text("idle chunk, %s", what[i]), name, "-", dispatch_loops.chunks,
                (struct loop_case){.clause = clause[i], .iterations = 2000, .chunk = 1});
        settle_chunks(variant);
        variant->baselines = "not loaded=not loaded";
        for (size_t j = 0; j < STARTS; j++) {
            variant = add_start(&starts[j], name, "-", &dispatch_loops, clause[i]);
            variant->kind = text("idle %s, %s", starts[j].kind, what[i]);
            variant->baselines = "not loaded=not loaded";
        }
    }
}

/* --- sampling --------------------------------------------------------------------------------- */

static void sample_once(struct variant *variant, uint64_t sweep)
{
    struct loop_time time = run(variant);
    uint64_t units = time.chunks != 0 ? time.chunks : variant->work.instances;

    variant->value_ns[sweep] = time.ns / (double)units;
}

/* Fisher and Yates; the sequence is the same in every run. */
static void shuffle(size_t *order)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)rand() % i, moved = order[i - 1];
        order[i - 1] = order[other];
        order[other] = moved;
    }
}

static void sample_all(uint64_t sweeps, uint64_t first_sweep)
{
    size_t order[VARIANTS_MAX];

    for (size_t i = 0; i < count; i++) {
        order[i] = i;
        variants[i].value_ns = memory_new(sweeps, sizeof(double));
        run(&variants[i]);
    }
    srand((unsigned)first_sweep + 1);
    for (uint64_t sweep = 0; sweep < sweeps; sweep++) {
        shuffle(order);
        for (size_t i = 0; i < count; i++) {
            sample_once(&variants[order[i]], sweep);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (uint64_t sweep = 0; sweep < sweeps; sweep++) {
            const struct variant *of = &variants[i];
            printf("%s\t%u\t%s\t%s\t%llu\t%s\t%llu\t%.6g\n", of->kind, threads, of->name,
                   of->detail, (unsigned long long)of->chunks, of->baselines,
                   (unsigned long long)(first_sweep + sweep), of->value_ns[sweep]);
        }
    }
}

/* Loops of a shared object that finds its own OpenMP runtime before any other in the process. */
static const struct dispatch_loops *load(const char *path)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    const struct dispatch_loops *loops = object != NULL ? dlsym(object, "dispatch_loops") : NULL;

    if (loops == NULL) {
        give_up("%s", dlerror());
    }
    return loops;
}

static void find_keel(void)
{
    set_schedule = (int (*)(const char *))dlsym(RTLD_DEFAULT, "keel_set_schedule");
    if (set_schedule == NULL) {
        give_up("libkeel.so is not preloaded");
    }
}

int main(int arguments, char **argument)
{
    if (arguments != 6) {
        give_up("expected MODE OBJECT-OR-NAME THREADS SWEEPS FIRST_SWEEP");
    }
    const char *mode = argument[1];
    threads = (unsigned)strtoul(argument[3], NULL, 10);
    if (threads < 1 || threads > LOOP_THREADS_MAX) {
        give_up("%s threads: expected 1 to %d", argument[3], LOOP_THREADS_MAX);
    }
    if (strcmp(mode, "keel") == 0) {
        const struct dispatch_loops *libgomp = load(argument[2]);
        find_keel();
        add_chunks(libgomp);
        add_starts(libgomp);
    } else {
        add_idle(argument[2]);
    }
    sample_all(strtoull(argument[4], NULL, 10), strtoull(argument[5], NULL, 10));
    return 0;
}
