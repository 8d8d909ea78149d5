/* The text of a report: its contents, their order and width. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_text.h"
#include "tests/omp_ext/report/sample.h"
#include "tests/support/unit.h"

#define COLUMNS 100
#define TEXTS 8
#define RANKS_MAX 40 /* up to SAMPLE_RANKS_MAX */

static void assert_holds(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' is not in\n%s", part, text);
    }
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL) {
        fail_msg("'%s' is in\n%s", part, text);
    }
}

static void assert_in_order(const char *text, const char *first, const char *second)
{
    assert_holds(text, first);
    assert_holds(strstr(text, first), second);
}

static const struct keel_report_text_options usual = {0};

/* Checks invariants of each text. It is valid until as many more have been made. */
static char *text_of(const struct keel_report_process *process, size_t count,
                     struct keel_report_text_options options)
{
    static char *made[TEXTS];
    static unsigned next;
    const struct keel_report_process *each[RANKS_MAX];
    size_t length, column = 0;

    for (size_t i = 0; i < count; i++) {
        each[i] = &process[i];
    }
    char *text = keel_report_text(each, count, options, &length);
    assert_non_null(text);
    assert_int_equal(strlen(text), length);
    for (size_t i = 0; i < length; i++) {
        column = text[i] == '\n' ? 0 : column + 1;
        if (column > COLUMNS || (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))) {
            fail_msg("byte %zu, column %zu: %.120s", i, column, text + i - column + 1);
        }
    }
    assert_true(text[length - 1] == '\n');
    free(made[next % TEXTS]);
    made[next++ % TEXTS] = text;
    return text;
}

static char *ranks_text(int ranks, bool all)
{
    struct keel_report_process process[RANKS_MAX];

    for (int i = 0; i < ranks; i++) {
        process[i] = sample_process(i, ranks);
    }
    return text_of(process, (size_t)ranks, (struct keel_report_text_options){.all = all});
}

static const struct keel_report_process nothing = {
    .program = "p", .host = "h", .job = "", .ranks = 1, .elapsed_s = 1, .threads = 1};

/* A process of those loops. */
static char *text_of_loops(const struct keel_report_loop *loop, size_t count, uint32_t threads,
                           double elapsed_s, size_t top)
{
    struct keel_report_process process = nothing;

    process.elapsed_s = elapsed_s;
    process.threads = threads;
    process.loop = loop;
    process.loop_count = count;
    return text_of(&process, 1, (struct keel_report_text_options){.top = top});
}

static char *one_text(struct keel_report_text_options options)
{
    struct keel_report_process process = sample_process(0, 1);

    return text_of(&process, 1, options);
}

TEST(the_head_has_program_threads_and_time)
{
    char *text = one_text(usual);

    assert_holds(text, "keel: report of ./hydro on alpha, 2 threads, 10.00 s\n");
    assert_holds(text, "parallel efficiency 0.77 = serial part 0.92 x load balance 0.94 x "
                       "overhead 0.94 x MPI 0.95\n");
    assert_holds(text, "  useful 77.5%, waiting 5.0%, chunks 2.5%, serial 7.5%, "
                       "MPI 5.0%, other 2.5% of 20.00 thread s\n");
    assert_holds(text, "there was no room to record 3 more places");
}

/* A region's time excludes its loops and parts: 5 - 4 - 0.875. */
TEST(headings_distinguish_clock_and_thread_seconds)
{
    char *text = one_text(usual);

    assert_holds(text, "thread s  clock s                  thread s  thread s\n"
                       "    lost     time  share  imbal.    waiting    chunks  times");
    assert_holds(text, "   0.250    0.125   1.2%       -          0");
}

static struct keel_report_loop loop_at(const char *place, double elapsed_s, uint32_t threads,
                                       const struct keel_report_thread *thread)
{
    return (struct keel_report_loop){.kind = KEEL_REPORT_REGION,
                                     .place = place,
                                     .region = -1,
                                     .threads = threads,
                                     .thread = thread,
                                     .elapsed_s = elapsed_s};
}

