/* What reports and traces receive of shared loops, of rows and of objects: what their own reports
 * say and the program has counted, also of what has been freed and when MPI has ended.
 *
 *   received CHECK...   explicit, openmp, waits: loops; rows, few_calls; objects, given
 *
 * Under mpirun. Prints places of loops, reasons of decisions about rows, advice on phases of
 * objects, and what is wrong. Reports receive it only with KEEL_REPORT. With KEEL_TEST_STAYS,
 * nothing has to move. */

#include "tests/mpi_backend/objects/set.h"
#include "tests/mpi_backend/report/received.h"

/* --- shared loops, each at a place of its own --- */

enum { FEW, MANY, OPENMP, PLACES };

static struct counted {
    uint64_t instances, executed, calls;
    struct keel_mpi_loop_report sum;
    double inside_s; /* in functions of Keel that begin, share out and end the loop */
} counted[PLACES];

static void add_report(struct counted *place)
{
    struct keel_mpi_loop_report report = {.struct_size = sizeof report};

    RETURNS(keel_mpi_loop_report(MPI_COMM_WORLD, &report), KEEL_MPI_OK);
    EQUAL(share, (double)report.executed);
    place->instances++;
    place->sum.iterations += report.iterations;
    place->sum.executed += report.executed;
    place->sum.chunks += report.chunks;
    place->sum.migrations += report.migrations;
    place->sum.migrated += report.migrated;
    place->sum.messages += report.messages;
    place->sum.busy_s += report.busy_s;
}

static bool next(struct counted *place, struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    double before_s = now_s();
    bool got = keel_mpi_loop_next(loop, first, last);

    place->inside_s += now_s() - before_s;
    place->executed += got ? *last - *first : 0;
    place->calls += got;
    return got;
}

static void run_chunks(struct counted *place, struct keel_mpi_loop *loop, uint64_t us)
{
    uint64_t first, last;

    while (next(place, loop, &first, &last)) {
        nap(us * (last - first));
    }
    double before_s = now_s();
    RETURNS(keel_mpi_loop_end(&loop), KEEL_MPI_OK);
    place->inside_s += now_s() - before_s;
}

static void run_few(uint64_t iterations, uint64_t us)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, 0, &loop);
    run_chunks(&counted[FEW], loop, us);
    add_report(&counted[FEW]);
}

/* Its end is waited for later. */
static void run_many(uint64_t iterations)
{
    struct keel_mpi_loop *loop;

    keel_mpi_loop_begin(MPI_COMM_WORLD, iterations, KEEL_MPI_NOWAIT, &loop);
    run_chunks(&counted[MANY], loop, 0);
    nap(1000);
    double before_s = now_s();
    RETURNS(keel_mpi_wait(MPI_COMM_WORLD), KEEL_MPI_OK);
    counted[MANY].inside_s += now_s() - before_s;
    add_report(&counted[MANY]);
}

static void run_openmp(long iterations)
{
    uint64_t executed = 0;

    RETURNS(keel_mpi_share(MPI_COMM_WORLD), KEEL_MPI_OK);
#pragma omp parallel for schedule(runtime) reduction(+ : executed) num_threads(2)
    for (long i = 0; i < iterations; i++) {
        executed++;
    }
    counted[OPENMP].executed += executed;
    add_report(&counted[OPENMP]);
}

/* Later ranks are slower, so that the first one gets iterations from them. */
RANK_CHECK(explicit)
{
    for (int i = 0; i < 12; i++) {
        run_few(1 + draws_below(&same, 40), (uint64_t)(50 + 100 * rank));
        run_many(draws_below(&same, 5000));
    }
    uint64_t moves = sum_of(events[LOOPS].moves);
    CHECK(moves > 0 || ranks == 1 || getenv("KEEL_TEST_STAYS") != NULL, "nothing has moved");
}

RANK_CHECK(openmp)
{
    for (int i = 0; i < 12; i++) {
        run_openmp((long)draws_below(&same, 3000));
    }
}

/* Others have to wait for rank 0, whose two iterations are long: for the second one to begin, and
 * for both to end; and that shows as waiting. Where the machine is busy with other things, now and
 * then a rank comes late itself. */
