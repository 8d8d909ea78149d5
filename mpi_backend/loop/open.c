/* Opening a shared loop on a rank: its schedule, blocks of ranks, and the window.
 *
 * Each rank computes for itself what follows from the loop and from common knowledge, and adds it
 * to a check that ranks compare. */
#include "mpi_backend/loop/shared_loop.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/claim/plan.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

#define MIX(check, value) keel_digest_bytes(check, &(value), sizeof(value))

/* Which loop it is, and how it is shared. */
static uint64_t digest_of(const struct keel_mpi_loop *loop)
{
    uint64_t digest = KEEL_DIGEST_START;

    digest = MIX(digest, loop->iterations);
    digest = MIX(digest, loop->grain);
    digest = MIX(digest, loop->units);
    digest = MIX(digest, loop->repeatable);
    digest = MIX(digest, loop->instance);
    digest = MIX(digest, loop->waits);
    digest = MIX(digest, loop->schedule.kind);
    return MIX(digest, loop->schedule.gamma);
}

/* What ranks have to agree on, whatever they have learned from earlier loops: the loop, and the
 * settings of the program and of the user. */
static uint64_t basis_of(const struct keel_mpi_loop *loop)
{
    const struct keel_spec *asked = &loop->schedule.spec;
    uint64_t basis = digest_of(loop);

    basis = MIX(basis, asked->value);
    if (loop->schedule.kind == KEEL_RANKS_LOOP_SCHEDULE) {
        basis = keel_digest_text(basis, asked->schedule->name);
    }
    return keel_mpi_weights_digest(basis) >> 1 | 1;
}

/* All that ranks compute for themselves and have to agree on. */
static uint64_t check_of(const struct keel_mpi_loop *loop)
{
    uint64_t check = digest_of(loop);

    check = MIX(check, loop->schedule.spec.value[KEEL_MIN]);
    if (loop->claim_method == &keel_mpi_claim_by_counter) {
        check = keel_digest_text(check, loop->spec.schedule->name);
        check = MIX(check, loop->spec.value);
    }
    return check >> 1 | 1;
}

static struct keel_spec spec_of(const struct keel_schedule *schedule, uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(schedule);

    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

/* Chooses the schedule of the ranks, and how they claim. Schedules of blocks are for threads only:
 * ranks run their in-order schedule instead. */
static void choose_claim_method(struct keel_mpi_loop *loop)
{
    loop->claim_method = &keel_mpi_claim_by_blocks;
    if (loop->schedule.kind != KEEL_RANKS_LOOP_SCHEDULE) {
        return;
    }
    loop->claim_method = &keel_mpi_claim_by_counter;
    loop->spec = loop->schedule.spec;
    const struct keel_schedule *schedule = loop->spec.schedule;
    uint64_t minimum = loop->spec.value[KEEL_MIN].count;
    if (schedule->in_order != NULL) {
        loop->spec = spec_of(schedule->in_order, minimum);
    } else if (!keel_mpi_record_complete(loop->record, &loop->spec)) {
        loop->spec = spec_of(&keel_schedule_fac2, minimum);
    }
}

static bool needs_timing(const struct keel_mpi_loop *loop)
{
    if (loop->claim_method == &keel_mpi_claim_by_blocks || !loop->whole || loop->job->nodes > 1) {
        return true;
    }
    const struct keel_schedule *asked = loop->schedule.spec.schedule;
    return asked->timed || asked->learns != KEEL_LEARNS_NOT || asked->measured != 0;
}

/* Whether later instances use measurements of each rank. */
static bool learns_of_ranks(const struct keel_mpi_loop *loop)
{
    const struct keel_ranks_schedule *asked = &loop->schedule;

    return loop->timed &&
           (asked->kind == KEEL_RANKS_RATE || (asked->kind == KEEL_RANKS_LOOP_SCHEDULE &&
                                               asked->spec.schedule->learns != KEEL_LEARNS_NOT));
}

/* Prepares learning from ranks, if wanted. False: no memory. If there are too many places already,
 * which is so on all ranks, nothing is learned from this loop. */
static bool prepare_learning(struct keel_mpi_loop *loop)
{
    bool wants = learns_of_ranks(loop) && loop->record != NULL;

    loop->learns = wants && keel_mpi_record_make_room(loop->record, loop->job->locals);
    return !wants || loop->learns;
}

/* Allocates memory to record executed ranges: unrecorded ones would be executed again if ranks give
 * the loop up. */
static bool prepare_ranges(struct keel_mpi_loop *loop)
{
    bool room = keel_mpi_range_list_open(&loop->ranges);

    for (uint32_t i = 0; room && i < loop->threads; i++) {
        room = keel_mpi_range_list_open(&loop->worker[i].ranges);
    }
    return room;
}

/* If memory is missing, the rank's first worker executes all iterations. */
static void open_without_memory(struct keel_mpi_loop *loop)
{
    keel_message("no memory to share a loop; each rank runs all of it");
    loop->check = 0;
    loop->code = loop->identity.code = KEEL_MPI_NO_ROOM;
    if (loop->worker == NULL) {
        loop->threads = 1;
        loop->worker = &loop->only;
    }
}

/* Returns a window of this rank alone, which executes all iterations, if other ranks of the node do
 * not leave the common one in time. */
static struct keel_mpi_window *private_window(struct keel_mpi_loop *loop,
                                              const struct keel_mpi_window_loop *start)
{
    const struct keel_mpi_job *job = loop->job;
    struct keel_mpi_window *window = aligned_alloc(64, job->window_size);

    if (window != NULL) {
        memset(window, 0, job->window_size);
        keel_mpi_window_enter(window, 1, KEEL_MPI_WINDOWS, start, job->locals,
                              keel_mpi_job_paces(job), NULL, false);
        loop->absent = true;
    }
    return window;
}

/* False: other ranks of the node have not left the window in time, and this rank has its own. */
static bool wait_for_window(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                            unsigned looks, const struct keel_mpi_window_loop *start)
{
    if (!keel_mpi_job_may_call_mpi() || keel_mpi_loop_wait_goes_on(loop, wait, looks)) {
        keel_mpi_channel_wait(&loop->job->channel, NULL, looks, false);
        return true;
    }
    struct keel_mpi_window *window = private_window(loop, start);
    loop->window = window != NULL ? window : loop->window;
    return window == NULL;
}

static void enter_window(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    bool blocks = loop->claim_method == &keel_mpi_claim_by_blocks;
    const struct keel_mpi_window_loop start = {
        .check = loop->check,
        .iterations = loop->units,
        .gamma = loop->schedule.gamma,
        .keeps_last = blocks && !loop->whole,
    };

    struct keel_mpi_wait_state wait = keel_mpi_loop_wait_begin(loop);
    for (unsigned backoff = 0; !keel_mpi_window_enter(
             loop->window, loop->number, KEEL_MPI_WINDOWS, &start, job->locals,
             keel_mpi_job_paces(job), blocks ? (const uint64_t(*)[2])loop->block : NULL,
             job->node == job->address[job->ranks - 1].node);
         backoff++) {
        if (!wait_for_window(loop, &wait, backoff, &start)) {
            break;
        }
    }
    if (loop->check == 0 || loop->window->loop.check != loop->check) { /* 0: no memory */
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_MISMATCH);
    }
}

