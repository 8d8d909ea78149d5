/* Rows that move among real ranks of which one is slow, or stopped by a signal, for longer than
 * KEEL_MPI_DEADLINE: all ranks take their rows, or all keep them. `rows_late CHECK...`, under
 * mpirun, on one machine; says what is wrong. Nobody measures time: a rank that is slow goes on
 * when another one has given up, and one that is stopped when another one has said that it waits.
 * */
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/mpi_backend/rows/world.h"
#include "tests/support/nap.h"

#define RANKS_MAX 8
#define ROWS 30

/* What ranks see of each other, in memory that they share. */
static struct shared {
    atomic_int pid[RANKS_MAX];
    atomic_int returned[RANKS_MAX]; /* from keel_mpi_rows_move(), so many times */
    atomic_int stopped;             /* process that was stopped last; 0: none is */
    atomic_int heard;               /* some rank has said for whom it waits */
} * shared;

enum call { SIZE, PACK, UNPACK, CALLS };
static const char *const call_names[CALLS] = {"size", "pack", "unpack"};

/* In which call of this rank, counted from 1, something happens; 0: in none. */
static struct {
    enum call call;
    int countdown;
    int victim; /* rank that is stopped then; -1: this one is slow */
} trap;

static bool patient; /* others wait for a slow one: it goes on when one has said so */

static MPI_Win open_shared(void)
{
    struct shared *mine;
    MPI_Aint bytes;
    MPI_Win window;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? sizeof *shared : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                            &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &shared);
    shared->pid[rank] = (int)getpid();
    shared->returned[rank] = 0;
    shared->stopped = shared->heard = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    return window;
}

static void wake(void)
{
    int process = atomic_exchange(&shared->stopped, 0);

    if (process != 0) {
        kill(process, SIGCONT);
    }
}

/* Whoever waits too long says so, and the rank that was stopped goes on. */
static void hear(const char *text, void *context)
{
    (void)context;
    fprintf(stderr, "keel: %s\n", text);
    shared->heard = 1;
    wake();
}

static bool has_another_returned(void)
{
    for (int i = 0; i < ranks; i++) {
        if (i != rank && shared->returned[i] > 0) {
            return true;
        }
    }
    return false;
}

static void spring(enum call call)
{
    if (trap.countdown == 0 || trap.call != call || --trap.countdown > 0) {
        return;
    }
    if (trap.victim >= 0) {
        int process = shared->pid[trap.victim];
        kill(process, SIGSTOP);
        shared->stopped = process; /* the waits behind this wake it */
        return;
    }
    while (patient ? !shared->heard : !has_another_returned()) {
        nap(1000);
    }
}

/* --- a distribution --- */

static struct keel_mpi_pipeline *pipeline; /* over the last one, */
static bool sweeps;                        /* if there is to be one */

static size_t size_late(void *context, uint64_t row)
{
    spring(SIZE);
    return size_of_thing(context, row);
}

static int pack_late(void *context, uint64_t row, void *buffer)
{
    spring(PACK);
    return pack_thing(context, row, buffer);
}

static int unpack_late(void *context, uint64_t row, const void *buffer, size_t size)
{
    spring(UNPACK);
    return unpack_thing(context, row, buffer, size);
}

static int most_of_all(int code)
{
    int most;

    MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* As open_world(); the code of all ranks. */
static int try_world(struct world *world, unsigned how)
{
    struct keel_mpi_rows_items items = calls;
    const uint64_t *row;
    uint64_t here;

    *world = (struct world){.count = ROWS, .how = how, .has_things = true};
    MPI_Comm comm; /* an attempt that failed may have left messages behind */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int code = keel_mpi_rows_create(comm, ROWS, how, &world->rows);
    if ((code = most_of_all(code)) != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(world->rows, 1, 1, 0, (void **)&world->tiny)) != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(world->rows, 8, 7, 2, (void **)&world->wide)) != KEEL_MPI_OK ||
        (code = keel_mpi_rows_array(world->rows, 3, 11, 0, (void **)&world->odd)) != KEEL_MPI_OK) {
        return code;
    }
    items.size = size_late;
    items.pack = pack_late;
    items.unpack = unpack_late;
    items.context = world;
    world->thing = calloc(ROWS + 1, sizeof *world->thing);
    keel_mpi_rows_list(world->rows, &row, &here);
    for (uint64_t i = 0; i < here; i++) {
        fill_row(world, row[i]);
        make_thing(world, row[i]);
    }
    if ((code = keel_mpi_rows_items(world->rows, &items)) != KEEL_MPI_OK) {
        return code;
    }
    return sweeps ? keel_mpi_pipeline_create(world->rows, world->wide, 2, &pipeline) : code;
}

/* On a machine that is very busy ranks may be late before anything is tried: once more, then. */
static bool open_in_time(struct world *world, unsigned how)
{
    for (int attempt = 0; attempt < 20; attempt++) {
        if (most_of_all(try_world(world, how)) == KEEL_MPI_OK) {
            return true;
        }
    }
    CHECK(0, "ranks are always late");
    return false;
}

/* --- what holds afterwards --- */

static double changed(uint64_t row)
{
    return (double)(content(row, 99) >> 12);
}

/* Rows are on one rank each, and halos are what their owners have, whatever was on its way. */
static void check_halos(struct world *world)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(world->rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        world->wide[row * 7] = changed(row);
    }
    int code = keel_mpi_rows_exchange(world->rows, world->wide);
    CHECK(most_of_all(code) == code && most_of_all(-code) == -code, "exchange: %d", code);
    uint64_t from = first < 2 ? 0 : first - 2, to = last + 2 > ROWS ? ROWS : last + 2;
    for (uint64_t row = from; code == KEEL_MPI_OK && first < last && row < to; row++) {
        CHECK(world->wide[row * 7] == changed(row), "row %llu is not its owner's",
              (unsigned long long)row);
    }
}

