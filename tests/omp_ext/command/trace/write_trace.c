/* Writes the trace of a program that is drawn at random, in the form of KEEL_TRACE's JSON, and
 * prints what the trace holds, a line per loop: NAME instances chunks busy_ns waited_ns.
 *
 *   write_trace FILE [ranks=R] [threads=T] [loops=L] [chunks=N] [cut=BYTES] [names=plain|hostile]
 *               [counters=no]
 *
 * KEEL_TEST_SEED says which program. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/draws.h"

#define THREADS_MAX 1024
#define LOOPS_MAX 64

struct loop {
    char name[200];
    const char *schedule;
    uint64_t iterations, instances;
    double iteration_ns; /* mean */
    double slope;        /* of the costs along the loop, -0.9 to 0.9 */
    uint64_t chunks, busy_ns, waited_ns;
};

struct program {
    FILE *stream;
    struct draws draws;
    unsigned ranks, threads, loops;
    uint64_t chunks, chunks_wanted;
    bool hostile, counters, first;
    double speed[THREADS_MAX];
    uint64_t free_ns[THREADS_MAX]; /* when a thread has ended what it was doing */
    struct loop loop[LOOPS_MAX];
};

static const char *const hostile_names[] = {
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=document.title='broken'>",
    "a\\\"b'c`touch broken`&amp;\\u2028]]>",
    "@x $(touch broken) 'quoted'' END",
};