/* Returns `spec` in units of `grain`, which is a multiple of its own. */
static struct keel_spec in_units(struct keel_spec spec, uint64_t grain)
{
    spec.value[KEEL_GRAIN].count = grain;
    return keel_grain_spec(&spec);
}

/* The common grain of the program and of the schedule among ranks. */
static void divide_into_units(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start)
{
    const struct keel_ranks_schedule *asked = keel_mpi_requested_schedule();
    bool stated = (asked->spec.given & KEEL_BIT(KEEL_GRAIN)) != 0;
    uint64_t own = stated ? keel_grain_of(&asked->spec) : keel_mpi_settings()->grain;

    loop->iterations = start->iterations;
    loop->grain = keel_grain_common(start->grain, own);
    loop->units = keel_grain_units(loop->iterations, loop->grain);
    if (loop->rest != NULL &&
        (loop->rest->iterations != loop->iterations || loop->rest->grain != loop->grain)) {
        loop->rest = NULL;
    }
    loop->units = loop->rest != NULL ? loop->rest->count : loop->units;
    loop->schedule = *asked;
    loop->schedule.spec = in_units(asked->spec, loop->grain);
    loop->local = start->local != NULL ? in_units(*start->local, loop->grain)
                                       : spec_of(&keel_schedule_rate, 1);
}

static void open_loop(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start)
{
    struct keel_mpi_job *job = loop->job;

    loop->threads = start->threads;
    loop->whole = start->whole;
    divide_into_units(loop, start);
    loop->record =
        keel_mpi_record_of(&job->records, start->site, loop->grain, job->ranks, job->rank);
    choose_claim_method(loop);
    loop->timed = needs_timing(loop);
    loop->check = check_of(loop);
    loop->basis = basis_of(loop);
    loop->worker = calloc(start->threads, sizeof *loop->worker);
    if (loop->worker == NULL || !prepare_ranges(loop) || !prepare_learning(loop) ||
        !loop->claim_method->open(loop)) {
        open_without_memory(loop);
    }
    keel_mpi_identity_note(loop, start);
    if (keel_mpi_waits_observed()) {
        loop->observed = keel_mpi_place_of(start->caller, start->outlined);
        loop->opened_ns = keel_mpi_clock_ns();
    }
    enter_window(loop);
    /* release: pairs with the acquire in keel_mpi_loop_is_open() */
    atomic_store_explicit(&loop->stage, KEEL_MPI_LOOP_OPEN, memory_order_release);
}

void keel_mpi_loop_open(struct keel_mpi_loop *loop, const struct keel_mpi_worker_start *start)
{
    int stage = KEEL_MPI_LOOP_NEW;

    if (atomic_compare_exchange_strong(&loop->stage, &stage, KEEL_MPI_LOOP_OPENING)) {
        open_loop(loop, start);
    }
    for (unsigned backoff = 0; !keel_mpi_loop_is_open(loop); backoff++) {
        keel_mpi_channel_wait(&loop->job->channel, NULL, backoff, false);
    }
}
