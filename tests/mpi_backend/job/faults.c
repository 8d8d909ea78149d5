/* A job whose ranks meet faults, and go on: `faults SHAPE FAULT...`, under mpirun.
 *
 * SHAPE: what its steps are. loop: explicit loops; explicit, team: such, and loops of teams, that
 * are repeatable, so that others execute what is left; rows, any: rows that move, of either kind;
 * pipeline: sweeps over rows that may move within them; objects; fixed: objects that cannot be
 * packed.
 *
 * FAULT: KIND,RANK,POINT,STEP[,ITEM]: rank RANK of MPI_COMM_WORLD is killed, stopped for good, or
 * for KEEL_TEST_PAUSE_S (kill, stop, pause), or sleeps as long (nap; it has a message of its own on
 * its way to rank 0 then) where it first reaches the point in that step or a later one. Points:
 *
 *     create              before rows or objects are created
 *     step                begin of a step
 *     work                in its course, after so many items of this rank; at its end at the latest
 *     end                 behind it, before results come together or rows move
 *     reduce              before parts of a loop are combined, or rows are gathered
 *     size, come          where Keel asks how large a row is that is to move; where it comes
 *     pack                where rows or objects are packed, for another rank or for a copy
 *     again               the same, once ranks have been lost
 *     unpack              where they come back
 *     known               the rank knows that others are lost
 *     making, opening     within MPI: it makes the communicator of those that are left, memory for
 *                         the next loop
 *
 * All is compared with what one process makes of it. Each rank that ends normally says
 *
 *     rank R: code C, N steps, S ranks, lost L..., back at B
 *
 * B: the step to which it came back last; -1: to none. KEEL_TEST_BALANCE: a policy that moves
 * something, which the program states. KEEL_TEST_NAP_US: what an item takes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/include/keel_mpi_objects.h"
#include "tests/support/checks.h"
#include "tests/support/helpers.h"
#include "tests/support/schedules.h"

enum { STEPS = 12, ITEMS = 80, WIDTH = 16, FAULTS_MAX = 4, LAST = 1 << 20, MAIL = 5 };

static const char *shape;
static int world; /* this rank of MPI_COMM_WORLD */
static MPI_Comm comm = MPI_COMM_WORLD;
static uint64_t step;
static atomic_int items; /* of this step, by this rank */
static int recoveries, back_at = -1;

static bool is(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

static double setting(const char *name, double otherwise)
{
    return getenv(name) != NULL ? strtod(getenv(name), NULL) : otherwise;
}

/* --- faults --- */

static struct fault {
    char kind[8], point[16];
    int rank, step, item;
    atomic_bool met;
} fault[FAULTS_MAX];

static bool read_faults(int count, char **words)
{
    for (int i = 0; i < count; i++) {
        struct fault *of = &fault[i];
        if (i == FAULTS_MAX || sscanf(words[i], "%7[a-z],%d,%15[a-z],%d,%d", of->kind, &of->rank,
                                      of->point, &of->step, &of->item) < 4) {
            return false;
        }
    }
    return true;
}

/* A process that wakes this one. */
static void wake_later(void)
{
    pid_t self = getpid();

    if (fork() == 0) {
        nap((uint64_t)(setting("KEEL_TEST_PAUSE_S", 5) * 1e6));
        kill(self, SIGCONT);
        _exit(0);
    }
}

static void strike_after(const char *point, int item)
{
    for (struct fault *of = fault; of < fault + FAULTS_MAX; of++) {
        if (of->rank != world || !is(of->point, point) || (int)step < of->step || item < of->item ||
            atomic_exchange(&of->met, true)) {
            continue;
        }
        if (is(of->kind, "nap")) {
            MPI_Send(&world, 1, MPI_INT, 0, MAIL, MPI_COMM_WORLD);
            nap((uint64_t)(setting("KEEL_TEST_PAUSE_S", 5) * 1e6));
            continue;
        }
        if (is(of->kind, "pause")) {
            wake_later();
        }
        kill(getpid(), is(of->kind, "kill") ? SIGKILL : SIGSTOP);
    }
}

static void strike(const char *point)
{
    strike_after(point, LAST);
}

/* Keel's calls come here first. */
int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm of, void *base,
                            MPI_Win *win)
{
    if (recoveries > 0) {
        strike("opening");
    }
    return PMPI_Win_allocate_shared(size, unit, info, of, base, win);
}