RANK_CHECK(waits)
{
    double part = 0;

    for (int i = 0; i < 5 && part < 0.8; i++) {
        struct counted before = counted[FEW];
        double waited_s = before.instances > 0 ? report_now().shared[0].waited_s : 0;
        run_few(2 * (uint64_t)ranks, rank == 0 ? 200000 : 0);
        double inside_s = counted[FEW].inside_s - before.inside_s;
        waited_s = report_now().shared[0].waited_s - waited_s;
        part = rank == 0 ? 1 : waited_s / inside_s;
        MPI_Allreduce(MPI_IN_PLACE, &part, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    CHECK(part >= 0.8, "of the time in Keel, %g was waiting", part);
}

static void compare_loop(const struct keel_report_shared *received, const struct counted *place)
{
    const struct keel_mpi_loop_report *sum = &place->sum;

    SAME(received, place, instances);
    SAME(received, place, executed);
    SAME(received, sum, executed);
    SAME(received, sum, iterations);
    SAME(received, sum, chunks);
    SAME(received, sum, migrations);
    SAME(received, sum, migrated);
    SAME(received, sum, messages);
    if (place->calls > 0) {
        EQUAL(received->chunks, place->calls);
    }
    CHECK(is_near(received->busy_s, sum->busy_s), "busy %g s, not %g", received->busy_s,
          sum->busy_s);
    CHECK(received->elapsed_s > 0, "elapsed");
    AT_MOST(received->elapsed_s, now_s() - began_s);
    AT_MOST(received->busy_s + received->waited_s, 2 * received->elapsed_s);
    if (place->inside_s > 0) {
        AT_MOST(received->waited_s, place->inside_s);
    }
}

/* Those that ran, in the order of their first instances. */
static void compare_loops(const struct keel_report_process *received)
{
    size_t number = 0;
    uint64_t instances = 0, moves = 0, moved = 0;

    for (int i = 0; i < PLACES; i++) {
        if (counted[i].instances > 0 && number < received->shared_count) {
            compare_loop(&received->shared[number++], &counted[i]);
        }
        instances += counted[i].instances;
        moves += counted[i].sum.migrations;
        moved += counted[i].sum.migrated;
    }
    EQUAL(received->shared_count, number);
    EQUAL(events[LOOPS].moves, moves);
    EQUAL(events[LOOPS].moved, moved);
    /* where Keel chooses the schedule */
    EQUAL(events[LOOPS].decisions, getenv("KEEL_MPI_SCHEDULE") == NULL ? instances : 0);
    CHECK(instances == 0 || waits_in_loops > 0, "no wait in a loop");
}

/* All iterations of all instances are on some rank. */
static void compare_executed(const struct keel_report_process *received)
{
    for (size_t i = 0; i < received->shared_count; i++) {
        EQUAL(sum_of(received->shared[i].executed), received->shared[i].iterations);
    }
}

/* --- rows --- */

#define ROW_COUNT 300
#define ROW_BYTES (100 * sizeof(double))
#define DISTRIBUTIONS 3

static int distributions; /* so far */
static struct keel_mpi_rows_report own_rows[DISTRIBUTIONS];

/* Ranks differ in speed, and later ones are faster for a while. */
static void compute_rows(uint64_t rows, int call)
{
    uint64_t speed = (uint64_t)(call / 40 % 2 == 0 ? rank : ranks - rank);

    nap(rows * (10 + 10 * speed));
}

static void run_calls(struct keel_mpi_rows *rows, double *array, int calls)
{
    uint64_t first, last, moved, all = 0;

    for (int call = 0; call < calls; call++) {
        keel_mpi_rows_exchange(rows, array);
        keel_mpi_rows_bounds(rows, &first, &last);
        keel_mpi_rows_work_begin(rows);
        compute_rows(last - first, call);
        keel_mpi_rows_work_end(rows);
        RETURNS(keel_mpi_rows_balance(rows, &moved), KEEL_MPI_OK);
        all += moved;
    }
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    keel_mpi_rows_report(rows, &report);
    EQUAL(report.rows_moved, all);
    CHECK(all > 0 || ranks == 1 || getenv("KEEL_TEST_STAYS") != NULL, "nothing has moved");
    keel_mpi_rows_bounds(rows, &first, &last);
    if (report.interactions > 0) {
        EQUAL(share, (double)(last - first));
    }
}

static void move_by_hand(struct keel_mpi_rows *rows)
{
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares);

    shares[0] = ROW_COUNT;
    RETURNS(keel_mpi_rows_move(rows, shares), KEEL_MPI_OK);
    free(shares);
}

/* The first has balance calls, the second is moved by hand, and the last one is never freed. */
static void run_rows(int calls)
{
    for (; distributions < DISTRIBUTIONS; distributions++) {
        struct keel_mpi_rows_report *own = &own_rows[distributions];
        struct keel_mpi_rows *rows;
        double *array;

        keel_mpi_rows_create(MPI_COMM_WORLD, ROW_COUNT, KEEL_MPI_ADJACENT, &rows);
        keel_mpi_rows_array(rows, sizeof *array, 100, 1, (void **)&array);
        if (distributions == 1) {
            move_by_hand(rows);
        } else {
            run_calls(rows, array, calls);
        }
        *own = (struct keel_mpi_rows_report){.struct_size = sizeof *own};
        keel_mpi_rows_report(rows, own);
        if (distributions < DISTRIBUTIONS - 1) {
            keel_mpi_rows_free(&rows);
        }
    }
}

RANK_CHECK(rows)
{
    run_rows(300);
}

RANK_CHECK(few_calls)
{
    run_rows(70);
}

static void compare_row_counts(const struct keel_report_rows *received,
                               const struct keel_mpi_rows_report *own)
{
    SAME(received, own, hooks);
    SAME(received, own, movements);
    SAME(received, own, rows_moved);
    SAME(received, own, rows_sent);
    SAME(received, own, rows_received);
    SAME(received, own, bytes_sent);
    SAME(received, own, decision_s);
    SAME(received, own, waiting_s);
    SAME(received, own, movement_s);
    EQUAL(received->bytes_sent, received->rows_sent * ROW_BYTES);
    /* what has begun goes on in between */
    AT_MOST(own->busy_s, received->busy_s);
    AT_MOST(received->busy_s, now_s() - began_s);
}

/* All ranks record the same. */
static void compare_reason(const char *reason)
{
    char first[200];

    snprintf(first, sizeof first, "%s", reason);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(first, reason) == 0, "'%s' here, '%s' there", reason, first);
}

