/* A job that is drawn from a seed: drawn_job SEED. Ranks, level of threads, communicators, ways to
 * communicate, and unequal computing between them, in parallel regions of all kinds. What is
 * received and what regions promise is checked where it stands; rank 0 prints a sum of all that
 * was received and computed, which depends on nothing but the seed: neither on timing nor on how
 * many threads there are.
 *
 *   drawn_job SEED shape   prints how many ranks it wants, and exits
 *
 * -DBLIND: a program that cannot tell how many threads its teams have, and does not say it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <time.h>

#include "tests/support/check.h"
#include "tests/support/draws.h"

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
        CHECK(message[i] == mix(key, (value)i), "seed's message %llx is wrong at %d of %d",
              (unsigned long long)key, i, count);
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

static value dynamic_loop(int count, value cost)
{
    value result = 0;

#pragma omp parallel for schedule(dynamic, 3) reduction(+ : result)
    for (int i = 0; i < count; i++) {
        result += ITERATION(i);
    }
    return result;
}

static value guided_loop_in_region(int count, value cost)
{
    value result = 0;

#pragma omp parallel reduction(+ : result)
    {
#pragma omp for schedule(guided) nowait
        for (int i = 0; i < count / 2; i++) {
            result += ITERATION(i);
        }
#pragma omp for schedule(runtime)
        for (int i = count / 2; i < count; i++) {
            result += ITERATION(i);
        }
    }
    return result;
}

static value ordered_loop(int count, value cost)
{
    value result = 0;
    int next = 0;

#pragma omp parallel for ordered schedule(runtime) reduction(+ : result)
    for (int i = 0; i < count; i++) {
        result += ITERATION(i);
#pragma omp ordered
        {
            CHECK(next == i, "%d comes as %d in an ordered loop", i, next);
            next++;
        }
    }
    return result;
}

static value tasks(int count, value cost)
{
    value result = 0;

#pragma omp parallel
#pragma omp single
    for (int i = 0; i < count; i++) {
#pragma omp task shared(result)
        {
            value part = ITERATION(i);
#pragma omp atomic
            result += part;
        }
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
    result = dynamic_loop(count, cost);
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

static value dynamic_teams(int count, value cost)
{
    int before = omp_get_dynamic(), most = omp_get_max_threads(), team;
    value result;

    omp_set_dynamic(1);
    team = team_of_default();
    CHECK(team >= 1 && team <= most, "a team of %d where at most %d are", team, most);
    result = runtime_loop(count, cost);
    omp_set_dynamic(before);
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
    runtime_loop, dynamic_loop,  guided_loop_in_region, ordered_loop,   tasks,
    clause,       nested,
#ifndef BLIND
    set_threads,  dynamic_teams, static_pair,           thread_numbers, private_data,
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

    if (draws_below(&group->draws, 2) == 0) {
        MPI(Sendrecv(message, count, VALUE, next, 1, in, count, VALUE, last, 1, group->comm,
                     NO_STATUS));
        took(in, count, key_of(group, last, group->rank));
    } else {
        MPI(Sendrecv_replace(message, count, VALUE, next, 1, last, 1, group->comm, NO_STATUS));
        took(message, count, key_of(group, last, group->rank));
    }
    free(message);
    free(in);
}

/* Blocking, in pairs: lower ranks send first. */
static void pairs(struct group *group)
{
    int count = draw_count(&group->draws), way = (int)draws_below(&group->draws, 3);
    int shift = 1 + (int)draws_below(&group->draws, RANKS_MAX), other = shift - group->rank;

    if (other < 0 || other >= group->ranks || other == group->rank) {
        return;
    }
    value *out = filled(count, key_of(group, group->rank, other)), *in = new_message(count);
    for (int turn = 0; turn < 2; turn++) {
        if ((group->rank < other) != (turn == 0)) {
            MPI(Recv(in, count, VALUE, other, 2, group->comm, NO_STATUS));
        } else if (way == 0) {
            MPI(Send(out, count, VALUE, other, 2, group->comm));
        } else if (way == 1) {
            MPI(Ssend(out, count, VALUE, other, 2, group->comm));
        } else {
            int size = MPI_BSEND_OVERHEAD + count * (int)sizeof *out;
            void *buffer = malloc((size_t)size);
            MPI(Buffer_attach(buffer, size));
            MPI(Bsend(out, count, VALUE, other, 2, group->comm));
            MPI(Buffer_detach(&buffer, &size));
            free(buffer);
        }
    }
    took(in, count, key_of(group, other, group->rank));
    free(out);
    free(in);
}

