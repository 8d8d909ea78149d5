/* A program with arrays, items and weights that loses ranks, and ends with the right answer. Ranks
 * kill themselves as KEEL_TEST_DEATHS says (deaths.h). Points: `step:N`, after N hooks; `copy:N`,
 * where items are packed at hook N or later; `again:N`, likewise, of a distribution that was made
 * anew; `unpack:N`, where they are unpacked after N hooks or more. Prints what is checked.
 * KEEL_TEST_BALANCE: a policy that moves rows, which the program states. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/include/keel_mpi.h"
#include "tests/support/deaths.h"

#define ROWS 61
#define LENGTH 5
#define STEPS 40

struct job {
    MPI_Comm comm;
    struct keel_mpi_rows *rows;
    uint64_t *plane[2];   /* of even and odd steps */
    uint64_t *item[ROWS]; /* 1 + row % 3 words; NULL: not here */
    uint64_t hooks;       /* calls so far */
    int world;            /* this rank in MPI_COMM_WORLD */
    int recoveries;
};

/* --- items --- */

static double began_s; /* MPI_Wtime() then */

static size_t words_of(uint64_t row)
{
    return 1 + row % 3;
}

static size_t item_size(void *context, uint64_t row)
{
    (void)context;
    return words_of(row) * sizeof(uint64_t);
}

static int pack_item(void *context, uint64_t row, void *buffer)
{
    struct job *job = context;

    die_at(job->world, "copy", job->hooks, false);
    if (job->recoveries > 0) {
        die_at(job->world, "again", job->hooks, false);
    }
    memcpy(buffer, job->item[row], words_of(row) * sizeof(uint64_t));
    return 0;
}

static uint64_t *new_item(uint64_t row)
{
    return calloc(words_of(row), sizeof(uint64_t));
}

static int unpack_item(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct job *job = context;

    if (job->recoveries > 0) {
        die_at(job->world, "unpack", job->hooks, false);
    }
    if (job->item[row] != NULL) {
        printf("row %llu is unpacked twice\n", (unsigned long long)row);
        return 1;
    }
    job->item[row] = new_item(row);
    memcpy(job->item[row], buffer, size);
    return 0;
}

static void drop_item(void *context, uint64_t row)
{
    struct job *job = context;

    if (job->item[row] == NULL) {
        printf("row %llu is dropped twice\n", (unsigned long long)row);
    }
    free(job->item[row]);
    job->item[row] = NULL;
}

/* --- computing --- */

static uint64_t relax(const uint64_t *above, const uint64_t *row, const uint64_t *below,
                      uint64_t place, uint64_t number)
{
    return (above != NULL ? 3 * above[place] : 11) + 5 * row[place] +
           (below != NULL ? 7 * below[place] : 13) + number;
}

static uint64_t first_value(uint64_t row, uint64_t place)
{
    return row * 1000 + place;
}

static void fill(struct job *job)
{
    uint64_t first, last;

    keel_mpi_rows_bounds(job->rows, &first, &last);
    for (uint64_t row = first; row < last; row++) {
        for (uint64_t place = 0; place < LENGTH; place++) {
            job->plane[0][row * LENGTH + place] = first_value(row, place);
        }
        job->item[row] = new_item(row);
    }
}

static void compute(struct job *job)
{
    const uint64_t *old = job->plane[job->hooks % 2];
    uint64_t *new = job->plane[1 - job->hooks % 2], first, last;
    double weight;

    keel_mpi_rows_bounds(job->rows, &first, &last);
    keel_mpi_rows_work_begin(job->rows);
    for (uint64_t row = first; row < last; row++) {
        for (uint64_t place = 0; place < LENGTH; place++) {
            new[row * LENGTH + place] =
                relax(row > 0 ? &old[(row - 1) * LENGTH] : NULL, &old[row * LENGTH],
                      row + 1 < ROWS ? &old[(row + 1) * LENGTH] : NULL, place, row);
        }
        for (size_t i = 0; i < words_of(row); i++) {
            job->item[row][i] = job->item[row][i] * 31 + new[row * LENGTH] + i;
        }
        weight = 1 + (double)(row % 5);
        keel_mpi_rows_weigh(job->rows, row, row + 1, &weight);
    }
    keel_mpi_rows_work_end(job->rows);
}

static int step(struct job *job)
{
    int code = keel_mpi_rows_exchange(job->rows, job->plane[job->hooks % 2]);

    die_at(job->world, "step", job->hooks, true);
    if (code == KEEL_MPI_OK) {
        compute(job);
        code = keel_mpi_rows_balance(job->rows, NULL);
    }
    job->hooks += code == KEEL_MPI_OK;
    return code;
}

/* --- coming back --- */

static void look_up_arrays(struct job *job)
{
    for (size_t i = 0; i < 2; i++) {
        keel_mpi_rows_address(job->rows, i, (void **)&job->plane[i]);
    }
}