int MPI_Comm_create_group(MPI_Comm of, MPI_Group group, int tag, MPI_Comm *made)
{
    strike("making");
    return PMPI_Comm_create_group(of, group, tag, made);
}

/* Of Open MPI 5: what makes it there. */
int MPIX_Comm_shrink(MPI_Comm of, MPI_Comm *left)
{
    int (*shrink)(MPI_Comm, MPI_Comm *) =
        (int (*)(MPI_Comm, MPI_Comm *))dlsym(RTLD_DEFAULT, "PMPIX_Comm_shrink");

    strike("making");
    return shrink(of, left);
}

/* --- what all shapes do --- */

static void work(void)
{
    nap((uint64_t)setting("KEEL_TEST_NAP_US", 100));
    strike_after("work", atomic_fetch_add(&items, 1));
}

static void begin_step(void)
{
    items = 0;
    strike("step");
}

/* Others may have done all of it. */
static void end_step(void)
{
    strike("work");
    strike("end");
}

static void next_step(void)
{
    if (step++ == 0 && getenv("KEEL_TEST_NAP_US") != NULL) {
        printf("rank %d: under way\n", world);
        fflush(stdout);
    }
}

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ (z >> 31);
}

/* Without the ranks that are lost; recover() brings back what there was. */
static int go_on(int (*recover)(void))
{
    int code, attempts = 0;

    do {
        recoveries++;
        strike("known");
        code = keel_mpi_survivors(comm, &comm);
        code = code == KEEL_MPI_OK ? recover() : code;
    } while (code == KEEL_MPI_RANKS_LOST && ++attempts < 4);
    back_at = code == KEEL_MPI_OK ? (int)step : back_at;
    return code;
}

/* What the report says of copies, while no rank was lost. */
static void check_copies(uint64_t copies, uint64_t kept, uint64_t sent, double time_s)
{
    bool wanted = getenv("KEEL_MPI_COPIES") != NULL && !is(shape, "fixed");

    if (recoveries == 0) {
        CHECK((copies > 0) == wanted, "%d copies", (int)copies);
        CHECK(!wanted || (kept > 0 && sent > 0 && time_s > 0), "copies cost nothing");
    }
}

/* --- shared loops --- */

static uint64_t result[STEPS][ITEMS], sum, sums[STEPS];
static int64_t sum_step = -1; /* that `sum` is of: what this rank has executed of it */

static uint64_t value(uint64_t of_step, uint64_t item)
{
    return mix(of_step * 1000 + item);
}

static uint64_t right_sum(uint64_t of_step)
{
    uint64_t all = 0;

    for (uint64_t i = 0; i < ITEMS; i++) {
        all += value(of_step, i);
    }
    return all;
}

static int run_team(void)
{
    uint64_t part = sum;
    int code = keel_mpi_share(comm);

    if (code == KEEL_MPI_OK) {
        set_schedule(every_schedule[mix(step + (uint64_t)setting("KEEL_TEST_SEED", 1)) %
                                    COUNT(every_schedule)]);
#pragma omp parallel for schedule(runtime) reduction(+ : part)
        for (uint64_t i = 0; i < ITEMS; i++) {
            part += result[step][i] = value(step, i);
            work();
        }
    }
    sum = part;
    return code;
}

static int run_explicit(void)
{
    struct keel_mpi_loop *loop;
    uint64_t first, last;
    bool whole = is(shape, "loop"), waits = !whole || step % 2 == 0;
    int code = keel_mpi_loop_begin(comm, ITEMS, waits ? 0 : KEEL_MPI_NOWAIT, &loop);

    while ((code == KEEL_MPI_OK || whole) && keel_mpi_loop_next(loop, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            sum += result[step][i] = value(step, i);
            work();
        }
    }
    int ended = keel_mpi_loop_end(&loop);
    code = code == KEEL_MPI_OK ? ended : code;
    CHECK(!whole || code == KEEL_MPI_OK || sum == right_sum(step),
          "a loop that is not shared is not run whole");
    return code == KEEL_MPI_OK && !waits ? keel_mpi_wait(comm) : code;
}

