/* Which schedule the ranks share loops by. */
#include "mpi_backend/loop/state/requested_schedule.h"

#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/settings.h"

/* The program's. */
static struct keel_ranks_schedule asked;
static bool has_asked;

/* What the text is of. */
static struct keel_ranks_schedule written;
static char text[KEEL_SPEC_TEXT_MAX];

const struct keel_ranks_schedule *keel_mpi_requested_schedule(void)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    return has_asked && !settings->schedule_stated ? &asked : &settings->schedule;
}

const char *keel_mpi_requested_schedule_text(void)
{
    const struct keel_ranks_schedule *schedule = keel_mpi_requested_schedule();

    if (text[0] == '\0' || memcmp(&written, schedule, sizeof written) != 0) {
        memcpy(&written, schedule, sizeof written);
        keel_ranks_schedule_write(schedule, text, sizeof text);
    }
    return text;
}

__attribute__((visibility("default"))) int keel_mpi_set_schedule(const char *schedule)
{
    char problem[KEEL_PROBLEM_MAX];

    if (schedule == NULL) {
        has_asked = false;
        return KEEL_MPI_OK;
    }
    struct keel_ranks_schedule read;
    if (!keel_ranks_schedule_read(schedule, &read, problem)) {
        keel_mpi_misuse("keel_mpi_set_schedule: %s; nothing is changed", problem);
        return KEEL_MPI_ARGUMENT;
    }
    if (problem[0] != '\0') {
        keel_mpi_misuse("keel_mpi_set_schedule: %s", problem);
    }
    asked = read;
    has_asked = true;
    return KEEL_MPI_OK;
}