static void event(struct program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One event a line, a comma between them. */
static void event(struct program *program, const char *format, ...)
{
    va_list arguments;

    fputs(program->first ? "[\n" : ",\n", program->stream);
    program->first = false;
    va_start(arguments, format);
    vfprintf(program->stream, format, arguments);
    va_end(arguments);
}

/* "12.345": microseconds */
static const char *us(uint64_t ns)
{
    static char text[4][32];
    static unsigned next;
    char *mine = text[next++ % 4];

    snprintf(mine, sizeof text[0], "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
    return mine;
}

static void draw_loops(struct program *program)
{
    static const char *const schedules[] = {"fac2", "gss", "steal,16", "dynamic,64", "static"};

    for (unsigned i = 0; i < program->loops; i++) {
        struct loop *loop = &program->loop[i];
        snprintf(loop->name, sizeof loop->name, "src/part%u.c:%u", i % 7, 20 + 13 * i);
        if (program->hostile) {
            snprintf(loop->name, sizeof loop->name, "%s", hostile_names[i % 4]);
        }
        loop->schedule = schedules[draws_below(&program->draws, 5)];
        loop->iterations = 200 + draws_below(&program->draws, 20000);
        loop->iteration_ns = 20 + 400 * draws_real(&program->draws);
        loop->slope = 1.8 * draws_real(&program->draws) - 0.9;
    }
}

static void name_threads(struct program *program)
{
    event(program, "{\"name\":\"keel_trace\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{"
                   "\"version\":1,\"program\":\"drawn\",\"host\":\"node\"}}");
    for (unsigned r = 0; r < program->ranks; r++) {
        event(program,
              "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":"
              "\"rank %u on node%u: drawn\"}}",
              r, r, r / 2);
        for (unsigned t = 0; t < program->threads; t++) {
            event(program,
                  "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{"
                  "\"name\":\"thread %u\"}}",
                  r, t, t);
        }
    }
}

/* What an iteration at `place`, 0 to 1, of a loop costs, and a little chance. */
static double cost(struct program *program, const struct loop *loop, double place)
{
    return loop->iteration_ns * (1 + loop->slope * (2 * place - 1)) *
           (0.95 + 0.1 * draws_real(&program->draws));
}

static uint64_t next_size(const struct program *program, const struct loop *loop, uint64_t left)
{
    uint64_t size = strcmp(loop->schedule, "static") == 0 ? loop->iterations / program->threads + 1
                    : loop->schedule[0] == 'g'            ? left / program->threads + 1
                    : loop->schedule[0] == 'f'            ? left / (2 * program->threads) + 1
                                                          : 64;

    size = size < loop->iterations / 2000 + 1 ? loop->iterations / 2000 + 1 : size;
    return size < left ? size : left;
}

static unsigned earliest(const uint64_t *free_ns, unsigned threads)
{
    unsigned found = 0;

    for (unsigned t = 1; t < threads; t++) {
        found = free_ns[t] < free_ns[found] ? t : found;
    }
    return found;
}

static void run_chunk(struct program *program, unsigned rank, unsigned thread, struct loop *loop,
                      uint64_t first, uint64_t size)
{
    unsigned worker = rank * program->threads + thread;
    double place = ((double)first + (double)size / 2) / (double)loop->iterations;
    uint64_t took =
        1 + (uint64_t)((double)size * cost(program, loop, place) / program->speed[worker]);
    uint64_t start = program->free_ns[worker] + 40;

    event(program,
          "{\"name\":\"%s\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,"
          "\"dur\":%s,\"args\":{\"instance\":%" PRIu64 ",\"first\":%" PRIu64 ",\"last\":%" PRIu64
          "}}",
          loop->name, rank, thread, us(start), us(took), loop->instances, first, first + size);
    program->free_ns[worker] = start + took;
    loop->busy_ns += took;
    loop->chunks++;
    program->chunks++;
}

static void run_loop(struct program *program, unsigned rank, struct loop *loop, uint64_t start)
{
    uint64_t *free_ns = &program->free_ns[rank * program->threads], end = 0;
    uint64_t executed[THREADS_MAX] = {0}, left = loop->iterations;

    while (left > 0) {
        unsigned thread = earliest(free_ns, program->threads);
        uint64_t size = next_size(program, loop, left);
        run_chunk(program, rank, thread, loop, loop->iterations - left, size);
        executed[thread] += size;
        left -= size;
    }
    for (unsigned t = 0; t < program->threads; t++) {
        event(program,
              "{\"name\":\"%s\",\"cat\":\"loop\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%s,"
              "\"dur\":%s,\"args\":{\"instance\":%" PRIu64 ",\"schedule\":\"%s\","
              "\"iterations\":%" PRIu64 ",\"threads\":%u}}",
              loop->name, rank, t, us(start), us(free_ns[t] - start), loop->instances,
              loop->schedule, loop->iterations, program->threads);
        end = free_ns[t] > end ? free_ns[t] : end;
    }
    for (unsigned t = 0; t < program->threads; t++) {
        if (end > free_ns[t]) {
            event(program,
                  "{\"name\":\"wait\",\"cat\":\"wait\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,"
                  "\"ts\":%s,\"dur\":%s,\"args\":{\"at\":\"loop end\",\"loop\":\"%s\"}}",
                  rank, t, us(free_ns[t]), us(end - free_ns[t]), loop->name);
            loop->waited_ns += end - free_ns[t];
        }
        free_ns[t] = end;
        if (program->counters) {
            event(program,
                  "{\"name\":\"share\",\"ph\":\"C\",\"pid\":%u,\"tid\":0,\"ts\":%s,\"args\":{"
                  "\"thread %u\":%" PRIu64 "}}",
                  rank, us(end), t, executed[t]);
        }
    }
}

/* One region with a loop on each rank; now and then a decision, and iterations that move. */
static void run_region(struct program *program, unsigned number)
{
    struct loop *loop = &program->loop[draws_below(&program->draws, program->loops)];

    for (unsigned rank = 0; rank < program->ranks; rank++) {
        uint64_t *free_ns = &program->free_ns[rank * program->threads];
        uint64_t start = free_ns[0];
        run_loop(program, rank, loop, start);
        for (unsigned t = 0; t < program->threads; t++) {
            event(program,
                  "{\"name\":\"step\",\"cat\":\"region\",\"ph\":\"X\",\"pid\":%u,\"tid\":%u,"
                  "\"ts\":%s,\"dur\":%s,\"args\":{\"instance\":%u,\"threads\":%u}}",
                  rank, t, us(start), us(free_ns[t] - start), number, program->threads);
            free_ns[t] += 2000;
        }
        if (rank > 0 && number % 4 == 0) {
            event(program,
                  "{\"name\":\"move\",\"cat\":\"move\",\"ph\":\"X\",\"pid\":%u,\"tid\":0,"
                  "\"ts\":%s,\"dur\":1.500,\"args\":{\"what\":\"iterations\",\"from\":%u,"
                  "\"to\":%u,\"first\":0,\"last\":64,\"bytes\":512}}",
                  rank, us(free_ns[0] - 1800), rank - 1, rank);
        }
    }
    if (number % 8 == 0) {
        event(program,
              "{\"name\":\"steal,16\",\"cat\":\"decision\",\"ph\":\"i\",\"s\":\"t\",\"pid\":0,"
              "\"tid\":0,\"ts\":%s,\"args\":{\"loop\":\"%s\",\"gain\":0.125,\"reason\":"
              "\"chunks cost as much as iterations\"}}",
              us(program->free_ns[0] - 1000), loop->name);
    }
    loop->instances++;
}

static void take(struct program *program, const char *word, long *cut)
{
    const char *value = strchr(word, '=') != NULL ? strchr(word, '=') + 1 : "";

    switch (word[0]) {
    case 'r':
        program->ranks = (unsigned)atoi(value);
        break;
    case 't':
        program->threads = (unsigned)atoi(value);
        break;
    case 'l':
        program->loops = (unsigned)atoi(value);
        break;
    case 'n':
        program->hostile = strcmp(value, "hostile") == 0;
        break;
    case 'c':
        if (strncmp(word, "cut", 3) == 0) {
            *cut = atol(value);
        } else if (strncmp(word, "counters", 8) == 0) {
            program->counters = false;
        } else {
            program->chunks_wanted = strtoull(value, NULL, 10);
        }
        break;
    }
}

int main(int argc, char **argv)
{
    static struct program program = {.ranks = 1,
                                     .threads = 4,
                                     .loops = 3,
                                     .chunks_wanted = 1000,
                                     .counters = true,
                                     .first = true};
    long cut = 0;

    program.draws = draws_begin();
    for (int i = 2; i < argc; i++) {
        take(&program, argv[i], &cut);
    }
    if (argc < 2 || program.ranks * program.threads > THREADS_MAX || program.loops > LOOPS_MAX ||
        (program.stream = fopen(argv[1], "w")) == NULL) {
        fprintf(stderr, "write_trace FILE [NAME=VALUE...]\n");
        return 2;
    }
    draw_loops(&program);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        program.speed[i] = 0.8 + 0.4 * draws_real(&program.draws);
    }
    name_threads(&program);
    for (unsigned i = 0; program.chunks < program.chunks_wanted; i++) {
        run_region(&program, i);
    }
    fputs("\n]\n", program.stream);
    if (cut > 0 && fflush(program.stream) == 0 &&
        ftruncate(fileno(program.stream), ftell(program.stream) - cut) != 0) {
        return 1;
    }
    for (unsigned i = 0; i < program.loops; i++) {
        const struct loop *loop = &program.loop[i];
        printf("%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", loop->name, loop->instances,
               loop->chunks, loop->busy_ns, loop->waited_ns);
    }
    return fclose(program.stream) != 0;
}