static int run_loop(void)
{
    int code = is(shape, "loop") ? KEEL_MPI_OK : keel_mpi_repeatable(comm, step);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (sum_step != (int64_t)step || is(shape, "loop")) {
        sum = 0;
        sum_step = (int64_t)step;
    }
    begin_step();
    code = is(shape, "team") ? run_team() : run_explicit();
    end_step();
    code = code == KEEL_MPI_OK ? keel_mpi_allgather(result[step], 1, MPI_UINT64_T, comm) : code;
    sums[step] = sum;
    strike("reduce");
    return code == KEEL_MPI_OK ? keel_mpi_allreduce(&sums[step], 1, MPI_UINT64_T, MPI_SUM, comm)
                               : code;
}

static void check_loops(void)
{
    for (uint64_t s = 0; s < STEPS; s++) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            CHECK(result[s][i] == value(s, i), "step %d: iteration %d is not the expected one",
                  (int)s, (int)i);
        }
        CHECK(sums[s] == right_sum(s), "step %d: its sum", (int)s);
    }
}

static int agree_on_step(void)
{
    MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_UINT64_T, MPI_MIN, comm);
    return KEEL_MPI_OK;
}

static int run_loops(void)
{
    int code = KEEL_MPI_OK;

    while (code == KEEL_MPI_OK && step < STEPS) {
        code = run_loop();
        if (code == KEEL_MPI_OK) {
            next_step();
        } else if (code == KEEL_MPI_RANKS_LOST) {
            code = go_on(agree_on_step);
        }
    }
    if (code == KEEL_MPI_OK) {
        check_loops();
    }
    return code;
}

/* --- rows: two arrays, an item of some words, and a weight --- */

typedef uint64_t grid[ITEMS * WIDTH];

static struct keel_mpi_rows *rows;
static struct keel_mpi_pipeline *pipeline;
static uint64_t *plane[2];    /* of even and odd steps; sweeps have the first */
static uint64_t *item[ITEMS]; /* 1 + row % 3 words; NULL: not here */

static bool balances; /* rows may move now */

static size_t item_size(void *context, uint64_t row)
{
    if (balances) {
        strike("size");
    }
    return (1 + row % 3) * sizeof(uint64_t);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    strike("pack");
    if (recoveries > 0) {
        strike("again");
    }
    memcpy(buffer, item[row], item_size(context, row));
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    strike(recoveries > 0 ? "unpack" : "come");
    CHECK(item[row] == NULL && size == item_size(context, row), "row %d comes", (int)row);
    item[row] = malloc(size);
    memcpy(item[row], buffer, size);
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
    CHECK(item[row] != NULL, "row %d goes, but is not here", (int)row);
    free(item[row]);
    item[row] = NULL;
}

static void fill(uint64_t *u, uint64_t i)
{
    for (uint64_t j = 0; j < WIDTH; j++) {
        u[i * WIDTH + j] = mix(i * 977 + j);
    }
}

static void relax(const uint64_t *from, uint64_t *to, uint64_t i)
{
    for (uint64_t j = 0; j < WIDTH; j++) {
        to[i * WIDTH + j] = mix(from[i * WIDTH + j] + (i > 0 ? 3 * from[(i - 1) * WIDTH + j] : 1) +
                                (i < ITEMS - 1 ? 5 * from[(i + 1) * WIDTH + j] : 2));
    }
}

/* A sweep from the first row and element: each needs those above and to the left anew. */
static void sweep(uint64_t *u, uint64_t i, uint64_t from, uint64_t to)
{
    for (uint64_t j = from; j < to; j++) {
        u[i * WIDTH + j] = mix(u[i * WIDTH + j] + (i > 0 ? 3 * u[(i - 1) * WIDTH + j] : 1) +
                               (j > 0 ? 5 * u[i * WIDTH + j - 1] : 2));
    }
}

