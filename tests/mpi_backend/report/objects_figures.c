/* Figures of objects for reports: they are what keel_mpi_objects_report() says, also of bags that
 * have gone and when MPI has ended; their sums are right; and each phase is told with its bounds.
 * `objects_figures [moves]`, under mpirun with KEEL_REPORT; prints the policy and the advice of
 * each phase, and what is wrong. moves: rank 0 waits until it has given an object. Without
 * KEEL_REPORT nothing is told. */
#include <mpi.h>

#include "tests/mpi_backend/objects/bag.h"
#include "tests/mpi_backend/report/told.h"
#include "tests/support/nap.h"

#include <stdio.h>
#include <stdlib.h>

#define OBJECTS 24
#define PHASES 3
#define FEW 2 /* phases of the second bag */
#define BAGS 2

static double began_s;
static struct keel_mpi_objects_report own[BAGS];

static struct keel_mpi_objects *bag;

static void count(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    (void)context;
    (void)index;
    (void)message;
    (void)bytes;
    ((struct thing *)data)->sum++;
}

#define PATIENCE 2000000 /* looks, 20 us each */

static bool moves;

/* Others may be late. */
static void wait_until_one_is_given(void)
{
    struct keel_mpi_objects_report report = {.struct_size = sizeof report};

    for (int i = 0; i < PATIENCE && report.given == 0; i++) {
        nap(20);
        keel_mpi_poll();
        keel_mpi_objects_report(bag, &report);
    }
}

/* Each object sends to another one. */
static void compute(void *context, uint64_t index, void *data)
{
    (void)context;
    ((struct thing *)data)->computed++;
    if (rank == 0 && moves) {
        wait_until_one_is_given();
    }
    nap(500 + 100 * (index % 4));
    CHECK(keel_mpi_objects_send(bag, (index + 5) % OBJECTS, 0, NULL, 0) == KEEL_MPI_OK, "send");
}

static void nothing(void *context, uint64_t index, void *data)
{
    (void)context;
    (void)index;
    (void)data;
}

/* The first one has all objects at first; the second one is never freed, and has few. */
static void run(int number)
{
    static keel_mpi_objects_handler *const handlers[] = {count};

    bag = bag_open(handlers, 1, NULL);
    for (uint64_t i = 0; rank == 0 && i < (number == 0 ? OBJECTS : 1); i++) {
        keel_mpi_objects_insert(bag, i, thing_new(i, 100 * i));
    }
    for (int phase = 0; phase < (number == 0 ? PHASES : FEW); phase++) {
        int code = keel_mpi_objects_each(bag, number == 0 ? compute : nothing);
        CHECK(code == KEEL_MPI_OK, "code %d", code);
    }
    CHECK(keel_mpi_objects_wait(bag) == KEEL_MPI_OK, "wait");
    own[number] = (struct keel_mpi_objects_report){.struct_size = sizeof own[number]};
    keel_mpi_objects_report(bag, &own[number]);
    if (number == 0) {
        bag_close(&bag);
    }
}

/* --- comparison --- */

static void compare_counts(const struct keel_report_objects *told,
                           const struct keel_mpi_objects_report *report)
{
    CHECK(told->phases == report->phases && told->computed == report->computed &&
              told->handled == report->handled && told->sent_away == report->sent_away &&
              told->forwarded == report->forwarded && told->undelivered == report->undelivered,
          "work: %llu computed, %llu handled, %llu phases", (unsigned long long)told->computed,
          (unsigned long long)told->handled, (unsigned long long)told->phases);
    CHECK(told->given == report->given && told->taken == report->taken &&
              told->refused == report->refused && told->bytes_given == report->bytes_given &&
              told->bytes_taken == report->bytes_taken,
          "objects that have moved");
    CHECK(told->asked == report->asked && told->asked_in_vain == report->asked_in_vain,
          "questions");
    CHECK(told->neighbours == report->neighbours && told->quantum_s == report->quantum_s,
          "decisions");
    CHECK(told->busy_s == report->busy_s && told->packing_s == report->packing_s, "times");
    /* the end of a bag is a phase, in which ranks answer and wait */
    CHECK(told->answering_s >= report->answering_s && told->idle_s >= report->idle_s, "waiting");
    CHECK(told->busy_s + told->idle_s <= told_now_s() - began_s, "%g s busy and %g s idle",
          told->busy_s, told->idle_s);
    CHECK(told->answering_s <= told_now_s() - began_s && told->packing_s >= 0, "answering %g s",
          told->answering_s);
}

