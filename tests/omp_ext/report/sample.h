/* Data of made-up processes. */
#ifndef TESTS_OMP_EXT_REPORT_SAMPLE_H
#define TESTS_OMP_EXT_REPORT_SAMPLE_H

#include "omp_ext/report/report_data.h"

#define SAMPLE_RANKS_MAX 64

/* Sums are easy to compute by hand. */

/* In seconds: elapsed 5 of 10 threads' seconds; busy 8, waited 1, claiming 0.5. */
static const struct keel_report_thread region_threads[] = {
    {.busy_s = 4.5, .waited_s = 0.125, .claiming_s = 0.25, .iterations = 60, .chunks = 6},
    {.busy_s = 3.5, .waited_s = 0.875, .claiming_s = 0.25, .iterations = 40, .chunks = 4},
};

/* elapsed 4; busy 6.5, waited 0.75, claiming 0.5: loses 1.5 of what the region loses. */
static const struct keel_report_thread loop_threads[] = {
    {.busy_s = 3.5, .waited_s = 0.125, .claiming_s = 0.25, .iterations = 60, .chunks = 6},
    {.busy_s = 3, .waited_s = 0.625, .claiming_s = 0.25, .iterations = 40, .chunks = 4},
};

/* elapsed 0.875; busy 1.5, waited 0.25: loses 0.25. */
static const struct keel_report_thread part_threads[] = {
    {.busy_s = 0.875, .waited_s = 0, .claiming_s = 0, .iterations = 1, .chunks = 1},
    {.busy_s = 0.625, .waited_s = 0.25, .claiming_s = 0, .iterations = 1, .chunks = 1},
};

/* elapsed 3; busy 6: nothing is lost. */
static const struct keel_report_thread full_threads[] = {
    {.busy_s = 3, .waited_s = 0, .claiming_s = 0, .iterations = 5, .chunks = 5},
    {.busy_s = 3, .waited_s = 0, .claiming_s = 0, .iterations = 5, .chunks = 5},
};

/* elapsed 1; busy 1.5, waited 0.25, claiming 0.125. */
static const struct keel_report_thread nested_threads[] = {
    {.busy_s = 1, .waited_s = 0, .claiming_s = 0.0625, .iterations = 500, .chunks = 500},
    {.busy_s = 0.5, .waited_s = 0.25, .claiming_s = 0.0625, .iterations = 500, .chunks = 500},
};

static const double costs[] = {0.5, 1, 1.5}, speeds[] = {1.25, 0.75};

static const struct keel_report_measured measured = {
    .iteration_s = 0.0625,
    .deviation_s = 0.03125,
    .claim_s = 1e-7,
    .costs = costs,
    .costs_count = 3,
    .speeds = speeds,
    .speeds_count = 2,
};

static const struct keel_report_loop loops[] = {
    {
        .kind = KEEL_REPORT_REGION,
        .function = "solve(double*, int)",
        .place = "hydro.cc:40",
        .region = -1,
        .instances = 10,
        .elapsed_s = 5,
        .threads = 2,
        .thread = region_threads,
    },
    {
        .kind = KEEL_REPORT_LOOP,
        .function = "solve(double*, int)",
        .place = "hydro.cc:42",
        .address = "hydro+0x1234",
        .region = 0,
        .schedule = "libgomp dynamic,1",
        .under_keel = true,
        .mixed = true,
        .suggestion = "fac2: by its cost profile",
        .gain_s = 0.40625,
        .learned = "measured: an iteration takes 4 ms\n"
                   "predicted: gss 255 us, fac2 255 us, af 258 us, rate 258 us, tss 261 us, "
                   "mfsc 265 us, steal 273 us\n",
        .instances = 10,
        .iterations = 1000,
        .elapsed_s = 4,
        .threads = 2,
        .thread = loop_threads,
        .measured = measured,
    },
    {
        .kind = KEEL_REPORT_PART,
        .function = "solve(double*, int)",
        .place = "hydro.cc:50",
        .region = 0,
        .schedule = "static by the compiler",
        .suggestion = "nothing to gain",
        .instances = 10,
        .elapsed_s = 0.875,
        .threads = 2,
        .thread = part_threads,
    },
    {
        .kind = KEEL_REPORT_REGION,
        .function = "draw",
        .place = "draw.c:7",
        .region = -1,
        .instances = 1,
        .elapsed_s = 3,
        .threads = 2,
        .thread = full_threads,
    },
    {
        .kind = KEEL_REPORT_LOOP,
        .function = "draw",
        .place = "draw.c:9",
        .region = -1,
        .nested = true,
        .schedule = "gss",
        .under_keel = true,
        .instances = 2,
        .iterations = 1000,
        .elapsed_s = 1,
        .threads = 2,
        .thread = nested_threads,
    },
};