static void change_item(uint64_t row, uint64_t *words, uint64_t of_step)
{
    for (uint64_t k = 0; k < 1 + row % 3; k++) {
        words[k] = words[k] * 31 + of_step + k;
    }
}

static int step_rows(void)
{
    const uint64_t *row;
    uint64_t count;
    double weight;
    int code = keel_mpi_rows_exchange(rows, plane[step % 2]);

    if (code != KEEL_MPI_OK) {
        return code;
    }
    keel_mpi_rows_list(rows, &row, &count);
    keel_mpi_rows_work_begin(rows);
#pragma omp parallel for schedule(runtime)
    for (uint64_t k = 0; k < count; k++) {
        relax(plane[step % 2], plane[1 - step % 2], row[k]);
        work();
    }
    keel_mpi_rows_work_end(rows);
    for (uint64_t k = 0; k < count; k++) {
        weight = 1 + (double)(row[k] % 5);
        keel_mpi_rows_weigh(rows, row[k], row[k] + 1, &weight);
    }
    return KEEL_MPI_OK;
}

static int step_pipeline(void)
{
    uint64_t first, last, from, to;
    int code = keel_mpi_pipeline_begin(pipeline, KEEL_MPI_FORWARD);

    while (code == KEEL_MPI_OK &&
           keel_mpi_pipeline_next_rows(pipeline, &first, &last, &from, &to)) {
        for (uint64_t i = first; i < last; i++) {
            sweep(plane[0], i, from, to);
            work();
        }
    }
    return code == KEEL_MPI_OK ? keel_mpi_pipeline_end(pipeline) : code;
}

static void check_rows(const uint64_t *all)
{
    static grid right[2];
    static uint64_t words[ITEMS][3];
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    int owner, own;

    for (uint64_t i = 0; i < ITEMS; i++) {
        fill(right[0], i);
    }
    for (uint64_t s = 0; s < STEPS; s++) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            if (pipeline != NULL) {
                sweep(right[0], i, 0, WIDTH);
            } else {
                relax(right[s % 2], right[1 - s % 2], i);
            }
            change_item(i, words[i], s);
        }
    }
    CHECK(memcmp(all, right[pipeline != NULL ? 0 : STEPS % 2], sizeof(grid)) == 0,
          "rows are not those of %d steps", STEPS);
    MPI_Comm_rank(comm, &own);
    for (uint64_t i = 0; i < ITEMS; i++) {
        keel_mpi_rows_owner(rows, i, &owner);
        CHECK((owner == own) == (item[i] != NULL), "the item of row %d", (int)i);
        CHECK(item[i] == NULL || memcmp(item[i], words[i], item_size(NULL, i)) == 0,
              "the item of row %d is not what it was", (int)i);
    }
    keel_mpi_rows_report(rows, &report);
    /* the program's policy holds for the rows that came back, too */
    CHECK(getenv("KEEL_TEST_BALANCE") == NULL || report.movements > 0, "no row has moved");
    check_copies(report.copies, report.copies_bytes, report.copies_sent_bytes, report.copies_s);
}

/* At a balance call: all ranks take the rows that were to move, or all keep them, also where one
 * was so late that others wait no longer. */