/* Over all ranks; while MPI runs. */
static void compare_sums(const struct keel_report_objects *told)
{
    CHECK(sum_of(told->computed) == OBJECTS * PHASES, "not %d were computed", OBJECTS * PHASES);
    CHECK(sum_of(told->handled) == OBJECTS * PHASES, "not %d were handled", OBJECTS * PHASES);
    uint64_t given = sum_of(told->given), taken = sum_of(told->taken);
    CHECK(given == taken, "%llu given, %llu taken", (unsigned long long)given,
          (unsigned long long)taken);
    CHECK(sum_of(told->bytes_given) == sum_of(told->bytes_taken), "bytes given and taken");
    CHECK((given > 0) == (sum_of(told->bytes_given) > 0), "bytes of %llu objects",
          (unsigned long long)given);
    if (rank == 0) {
        printf("%s\n", given > 0 ? "some moved" : "none moved");
    }
}

static void compare_phase(const struct keel_report_phase *phase, uint64_t computed, bool first)
{
    CHECK(phase->computed == computed, "%llu computed in phase %llu",
          (unsigned long long)phase->computed, (unsigned long long)phase->phase);
    CHECK(phase->came_s > 0 && phase->came_s <= told_now_s() - began_s, "%g s", phase->came_s);
    CHECK(phase->lower_s <= phase->upper_s && phase->expected_lower_s <= phase->expected_upper_s,
          "bounds %g .. %g, %g .. %g s", phase->lower_s, phase->upper_s, phase->expected_lower_s,
          phase->expected_upper_s);
    CHECK(phase->unbalanced_s * 1.1 + 1e-3 >= phase->upper_s, "at most %g s, unmoved %g s",
          phase->upper_s, phase->unbalanced_s);
    bool bounded = strcmp(phase->policy, "shake") != 0;
    CHECK((phase->upper_s > 0) == bounded, "most %g s under %s", phase->upper_s, phase->policy);
    CHECK((phase->expected_upper_s > 0) == (bounded && !first), "expected %g s",
          phase->expected_upper_s);
}

static void compare_phases(const struct keel_report_objects *told, int number)
{
    uint64_t all = told->phase_count + told->phases_left_out;

    CHECK(all == (number == 0 ? PHASES : FEW), "%llu phases", (unsigned long long)all);
    CHECK(told->phases_left_out == 0, "%llu left out", (unsigned long long)told->phases_left_out);
    for (size_t i = 0; i < told->phase_count; i++) {
        const struct keel_report_phase *phase = &told->phase[i];
        compare_phase(phase, number == 0 ? OBJECTS : 1, phase->phase == 1);
        CHECK(i == 0 ? phase->phase == 1 : phase->phase > phase[-1].phase, "phase %llu",
              (unsigned long long)phase->phase);
        if (rank == 0 && number == 0) {
            printf("%s: %s\n", phase->policy, phase->advice);
        }
    }
    CHECK(told->phase[told->phase_count - 1].phase == all, "the last phase is kept");
}

static void compare(const struct keel_report_ranks *told)
{
    char name[40];

    CHECK(told->objects_count == BAGS, "%zu bags", told->objects_count);
    for (int i = 0; i < (int)told->objects_count && i < BAGS; i++) {
        struct keel_mpi_objects_report report = own[i];
        report.phases += i == 0; /* its end */
        snprintf(name, sizeof name, "bag %d", i + 1);
        CHECK(strcmp(told->objects[i].name, name) == 0, "the name %s", told->objects[i].name);
        compare_counts(&told->objects[i], &report);
        compare_phases(&told->objects[i], i);
    }
}

int main(int arguments, char **argument)
{
    int level;

    began_s = told_now_s();
    MPI_Init_thread(&arguments, &argument, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    moves = arguments > 1;
    for (int i = 0; i < BAGS; i++) {
        run(i);
    }
    if (getenv("KEEL_REPORT") != NULL) {
        struct keel_report_ranks told = told_figures(began_s);
        compare_sums(&told.objects[0]);
    }
    MPI_Finalize();
    if (getenv("KEEL_REPORT") != NULL) {
        struct keel_report_ranks told = told_figures(began_s);
        compare(&told);
    } else {
        CHECK(told_by == NULL, "told without being asked");
    }
    return check_status();
}