/* All rows to the last rank; the code is the same on all ranks, and is returned. */
static int move(struct world *world)
{
    uint64_t shares[RANKS_MAX] = {0};

    shares[ranks - 1] = ROWS;
    int code = keel_mpi_rows_move(world->rows, shares);
    shared->returned[rank]++;
    wake();
    int most = most_of_all(code), least = -most_of_all(-code);
    CHECK(most == least, "code %d here, from %d to %d on all ranks", code, least, most);
    CHECK(code == KEEL_MPI_OK || code == KEEL_MPI_LATE, "code %d", code);
    return most;
}

static void check_after(struct world *world, int code)
{
    check_world(world);
    if (world->how == KEEL_MPI_ADJACENT) {
        check_halos(world);
    }
    if (code != KEEL_MPI_OK) {
        CHECK(move(world) == KEEL_MPI_LATE, "rows move again");
    }
    keel_mpi_rows_free(&world->rows);
}

/* --- checks --- */

static void set_trap(enum call call, int countdown, int on, int victim)
{
    shared->returned[rank] = shared->heard = 0;
    trap.call = call;
    trap.countdown = rank == on ? countdown : 0;
    trap.victim = victim;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The rank that sends, or gets, the first rows takes so long that another one gives up. */
static void check_slow_call(unsigned how, enum call call)
{
    struct world world;

    name_context(ROWS, how, call_names[call]);
    if (!open_in_time(&world, how)) {
        return;
    }
    set_trap(call, 2, call == UNPACK ? ranks - 1 : ranks - 2, -1);
    int code = move(&world);
    CHECK(code == (patient ? KEEL_MPI_OK : KEEL_MPI_LATE), "code %d", code);
    check_after(&world, code);
}

static void check_slow(void)
{
    check_slow_call(KEEL_MPI_ADJACENT, PACK);
    check_slow_call(KEEL_MPI_ADJACENT, UNPACK);
    check_slow_call(KEEL_MPI_ANY, SIZE);
}

/* With KEEL_MPI_ON_LATE=wait or end: nobody gives up. */
static void check_patient(void)
{
    patient = true;
    check_slow();
}

/* One that gets rows stops one that sends them, or the other way round. It may have been anywhere.
 * */
static void check_stopped_in(enum call call, int countdown)
{
    struct world world;
    int sends = ranks - 2, receives = ranks - 1;

    name_context(ROWS, KEEL_MPI_ADJACENT, "stopped");
    if (!open_in_time(&world, KEEL_MPI_ADJACENT)) {
        return;
    }
    set_trap(call, countdown, call == UNPACK ? receives : sends, call == UNPACK ? sends : receives);
    check_after(&world, move(&world));
}

static void check_stopped(void)
{
    check_stopped_in(PACK, 1);
    check_stopped_in(PACK, ROWS / ranks);
    check_stopped_in(UNPACK, ROWS / ranks);
}

/* The last rank comes so late that another one has given up, and there is nothing to stay with: all
 * later calls for these rows return that. */
static void check_late_call(const char *name, int (*call)(struct world *world))
{
    struct world world;

    name_context(ROWS, KEEL_MPI_ADJACENT, name);
    if (!open_in_time(&world, KEEL_MPI_ADJACENT)) {
        return;
    }
    set_trap(CALLS, 1, ranks - 1, -1);
    spring(CALLS);
    int code = call(&world);
    shared->returned[rank]++;
    /* Some rank has given up; others may not have been told yet. */
    CHECK(code == KEEL_MPI_LATE || code == KEEL_MPI_OK, "code %d", code);
    MPI_Barrier(MPI_COMM_WORLD);
    nap(10000); /* notices are looked for every ms */
    code = keel_mpi_rows_exchange(world.rows, world.wide);
    CHECK(code == KEEL_MPI_LATE, "exchange: %d", code);
    keel_mpi_rows_free(&world.rows);
}

static int add_array(struct world *world)
{
    void *base;

    return keel_mpi_rows_array(world->rows, 8, 1, 0, &base);
}

static int gather(struct world *world)
{
    static unsigned char all[ROWS];

    return keel_mpi_rows_allgather(world->rows, world->tiny, all);
}

/* Each rank waits for the one before it, so that the late one is the first of the sweep. */
static int sweep(struct world *world)
{
    uint64_t first, last;

    (void)world;
    keel_mpi_pipeline_begin(pipeline, KEEL_MPI_BACKWARD);
    while (keel_mpi_pipeline_next(pipeline, &first, &last)) {
    }
    return keel_mpi_pipeline_end(pipeline);
}

/* With KEEL_MPI_ON_LATE=fail. */
static void check_late_sweep(void)
{
    sweeps = true;
    check_late_call("sweep", sweep);
}

static void check_late_calls(void)
{
    check_late_call("array", add_array);
    check_late_call("gather", gather);
}

/* --- */

static MPI_Win window;

static void open_memory(void)
{
    window = open_shared();
    keel_mpi_set_message_handler(hear, NULL);
}

static void close_memory(void)
{
    MPI_Win_free(&window);
}

static const struct rank_check checks[] = {
    {"open", open_memory},      {"slow", check_slow},        {"patient", check_patient},
    {"stopped", check_stopped}, {"calls", check_late_calls}, {"sweep", check_late_sweep},
    {"close", close_memory},
};

int main(int arguments, char **argument)
{
    return rank_checks_main(checks, sizeof checks / sizeof checks[0], arguments, argument,
                            MPI_THREAD_FUNNELED);
}
