/* Figures of rows for reports: they are what keel_mpi_rows_report() says, also of distributions
 * that have gone and when MPI has ended; and each decision is told with its reason. `rows_figures
 * HOOKS`, under mpirun with KEEL_REPORT; prints the reasons, and what is wrong. Without KEEL_REPORT
 * nothing is told. */
#include <mpi.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/mpi_backend/report/told.h"
#include "tests/support/nap.h"
#include "tests/support/near.h"

#define ROWS 300
#define DISTRIBUTIONS 3

static int rank, ranks;
static double began_s;
static struct keel_mpi_rows_report own[DISTRIBUTIONS];

/* --- hooks --- */

/* Ranks differ in speed, and later ones are faster for a while. */
static void compute(uint64_t rows, int hook)
{
    uint64_t speed = (uint64_t)(hook / 40 % 2 == 0 ? rank : ranks - rank);

    nap(rows * (10 + 10 * speed));
}

static void run_hooks(struct keel_mpi_rows *rows, int hooks)
{
    uint64_t first, last, moved, all = 0;

    for (int hook = 0; hook < hooks; hook++) {
        keel_mpi_rows_bounds(rows, &first, &last);
        keel_mpi_rows_work_begin(rows);
        compute(last - first, hook);
        keel_mpi_rows_work_end(rows);
        CHECK(keel_mpi_rows_balance(rows, &moved) == KEEL_MPI_OK, "hook");
        all += moved;
    }
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    keel_mpi_rows_report(rows, &report);
    CHECK(all == report.rows_moved, "%llu rows moved", (unsigned long long)all);
}

static void move_by_hand(struct keel_mpi_rows *rows)
{
    uint64_t *shares = calloc((size_t)ranks, sizeof *shares);

    shares[0] = ROWS;
    CHECK(keel_mpi_rows_move(rows, shares) == KEEL_MPI_OK, "move");
    free(shares);
}

/* The first has hooks, the second is moved by hand, and the last one is never freed. */
static void run(int number, int hooks)
{
    struct keel_mpi_rows *rows;
    double *array;

    keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &rows);
    keel_mpi_rows_array(rows, sizeof *array, 100, 0, (void **)&array);
    if (number == 1) {
        move_by_hand(rows);
    } else {
        run_hooks(rows, hooks);
    }
    own[number] = (struct keel_mpi_rows_report){.struct_size = sizeof own[number]};
    keel_mpi_rows_report(rows, &own[number]);
    if (number < DISTRIBUTIONS - 1) {
        keel_mpi_rows_free(&rows);
    }
}

/* --- comparison --- */

static void compare_counts(const struct keel_report_rows *told,
                           const struct keel_mpi_rows_report *report)
{
    CHECK(told->hooks == report->hooks, "%llu hooks", (unsigned long long)told->hooks);
    CHECK(told->movements == report->movements && told->rows_moved == report->rows_moved &&
              told->rows_sent == report->rows_sent &&
              told->rows_received == report->rows_received &&
              told->bytes_sent == report->bytes_sent,
          "rows that have moved");
    CHECK(told->bytes_sent == told->rows_sent * 100 * sizeof(double), "bytes");
    CHECK(told->decision_s == report->decision_s && told->waiting_s == report->waiting_s &&
              told->movement_s == report->movement_s,
          "times");
    /* what has begun goes on in between */
    CHECK(told->busy_s >= report->busy_s && told->busy_s <= told_now_s() - began_s, "busy %g s",
          told->busy_s);
}

/* All ranks tell the same. */
static void compare_reason(const char *reason)
{
    char first[200];

    snprintf(first, sizeof first, "%s", reason);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    CHECK(strcmp(first, reason) == 0, "'%s' here, '%s' there", reason, first);
}

/* Those of all exchanges but for the last one, which may have no ruling yet. */
static void compare_decisions(const struct keel_report_rows *told,
                              const struct keel_mpi_rows_report *report, bool mpi)
{
    uint64_t all = told->decision_count + told->decisions_left_out, moved = 0;

    CHECK(all == report->interactions || all + 1 == report->interactions,
          "%llu decisions, %llu exchanges", (unsigned long long)all,
          (unsigned long long)report->interactions);
    for (size_t i = 0; i < told->decision_count; i++) {
        const struct keel_report_decision *decision = &told->decision[i];
        const struct keel_report_decision *before = i > 0 ? decision - 1 : NULL;
        CHECK(decision->hook <= report->hooks && (before == NULL || decision->hook > before->hook),
              "hook %llu", (unsigned long long)decision->hook);
        CHECK(decision->time_s > (before != NULL ? before->time_s : 0) &&
                  decision->time_s <= told_now_s() - began_s,
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
    CHECK(report->interactions == 0 || told->decisions_left_out > 0 || moved == told->rows_moved,
          "%llu rows by decisions", (unsigned long long)moved);
}

static void compare(const struct keel_report_ranks *told, bool mpi)
{
    char name[40];

    CHECK(told->rank == rank && told->ranks == ranks, "rank %d of %d", told->rank, told->ranks);
    CHECK(told->shared_count == 0, "shared loops");
    CHECK(told->rows_count == DISTRIBUTIONS, "%zu distributions", told->rows_count);
    for (size_t i = 0; i < told->rows_count && i < DISTRIBUTIONS; i++) {
        snprintf(name, sizeof name, "distribution %zu", i + 1);
        CHECK(strcmp(told->rows[i].name, name) == 0, "the name %s", told->rows[i].name);
        compare_counts(&told->rows[i], &own[i]);
        compare_decisions(&told->rows[i], &own[i], mpi);
    }
}

/* What is told while MPI runs, and after its end. */
static void compare_told(void)
{
    struct keel_report_ranks told = told_figures(began_s);
    double waited_s = 0;

    compare(&told, true);
    for (int i = 0; i < DISTRIBUTIONS; i++) {
        waited_s += own[i].waiting_s;
    }
    CHECK(told.mpi_s >= 0.999 * waited_s, "waited %g s, in hooks alone %g s", told.mpi_s, waited_s);
    MPI_Finalize();
    told = told_figures(began_s);
    compare(&told, false);
}

static void compare_untold(void)
{
    MPI_Finalize();
    CHECK(told_by == NULL, "told without being asked");
}

int main(int arguments, char **argument)
{
    int level;

    began_s = told_now_s();
    MPI_Init_thread(&arguments, &argument, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < DISTRIBUTIONS; i++) {
        run(i, arguments > 1 ? atoi(argument[1]) : 100);
    }
    if (getenv("KEEL_REPORT") != NULL) {
        compare_told();
    } else {
        compare_untold();
    }
    return check_status();
}
