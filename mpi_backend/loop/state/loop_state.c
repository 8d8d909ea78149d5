/* The state of a loop: its number in the job, and the workers in it. */
#include "mpi_backend/loop/state/loop_state.h"

#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"

struct keel_mpi_loop *keel_mpi_loop_find(const struct keel_mpi_job *job, uint64_t number)
{
    struct keel_mpi_loop *loop = job->running[number % KEEL_MPI_WINDOWS];

    return loop != NULL && loop->number == number && keel_mpi_loop_is_open(loop) ? loop : NULL;
}

bool keel_mpi_loop_is_open(const struct keel_mpi_loop *loop)
{
    /* acquire: pairs with the release in open.c */
    return atomic_load_explicit(&loop->stage, memory_order_acquire) == KEEL_MPI_LOOP_OPEN;
}

bool keel_mpi_loop_see_failure(struct keel_mpi_loop *loop)
{
    int code = keel_mpi_job_code(loop->job);

    if (code != KEEL_MPI_OK && !loop->failed) {
        loop->failed = true;
        loop->code = loop->code != KEEL_MPI_OK ? loop->code : code;
        if (keel_mpi_loop_is_open(loop)) {
            keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_FAILED);
        }
    }
    return loop->failed;
}

/* --- which workers are in it --- */

/* loop->active: the lower half of the loop's number in its upper 32 bits; in its lower ones the
 * number of workers that have joined and are not done, or CLOSED: no worker may join any more. */
#define CLOSED UINT32_MAX

static uint64_t active_of(uint64_t number, uint32_t workers)
{
    return number << 32 | workers;
}

void keel_mpi_loop_publish(struct keel_mpi_loop *loop)
{
    /* release: pairs with the acquire in keel_mpi_loop_enter(); workers see all that was set */
    atomic_store_explicit(&loop->active, active_of(loop->number, 0), memory_order_release);
}

bool keel_mpi_loop_enter(struct keel_mpi_loop *loop, uint64_t number)
{
    uint64_t active = atomic_load_explicit(&loop->active, memory_order_acquire);

    do {
        if (active >> 32 != (uint32_t)number || (uint32_t)active == CLOSED) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&loop->active, &active, active + 1,
                                                    memory_order_acquire, memory_order_acquire));
    return true;
}

void keel_mpi_loop_leave(struct keel_mpi_loop *loop)
{
    /* release: the thread that closes the loop sees what the worker has recorded */
    atomic_fetch_sub_explicit(&loop->active, 1, memory_order_release);
}

bool keel_mpi_loop_is_active(const struct keel_mpi_loop *loop)
{
    uint32_t workers = (uint32_t)atomic_load(&loop->active);

    return workers != CLOSED && workers > 0;
}

bool keel_mpi_loop_close(struct keel_mpi_loop *loop, unsigned own)
{
    uint64_t active = active_of(loop->number, own), closed = active_of(loop->number, CLOSED);

    return atomic_compare_exchange_strong(&loop->active, &active, closed) || active == closed;
}

/* --- which schedule --- */

/* Set by the program. */
static struct keel_ranks_schedule asked;
static bool has_asked;

/* The schedule whose text is in `text`. */
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