/* Those of all exchanges but for the last one, which may have no decision yet. */
static void compare_decisions(const struct keel_report_rows *received,
                              const struct keel_mpi_rows_report *own, bool mpi)
{
    uint64_t all = received->decision_count + received->decisions_left_out, moved = 0;

    CHECK(all == own->interactions || all + 1 == own->interactions, "%lu decisions, %lu exchanges",
          all, own->interactions);
    for (size_t i = 0; i < received->decision_count; i++) {
        const struct keel_report_decision *decision = &received->decision[i];
        const struct keel_report_decision *before = i > 0 ? decision - 1 : NULL;
        CHECK(decision->hook <= own->hooks && (before == NULL || decision->hook > before->hook),
              "hook %lu", decision->hook);
        CHECK(decision->time_s > (before != NULL ? before->time_s : 0) &&
                  decision->time_s <= now_s() - began_s,
              "at %g s", decision->time_s);
        CHECK(decision->reason[0] != '\0' && strcmp(decision->reason, "nothing was decided") != 0,
              "no reason");
        moved += decision->moved;
        if (mpi) {
            compare_reason(decision->reason);
        } else if (rank == 0) {
            printf("%s: %s\n", decision->policy, decision->reason);
        }
    }
    if (own->interactions > 0 && received->decisions_left_out == 0) {
        EQUAL(moved, received->rows_moved);
    }
}

