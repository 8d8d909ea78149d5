/* A job that is drawn from a seed: drawn_job SEED. Ranks, level of threads, communicators, ways to
 * communicate, and unequal computing between them, in parallel regions of all kinds. What is
 * received and what regions promise is checked in place; rank 0 prints a sum of all that
 * was received and computed, which depends on nothing but the seed: neither on timing nor on how
 * many threads there are.
 *
 *   drawn_job SEED shape   prints how many ranks it wants, and exits
 *
 * -DBLIND: a program that does not ask how many threads its teams have, and does not say it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <time.h>

#include "tests/support/checks.h"
#include "tests/support/helpers.h"

#ifdef BLIND
#define IS_BLIND true
#else
#define IS_BLIND false
#endif

#define RANKS_MAX 8
#define THREADS_MAX 3 /* that call MPI at once */
#define COUNT_MAX 40000
#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

typedef uint64_t value;
#define VALUE MPI_UINT64_T

static int rank, ranks, level, threads_at_begin;
static bool changes; /* sizes of teams are left to the runtime */
static value sum;
static struct draws own; /* of this rank alone, for what no other needs to know */

static value mix(value a, value b)
{
    struct draws draws = {a * 31 + b};

    return draws_next(&draws);
}

static void check_mpi(int line, int code)
{
    CHECK(code == MPI_SUCCESS, "line %d: an error of MPI: %d", line, code);
}

#define MPI(call) check_mpi(__LINE__, MPI_##call)

/* --- messages --- */

/* Message `key` is these values. */
static void fill(value *message, int count, value key)
{
    for (int i = 0; i < count; i++) {
        message[i] = mix(key, (value)i);
    }
}

/* And this has come; any thread. */
static void took(const value *message, int count, value key)
{
    value all = 0;

    for (int i = 0; i < count; i++) {
        all += message[i];
        CHECK(message[i] == mix(key, (value)i), "seed's message %lx is wrong at %d of %d", key, i,
              count);
    }
#pragma omp atomic
    sum += all;
}

static void took_sum(value got, value wanted)
{
    CHECK(got == wanted, "a reduction is wrong");
#pragma omp atomic
    sum += got;
}

/* From under an eager message to one of several fragments. */
static int draw_count(struct draws *draws)
{
    static const int counts[] = {0, 1, 3, 100, 600, 3000, 9000, COUNT_MAX};

    return counts[draws_below(draws, draws_below(draws, 4) == 0 ? 8 : 5)];
}

static value *new_message(int count)
{
    value *message = calloc((size_t)count + 1, sizeof *message);

    if (message == NULL) {
        MPI_Abort(WORLD, 1);
    }
    return message;
}

static value *filled(int count, value key)
{
    value *message = new_message(count);

    fill(message, count, key);
    return message;
}

/* --- computing --- */

/* Some 30 ns for each of `cost`. */
static value work(value i, value cost)
{
    value result = i;

    for (value k = 0; k < cost * 20; k++) {
        result = result * 6364136223846793005u + 1442695040888963407u;
    }
    return result;
}

/* Iterations of unequal cost. */
#define ITERATION(i) (work((value)(i), (value)(i) % 7 * cost))

static value in_order(int count, value cost)
{
    value result = 0;

    for (int i = 0; i < count; i++) {
        result += ITERATION(i);
    }
    return result;
}

static value runtime_loop(int count, value cost)
{
    value result = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : result)
    for (int i = 0; i < count; i++) {
        result += ITERATION(i);
    }
    return result;
}

/* How many threads this region gets. */
static int team_of_clause(int threads)
{
    int team = 0;

#pragma omp parallel num_threads(threads)
#pragma omp atomic
    team++;
    return team;
}

static int team_of_default(void)
{
    int team = 0;

#pragma omp parallel
#pragma omp atomic
    team++;
    return team;
}

