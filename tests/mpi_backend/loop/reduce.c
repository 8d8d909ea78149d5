/* keel_mpi_reduce() and keel_mpi_allreduce(): parts of shared loops are combined, complete results
 * of loops that could not be shared are not. `reduce CHECK...`, under mpirun; prints errors. */
#include <omp.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/rank_checks.h"
#include "tests/support/schedules.h"

#define N 1000

static long sum_to(long n)
{
    return n * (n - 1) / 2;
}

/* This rank's part. */
static long run_team(long n)
{
    long sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (long i = 0; i < n; i++) {
        sum += i;
    }
    return sum;
}

static long run_explicit(MPI_Comm comm, uint64_t n, unsigned flags, int *code)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    long sum = 0;

    keel_mpi_loop_begin(comm, n, flags, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            sum += (long)i;
        }
    }
    *code = keel_mpi_loop_end(&loop);
    return sum;
}

/* --- loops that are shared --- */

RANK_CHECK(sums)
{
    for (int root = 0; root < ranks; root++) {
        RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
        long part = run_team(N), whole = part;
        RETURNS(keel_mpi_reduce(&whole, 1, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD), KEEL_MPI_OK);
        CHECK(whole == (rank == root ? sum_to(N) : part), "%ld at rank %d, root %d", whole, rank,
              root);
        whole = part;
        RETURNS(keel_mpi_allreduce(&whole, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_OK);
        CHECK(whole == sum_to(N), "%ld on all, rank %d", whole, rank);
    }
}

RANK_CHECK(explicit_loops)
{
    int code;

    for (unsigned flags = 0; flags <= KEEL_MPI_NOWAIT; flags += KEEL_MPI_NOWAIT) {
        long sum = run_explicit(MPI_COMM_WORLD, N, flags, &code);
        RETURNS(code, KEEL_MPI_OK);
        RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_OK);
        CHECK(sum == sum_to(N), "%ld, rank %d", sum, rank);
    }
}

/* Minimum and its location, of a type of pairs; and many elements of a derived type. */
RANK_CHECK(types)
{
    struct {
        double value;
        int place;
    } least = {1e9, -1};
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    long count[3][2] = {{0}};
    MPI_Datatype pair;

    keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop);
    while (keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            double value = (double)((i * 37 + 11) % N);
            if (value < least.value) {
                least.value = value;
                least.place = (int)i;
            }
            count[i % 3][0]++;
        }
    }
    RETURNS(keel_mpi_loop_end(&loop), KEEL_MPI_OK);
    RETURNS(keel_mpi_allreduce(&least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD), KEEL_MPI_OK);
    CHECK(least.value == 0 && (least.place * 37 + 11) % N == 0, "%g at %d", least.value,
          least.place);
    RETURNS(keel_mpi_allreduce(count, 6, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_OK);
    CHECK(count[0][0] == 334 && count[1][0] == 333 && count[2][0] == 333 && count[0][1] == 0,
          "%ld %ld %ld", count[0][0], count[1][0], count[2][0]);
    MPI_Type_contiguous(2, MPI_LONG, &pair);
    MPI_Type_commit(&pair);
    RETURNS(keel_mpi_allreduce(count, 0, pair, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_OK);
    MPI_Type_free(&pair);
}

/* Composition of maps x -> a x + b, modulo a prime, which does not commute. */
struct map {
    long a, b;
};
#define PRIME 1000003

static struct map compose(struct map one, struct map two)
{
    return (struct map){two.a * one.a % PRIME, (two.a * one.b + two.b) % PRIME};
}

static void compose_all(void *in, void *inout, int *count, MPI_Datatype *type)
{
    struct map *one = in, *two = inout;

    for (int i = 0; i < *count; i++) {
        two[i] = compose(one[i], two[i]);
    }
}

static struct map map_of(int owner, int place)
{
    return (struct map){owner + 2, owner * 10 + place + 1};
}

/* In the order of ranks. */
RANK_CHECK(program_operations)
{
    enum { MAPS = 5 };
    struct map map[MAPS];
    MPI_Datatype type;
    MPI_Op op;
    int code;

    MPI_Type_contiguous(2, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose_all, 0, &op);
    run_explicit(MPI_COMM_WORLD, N, 0, &code);
    for (int root = -1; root < ranks; root++) {
        for (int i = 0; i < MAPS; i++) {
            map[i] = map_of(rank, i);
        }
        if (root < 0) {
            RETURNS(keel_mpi_allreduce(map, MAPS, type, op, MPI_COMM_WORLD), KEEL_MPI_OK);
        } else {
            RETURNS(keel_mpi_reduce(map, MAPS, type, op, root, MPI_COMM_WORLD), KEEL_MPI_OK);
        }
        for (int i = 0; i < MAPS && (root < 0 || root == rank); i++) {
            struct map wanted = map_of(0, i);
            for (int r = 1; r < ranks; r++) {
                wanted = compose(wanted, map_of(r, i));
            }
            CHECK(map[i].a == wanted.a && map[i].b == wanted.b, "map %d at root %d", i, root);
        }
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* The last loop of each communicator. */
RANK_CHECK(communicators)
{
    MPI_Comm half, backwards;
    int code;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    long of_half = run_explicit(half, 100 + (uint64_t)rank % 2, 0, &code);
    long of_all = run_explicit(backwards, N, 0, &code);
    RETURNS(keel_mpi_allreduce(&of_half, 1, MPI_LONG, MPI_SUM, half), KEEL_MPI_OK);
    RETURNS(keel_mpi_allreduce(&of_all, 1, MPI_LONG, MPI_SUM, backwards), KEEL_MPI_OK);
    CHECK(of_half == sum_to(100 + rank % 2), "half: %ld", of_half);
    CHECK(of_all == sum_to(N), "all: %ld", of_all);
    MPI_Comm_free(&half);
    MPI_Comm_free(&backwards);
}

/* --- loops that are not shared --- */

static void check_own(long n, int wanted)
{
    long sum = run_team(n), before = sum;

    RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), wanted);
    CHECK(sum == sum_to(n) && before == sum, "%ld instead of %ld, rank %d", sum, sum_to(n), rank);
    RETURNS(keel_mpi_reduce(&sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD), wanted);
    CHECK(sum == sum_to(n), "%ld instead of %ld, rank %d", sum, sum_to(n), rank);
}

RANK_CHECK(different_bounds)
{
    omp_set_num_threads(1 + rank % 3);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    check_own(N + 5 * rank, KEEL_MPI_MISMATCH);
    check_sums();
}

RANK_CHECK(no_keel)
{
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_NO_KEEL);
    check_own(N, KEEL_MPI_NO_KEEL);
    check_explicit_loops();
}