static void compare_rows(const struct keel_report_process *received, bool mpi)
{
    uint64_t arrived = 0, decided = 0, interactions = 0;
    double waiting_s = 0;
    char name[40];

    EQUAL(received->rows_count, (size_t)distributions);
    for (int i = 0; i < distributions && i < (int)received->rows_count; i++) {
        snprintf(name, sizeof name, "distribution %d", i + 1);
        CHECK(strcmp(received->rows[i].name, name) == 0, "the name %s", received->rows[i].name);
        compare_row_counts(&received->rows[i], &own_rows[i]);
        compare_decisions(&received->rows[i], &own_rows[i], mpi);
        arrived += own_rows[i].rows_received;
        decided += i == 1 ? 0 : own_rows[i].rows_moved;
        interactions += own_rows[i].interactions;
        waiting_s += own_rows[i].waiting_s;
    }
    EQUAL(events[ROWS].moved, arrived);
    EQUAL(events[ROWS].bytes, arrived * ROW_BYTES);
    EQUAL(events[ROWS].decided, decided);
    AT_MOST(events[ROWS].decisions, interactions);
    AT_MOST(interactions, events[ROWS].decisions + 2);
    AT_MOST(0.9 * waiting_s - 1e-3, (double)waited_ns * 1e-9);
    AT_MOST(0.999 * waiting_s, received->mpi_s);
}

/* --- objects --- */

#define OBJECTS 24
#define PHASES 3
#define SETS 2
#define PATIENCE 2000000 /* looks, 20 us each */

static const int objects_of[SETS] = {OBJECTS, 1}, phases_of[SETS] = {PHASES, 2};
static int sets;   /* so far */
static bool gives; /* rank 0 waits until it has given an object */
static struct keel_mpi_objects_report own_sets[SETS];

static void count(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    ((struct thing *)data)->sum++;
}

/* Others may be late. */
static void wait_until_one_is_given(void)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    for (int i = 0; i < PATIENCE && report.given == 0; i++) {
        nap(20);
        keel_mpi_poll();
        keel_mpi_objects_report(set, &report);
    }
}

/* Each object of the first set sends to another one. */
static void compute_object(void *context, uint64_t index, void *data)
{
    if (sets > 0) {
        return;
    }
    ((struct thing *)data)->computed++;
    if (rank == 0 && gives) {
        wait_until_one_is_given();
    }
    nap(500 + 100 * (index % 4));
    RETURNS(keel_mpi_objects_send(set, (index + 5) % OBJECTS, 0, NULL, 0), KEEL_MPI_OK);
}

/* Rank 0 has all objects at first; the second set is never freed. */
RANK_CHECK(objects)
{
    static keel_mpi_objects_handler *const handlers[] = {count};

    for (; sets < SETS; sets++) {
        set = set_open(handlers, 1, NULL);
        for (int i = 0; rank == 0 && i < objects_of[sets]; i++) {
            keel_mpi_objects_insert(set, (uint64_t)i, thing_new((uint64_t)i, 100 * (uint64_t)i));
        }
        for (int phase = 0; phase < phases_of[sets]; phase++) {
            RETURNS(keel_mpi_objects_each(set, compute_object), KEEL_MPI_OK);
        }
        RETURNS(keel_mpi_objects_wait(set), KEEL_MPI_OK);
        own_sets[sets] = (struct keel_mpi_objects_report){.struct_size = sizeof own_sets[sets]};
        keel_mpi_objects_report(set, &own_sets[sets]);
        if (sets == 0) {
            set_close(&set);
            own_sets[0].phases++; /* its end */
        }
    }
}

RANK_CHECK(given)
{
    gives = true;
    check_objects();
}

static void compare_object_counts(const struct keel_report_objects *received,
                                  const struct keel_mpi_objects_report *own)
{
    SAME(received, own, phases);
    SAME(received, own, computed);
    SAME(received, own, handled);
    SAME(received, own, sent_away);
    SAME(received, own, forwarded);
    SAME(received, own, undelivered);
    SAME(received, own, given);
    SAME(received, own, taken);
    SAME(received, own, refused);
    SAME(received, own, bytes_given);
    SAME(received, own, bytes_taken);
    SAME(received, own, asked);
    SAME(received, own, asked_in_vain);
    SAME(received, own, neighbours);
    SAME(received, own, quantum_s);
    SAME(received, own, busy_s);
    SAME(received, own, packing_s);
    /* the end of a set is a phase, in which ranks answer and wait */
    AT_MOST(own->answering_s, received->answering_s);
    AT_MOST(own->idle_s, received->idle_s);
    AT_MOST(received->busy_s + received->idle_s, now_s() - began_s);
    AT_MOST(received->answering_s, now_s() - began_s);
}