static void check_team(int team, int asked)
{
    CHECK(team >= 1 && (changes ? team <= asked : team == asked), "a team of %d, not %d", team,
          asked);
}

static value clause(int count, value cost)
{
    int asked = 1 + (int)draws_below(&own, 4), inner = 0;

    check_team(team_of_clause(asked), asked);
#pragma omp parallel if (count < 0)
#pragma omp atomic
    inner++;
    CHECK(inner == 1, "a team of %d under a condition that does not hold", inner);
    return runtime_loop(count, cost);
}

static void set_levels(int levels)
{
#ifdef BLIND /* there the inner ones have one thread */
    (void)levels;
#else
    omp_set_max_active_levels(levels);
#endif
}

static value nested(int count, value cost)
{
    value result = 0;
    int outer = 1 + (int)draws_below(&own, 3);

    set_levels(2);
#pragma omp parallel for schedule(dynamic, 1) num_threads(outer) reduction(+ : result)
    for (int part = 0; part < 4; part++) {
        value inner = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : inner)
        for (int i = part * count / 4; i < (part + 1) * count / 4; i++) {
            inner += ITERATION(i);
        }
        result += inner;
    }
    set_levels(1);
    return result;
}

#ifndef BLIND
/* A program that sets how many threads there are gets so many; of one, that nothing is shared. */
static value set_threads(int count, value cost)
{
    int before = omp_get_max_threads(), asked = 1 + (int)draws_below(&own, 4), alone = 0;
    value result;

    omp_set_num_threads(asked);
    check_team(team_of_default(), asked);
    result = runtime_loop(count, cost);
    omp_set_num_threads(1);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < count; i++) {
        int volatile *shared = &alone;
        *shared = *shared + 1;
    }
    CHECK(alone == count, "%d of %d iterations of a team of one", alone, count);
    omp_set_num_threads(before);
    return result;
}

static int kept;
#pragma omp threadprivate(kept)

static value static_pair(int count, value cost)
{
    value *part = new_message(count), result = 0;

    /* the second loop has the same shares, and does not wait for the first */
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < count; i++) {
            part[i] = ITERATION(i);
        }
#pragma omp for schedule(static) reduction(+ : result)
        for (int i = 0; i < count; i++) {
            result += part[i];
        }
    }
    free(part);
    return result;
}

static value thread_numbers(int count, value cost)
{
    int most = omp_get_max_threads(), team = 0;
    int *times = calloc((size_t)most, sizeof *times);
    value *part = new_message(most), result = 0;

#pragma omp parallel
    {
        int own_number = omp_get_thread_num();
        CHECK(own_number < most, "thread %d, where at most %d are", own_number, most);
        times[own_number]++;
#pragma omp single
        team = omp_get_num_threads();
#pragma omp for schedule(runtime)
        for (int i = 0; i < count; i++) {
            part[own_number] += ITERATION(i);
        }
    }
    check_team(team, most);
    for (int i = 0; i < most; i++) {
        CHECK(times[i] == (i < team), "thread %d of %d is there %d times", i, team, times[i]);
        result += part[i];
    }
    free(times);
    free(part);
    return result;
}

static value private_data(int count, value cost)
{
    int mark = (int)draws_below(&own, 1 << 20), first = 0;

#pragma omp parallel
    {
        kept = mark + omp_get_thread_num();
#pragma omp single
        first = omp_get_num_threads();
    }
    value result = in_order(count, cost);
#pragma omp parallel
    CHECK(changes || (omp_get_num_threads() == first && kept == mark + omp_get_thread_num()),
          "threadprivate data of thread %d are lost", omp_get_thread_num());
    return result;
}
#endif

typedef value computing(int count, value cost);

static computing *const computings[] = {
    runtime_loop, clause,      nested,
#ifndef BLIND
    set_threads,  static_pair, thread_numbers, private_data,
#endif
};

#define COMPUTINGS (sizeof computings / sizeof computings[0])