static int balance(void)
{
    const uint64_t *row, *u = plane[pipeline != NULL ? 0 : 1 - step % 2];
    uint64_t count, sum_here = 0, sum_of_all = 0;
    int code, most, least;

    keel_mpi_rows_list(rows, &row, &count);
    for (uint64_t k = 0; k < count * WIDTH; k++) {
        sum_here += u[row[k / WIDTH] * WIDTH + k % WIDTH];
    }
    balances = true;
    code = keel_mpi_rows_balance(rows, NULL);
    balances = false;
    if (!is(fault[0].kind, "nap") || is(fault[0].point, "step")) {
        return code; /* others may have ended, or given up before */
    }
    keel_mpi_rows_list(rows, &row, &count);
    for (uint64_t k = 0; k < count * WIDTH; k++) {
        sum_here -= u[row[k / WIDTH] * WIDTH + k % WIDTH];
    }
    MPI_Allreduce(&sum_here, &sum_of_all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    CHECK(most == least, "code %d here, from %d to %d on all ranks", code, least, most);
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(count == ITEMS && sum_of_all == 0, "%d rows, or not as they were", (int)count);
    for (uint64_t i = 0; i < ITEMS; i++) {
        int owner = -1;
        keel_mpi_rows_owner(rows, i, &owner);
        CHECK((owner == world) == (item[i] != NULL), "the item of row %d", (int)i);
    }
    return code;
}

/* From the step that rows are of. */
static int go_through_rows(void)
{
    static grid all;
    const uint64_t *row;
    uint64_t count;
    bool sweeps = is(shape, "pipeline");
    int code = sweeps ? keel_mpi_pipeline_create(rows, plane[0], 8, &pipeline) : KEEL_MPI_OK;

    if (code == KEEL_MPI_OK && sweeps && getenv("KEEL_MPI_COPIES") == NULL) {
        code = keel_mpi_pipeline_hooks(pipeline, 2); /* else a copy may be of half a sweep */
    }
    keel_mpi_rows_list(rows, &row, &count);
    for (uint64_t k = 0; step == 0 && k < count; k++) {
        fill(plane[0], row[k]);
        item[row[k]] = calloc(1, item_size(NULL, row[k]));
    }
    while (code == KEEL_MPI_OK && step < STEPS) {
        begin_step();
        code = sweeps ? step_pipeline() : step_rows();
        end_step();
        keel_mpi_rows_list(rows, &row, &count);
        for (uint64_t k = 0; code == KEEL_MPI_OK && k < count; k++) {
            change_item(row[k], item[row[k]], step);
        }
        code = code == KEEL_MPI_OK ? balance() : code;
        if (code == KEEL_MPI_OK) {
            next_step();
        }
    }
    if (code == KEEL_MPI_OK) {
        strike("reduce");
    }
    code = code == KEEL_MPI_OK ? keel_mpi_rows_allgather(rows, plane[sweeps ? 0 : STEPS % 2], all)
                               : code;
    if (code == KEEL_MPI_OK) {
        check_rows(all);
    }
    return code;
}

static int create_rows(void)
{
    struct keel_mpi_rows_items calls = {.struct_size = sizeof calls,
                                        .size = item_size,
                                        .pack = item_pack,
                                        .unpack = item_unpack,
                                        .drop = item_drop};
    unsigned how = is(shape, "any") ? KEEL_MPI_ANY : KEEL_MPI_ADJACENT;

    strike("create");
    int code = keel_mpi_rows_create(comm, ITEMS, how, &rows);

    for (int i = 0; i < 2 && code == KEEL_MPI_OK; i++) {
        code = keel_mpi_rows_array(rows, sizeof(uint64_t), WIDTH, 1, (void **)&plane[i]);
    }
    if (code == KEEL_MPI_OK && getenv("KEEL_TEST_BALANCE") != NULL) {
        code = keel_mpi_rows_set_balance(rows, getenv("KEEL_TEST_BALANCE"));
    }
    return code == KEEL_MPI_OK ? keel_mpi_rows_items(rows, &calls) : code;
}

static int recover_rows(void)
{
    int code = keel_mpi_rows_recover(&rows, comm, &step);

    for (uint64_t i = 0; i < 2 && code == KEEL_MPI_OK; i++) {
        code = keel_mpi_rows_address(rows, i, (void **)&plane[i]);
    }
    return code;
}

static int run_rows(void)
{
    int code = create_rows();

    while (code == KEEL_MPI_OK && (code = go_through_rows()) == KEEL_MPI_RANKS_LOST) {
        code = go_on(recover_rows);
    }
    return code;
}

/* --- objects --- */

enum { ALL = ITEMS + STEPS };

/* What an object holds: `size` words in all, so that objects differ. */
struct thing {
    uint64_t value; /* of what was computed, in order */
    uint64_t sum;   /* of what messages brought, in any order */
    uint64_t size, rest[];
};

static struct keel_mpi_objects *objects;
static struct thing *model[ALL];
static atomic_int here;    /* objects that were unpacked or made, and not dropped */
static atomic_int refused; /* calls for which there was no memory: what they were for is missing */

static size_t thing_size(void *context, uint64_t index, const void *data)
{
    return sizeof(struct thing) + index % 5 * sizeof(uint64_t);
}

static struct thing *new_thing(uint64_t index)
{
    struct thing *thing = calloc(1, thing_size(NULL, index, NULL));

    thing->value = index;
    thing->size = index % 5;
    return thing;
}

static int thing_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    strike("pack");
    if (recoveries > 0) {
        strike("again");
    }
    memcpy(buffer, data, thing_size(context, index, data));
    return 0;
}