/* Over all ranks; while MPI runs. */
static void compare_sums(const struct keel_report_objects *received)
{
    uint64_t given = sum_of(received->given), bytes = sum_of(received->bytes_given);

    EQUAL(sum_of(received->computed), OBJECTS * PHASES);
    EQUAL(sum_of(received->handled), OBJECTS * PHASES);
    EQUAL(sum_of(received->taken), given);
    EQUAL(sum_of(received->bytes_taken), bytes);
    EQUAL(bytes > 0, given > 0);
    if (rank == 0) {
        printf("%s\n", given > 0 ? "some moved" : "none moved");
    }
}

static void compare_phase(const struct keel_report_phase *phase, uint64_t computed, bool first)
{
    EQUAL(phase->computed, computed);
    EQUAL(phase->came_s > 0, true);
    AT_MOST(phase->came_s, now_s() - began_s);
    AT_MOST(phase->lower_s, phase->upper_s);
    AT_MOST(phase->expected_lower_s, phase->expected_upper_s);
    AT_MOST(phase->upper_s, phase->unbalanced_s * 1.1 + 1e-3);
    bool bounded = strcmp(phase->policy, "shake") != 0;
    EQUAL(phase->upper_s > 0, bounded);
    EQUAL(phase->expected_upper_s > 0, bounded && !first);
}

static void compare_phases(const struct keel_report_objects *received, int number)
{
    EQUAL(received->phase_count, (size_t)phases_of[number]);
    EQUAL(received->phases_left_out, 0);
    for (size_t i = 0; i < received->phase_count; i++) {
        const struct keel_report_phase *phase = &received->phase[i];
        compare_phase(phase, (uint64_t)objects_of[number], i == 0);
        EQUAL(phase->phase, i + 1);
        if (rank == 0 && number == 0) {
            printf("%s: %s\n", phase->policy, phase->advice);
        }
    }
}

static void compare_objects(const struct keel_report_process *received)
{
    char name[40];

    EQUAL(received->objects_count, (size_t)sets);
    for (int i = 0; i < sets && i < (int)received->objects_count; i++) {
        snprintf(name, sizeof name, "set %d", i + 1);
        CHECK(strcmp(received->objects[i].name, name) == 0, "the name %s",
              received->objects[i].name);
        compare_object_counts(&received->objects[i], &own_sets[i]);
        compare_phases(&received->objects[i], i);
    }
}

/* --- all of it --- */

/* mpi: other ranks can be asked. */
static void compare_all(const struct keel_report_process *received, bool mpi)
{
    CHECK(received->rank == rank && received->ranks == ranks, "rank %d of %d", received->rank,
          received->ranks);
    CHECK(received->mpi_s > 0 && received->mpi_s <= now_s() - began_s, "waited %g s",
          received->mpi_s);
    compare_loops(received);
    compare_rows(received, mpi);
    if (mpi) {
        compare_executed(received);
    }
    if (mpi && sets > 0) {
        compare_sums(&received->objects[0]);
    }
    if (!mpi) {
        compare_objects(received);
    }
}

/* A child of the process is no rank. */
static void check_child(void)
{
    struct keel_report_process received;
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        _exit(provider(began_s, &received) ? 1 : 0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0, "a child gives something");
}

static void print_places(const struct keel_report_process *received)
{
    for (size_t i = 0; rank == 0 && i < received->shared_count; i++) {
        printf("%s under %s\n", received->shared[i].place, received->shared[i].schedule);
    }
}

int main(int arguments, char **argument)
{
    bool reported = getenv("KEEL_REPORT") != NULL;
    struct keel_report_process received;
    int level;

    began_s = now_s();
    MPI_Init_thread(&arguments, &argument, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    same = (struct draws){draws_seed()};
    for (int i = 1; i < arguments; i++) {
        rank_checks_run(argument[i]);
    }
    check_clock();
    if (reported) {
        received = report_now();
        compare_all(&received, true);
    }
    MPI_Finalize();
    CHECK(met == reported, "met %u times", met);
    if (reported) {
        received = report_now();
        compare_all(&received, false);
        check_child();
        print_places(&received);
    }
    return check_status();
}