/* Unequal: one time in four much, else little or nothing. */
static void compute(void)
{
    static const value costs[] = {0, 1, 2, 5, 40, 300};
    int count = (int)draws_below(&own, 300);
    value cost = costs[draws_below(&own, 6)];
    computing *chosen = computings[draws_below(&own, COMPUTINGS)];

    if (draws_below(&own, 4) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = (long)draws_below(&own, 5000000)}, NULL);
    }
    took_sum(chosen(count, cost), in_order(count, cost));
}

/* --- from point to point --- */

/* A communicator, as an operation gets it. */
struct group {
    MPI_Comm comm;
    int rank, ranks;
    value key; /* of this operation; alike on all ranks of the group */
    struct draws draws;
};

static value key_of(const struct group *group, int from, int to)
{
    return mix(group->key, (value)(from * 64 + to));
}

static void ring(struct group *group)
{
    int count = draw_count(&group->draws), next = (group->rank + 1) % group->ranks;
    int last = (group->rank + group->ranks - 1) % group->ranks;
    value *message = filled(count, key_of(group, group->rank, next)), *in = new_message(count);

    MPI(Sendrecv(message, count, VALUE, next, 1, in, count, VALUE, last, 1, group->comm,
                 NO_STATUS));
    took(in, count, key_of(group, last, group->rank));
    free(message);
    free(in);
}

/* All requests complete, in one of several ways. */
static void complete(MPI_Request *request, int count, int way)
{
    int done = 0, flag = 0, index, some[2 * RANKS_MAX];

    switch (way) {
    case 0:
        MPI(Waitall(count, request, MPI_STATUSES_IGNORE));
        return;
    case 1:
        while (done < count) {
            MPI(Waitsome(count, request, &index, some, MPI_STATUSES_IGNORE));
            done += index;
        }
        return;
    case 2:
        while (done < count) {
            MPI(Testany(count, request, &index, &flag, NO_STATUS));
            done += flag;
        }
        return;
    default:
        for (int i = 0; i < count; i++) {
            for (flag = 0; !flag;) {
                MPI(Test(&request[i], &flag, NO_STATUS));
                CHECK(runtime_loop(20, 1) == in_order(20, 1), "a loop between two tests is wrong");
            }
        }
    }
}

#define WAYS 4

/* Each to each, at once. */
static void each_to_each(struct group *group)
{
    int count = draw_count(&group->draws) / 2, n = group->ranks;
    int way = (int)draws_below(&own, WAYS), synchronous = (int)draws_below(&group->draws, 2);
    value *in[RANKS_MAX], *out[RANKS_MAX];
    MPI_Request request[2 * RANKS_MAX];

    for (int i = 0; i < n; i++) {
        in[i] = new_message(count);
        out[i] = filled(count, key_of(group, group->rank, i));
        MPI(Irecv(in[i], count, VALUE, i, 3, group->comm, &request[i]));
    }
    for (int i = 0; i < n; i++) {
        if (synchronous) {
            MPI(Issend(out[i], count, VALUE, i, 3, group->comm, &request[n + i]));
        } else {
            MPI(Isend(out[i], count, VALUE, i, 3, group->comm, &request[n + i]));
        }
    }
    compute();
    complete(request, 2 * n, way);
    for (int i = 0; i < n; i++) {
        took(in[i], count, key_of(group, i, group->rank));
        free(in[i]);
        free(out[i]);
    }
}

/* Whoever comes first, of a size that is not known before. */
static void take_any(struct group *group, bool asks)
{
    MPI_Status status;
    MPI_Message message;
    int flag = 0, count;

    while (asks && !flag) {
        MPI(Improbe(MPI_ANY_SOURCE, 4, group->comm, &flag, &message, &status));
    }
    if (!asks) {
        MPI(Mprobe(MPI_ANY_SOURCE, 4, group->comm, &message, &status));
    }
    MPI(Get_count(&status, VALUE, &count));
    value *in = new_message(count);
    MPI(Mrecv(in, count, VALUE, &message, NO_STATUS));
    took(in, count, key_of(group, status.MPI_SOURCE, group->rank));
    free(in);
}