/* All requests complete, in one of many ways. */
static void complete(MPI_Request *request, int count, int way)
{
    int done = 0, flag = 0, index, some[2 * RANKS_MAX];

    switch (way) {
    case 0:
        MPI(Waitall(count, request, MPI_STATUSES_IGNORE));
        return;
    case 1:
        for (int i = 0; i < count; i++) {
            MPI(Waitany(count, request, &index, NO_STATUS));
        }
        return;
    case 2:
        while (done < count) {
            MPI(Waitsome(count, request, &index, some, MPI_STATUSES_IGNORE));
            done += index;
        }
        return;
    case 3:
        for (int i = count - 1; i >= 0; i--) {
            MPI(Wait(&request[i], NO_STATUS));
        }
        return;
    case 4:
        while (!flag) {
            MPI(Testall(count, request, &flag, MPI_STATUSES_IGNORE));
        }
        return;
    case 5:
        while (done < count) {
            MPI(Testany(count, request, &index, &flag, NO_STATUS));
            done += flag;
        }
        return;
    case 6:
        while (done < count) {
            MPI(Testsome(count, request, &index, some, MPI_STATUSES_IGNORE));
            done += index;
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

#define WAYS 8

/* Each to each, at once; where `rounds` > 0, by requests that are used again. */
static void each_to_each(struct group *group, int rounds)
{
    int count = draw_count(&group->draws) / 2, n = group->ranks;
    int way = (int)draws_below(&own, WAYS), synchronous = (int)draws_below(&group->draws, 2);
    value *in[RANKS_MAX], *out[RANKS_MAX];
    MPI_Request request[2 * RANKS_MAX];

    for (int i = 0; i < n; i++) {
        in[i] = new_message(count);
        out[i] = filled(count, key_of(group, group->rank, i));
        if (rounds > 0) {
            MPI(Recv_init(in[i], count, VALUE, i, 3, group->comm, &request[i]));
            MPI(Send_init(out[i], count, VALUE, i, 3, group->comm, &request[n + i]));
        } else {
            MPI(Irecv(in[i], count, VALUE, i, 3, group->comm, &request[i]));
        }
    }
    for (int i = 0; i < n && rounds == 0; i++) {
        if (synchronous) {
            MPI(Issend(out[i], count, VALUE, i, 3, group->comm, &request[n + i]));
        } else {
            MPI(Isend(out[i], count, VALUE, i, 3, group->comm, &request[n + i]));
        }
    }
    for (int round = 0; round < rounds || round == 0; round++) {
        if (rounds > 0) {
            MPI(Startall(2 * n, request));
        }
        compute();
        complete(request, 2 * n, way);
        for (int i = 0; i < n; i++) {
            took(in[i], count, key_of(group, i, group->rank));
        }
    }
    for (int i = 0; i < n; i++) {
        if (rounds > 0) {
            MPI(Request_free(&request[i]));
            MPI(Request_free(&request[n + i]));
        }
        free(in[i]);
        free(out[i]);
    }
}

static void nonblocking(struct group *group)
{
    each_to_each(group, 0);
}

static void persistent(struct group *group)
{
    each_to_each(group, 1 + (int)draws_below(&group->draws, 3));
}

/* Whoever comes first, of a size that is not known before. */
static void take_any(struct group *group, int way)
{
    MPI_Status status;
    MPI_Message message;
    int flag = 0, count;

    while (!flag) {
        flag = 1;
        if (way == 0) {
            MPI(Probe(MPI_ANY_SOURCE, 4, group->comm, &status));
        } else if (way == 1) {
            MPI(Mprobe(MPI_ANY_SOURCE, 4, group->comm, &message, &status));
        } else if (way == 2) {
            MPI(Iprobe(MPI_ANY_SOURCE, 4, group->comm, &flag, &status));
        } else {
            MPI(Improbe(MPI_ANY_SOURCE, 4, group->comm, &flag, &message, &status));
        }
    }
    MPI(Get_count(&status, VALUE, &count));
    value *in = new_message(count);
    if (way == 1 || way == 3) {
        MPI(Mrecv(in, count, VALUE, &message, NO_STATUS));
    } else {
        MPI(Recv(in, count, VALUE, status.MPI_SOURCE, 4, group->comm, NO_STATUS));
    }
    took(in, count, key_of(group, status.MPI_SOURCE, group->rank));
    free(in);
}

static void probes(struct group *group)
{
    int way = (int)draws_below(&own, 4);
    MPI_Request request[RANKS_MAX];
    value *out[RANKS_MAX];

    for (int i = 0; i < group->ranks; i++) {
        int count = draw_count(&own);
        out[i] = filled(count, key_of(group, group->rank, i));
        MPI(Isend(out[i], count, VALUE, i, 4, group->comm, &request[i]));
    }
    compute();
    for (int i = 0; i < group->ranks; i++) {
        take_any(group, way);
    }
    MPI(Waitall(group->ranks, request, MPI_STATUSES_IGNORE));
    for (int i = 0; i < group->ranks; i++) {
        free(out[i]);
    }
    MPI(Barrier(group->comm)); /* or who is fast would be received with those of the next one */
}

/* One hands out, the others compute what they get and ask for more. */
static void hand_out(struct group *group)
{
    int root = (int)draws_below(&group->draws, (value)group->ranks);
    int pieces = 5 + (int)draws_below(&group->draws, 30), done = 0, piece;
    value result = 0, whole = 0, wanted = 0;
    MPI_Status status;

    if (group->rank == root) {
        for (int given = 0; done < group->ranks - 1; given++) {
            MPI(Recv(&piece, 1, MPI_INT, MPI_ANY_SOURCE, 5, group->comm, &status));
            piece = given < pieces ? given : -1;
            done += piece < 0;
            MPI(Send(&piece, 1, MPI_INT, status.MPI_SOURCE, 6, group->comm));
        }
    } else {
        for (piece = 0; piece >= 0;) {
            MPI(Send(&piece, 1, MPI_INT, root, 5, group->comm));
            MPI(Recv(&piece, 1, MPI_INT, root, 6, group->comm, NO_STATUS));
            result += piece >= 0 ? runtime_loop(10 + piece, 3) : 0;
        }
    }
    for (piece = 0; piece < pieces && group->ranks > 1; piece++) {
        wanted += in_order(10 + piece, 3);
    }
    MPI(Allreduce(&result, &whole, 1, VALUE, MPI_SUM, group->comm));
    took_sum(whole, wanted);
}

/* --- collective --- */

static value sum_to(const struct group *group, int last, value i)
{
    value all = 0;

    for (int from = 0; from <= last; from++) {
        all += mix(key_of(group, from, 0), i);
    }
    return all;
}

static void took_sums(const struct group *group, const value *in, int count, int last, int first)
{
    for (int i = 0; i < count; i++) {
        took_sum(in[i], sum_to(group, last, (value)(first + i)));
    }
}

static void took_of_each(const struct group *group, const value *in, int count)
{
    for (int i = 0; i < group->ranks; i++) {
        took(in + i * count, count, key_of(group, i, 0));
    }
}

static void reductions(struct group *group)
{
    int root = (int)draws_below(&group->draws, (value)group->ranks);
    int n = group->ranks, count = (int)draws_below(&group->draws, 2) == 0 ? 1 : 700;
    value *out = filled(count * n, key_of(group, group->rank, 0)), *in = new_message(count * n);

    switch (draws_below(&group->draws, 5)) {
    case 0:
        MPI(Allreduce(out, in, count, VALUE, MPI_SUM, group->comm));
        took_sums(group, in, count, n - 1, 0);
        break;
    case 1:
        MPI(Reduce(out, in, count, VALUE, MPI_SUM, root, group->comm));
        took_sums(group, in, group->rank == root ? count : 0, n - 1, 0);
        break;
    case 2:
        MPI(Scan(out, in, count, VALUE, MPI_SUM, group->comm));
        took_sums(group, in, count, group->rank, 0);
        break;
    case 3:
        MPI(Exscan(out, in, count, VALUE, MPI_SUM, group->comm));
        took_sums(group, in, group->rank > 0 ? count : 0, group->rank - 1, 0);
        break;
    default:
        MPI(Reduce_scatter_block(out, in, count, VALUE, MPI_SUM, group->comm));
        took_sums(group, in, count, n - 1, group->rank * count);
    }
    free(out);
    free(in);
}

static void gatherings(struct group *group)
{
    int root = (int)draws_below(&group->draws, (value)group->ranks), n = group->ranks;
    int count = draw_count(&group->draws) / 4;
    value *one = filled(count, key_of(group, group->rank, 0)), *all = new_message(count * n);
    int counts[RANKS_MAX], places[RANKS_MAX];

    for (int i = 0; i < n; i++) {
        counts[i] = count;
        places[i] = i * count;
    }
    switch (draws_below(&group->draws, 6)) {
    case 0:
        MPI(Bcast(one, count, VALUE, root, group->comm));
        took(one, count, key_of(group, root, 0));
        break;
    case 1:
        MPI(Gather(one, count, VALUE, all, count, VALUE, root, group->comm));
        break;
    case 2:
        MPI(Gatherv(one, count, VALUE, all, counts, places, VALUE, root, group->comm));
        break;
    case 3:
        MPI(Allgather(one, count, VALUE, all, count, VALUE, group->comm));
        took_of_each(group, all, count);
        break;
    case 4:
        MPI(Allgatherv(one, count, VALUE, all, counts, places, VALUE, group->comm));
        took_of_each(group, all, count);
        break;
    default:
        for (int i = 0; i < n; i++) {
            fill(all + i * count, count, key_of(group, root, i));
        }
        MPI(Scatter(all, count, VALUE, one, count, VALUE, root, group->comm));
        took(one, count, key_of(group, root, group->rank));
    }
    free(one);
    free(all);
}

static void exchanges(struct group *group)
{
    int n = group->ranks, count = draw_count(&group->draws) / 8;
    value *out = new_message(count * n), *in = new_message(count * n);
    int counts[RANKS_MAX], places[RANKS_MAX];

    for (int i = 0; i < n; i++) {
        counts[i] = count;
        places[i] = i * count;
        fill(out + i * count, count, key_of(group, group->rank, i));
    }
    if (draws_below(&group->draws, 2) == 0) {
        MPI(Alltoall(out, count, VALUE, in, count, VALUE, group->comm));
    } else {
        MPI(Alltoallv(out, counts, places, VALUE, in, counts, places, VALUE, group->comm));
    }
    for (int i = 0; i < n; i++) {
        took(in + i * count, count, key_of(group, i, group->rank));
    }
    free(out);
    free(in);
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

static void duplicates(struct group *group)
{
    MPI_Comm other;
    MPI_Request request;

    if (draws_below(&group->draws, 2) == 0) {
        MPI(Comm_dup(group->comm, &other));
    } else {
        MPI(Comm_idup(group->comm, &other, &request));
        compute();
        MPI(Wait(&request, NO_STATUS));
    }
    within(other, draws_next(&group->draws), 1);
    MPI(Comm_free(&other));
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

static void intercommunicators(struct group *group)
{
    int first = 1 + (int)draws_below(&group->draws, (value)group->ranks), count;
    int low = group->rank < first, others = low ? group->ranks - first : first;
    value key = draws_next(&group->draws), got = 0, one = 1;
    MPI_Comm half, across, merged;

    if (first == group->ranks) {
        return;
    }
    MPI(Comm_split(group->comm, low, group->rank, &half));
    MPI(Intercomm_create(half, 0, group->comm, low ? first : 0, 7, &across));
    compute();
    MPI(Allreduce(&one, &got, 1, VALUE, MPI_SUM, across));
    took_sum(got, (value)others);
    count = draw_count(&group->draws);
    value *message = filled(count, key);
    if (low) {
        int is_root = group->rank == 0;
        MPI(Bcast(message, count, VALUE, is_root ? MPI_ROOT : MPI_PROC_NULL, across));
    } else {
        memset(message, 0, (size_t)count * sizeof *message);
        MPI(Bcast(message, count, VALUE, 0, across));
        took(message, count, key);
    }
    int half_rank, partner;
    MPI(Comm_rank(half, &half_rank));
    partner = half_rank < others ? half_rank : MPI_PROC_NULL;
    MPI(Sendrecv_replace(&half_rank, 1, MPI_INT, partner, 8, partner, 8, across, NO_STATUS));
    CHECK(partner == MPI_PROC_NULL || half_rank == partner, "from %d came %d", partner, half_rank);
    MPI(Intercomm_merge(across, !low, &merged));
    within(merged, key, 1);
    MPI(Comm_free(&merged));
    MPI(Comm_free(&across));
    MPI(Comm_free(&half));
    free(message);
}

static void grids(struct group *group)
{
    int dims[2] = {0, draws_below(&group->draws, 2) == 0 ? 1 : 0}, around[2] = {1, 0}, last, next;
    int count = draw_count(&group->draws) / 4, at, grid_ranks;
    value key = draws_next(&group->draws);
    MPI_Comm grid, row;

    MPI(Dims_create(group->ranks, 2, dims));
    MPI(Cart_create(group->comm, 2, dims, around, 0, &grid));
    MPI(Comm_rank(grid, &at));
    MPI(Comm_size(grid, &grid_ranks));
    value *out = filled(count, mix(key, (value)at)), *in = new_message(4 * count);
    for (int dim = 0; dim < 2; dim++) {
        MPI(Cart_shift(grid, dim, 1, &last, &next));
        MPI(Sendrecv(out, count, VALUE, next, 9, in, count, VALUE, last, 9, grid, NO_STATUS));
        if (last != MPI_PROC_NULL) {
            took(in, count, mix(key, (value)last));
        }
    }
    MPI_Request request;
    if (draws_below(&group->draws, 2) == 0) {
        MPI(Neighbor_allgather(out, count, VALUE, in, count, VALUE, grid));
    } else {
        MPI(Ineighbor_allgather(out, count, VALUE, in, count, VALUE, grid, &request));
        compute();
        complete(&request, 1, (int)draws_below(&own, WAYS));
    }
    for (int neighbour = 0; neighbour < 4; neighbour++) {
        int from[2];
        MPI(Cart_shift(grid, neighbour / 2, 1, &from[0], &from[1]));
        if (from[neighbour % 2] != MPI_PROC_NULL) {
            took(in + neighbour * count, count, mix(key, (value)from[neighbour % 2]));
        }
    }
    MPI(Cart_sub(grid, (int[]){0, 1}, &row));
    within(row, mix(key, (value)(dims[1] > 0 ? at / dims[1] : 0)), 1);
    MPI(Comm_free(&row));
    MPI(Comm_free(&grid));
    free(out);
    free(in);
}

/* --- one-sided --- */

static void fences(struct group *group)
{
    int n = group->ranks, count = 1 + draw_count(&group->draws) / 8, next = (group->rank + 1) % n;
    int last = (group->rank + n - 1) % n;
    value *memory, *own_memory = new_message(2 * count), *in = new_message(count), one = 1;
    value *out = filled(count, key_of(group, group->rank, next));
    MPI_Aint size = 2 * count * (MPI_Aint)sizeof(value);
    MPI_Win window;

    /* Open MPI 4.1 has no other windows for several threads */
    if (level == MPI_THREAD_MULTIPLE || draws_below(&group->draws, 2) == 0) {
        MPI(Win_allocate(size, sizeof(value), MPI_INFO_NULL, group->comm, &memory, &window));
        memset(memory, 0, (size_t)size);
    } else {
        memory = own_memory;
        MPI(Win_create(memory, size, sizeof(value), MPI_INFO_NULL, group->comm, &window));
    }
    MPI(Win_fence(0, window));
    MPI(Put(out, count, VALUE, next, 0, count, VALUE, window));
    for (int i = 0; i < n; i++) {
        MPI(Accumulate(&one, 1, VALUE, i, count, 1, VALUE, MPI_SUM, window));
    }
    compute();
    MPI(Win_fence(0, window));
    took(memory, count, key_of(group, last, group->rank));
    took_sum(memory[count], (value)n);
    MPI(Win_fence(0, window));
    MPI(Get(in, count, VALUE, next, 0, count, VALUE, window));
    MPI(Win_fence(0, window));
    took(in, count, key_of(group, group->rank, next));
    MPI(Win_free(&window));
    free(own_memory);
    free(out);
    free(in);
}

/* Each adds to each, `times` times, and takes numbers of the first. */
static void locks(struct group *group)
{
    int n = group->ranks, times = 1 + (int)draws_below(&group->draws, 4);
    int way = (int)draws_below(&group->draws, 3);
    value *memory, add = (value)group->rank + 1, got, numbers = 0, all_numbers = 0;
    value everybody = (value)n * (value)times;
    MPI_Win window;

    MPI(Win_allocate(2 * sizeof(value), sizeof(value), MPI_INFO_NULL, group->comm, &memory,
                     &window));
    MPI(Win_lock(MPI_LOCK_EXCLUSIVE, group->rank, 0, window));
    memory[0] = memory[1] = 0;
    MPI(Win_unlock(group->rank, window));
    MPI(Barrier(group->comm));
    if (way == 0) {
        MPI(Win_lock_all(0, window));
    }
    for (int i = 0; i < n * times; i++) {
        int target = (group->rank + i) % n;
        if (way > 0) {
            MPI(Win_lock(way == 1 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, window));
        }
        MPI(Accumulate(&add, 1, VALUE, target, 0, 1, VALUE, MPI_SUM, window));
        if (way > 0) {
            MPI(Win_unlock(target, window));
            MPI(Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        }
        if (target == group->rank) {
            MPI(Fetch_and_op(&(value){1}, &got, VALUE, 0, 1, MPI_SUM, window));
            MPI(Win_flush(0, window));
            numbers += got;
            compute();
        }
        if (way > 0) {
            MPI(Win_unlock(0, window));
        }
    }
    if (way == 0) {
        MPI(Win_flush_all(window));
        MPI(Win_unlock_all(window));
    }
    MPI(Barrier(group->comm));
    MPI(Win_lock(MPI_LOCK_SHARED, group->rank, 0, window));
    took_sum(memory[0], (value)times * (value)n * ((value)n + 1) / 2);
    MPI(Win_unlock(group->rank, window));
    MPI(Allreduce(&numbers, &all_numbers, 1, VALUE, MPI_SUM, group->comm));
    took_sum(all_numbers, everybody * (everybody - 1) / 2);
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
        if (round % 2 == 0) {
            MPI(Irecv(in, count, VALUE, last, 10, part.comm, &request));
            MPI(Send(out, count, VALUE, next, 10, part.comm));
            MPI(Wait(&request, NO_STATUS));
        } else {
            MPI(Isend(out, count, VALUE, next, 10, part.comm, &request));
            MPI(Probe(last, 10, part.comm, NO_STATUS));
            MPI(Recv(in, count, VALUE, last, 10, part.comm, NO_STATUS));
            MPI(Wait(&request, NO_STATUS));
        }
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

/* Those that operate on other communicators in turn come last. */
static void (*const operations[])(struct group *) = {
    ring,       pairs,      nonblocking, persistent,          probes, hand_out,
    reductions, gatherings, exchanges,   collectives_at_once, fences, locks,
    in_region,  duplicates, splits,      intercommunicators,  grids,
};

#define OPERATIONS (sizeof operations / sizeof operations[0])
#define FLAT (OPERATIONS - 4)

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
    printf("seed %llu: %d ranks, %llu failures, sum %016llx\n", (unsigned long long)seed, ranks,
           (unsigned long long)all.failures, (unsigned long long)all.sum);
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
    snprintf(check_context, sizeof check_context, " (seed %llu, rank %d of %d)",
             (unsigned long long)seed, rank, ranks);
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
