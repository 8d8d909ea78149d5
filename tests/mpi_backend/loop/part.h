/* What this rank has executed of a shared loop, compared with what Keel reports of it. */
#ifndef TESTS_MPI_BACKEND_LOOP_PART_H
#define TESTS_MPI_BACKEND_LOOP_PART_H

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"

#define PART_UNCOUNTED UINT64_MAX

/* Draws of this rank's own. */
static inline struct draws *own_draws(void)
{
    static struct draws own;

    if (own.state == 0) {
        own.state = seed ^ ((uint64_t)rank + 1) << 40;
    }
    return &own;
}

/* Iterations that the schedule keeps together; 1: none. */
static inline uint64_t grain_of(const char *schedule)
{
    const char *stated = schedule != NULL ? strstr(schedule, "grain=") : NULL;

    return stated != NULL ? strtoull(stated + strlen("grain="), NULL, 10) : 1;
}

struct part {
    MPI_Comm comm;
    uint64_t iterations, executed;
    uint64_t chunks;      /* PART_UNCOUNTED: some */
    unsigned char *times; /* per iteration */
};

/* Checks this rank's part of a loop over all ranks against `times`. */
static inline struct part part_of(unsigned char *times, uint64_t iterations, uint64_t chunks)
{
    struct part part = {MPI_COMM_WORLD, iterations, 0, chunks, times};

    for (uint64_t i = 0; i < iterations; i++) {
        part.executed += times[i];
    }
    return part;
}

static inline void check_ranges(const struct part *part)
{
    const struct keel_mpi_range *range;
    uint64_t executed = 0, end = 0;
    size_t count;

    RETURNS(keel_mpi_loop_ranges(part->comm, &range, &count), KEEL_MPI_OK);
    for (size_t i = 0; i < count; i++) {
        CHECK(range[i].first < range[i].last && range[i].last <= part->iterations,
              "range [%lu, %lu)", range[i].first, range[i].last);
        CHECK(i == 0 || range[i].first > end, "ranges touch or are not in order");
        end = range[i].last;
        for (uint64_t k = range[i].first; k < end && k < part->iterations; k++) {
            CHECK(part->times[k] == 1, "iteration %lu is in a range, and was executed %d times", k,
                  part->times[k]);
        }
        executed += end - range[i].first;
    }
    CHECK(executed == part->executed, "ranges of %lu iterations, executed %lu", executed,
          part->executed);
}

static inline void check_report(const struct part *part)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    int size;

    MPI_Comm_size(part->comm, &size);
    RETURNS(keel_mpi_loop_report(part->comm, &report), KEEL_MPI_OK);
    CHECK(report.iterations == part->iterations, "report of %lu iterations", report.iterations);
    CHECK(report.executed == part->executed, "reports %lu executed, not %lu", report.executed,
          part->executed);
    CHECK(part->chunks == PART_UNCOUNTED || report.chunks == part->chunks,
          "reports %lu chunks, not %lu", report.chunks, part->chunks);
    CHECK(report.chunks <= part->executed && (part->executed == 0 || report.chunks > 0),
          "%lu chunks", report.chunks);
    CHECK(report.migrated >= report.migrations, "%lu migrations of %lu iterations",
          report.migrations, report.migrated);
    CHECK(size > 1 || (report.migrations == 0 && report.messages == 0), "a lone rank is not alone");
    CHECK(report.busy_s >= 0 && report.busy_s < 60, "busy for %g s", report.busy_s);
}

static inline void check_last(const struct part *part)
{
    bool own_last = part->iterations > 0 && part->times[part->iterations - 1] > 0;
    int last = -2, number;

    MPI_Comm_rank(part->comm, &number);
    RETURNS(keel_mpi_loop_last_rank(part->comm, &last), KEEL_MPI_OK);
    CHECK(part->iterations > 0 || last == -1, "rank %d executed the last of no iterations", last);
    CHECK(own_last == (last == number), "rank %d executed the last one, %s this rank", last,
          own_last ? "and also" : "but not");
}

static inline void check_results(const struct part *part)
{
    check_ranges(part);
    check_report(part);
    check_last(part);
}

/* Checks that all ranks of `comm` together have executed each of `count` iterations once. */
static inline void check_once(MPI_Comm comm, const unsigned char *times, uint64_t count)
{
    int number;
    unsigned char *sum = calloc(count + 1, 1);

    MPI_Comm_rank(comm, &number);
    MPI_Reduce(times, sum, (int)count, MPI_UNSIGNED_CHAR, MPI_SUM, 0, comm);
    for (uint64_t i = 0; number == 0 && i < count; i++) {
        CHECK(sum[i] == 1, "iteration %lu executed %d times", i, sum[i]);
    }
    free(sum);
}

static inline long value_of(uint64_t iteration, unsigned element)
{
    return (long)(iteration * 3 + element * 7 + 1);
}

static inline void check_gather(const struct part *part, int root)
{
    long *data = calloc(2 * part->iterations + 1, sizeof *data);
    int number, code;

    MPI_Comm_rank(part->comm, &number);
    for (uint64_t i = 0; i < part->iterations; i++) {
        for (unsigned k = 0; k < 2 && part->times[i] > 0; k++) {
            data[2 * i + k] = value_of(i, k);
        }
    }
    code = root < 0 ? keel_mpi_allgather(data, 2, MPI_LONG, part->comm)
                    : keel_mpi_gather(data, 2, MPI_LONG, root, part->comm);
    CHECK(code == KEEL_MPI_OK, "gather returns %d", code);
    for (uint64_t i = 0; (root < 0 || number == root) && i < part->iterations; i++) {
        CHECK(data[2 * i] == value_of(i, 0) && data[2 * i + 1] == value_of(i, 1),
              "iteration %lu is not gathered", i);
    }
    free(data);
}

#endif