/* The first one has all the losses, in 0.2 s of 10; nested ones take no time of their own. */
TEST(the_loop_that_takes_the_most_time_is_listed)
{
    const struct keel_report_thread thread[2][2] = {{{.busy_s = 0.1}},
                                                    {{.busy_s = 8}, {.busy_s = 7.99}}};
    struct keel_report_loop loops[] = {loop_at("a.c:1", 0.2, 2, thread[0]),
                                       loop_at("a.c:2", 8, 2, thread[1]),
                                       loop_at("a.c:3", 9, 0, NULL)};

    loops[2].nested = true;
    for (size_t top = 0; top <= 2; top += 2) {
        char *text = text_of_loops(loops, 3, 2, 10, top);
        assert_in_order(text, "a.c:1\n", "a.c:2\n");
        assert_holds(text, "in 1 other (");
    }
}

TEST(loops_are_sorted_by_loss)
{
    char *text = one_text(usual);

    assert_in_order(text, "  hydro.cc:42\n", "  draw.c:9, nested\n");
    assert_in_order(text, "  draw.c:9, nested\n", "  region hydro.cc:40\n");
    assert_in_order(text, "  region hydro.cc:40\n", "outside its loops and parts\n");
    assert_holds(text, "   1.500    4.000    40%    7.7%      0.750     0.500     10     1000  ");
    assert_in_order(text, "solve(double*, int): libgomp dynamic,1 (others before)",
                    "-> fac2: by its cost profile: 0.406 s less\n");
    assert_holds(text, "static by the compiler -> nothing to gain\n");
}

TEST(small_losses_are_only_counted_unless_all_is_set)
{
    char *text = one_text(usual);
    char *all = one_text((struct keel_report_text_options){.all = true});
    char *first = one_text((struct keel_report_text_options){.top = 1});

    assert_lacks(text, "draw.c:7");
    assert_holds(text, "in 1 other (keel report --all shows them)\n");
    assert_holds(all, "  region draw.c:7\n");
    assert_lacks(all, "other (");
    assert_holds(first, "hydro.cc:42\n");
    assert_lacks(first, "draw.c:9, nested\n");
    assert_holds(first, "   0.500  in 4 others (");
}

TEST(loops_that_all_lose_little_are_counted)
{
    static const struct keel_report_loop loops[2] = {{.kind = KEEL_REPORT_LOOP, .place = "a.c:1"},
                                                     {.kind = KEEL_REPORT_LOOP, .place = "a.c:2"}};

    char *text = text_of_loops(loops, 2, 1, 1, 0);
    assert_holds(text, "       0  in 2 loops (keel report --all shows them)\n");
}

/* One process, 1 s, with two loops at one place, as a template has that is used with two types. */
static char *loops_text(struct keel_report_loop loop)
{
    static const struct keel_report_thread threads[2] = {{.busy_s = 0.3, .iterations = 500},
                                                         {.busy_s = 0.1, .iterations = 500}};
    loop.thread = threads;
    loop.threads = 2;
    const struct keel_report_loop loops[2] = {loop, loop};

    return text_of_loops(loops, 2, 2, 1, 0);
}

TEST(loops_of_one_place_in_a_process_add_up)
{
    char *text = loops_text((struct keel_report_loop){.kind = KEEL_REPORT_LOOP,
                                                      .place = "a.cc:1",
                                                      .instances = 10,
                                                      .iterations = 1000,
                                                      .gain_s = 0.1,
                                                      .elapsed_s = 0.3});

    assert_holds(text, "   0.400    0.600    60%     50%          0         0     20     2000  ");
    assert_holds(text, "-> 0.200 s less\n");
}

/* Another kind, or a loop of unknown place, is not merged; of several schedules, that of the loop
 * that loses most is printed. */
TEST(loops_of_one_place_are_one_row)
{
    const struct keel_report_thread two[2] = {{.busy_s = 4}, {.busy_s = 1}};
    struct keel_report_loop loops[5];

    for (int i = 0; i < 5; i++) {
        loops[i] = loop_at(i < 3 ? "a.c:1" : "", 5 + i, 2, two);
        loops[i].schedule = i == 1 ? "gss" : "fac2";
        loops[i].kind = i == 2 ? KEEL_REPORT_PART : KEEL_REPORT_LOOP;
    }
    char *text = text_of_loops(loops, 5, 2, 20, 0);
    assert_in_order(text, "   12.00    11.00    55%     60% ",
                    "  a.c:1\n          gss (others before)\n");
    assert_in_order(text, "  9.000    7.000    35%     60% ", "  part a.c:1\n          fac2\n");
    assert_in_order(strstr(text, "  ?\n") + 1, "  ?\n", "fac2\n");
}