static void probes(struct group *group)
{
    bool asks = draws_below(&own, 2) == 0;
    MPI_Request request[RANKS_MAX];
    value *out[RANKS_MAX];

    for (int i = 0; i < group->ranks; i++) {
        int count = draw_count(&own);
        out[i] = filled(count, key_of(group, group->rank, i));
        MPI(Isend(out[i], count, VALUE, i, 4, group->comm, &request[i]));
    }
    compute();
    for (int i = 0; i < group->ranks; i++) {
        take_any(group, asks);
    }
    MPI(Waitall(group->ranks, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < group->ranks; i++) {
        free(out[i]);
    }
    MPI(Barrier(group->comm)); /* or who is fast would be received with those of the next one */
}

/* --- collective --- */

static void took_of_each(const struct group *group, const value *in, int count)
{
    for (int i = 0; i < group->ranks; i++) {
        took(in + i * count, count, key_of(group, i, 0));
    }
}

static void collective(struct group *group)
{
    int root = (int)draws_below(&group->draws, (value)group->ranks), n = group->ranks;
    int count = draw_count(&group->draws) / 8;
    value *one = filled(count, key_of(group, group->rank, 0)), *all = new_message(count * n), sum;

    switch (draws_below(&group->draws, 3)) {
    case 0:
        MPI(Bcast(one, count, VALUE, root, group->comm));
        took(one, count, key_of(group, root, 0));
        break;
    case 1:
        MPI(Allgather(one, count, VALUE, all, count, VALUE, group->comm));
        took_of_each(group, all, count);
        break;
    default:
        MPI(Allreduce(&(value){1}, &sum, 1, VALUE, MPI_SUM, group->comm));
        took_sum(sum, (value)n);
    }
    free(one);
    free(all);
}

/* Several at once, with computing and messages meanwhile. */
static void collectives_at_once(struct group *group)
{
    int n = group->ranks, root = (int)draws_below(&group->draws, (value)n);
    int count = draw_count(&group->draws) / 8;
    value *one = filled(count, key_of(group, group->rank, 0)), *all = new_message(count * n);
    value *sent = filled(count, key_of(group, root, 0)), number = (value)group->rank + 1, total;
    MPI_Request request[4];

    memset(sent, 0, group->rank == root ? 0 : (size_t)count * sizeof *sent);
    MPI(Iallreduce(&number, &total, 1, VALUE, MPI_SUM, group->comm, &request[0]));
    MPI(Ibcast(sent, count, VALUE, root, group->comm, &request[1]));
    MPI(Iallgather(one, count, VALUE, all, count, VALUE, group->comm, &request[2]));
    compute();
    if (draws_below(&group->draws, 2) == 0) {
        ring(group);
    }
    MPI(Ibarrier(group->comm, &request[3]));
    complete(request, 4, (int)draws_below(&own, WAYS));
    took_sum(total, (value)n * ((value)n + 1) / 2);
    took(sent, count, key_of(group, root, 0));
    took_of_each(group, all, count);
    free(one);
    free(all);
    free(sent);
}

/* --- communicators --- */

static void operate(struct group *group);

static void within(MPI_Comm comm, value key, int operations)
{
    struct group group = {.comm = comm};

    MPI(Comm_rank(comm, &group.rank));
    MPI(Comm_size(comm, &group.ranks));
    for (int i = 0; i < operations; i++) {
        group.key = mix(key, (value)i);
        group.draws = (struct draws){group.key};
        compute();
        operate(&group);
    }
}

static void splits(struct group *group)
{
    value key = draws_next(&group->draws);
    int color = (int)(mix(key, (value)group->rank) % 3);
    MPI_Comm part;

    MPI(Comm_split(group->comm, color, group->rank, &part));
    within(part, mix(key, (value)color), 1 + color);
    MPI(Comm_free(&part));
}

/* --- one-sided --- */

/* Each adds to each, and takes a number of the first. */
static void locks(struct group *group)
{
    int n = group->ranks;
    value *memory, add = (value)group->rank + 1, number, sum = 0;
    MPI_Win window;

    MPI(Win_allocate(2 * sizeof(value), sizeof(value), MPI_INFO_NULL, group->comm, &memory,
                     &window));
    MPI(Win_lock(MPI_LOCK_EXCLUSIVE, group->rank, 0, window));
    memory[0] = memory[1] = 0;
    MPI(Win_unlock(group->rank, window));
    MPI(Barrier(group->comm));
    MPI(Win_lock_all(0, window));
    for (int i = 0; i < n; i++) {
        MPI(Accumulate(&add, 1, VALUE, i, 0, 1, VALUE, MPI_SUM, window));
    }
    MPI(Fetch_and_op(&(value){1}, &number, VALUE, 0, 1, MPI_SUM, window));
    compute();
    MPI(Win_unlock_all(window));
    MPI(Allreduce(&number, &sum, 1, VALUE, MPI_SUM, group->comm));
    took_sum(sum, (value)n * ((value)n - 1) / 2);
    MPI(Win_lock(MPI_LOCK_SHARED, group->rank, 0, window));
    took_sum(memory[0], (value)n * ((value)n + 1) / 2);
    MPI(Win_unlock(group->rank, window));
    MPI(Win_free(&window));
}

/* --- threads that call MPI --- */

static MPI_Comm thread_comm[THREADS_MAX];

/* A ring, and all together, in the communicator of a thread. */
static void thread_talks(const struct group *group, int thread, int rounds, int count)
{
    struct group part = {.comm = thread_comm[thread]};

    MPI(Comm_rank(part.comm, &part.rank));
    MPI(Comm_size(part.comm, &part.ranks));
    for (int round = 0; round < rounds; round++) {
        int next = (part.rank + 1) % part.ranks, last = (part.rank + part.ranks - 1) % part.ranks;
        value one = 1, all = 0;
        MPI_Request request;
        part.key = mix(group->key, (value)(thread * 100 + round));
        value *out = filled(count, key_of(&part, part.rank, 0)), *in = new_message(count);
        took_sum(work((value)round, (value)part.rank * 10),
                 work((value)round, (value)part.rank * 10));
        MPI(Irecv(in, count, VALUE, last, 10, part.comm, &request));
        MPI(Send(out, count, VALUE, next, 10, part.comm));
        MPI(Wait(&request, NO_STATUS));
        took(in, count, key_of(&part, last, 0));
        MPI(Allreduce(&one, &all, 1, VALUE, MPI_SUM, part.comm));
        took_sum(all, (value)part.ranks);
        free(out);
        free(in);
    }
}

/* Sections are begun in their order, so that with fewer threads the same one is always under way
 * on all ranks. */
static void several_threads(struct group *group)
{
    int rounds = 1 + (int)draws_below(&group->draws, 6), count = draw_count(&group->draws) / 4;

#pragma omp parallel sections num_threads(THREADS_MAX)
    {
#pragma omp section
        thread_talks(group, 0, rounds, count);
#pragma omp section
        thread_talks(group, 1, rounds, count);
#pragma omp section
        thread_talks(group, 2, rounds, count);
    }
}

/* One thread at a time, whichever; or the main one. The others compute meanwhile. */
static void one_thread(struct group *group)
{
    value result = 0, wanted = 0;
    bool any = level >= MPI_THREAD_SERIALIZED;

    for (int i = 0; i < 200; i++) {
        wanted += work((value)i, 5);
    }

#pragma omp parallel reduction(+ : result)
    {
        if (any) {
#pragma omp single nowait
            ring(group);
        } else {
#ifndef BLIND /* this asks for the number of the thread */
#pragma omp master
            ring(group);
#endif
        }
#pragma omp for schedule(dynamic, 5)
        for (int i = 0; i < 200; i++) {
            result += work((value)i, 5);
        }
        if (any) {
#pragma omp single
            MPI(Barrier(group->comm));
        }
    }
    took_sum(result, wanted);
}

static void in_region(struct group *group)
{
    int same_everywhere;

    if (level == MPI_THREAD_SINGLE) {
        compute();
        return;
    }
    MPI(Comm_compare(group->comm, WORLD, &same_everywhere));
    if (level == MPI_THREAD_MULTIPLE && same_everywhere == MPI_IDENT) {
        several_threads(group);
    } else {
        one_thread(group);
    }
}

/* --- the job --- */

/* The one that operates on other communicators in turn comes last. */
static void (*const operations[])(struct group *) = {
    ring, each_to_each, probes, collective, collectives_at_once, locks, in_region, splits,
};

#define OPERATIONS (sizeof operations / sizeof operations[0])
#define FLAT (OPERATIONS - 1)

static void operate(struct group *group)
{
    static int depth;

    depth++;
    operations[draws_below(&group->draws, depth > 3 ? FLAT : OPERATIONS)](group);
    depth--;
}

/* A rank's own part of what is printed. */
struct result {
    value sum, failures;
};

/* Rank 0 gets the results of all, also of those that have ended before. */
static void print_results(value seed)
{
    struct result all = {sum, check_failures}, one;

    for (int i = 1; i < ranks; i++) {
        MPI(Recv(&one, 2, VALUE, MPI_ANY_SOURCE, 11, WORLD, NO_STATUS));
        all.sum += one.sum;
        all.failures += one.failures;
    }
    printf("seed %lu: %d ranks, %lu failures, sum %016lx\n", seed, ranks, all.failures, all.sum);
    fflush(stdout);
}

/* Some ranks end while the others go on. */
static void end(value seed, value key)
{
    bool early = rank > 0 && mix(key, (value)rank) % 3 == 0;
    MPI_Comm part;

    MPI(Comm_split(WORLD, early, rank, &part));
    if (!early) {
        within(part, key, 3);
    }
    MPI(Comm_free(&part));
    CHECK(omp_get_max_threads() == threads_at_begin, "there were %d threads, now %d",
          threads_at_begin, omp_get_max_threads());
    if (rank == 0) {
        print_results(seed);
    } else {
        MPI(Send(&(struct result){sum, check_failures}, 2, VALUE, 0, 11, WORLD));
    }
}

int main(int argc, char **argv)
{
    threads_at_begin = omp_get_max_threads();
    value seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    struct draws draws = {seed};
    int wanted_ranks = 2 + (int)draws_below(&draws, RANKS_MAX - 1);
    int steps = 4 + (int)draws_below(&draws, 12), given;
    value key = draws_next(&draws);

    if (argc > 2) {
        printf("%d\n", wanted_ranks);
        return 0;
    }
    level = (const int[]){MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                          MPI_THREAD_MULTIPLE}[draws_below(&draws, 4)];
    MPI(Init_thread(&argc, &argv, level, &given));
    MPI(Comm_rank(WORLD, &rank));
    MPI(Comm_size(WORLD, &ranks));
    CHECK(given >= level, "this MPI has no support of threads of level %d", level);
    snprintf(check_context, sizeof check_context, " (seed %lu, rank %d of %d)", seed, rank, ranks);
    own = (struct draws){mix(seed, (value)rank)};
    changes = IS_BLIND || omp_get_dynamic();
    for (int i = 0; i < THREADS_MAX; i++) {
        MPI(Comm_dup(WORLD, &thread_comm[i]));
    }
    within(WORLD, key, steps);
    for (int i = 0; i < THREADS_MAX; i++) {
        MPI(Comm_free(&thread_comm[i]));
    }
    end(seed, mix(key, 1));
    MPI_Finalize();
    return check_failures > 0;
}