static int thing_unpack(void *context, uint64_t index, const void *buffer, size_t size, void **data)
{
    if (recoveries > 0) {
        strike("unpack");
    }
    *data = malloc(size);
    memcpy(*data, buffer, size);
    here++;
    return 0;
}

static void thing_drop(void *context, uint64_t index, void *data)
{
    free(data);
    here--;
}

static void note(int code)
{
    refused += code == KEEL_MPI_NO_ROOM;
}

static uint64_t target_of(uint64_t index, uint64_t of_step)
{
    return (index * 7 + of_step) % (ITEMS / 2);
}

static void change_thing(struct thing *thing, uint64_t index, uint64_t of_step)
{
    thing->value = thing->value * 31 + of_step + index;
    for (uint64_t i = 0; i < thing->size; i++) {
        thing->rest[i] += thing->value >> i;
    }
}

/* In each phase one object makes another one, and one of those that get no messages goes. */
static bool goes(uint64_t index, uint64_t of_step)
{
    return index == ITEMS / 2 + of_step;
}

static void insert(uint64_t index)
{
    here++;
    note(keel_mpi_objects_insert(objects, index, new_thing(index)));
}

static void compute(void *context, uint64_t index, void *data)
{
    struct thing *thing = data;

    change_thing(thing, index, step);
    note(keel_mpi_objects_send(objects, target_of(index, step), 0, &thing->value,
                               sizeof thing->value));
    if (index == step) {
        insert(ITEMS + step);
    }
    if (goes(index, step)) {
        note(keel_mpi_objects_delete(objects, index));
    }
    work();
}

static void add(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    uint64_t number;

    memcpy(&number, message, sizeof number);
    ((struct thing *)data)->sum += number;
}

/* The same, by one process. */
static void solve(void)
{
    for (uint64_t i = 0; i < ITEMS; i++) {
        model[i] = new_thing(i);
    }
    for (uint64_t s = 0; s < STEPS; s++) {
        for (uint64_t i = 0; i < ITEMS + s; i++) {
            if (model[i] != NULL) {
                change_thing(model[i], i, s);
                model[target_of(i, s)]->sum += model[i]->value;
                model[i] = goes(i, s) ? NULL : model[i];
            }
        }
        model[ITEMS + s] = new_thing(ITEMS + s);
    }
}

static void check_objects(void)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};
    int seen[ALL] = {0};

    solve();
    MPI_Allreduce(MPI_IN_PLACE, (int *)&refused, 1, MPI_INT, MPI_SUM, comm);
    for (uint64_t i = 0; i < ALL; i++) {
        struct thing *thing = keel_mpi_objects_data(objects, i);
        seen[i] = thing != NULL;
        CHECK(thing == NULL || refused > 0 ||
                  (model[i] != NULL && memcmp(model[i], thing, thing_size(NULL, i, NULL)) == 0),
              "object %d is not the expected one", (int)i);
    }
    MPI_Allreduce(MPI_IN_PLACE, seen, ALL, MPI_INT, MPI_SUM, comm);
    for (uint64_t i = 0; i < ALL && refused == 0; i++) {
        CHECK(seen[i] == (model[i] != NULL), "object %d is there %d times", (int)i, seen[i]);
    }
    keel_mpi_objects_report(objects, &report);
    CHECK(report.objects == (uint64_t)here || is(shape, "fixed") || refused > 0, "%d objects of %d",
          (int)report.objects, here);
    CHECK(getenv("KEEL_TEST_BALANCE") == NULL || report.given + report.taken > 0, "none has moved");
    check_copies(report.copies, report.copies_bytes, report.copies_sent_bytes, report.copies_s);
}