TEST(loops_that_run_at_the_same_time_have_no_share)
{
    struct keel_report_loop loop = {.kind = KEEL_REPORT_LOOP, .place = "a.c:1", .elapsed_s = 0.6};
    char *twice = loops_text(loop);

    assert_holds(twice, "    1.200      -");
    loop.elapsed_s = 0.4;
    char *once = loops_text(loop);
    assert_holds(once, "    0.800    80%");
    loop.nested = true;
    char *nested = loops_text(loop);
    assert_holds(nested, "    0.800      -");
}

TEST(a_gain_is_printed_once)
{
    static const char *const suggestions[] = {"fac2: up to 0.10 s less", "fac2: up to 53 ms less",
                                              "try fac2 (up to 83 us less)"};

    for (size_t i = 0; i < sizeof suggestions / sizeof *suggestions; i++) {
        char *text = loops_text((struct keel_report_loop){.kind = KEEL_REPORT_LOOP,
                                                          .place = "a.c:1",
                                                          .suggestion = suggestions[i],
                                                          .gain_s = 0.05,
                                                          .elapsed_s = 0.3});
        assert_holds(text, suggestions[i]);
        assert_null(strstr(strstr(text, " less") + 1, " less"));
    }
}

TEST(learned_lines_are_printed_below_and_wrapped)
{
    struct keel_report_process process = sample_process(0, 1);
    char *text = text_of(&process, 1, usual);

    assert_in_order(
        text, "fac2: by its cost profile",
        "\n          measured: an iteration takes 4 ms\n          predicted: gss 255 us, ");
    assert_holds(text, "mfsc 265 us, steal\n            273 us\n");
}

/* However little they lose. */
TEST(loops_with_lines_of_keel_explain_are_shown)
{
    static const struct keel_report_loop loops[2] = {
        {.kind = KEEL_REPORT_LOOP, .place = "a.c:1"},
        {.kind = KEEL_REPORT_LOOP, .place = "a.c:2", .learned = "measured: 4 ms"}};

    char *text = text_of_loops(loops, 2, 1, 1, 0);
    assert_in_order(text, "a.c:2\n", "measured: 4 ms\n");
    assert_lacks(text, "a.c:1");
    assert_holds(text, "  in 1 other (");
}

TEST(ranks_are_merged)
{
    char *text = ranks_text(4, false);

    assert_holds(text, "./hydro: 4 ranks on 2 nodes, 8 threads, 10.00 s\n");
    assert_holds(text, "MPI calls of the program: not seen");
    assert_lacks(text, "efficiency 0");
    assert_holds(text, "  efficiency in regions 0.88 = load balance of threads 0.93 x overhead ");
    assert_holds(text, ", outside regions ");
    assert_lacks(text, "load balance of ranks");
    assert_holds(text, "   6.000    4.000    40%    7.7%      3.000     2.000     10     4000  ");
    assert_holds(text, "-> fac2: by its cost profile: 0.406 s less\n");
    assert_holds(text, "  alpha (2 ranks)                  4     10.00     28.00");
    assert_in_order(text, "  0 on alpha", "  3 on beta");
    assert_holds(text, "shared loop hydro.cc:99 under tree, run 20 times\n");
    assert_holds(text, "     3        4300   21.5%     1.500     0.500      400         90");
    assert_holds(text, "rows of temperature: 100 balance calls, 1 movements of 64 rows\n");
    assert_holds(text, "call     8 at   1.000 s:     64 rows,  25.0%, rate: rank 1 is slower");
    assert_holds(text, "and 98 more that are like these, or earlier\n");
}