static const struct keel_report_decision decisions[] = {
    {
        .hook = 4,
        .time_s = 0.5,
        .gain = 0.03125,
        .moved = 0,
        .policy = "rate",
        .reason = "it would gain less than moving costs",
    },
    {
        .hook = 8,
        .time_s = 1,
        .gain = 0.25,
        .moved = 64,
        .policy = "rate",
        .reason = "rank 1 is slower by 30 %",
    },
};

static const struct keel_report_rows rows = {
    .name = "temperature",
    .hooks = 100,
    .movements = 1,
    .rows_moved = 64,
    .rows_sent = 40,
    .rows_received = 24,
    .bytes_sent = 4096000,
    .decision_s = 0.001,
    .waiting_s = 0.125,
    .movement_s = 0.0625,
    .busy_s = 7,
    .copies = 33,
    .copies_sent_bytes = 2048,
    .copies_bytes = 512,
    .copies_s = 0.25,
    .decision_count = 2,
    .decision = decisions,
    .decisions_left_out = 98,
};

static const struct keel_report_phase phases[] = {
    {
        .phase = 1,
        .policy = "diffuse",
        .computed = 400,
        .came_s = 0.5,
        .lower_s = 0.4375,
        .upper_s = 0.5625,
        .unbalanced_s = 0.75,
        .pieces = 4,
        .gain = 0.125,
        .advice = "objects take 2 ms and 125 ms at most; 4 objects in place of each (400 on each "
                  "rank) would take 12 % less time",
    },
    {
        .phase = 3,
        .policy = "diffuse",
        .computed = 400,
        .came_s = 0.46875,
        .expected_lower_s = 0.421875,
        .expected_upper_s = 0.515625,
        .lower_s = 0.4375,
        .upper_s = 0.53125,
        .unbalanced_s = 0.625,
        .pieces = 1,
        .advice = "objects take 2 ms and 3 ms at most; another number of objects would gain less "
                  "than 1 %",
    },
};

static const struct keel_report_objects objects = {
    .name = "set 1",
    .phases = 14,
    .computed = 1234,
    .handled = 567,
    .forwarded = 7,
    .given = 66,
    .taken = 33,
    .bytes_given = 660000,
    .neighbours = 8,
    .copies = 3,
    .copies_sent_bytes = 4096,
    .copies_bytes = 1024,
    .copies_s = 0.002,
    .busy_s = 3.5,
    .idle_s = 0.25,
    .answering_s = 0.125,
    .quantum_s = 0.0078125,
    .phase_count = 2,
    .phase = phases,
    .phases_left_out = 11,
};

static const struct keel_report_call call = {
    .name = "MPI_Bcast", .place = "hydro.cc:7 (main)", .calls = 12, .s = 0.25, .longest_s = 0.125};

static const struct keel_report_process sample = {
    .program = "./hydro",
    .pid = 4321,
    .complete = true,
    .elapsed_s = 10,
    .serial_s = 2,
    .threads = 2,
    .cores = {.online = 64, .allowed = 2, .quota = 3.5},
    .loop_count = sizeof loops / sizeof loops[0],
    .loop = loops,
    .loops_left_out = 3,
    .shared_count = 1,
    .rows_count = 1,
    .rows = &rows,
    .objects_count = 1,
    .objects = &objects,
    .call_count = 1,
    .call = &call,
};

/* Rank `rank` of `ranks`, 10 s long, on node "alpha" or, from half of the ranks on, "beta". Two
 * threads; 2 s outside of regions; region 0 holds loop 1 and part 2, region 3 is by itself, loop 4
 * is nested in it. Higher ranks have more to do. Lasts as long as the process. */
static struct keel_report_process sample_process(int rank, int ranks)
{
    struct keel_report_process process = sample;
    static struct keel_report_shared shared_of_rank[SAMPLE_RANKS_MAX];
    struct keel_report_shared *shared = &shared_of_rank[rank];

    *shared = (struct keel_report_shared){
        .place = "hydro.cc:99",
        .schedule = "tree",
        .instances = 20,
        .iterations = 20000,
        .executed = 4000 + 100 * (uint64_t)rank,
        .chunks = 400,
        .migrations = 7,
        .migrated = 350,
        .messages = 90,
        .busy_s = 1.5,
        .waited_s = 0.5,
        .elapsed_s = 2.25,
    };
    process.shared = shared;
    process.host = 2 * rank < ranks ? "alpha" : "beta";
    process.job = ranks > 1 ? "job-77" : "";
    process.pid += rank;
    process.rank = rank;
    process.ranks = ranks;
    process.mpi_s = ranks > 1 ? 1 - (double)rank / (2 * ranks) : 0.5;
    return process;
}

#endif