static int go_through_phases(void)
{
    int ranks, own, code = KEEL_MPI_OK;

    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &ranks);
    for (uint64_t i = (uint64_t)own; step == 0 && i < ITEMS; i += (uint64_t)ranks) {
        insert(i);
    }
    while (code == KEEL_MPI_OK && step < STEPS) {
        begin_step();
        code = keel_mpi_objects_each(objects, compute);
        end_step();
        if (code == KEEL_MPI_OK) {
            next_step();
        }
    }
    if (code == KEEL_MPI_OK) {
        check_objects();
    }
    return code;
}

static int recover_objects(void)
{
    return keel_mpi_objects_recover(&objects, comm, &step);
}

static int run_objects(void)
{
    static keel_mpi_objects_handler *const handlers[] = {add};
    struct keel_mpi_objects_functions calls = {
        .struct_size = sizeof calls, .handler = handlers, .handlers = 1};

    if (!is(shape, "fixed")) {
        calls.size = thing_size;
        calls.pack = thing_pack;
        calls.unpack = thing_unpack;
        calls.drop = thing_drop;
    }
    strike("create");
    int code = keel_mpi_objects_create(comm, &calls, &objects);
    if (code == KEEL_MPI_OK && getenv("KEEL_TEST_BALANCE") != NULL) {
        code = keel_mpi_objects_set_balance(objects, getenv("KEEL_TEST_BALANCE"));
    }
    while (code == KEEL_MPI_OK && (code = go_through_phases()) == KEEL_MPI_RANKS_LOST) {
        code = go_on(recover_objects);
    }
    if (code == KEEL_MPI_OK) {
        keel_mpi_objects_destroy(&objects);
        CHECK(here == 0 || is(shape, "fixed") || refused > 0, "%d objects are left", here);
    }
    return code;
}

/* --- the job --- */

/* What ranks send each other themselves is none of Keel's. */
static void take_mail(int from)
{
    MPI_Status status;
    int number = -1;

    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(number == from && status.MPI_SOURCE == from && status.MPI_TAG == MAIL,
          "a message of the program's own");
}

static void say_end(int code)
{
    const int *lost;
    int count, ranks = 0;

    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &ranks);
    }
    keel_mpi_lost_ranks(MPI_COMM_WORLD, &lost, &count);
    printf("rank %d: code %d, %d steps, %d ranks, lost", world, code, (int)step, ranks);
    for (int i = 0; i < count; i++) {
        printf(" %d", lost[i]);
    }
    printf(", back at %d%s\n", back_at, refused > 0 ? ", refused" : "");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } shapes[] = {{"loop", run_loops},      {"explicit", run_loops}, {"team", run_loops},
                  {"rows", run_rows},       {"any", run_rows},       {"pipeline", run_rows},
                  {"objects", run_objects}, {"fixed", run_objects}};
    int level, code = -1;

    shape = argc > 1 ? argv[1] : "";
    if (!read_faults(argc - 2, argv + 2)) {
        return 3;
    }
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    snprintf(check_context, sizeof check_context, ", rank %d, %s", world, shape);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        code = is(shapes[i].name, shape) ? shapes[i].run() : code;
    }
    for (int i = 0; i < FAULTS_MAX && code == KEEL_MPI_OK; i++) {
        CHECK(fault[i].met || fault[i].kind[0] == '\0' || fault[i].rank != world,
              "fault %d has not happened", i);
    }
    for (int i = 0; i < FAULTS_MAX && code == KEEL_MPI_OK && world == 0; i++) {
        if (is(fault[i].kind, "nap")) {
            take_mail(fault[i].rank);
        }
    }
    say_end(code);
    if (code == KEEL_MPI_LATE) {
        nap(6000000); /* all others say so, too */
        MPI_Abort(MPI_COMM_WORLD, code);
    }
    if (recoveries > 0) {
        nap(1000000); /* mpirun may not pass on what it has not read before ranks end */
    }
    MPI_Finalize();
    printf("rank %d: MPI_Finalize() has returned\n", world);
    return check_status();
}