/* Rank 1 spends least in the first call, and is no longer than the other in any region. */
TEST(calls_of_mpi_are_merged_by_place)
{
    struct keel_report_call calls[2][3] = {
        {{.name = "MPI_Bcast", .place = "b.c:2", .calls = 1, .s = 0.1, .longest_s = 0.1},
         {.name = "MPI_Wait", .place = "a.c:1", .calls = 10, .s = 3, .longest_s = 0.5},
         {.name = "MPI_Test", .place = "c.c:3", .calls = 5, .s = 0.001, .longest_s = 0.001}},
        {{.name = "MPI_Wait", .place = "a.c:1", .calls = 10, .s = 1, .longest_s = 0.7},
         {.name = "MPI_Wait", .place = "b.c:2", .calls = 2, .s = 0.3, .longest_s = 0.2}}};
    struct keel_report_process ranks[2] = {sample_process(0, 2), sample_process(1, 2)};

    for (int i = 0; i < 2; i++) {
        ranks[i].mpi_seen = true;
        ranks[i].call = calls[i];
        ranks[i].call_count = i == 0 ? 3 : 2;
    }
    char *text = text_of(ranks, 2, usual);
    assert_holds(text,
                 "  parallel efficiency 0.76 = MPI 0.91 (load balance of ranks 0.99 x communi");
    assert_lacks(text, "not seen");
    assert_in_order(text, "\ncalls of MPI, all ranks\n",
                    "      4.000   20.0%        20     0.700  MPI_Wait a.c:1\n");
    assert_in_order(text, "MPI_Wait a.c:1\n",
                    "waits for rank 1, which is longest outside regions\n");
    assert_in_order(text, "MPI_Wait b.c:2\n", "MPI_Bcast b.c:2\n");
    assert_in_order(text, "  1 other place takes less (keel report --all shows them)\n",
                    "  ranks have about equal work: ");
    ranks[1].serial_s -= ranks[0].mpi_s - ranks[1].mpi_s; /* as long outside of both */
    assert_holds(text_of(ranks, 2, usual), "waits for rank 1\n");
    assert_holds(text_of(ranks, 2, (struct keel_report_text_options){.all = true}),
                 "MPI_Test c.c:3\n");
}

TEST(shared_cores_are_reported)
{
    struct keel_report_process ranks[2] = {sample_process(0, 2), sample_process(1, 2)};

    assert_lacks(text_of(ranks, 2, usual), "cores are shared");
    ranks[0].shared_threads = 8;
    ranks[0].own_threads = 2;
    ranks[0].met_s = 0.25;
    assert_holds(text_of(ranks, 2, usual),
                 "  cores are shared: 2 of the rank's own, teams of up to 8 threads; ranks met in "
                 "0.250 s\n");
}

TEST(of_many_ranks_those_that_lose_most_are_shown)
{
    char *text = ranks_text(RANKS_MAX, false), *all = ranks_text(RANKS_MAX, true);

    assert_holds(text, "  0 on alpha");
    assert_lacks(text, "  39 on beta");
    assert_holds(text, "  24 other ranks lose less (keel report --all shows them)\n");
    assert_holds(all, "  39 on beta");
    assert_lacks(all, "other ranks");
}

TEST(missing_ranks_and_those_that_were_killed_are_named)
{
    struct keel_report_process process[] = {sample_process(0, 4), sample_process(2, 4)};

    process[1].complete = false;
    char *text = text_of(process, 2, (struct keel_report_text_options){.signal = SIGTERM});
    assert_holds(text, "./hydro: 2 of 4 ranks on 2 nodes");
    assert_holds(text, "nothing is known of ranks 1, 3: killed, or recorded elsewhere\n");
    assert_holds(text,
                 "1 rank (marked *): the job was ended by signal 15 (Terminated); this is what was "
                 "recorded until then\n");
    assert_holds(text, "  2 on beta *");
    text = text_of(process, 2, (struct keel_report_text_options){.node = true});
    assert_lacks(text, "nothing is known");
}