RANK_CHECK(on_some_ranks)
{
    const struct keel_mpi_range *range;
    size_t count;
    long sum = 7 + rank;

    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    if (rank != 1) {
        sum = run_team(N);
    }
    RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_MISMATCH);
    CHECK(sum == (rank != 1 ? sum_to(N) : 8), "%ld, rank %d", sum, rank);
    RETURNS(keel_mpi_loop_ranges(MPI_COMM_WORLD, &range, &count), KEEL_MPI_MISMATCH);
    CHECK(count == (rank != 1), "%zu ranges, rank %d", count, rank);
    check_sums();
}

/* A failed call's code is returned by all calls for its loop, and not the code of the loop
 * before. */
RANK_CHECK(refused)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};
    int last;
    long sum = 1;

    check_sums();
    RETURNS(keel_mpi_share(MPI_COMM_NULL), KEEL_MPI_COMM);
    run_team(N);
    RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_NULL), KEEL_MPI_COMM);
    RETURNS(keel_mpi_gather(&sum, 1, MPI_LONG, 0, MPI_COMM_NULL), KEEL_MPI_COMM);
    RETURNS(keel_mpi_loop_last_rank(MPI_COMM_NULL, &last), KEEL_MPI_COMM);
    RETURNS(keel_mpi_loop_report(MPI_COMM_NULL, &report), KEEL_MPI_COMM);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    CHECK(sum == 1, "%ld", sum);
    check_sums();
    RETURNS(keel_mpi_loop_report(MPI_COMM_WORLD, &report), KEEL_MPI_OK);
}

/* An error that a later loop hides is returned by the next wait. */
RANK_CHECK(missed)
{
    RETURNS(keel_mpi_share_nowait(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(N + rank);
    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
    run_team(N);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_MISMATCH);
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
}

/* Each executed iteration counts once. */
RANK_CHECK(cancelled)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    long mine = 0, most, sum;

    RETURNS(keel_mpi_set_schedule("ss"), KEEL_MPI_OK);
    keel_mpi_loop_begin(MPI_COMM_WORLD, N, 0, &loop);
    for (int i = 0; (i < 3 || rank > 0) && keel_mpi_loop_next(loop, &first, &last); i++) {
        mine += (long)(last - first);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    keel_mpi_loop_end(&loop);
    sum = mine;
    RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), KEEL_MPI_CANCELLED);
    MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == most, "%ld instead of %ld", sum, most);
}

/* --- wrong arguments --- */

RANK_CHECK(arguments)
{
    long sum = 0;
    int code;
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    run_explicit(MPI_COMM_WORLD, N, 0, &code);
    RETURNS(keel_mpi_reduce(&sum, 1, MPI_LONG, MPI_SUM, ranks, MPI_COMM_WORLD), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_reduce(&sum, 1, MPI_LONG, MPI_SUM, -1, MPI_COMM_WORLD), KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_reduce(&sum, 1, MPI_LONG, MPI_SUM, rank == 1, MPI_COMM_WORLD),
            KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_allreduce(&sum, 1 + (size_t)(rank == 1), MPI_LONG, MPI_SUM, MPI_COMM_WORLD),
            KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_allreduce(rank == 1 ? NULL : &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD),
            KEEL_MPI_ARGUMENT);
    RETURNS(
        keel_mpi_allreduce(rank == 1 ? MPI_IN_PLACE : &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD),
        KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_allreduce(&sum, 1, rank == 1 ? MPI_DATATYPE_NULL : MPI_LONG, MPI_SUM,
                               MPI_COMM_WORLD),
            KEEL_MPI_ARGUMENT);
    RETURNS(
        keel_mpi_allreduce(&sum, 1, MPI_LONG, rank == 1 ? MPI_OP_NULL : MPI_SUM, MPI_COMM_WORLD),
        KEEL_MPI_ARGUMENT);
    RETURNS(keel_mpi_allreduce(&sum, 1, MPI_LONG, MPI_SUM, other), KEEL_MPI_NO_LOOP);
    MPI_Comm_free(&other);
}

RANK_CHECKS_MAIN(MPI_THREAD_FUNNELED)
