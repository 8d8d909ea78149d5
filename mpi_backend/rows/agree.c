/* Whether all ranks make the same call. */
#include "mpi_backend/rows/agree.h"

#include <math.h>
#include <string.h>

#include "mpi_backend/job/call_check.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"

bool keel_mpi_rows_is_missing(const struct keel_mpi_rows *rows)
{
    if (rows == NULL) {
        keel_message("a distribution of rows is NULL, expected one from keel_mpi_rows_create(); "
                     "nothing is done");
    }
    return rows == NULL;
}

int keel_mpi_rows_check(const struct keel_mpi_rows *rows)
{
    int code = keel_mpi_rows_is_missing(rows) ? KEEL_MPI_ARGUMENT : keel_mpi_call_check();

    if (code == KEEL_MPI_ERROR) {
        keel_mpi_peers_fail((struct keel_mpi_peers *)&rows->peers, code); /* others are told */
    }
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(&rows->peers) : code;
}

bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request)
{
    double began_s = keel_mpi_clock_s();
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(
        &rows->peers, "at keel_mpi_rows_balance(), or where ranks agree on rows,");

    wait.limit_s = fmax(keel_mpi_settings()->deadline_s, 10 * (began_s - rows->all_heard_s));
    wait.gives_up = true;
    if (keel_mpi_wait_for(&wait, 1, request) != KEEL_MPI_OK) {
        rows->late = true;
        return false;
    }
    rows->all_heard_s = keel_mpi_clock_s();
    rows->report.waiting_s += rows->all_heard_s - began_s;
    return true;
}

int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows)
{
    int code = keel_mpi_peers_code(&rows->peers);

    return code != KEEL_MPI_OK ? code : KEEL_MPI_LATE;
}

int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number)
{
    uint64_t(*word)[KEEL_MPI_AGREED_WORDS] = rows->agreement;
    MPI_Request request;

    if (rows->late || keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return keel_mpi_rows_late_code(rows);
    }
    memcpy(word[0], (uint64_t[]){(uint64_t)code, number, ~number, rows->weighted}, sizeof word[0]);
    if (!keel_mpi_check(&rows->peers,
                        MPI_Iallreduce(word[0], word[1], KEEL_MPI_AGREED_WORDS, MPI_UINT64_T,
                                       MPI_MAX, rows->peers.comm, &request),
                        "MPI_Iallreduce") ||
        !keel_mpi_rows_await(rows, &request)) {
        return keel_mpi_rows_late_code(rows);
    }
    rows->weighted = word[1][3] != 0;
    if (word[1][0] != KEEL_MPI_OK) {
        return (int)word[1][0];
    }
    return word[1][1] == ~word[1][2] ? KEEL_MPI_OK : KEEL_MPI_MISMATCH;
}

uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ number[i]) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

int keel_mpi_rows_agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number,
                           size_t count)
{
    int all = keel_mpi_rows_agree(rows, code, keel_mpi_rows_digest(number, count));

    if (all == KEEL_MPI_MISMATCH && code == KEEL_MPI_OK && rows->rank == 0) {
        keel_message("ranks have called a function of a distribution of rows with different "
                     "arguments, expected the same on all of them; nothing is done");
    }
    return all;
}

int keel_mpi_rows_largest(struct keel_mpi_peers *peers, const char *where, double *value, int count)
{
    uint64_t word[KEEL_MPI_MAXIMA_MAX];

    /* numbers >= 0 are in the order of their representations */
    memcpy(word, value, (size_t)count * sizeof *word);
    int code = keel_mpi_peers_maxima(peers, where, word, count);
    memcpy(value, word, (size_t)count * sizeof *word);
    return code;
}