TEST(names_are_plain_and_cut)
{
    char name[400];
    struct keel_report_thread thread = {.busy_s = 0.5};
    struct keel_report_loop loop = {
        .kind = KEEL_REPORT_LOOP,
        .function = name,
        .file = name,
        .place = name,
        .schedule = name,
        .suggestion = name,
        .threads = 1,
        .elapsed_s = 1,
        .thread = &thread,
        .region = -1,
        .iterations = UINT64_MAX,
        .instances = UINT64_MAX,
    };
    struct keel_report_shared shared = {.place = name, .schedule = name, .messages = UINT64_MAX};
    struct keel_report_decision decision = {.policy = name, .reason = name};
    struct keel_report_rows rows = {.name = name, .decision = &decision, .decision_count = 1};
    struct keel_report_process process = {
        .program = name,
        .host = name,
        .job = name,
        .rank = 1,
        .ranks = 2,
        .elapsed_s = 1,
        .loop = &loop,
        .loop_count = 1,
        .shared = &shared,
        .shared_count = 1,
        .rows = &rows,
        .rows_count = 1,
        .threads = 1,
    };

    memset(name, '\x1b', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    text_of(&process, 1, (struct keel_report_text_options){.all = true});
}

TEST(long_reasons_are_wrapped_between_words)
{
    struct keel_report_decision decision = {
        .policy = "rate",
        .moved = 10,
        .reason = "10 rows even out: costs 138 us and saves 41.8 ms; follows steady: 0.2947 s so "
                  "far where stay takes 0.31 s",
    };
    struct keel_report_rows rows = {
        .name = "distribution 1", .decision = &decision, .decision_count = 1};
    struct keel_report_process process = nothing;

    process.rows = &rows;
    process.rows_count = 1;
    char *text = text_of(&process, 1, usual);
    assert_holds(text, " rate:\n      10 rows even out: ");
    assert_holds(text, " so far where stay\n      takes 0.31 s\n");
}

TEST(a_program_without_regions)
{
    struct keel_report_process process = {
        .program = "p", .host = "h", .job = "", .ranks = 1, .elapsed_s = 0.5, .serial_s = 0.5};

    char *text = text_of(&process, 1, usual);
    assert_holds(text, "no parallel region or loop has reached Keel\n");
}

/* --- cores --- */

/* shared: threads of a team that has the cores of all ranks; 0: they share none */
static char *cores_text(unsigned threads, struct keel_report_cores cores, int ranks,
                        unsigned shared)
{
    struct keel_report_process process[RANKS_MAX];

    for (int i = 0; i < ranks; i++) {
        process[i] = sample_process(i, ranks);
        process[i].host = "alpha";
        process[i].threads = threads;
        process[i].cores = cores;
        process[i].shared_threads = shared;
    }
    return text_of(process, (size_t)ranks, usual);
}

TEST(teams_with_too_few_cores_get_advice)
{
    static const struct {
        unsigned threads;
        struct keel_report_cores cores;
        int ranks;
        const char *note, *advice;
    } cases[] = {
        {8, {16, 8, 0}, 1, NULL, "OMP_NUM_THREADS"},
        {8, {8, 8, 8}, 1, NULL, "OMP_NUM_THREADS"},
        {8, {0, 0, 0}, 1, NULL, "OMP_NUM_THREADS"},
        {8,
         {16, 2, 0},
         1,
         "  teams of 8 threads, but may use 2 of 16 cores (affinity):\n",
         "write OMP_NUM_THREADS=2\n"},
        {8, {16, 16, 2.5}, 1, "may use 2 of 16 cores (cpu.max: 2.5)", "write OMP_NUM_THREADS=2\n"},
        {2, {16, 16, 0.5}, 1, "may use 1 of 16 cores (cpu.max: 0.5)", "write OMP_NUM_THREADS=1\n"},
        {8, {4, 4, 0}, 1, "may use 4 of 4 cores:\n", "write OMP_NUM_THREADS=4\n"},
        {4,
         {16, 1, 0},
         4,
         "  rank 0 and 3 more: teams of 4 threads, but may use 1 of 16 cores (affinity):\n",
         "write mpirun --map-by slot:PE=4 --bind-to core -x OMP_NUM_THREADS=4\n"},
        {8,
         {16, 1, 0},
         4,
         "  rank 0 and 3 more: teams of 8 threads, but may use 1 of 16 cores (affinity):\n",
         "write mpirun -x OMP_NUM_THREADS=1\n"},
        {8,
         {16, 16, 0},
         4,
         "the 4 ranks on alpha have 32 threads together, but the machine has 16",
         "write mpirun -x OMP_NUM_THREADS=4\n"},
        {1,
         {2, 2, 0},
         4,
         "the 4 ranks on alpha have 4 threads together",
         "write mpirun -x OMP_NUM_THREADS=1, and fewer ranks for each node\n"},
        {4, {16, 4, 0}, 4, NULL, "OMP_NUM_THREADS"},
        {4, {16, 16, 0}, 4, NULL, "OMP_NUM_THREADS"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = cores_text(cases[i].threads, cases[i].cores, cases[i].ranks, 0);
        if (cases[i].note != NULL) {
            assert_in_order(text, cases[i].note, cases[i].advice);
        } else {
            assert_lacks(text, cases[i].advice);
        }
    }
}

TEST(ranks_that_share_cores_may_have_more_threads_together)
{
    const struct keel_report_cores cores = {2, 2, 0};

    assert_holds(cores_text(2, cores, 2, 0), "have 4 threads together");
    assert_lacks(cores_text(2, cores, 2, 2), "threads together");
}

/* Loop 1 is in region 0. */
TEST(many_short_loops_in_a_long_region_are_noted)
{
    struct keel_report_process process = sample_process(0, 1);
    struct keel_report_loop loop[8];
    const char *told = "  recording took about 10% of it: 5.0M loops and parts, ";

    memcpy(loop, process.loop, process.loop_count * sizeof *loop);
    process.loop = loop;
    loop[0].instances = 1;
    loop[1].elapsed_s = 5;
    loop[1].instances = 5000000 - loop[2].instances;
    loop[2].elapsed_s = 0;
    char *text = text_of(&process, 1, usual);
    assert_in_order(text, told, "1.000 us each, are all recorded,\n");
    assert_in_order(text, told, "most are at ");
    assert_holds(strstr(text, "most are at "), loop[1].place);
    loop[0].instances = 100000; /* it is sampled */
    text = text_of(&process, 1, usual);
    assert_lacks(text, "recording took");
    loop[0].instances = 1;
    loop[1].instances = 490000; /* below 1 % */
    text = text_of(&process, 1, usual);
    assert_lacks(text, "recording took");
}

TEST_WITH(numbers_have_a_point_in_any_locale, NULL, back_to_c_locale)
{
    char *plain = ranks_text(4, true);

    enter_turkish_locale();
    char *text = ranks_text(4, true);
    assert_string_equal(text, plain);
}

/* --- objects --- */

TEST(objects_are_printed_by_rank_and_by_phase)
{
    char *text = ranks_text(4, false);

    assert_in_order(
        text, "\nobjects of set 1: 14 phases\n",
        "     3      1234      567       66       33      660.0k    3.500    0.250       "
        "0.125        7\n");
    assert_holds(text, "  an idle rank looked at 8 others at a time, lately\n");
    assert_holds(text, "  a thread looked for questions every 0.0078 s, lately\n");
    assert_holds(text,
                 "      1 diffuse       400    0.500        -        -    0.438    0.562      "
                 "0.750\n        objects take 2 ms and 125 ms at most; 4 objects in place");
    assert_holds(text,
                 "      3 diffuse       400    0.469    0.422    0.516    0.438    0.531      "
                 "0.625\n");
    assert_holds(text, "  and 11 earlier phases\n");
    assert_lacks(strstr(text, "objects of set 1") + 1, "objects of set 1");
}

/* Of many phases the last ones are shown, unless all are wanted. */
TEST(the_last_phases_are_shown)
{
    struct keel_report_phase phase[12];
    struct keel_report_process process = sample_process(0, 1);

    for (uint64_t i = 0; i < 12; i++) {
        phase[i] = (struct keel_report_phase){.phase = 100 + i, .policy = "off", .advice = ""};
    }
    const struct keel_report_objects objects = {
        .name = "set 1", .phase_count = 12, .phase = phase, .phases = 12};
    process.objects = &objects;
    char *text = text_of(&process, 1, usual);
    char *all = text_of(&process, 1, (struct keel_report_text_options){.all = true});
    assert_lacks(text, "\n    101 off");
    assert_in_order(text, "\n    102 off", "and 2 earlier phases\n");
    assert_in_order(all, "\n    100 off", "\n    111 off");
    assert_lacks(all, "earlier phases");
}

TEST(numbers_are_short)
{
    static const struct {
        double seconds;
        const char *text;
    } seconds[] = {{0, "0"},
                   {0.0000001, "0"},
                   {0.000012, "0.00001"},
                   {0.00123, "0.0012"},
                   {0.000491, "0.0005"},
                   {0.0123, "0.012"},
                   {1.2345, "1.234"},
                   {12.345, "12.35"},
                   {123.45, "123.5"},
                   {12345.6, "12346"}};
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},         {99999, "99999"},  {100000, "100.0k"},   {999949, "999.9k"},
                  {999950, "1.0M"}, {1234567, "1.2M"}, {5000000000, "5.0G"}, {UINT64_MAX, "18.4E"}};

    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++) {
        assert_string_equal(keel_report_seconds(seconds[i].seconds).text, seconds[i].text);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_string_equal(keel_report_count(counts[i].count).text, counts[i].text);
    }
}