static int come_back(struct job *job)
{
    uint64_t before = job->hooks;
    int code, rank;

    do {
        job->recoveries++;
        code = keel_mpi_survivors(job->comm, &job->comm);
        if (code == KEEL_MPI_OK) {
            code = keel_mpi_rows_recover(&job->rows, job->comm, &job->hooks);
        }
    } while (code == KEEL_MPI_RANKS_LOST && job->recoveries < 4 && getenv("KEEL_TEST_AGAIN"));
    MPI_Comm_rank(job->comm, &rank);
    if (code != KEEL_MPI_OK) {
        return code;
    }
    if (rank == 0) {
        printf("back at hook %llu of %llu\n", (unsigned long long)job->hooks,
               (unsigned long long)before);
        fflush(stdout);
    }
    look_up_arrays(job);
    if (job->hooks == 0) {
        fill(job);
    }
    return KEEL_MPI_OK;
}

/* --- checking --- */

static void solve(uint64_t plane[2][ROWS][LENGTH], uint64_t item[ROWS][3])
{
    for (uint64_t row = 0; row < ROWS; row++) {
        for (uint64_t place = 0; place < LENGTH; place++) {
            plane[0][row][place] = first_value(row, place);
        }
    }
    for (uint64_t hook = 0; hook < STEPS; hook++) {
        for (uint64_t row = 0; row < ROWS; row++) {
            uint64_t(*old)[LENGTH] = plane[hook % 2], (*new)[LENGTH] = plane[1 - hook % 2];
            for (uint64_t place = 0; place < LENGTH; place++) {
                new[row][place] = relax(row > 0 ? old[row - 1] : NULL, old[row],
                                        row + 1 < ROWS ? old[row + 1] : NULL, place, row);
            }
            for (uint64_t i = 0; i < 3; i++) {
                item[row][i] = item[row][i] * 31 + new[row][0] + i;
            }
        }
    }
}

static void check(struct job *job)
{
    static uint64_t plane[2][ROWS][LENGTH], item[ROWS][3];
    uint64_t all[ROWS][LENGTH], first, last, wrong = 0;
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};
    int rank, ranks;

    solve(plane, item);
    int code = keel_mpi_rows_allgather(job->rows, job->plane[STEPS % 2], all);
    wrong += code != KEEL_MPI_OK || memcmp(all, plane[STEPS % 2], sizeof all) != 0;
    keel_mpi_rows_bounds(job->rows, &first, &last);
    for (uint64_t row = 0; row < ROWS; row++) {
        bool own = row >= first && row < last;
        wrong += (job->item[row] != NULL) != own;
        wrong += own && job->item[row] != NULL &&
                 memcmp(job->item[row], item[row], words_of(row) * sizeof(uint64_t)) != 0;
    }
    keel_mpi_rows_report(job->rows, &report);
    /* the program's policy holds for the rows that came back, too */
    wrong += getenv("KEEL_TEST_BALANCE") != NULL && report.movements == 0;
    MPI_Comm_rank(job->comm, &rank);
    MPI_Comm_size(job->comm, &ranks);
    if (wrong > 0) {
        printf("rank %d: %llu wrong\n", rank, (unsigned long long)wrong);
    }
    if (rank == 0) {
        printf("%d ranks: done, %s\n", ranks,
               report.copies == 0 ? "no copies"
               : report.copies_bytes > 0 && report.copies_sent_bytes > 0 && report.copies_s > 0 &&
                       report.copies_s < MPI_Wtime() - began_s
                   ? "with copies"
                   : "copies that cost nothing, or more than all");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct job job = {.comm = MPI_COMM_WORLD};
    struct keel_mpi_rows_items items = {.struct_size = sizeof items,
                                        .context = &job,
                                        .size = item_size,
                                        .pack = pack_item,
                                        .unpack = unpack_item,
                                        .drop = drop_item};
    int code = KEEL_MPI_OK;

    MPI_Init(&argc, &argv);
    began_s = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &job.world);
    keel_mpi_rows_create(MPI_COMM_WORLD, ROWS, KEEL_MPI_ADJACENT, &job.rows);
    for (int i = 0; i < 2; i++) {
        keel_mpi_rows_array(job.rows, sizeof(uint64_t), LENGTH, 1, (void **)&job.plane[i]);
    }
    keel_mpi_rows_items(job.rows, &items);
    if (getenv("KEEL_TEST_BALANCE") != NULL) {
        keel_mpi_rows_set_balance(job.rows, getenv("KEEL_TEST_BALANCE"));
    }
    fill(&job);
    while (code == KEEL_MPI_OK && job.hooks < STEPS) {
        code = step(&job);
        if (code == KEEL_MPI_RANKS_LOST) {
            code = come_back(&job);
        }
    }
    if (code == KEEL_MPI_OK) {
        check(&job);
        if (job.recoveries == 0) {
            keel_mpi_rows_free(&job.rows);
            MPI_Finalize();
        } else {
            MPI_Barrier(job.comm);
        }
    } else {
        printf("code %d\n", code);
        fflush(stdout);
    }
    _exit(0); /* MPI_Finalize() waits for ranks that have ended */
}
