/* One rank's part in one loop that is shared by all ranks of a job. */
#include "mpi_backend/loop/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/loop/requested_schedule.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/progress_thread.h"
#include "mpi_backend/job/settings.h"
#include "omp_ext/support/message.h"
#include "schedules/claim/grain.h"
#include "schedules/loop/spec.h"

/* --- who is in it --- */

/* The lower half of the loop's number, and below that how many takers have joined and are not done;
 * CLOSED: nobody may join any more. */
#define CLOSED UINT32_MAX

static uint64_t active_of(uint64_t number, uint32_t takers)
{
    return number << 32 | takers;
}

/* False: the loop is over for this rank, or another one by now. */
static bool come_in(struct keel_mpi_loop *loop, uint64_t number)
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

static void go_out(struct keel_mpi_loop *loop)
{
    /* release: what the taker has noted is seen by who closes the loop */
    atomic_fetch_sub_explicit(&loop->active, 1, memory_order_release);
}

bool keel_loop_is_active(const struct keel_mpi_loop *loop)
{
    uint32_t takers = (uint32_t)atomic_load(&loop->active);

    return takers != CLOSED && takers > 0;
}

bool keel_loop_close(struct keel_mpi_loop *loop, unsigned own)
{
    uint64_t active = active_of(loop->number, own), closed = active_of(loop->number, CLOSED);

    return atomic_compare_exchange_strong(&loop->active, &active, closed) || active == closed;
}

/* --- making --- */

/* With memory for figures and blocks, and all else 0. */
static struct keel_mpi_loop *spare_or_new(struct keel_job *job)
{
    struct keel_mpi_loop *loop = job->spare;
    struct keel_figures *figures;
    uint64_t(*block)[2];

    if (loop != NULL) {
        job->spare = loop->spare;
        figures = loop->all_figures;
        block = loop->block;
        memset(loop, 0, sizeof *loop);
    } else {
        loop = calloc(1, sizeof *loop);
        figures = malloc(job->ranks * sizeof *figures);
        block = malloc(job->locals * sizeof *block);
        if (loop == NULL || figures == NULL || block == NULL) {
            free(loop);
            free(figures);
            free(block);
            return NULL;
        }
    }
    loop->all_figures = figures;
    loop->block = block;
    return loop;
}

/* Whether what earlier instances have shown decides how a loop begins. */
static bool builds_on_records(const struct keel_mpi_schedule *schedule)
{
    return schedule->kind == KEEL_MPI_RATE ||
           (schedule->kind == KEEL_MPI_LOOP_SCHEDULE &&
            (schedule->spec.schedule->learns != KEEL_LEARNS_NOT ||
             keel_spec_unmeasured(&schedule->spec) != 0));
}

/* Waits for the loop whose place the next one takes and, where all ranks have to know the same of
 * earlier instances, for all. */
static void make_room(struct keel_job *job)
{
    struct keel_mpi_loop *oldest = job->running[(job->loops + 1) % KEEL_BOARDS];
    const struct keel_mpi_loop *last = job->running[job->loops % KEEL_BOARDS];
    bool owes = last != NULL && !last->left; /* it was cancelled: see keel_loop_leave() */

    if (builds_on_records(keel_asked()) || owes) {
        keel_loop_complete_all(job);
    } else if (oldest != NULL) {
        keel_loop_complete(oldest);
    }
}

struct keel_mpi_loop *keel_loop_new(struct keel_job *job, bool waits)
{
    make_room(job);
    struct keel_mpi_loop *loop = spare_or_new(job);
    if (loop == NULL) {
        return NULL;
    }
    loop->job = job;
    loop->number = ++job->loops;
    loop->waits = waits;
    loop->agreement_request = loop->figures_request = MPI_REQUEST_NULL;
    loop->last_rank = -1;
    loop->board = keel_job_board(job, loop->number);
    loop->poll_ns = keel_mpi_settings()->poll_ns;
    atomic_flag_clear(&loop->sizing);
    job->running[loop->number % KEEL_BOARDS] = loop;
    /* release: pairs with the acquire in come_in(); takers find all of the above */
    atomic_store_explicit(&loop->active, active_of(loop->number, 0), memory_order_release);
    return loop;
}

/* --- takers --- */

struct keel_taker *keel_loop_join(struct keel_mpi_loop *loop, uint64_t number,
                                  const struct keel_taker_start *start)
{
    if (!come_in(loop, number)) {
        return NULL;
    }
    keel_loop_ready(loop, start);
    if (start->thread >= loop->threads) {
        go_out(loop);
        return NULL;
    }
    struct keel_taker *taker = &loop->taker[start->thread];
    *taker = (struct keel_taker){
        .loop = loop,
        .thread = start->thread,
        .leads = start->thread == 0,
        .talks = keel_job_may_talk(),
        .cell = keel_board_cells(loop->board, loop->job->local) + KEEL_CELL_THREADS +
                start->thread % KEEL_THREAD_CELLS,
    };
    keel_sizer_begin(&taker->sizer, &loop->local, loop->threads, (struct keel_pace){0});
    if (loop->plan != NULL) {
        keel_cursor_begin(&taker->cursor, loop->plan);
    }
    if (loop->timed) {
        taker->asked_ns = keel_mpi_clock_ns();
    }
    if (taker->leads && taker->talks) {
        keel_progress_attend(loop);
    } else if (taker->leads) {
        keel_message("a shared loop runs in a team without the thread that may call MPI; each rank "
                     "runs all of it");
        loop->code = loop->came.code = KEEL_MPI_THREADS;
        loop->check = 0; /* others learn of it when they compare */
        keel_board_close(loop->board, KEEL_BOARD_APART);
    }
    return taker;
}

/* --- alone --- */

void keel_loop_gather_ranges(struct keel_mpi_loop *loop)
{
    keel_ranges_clear(&loop->ranges);
    for (uint32_t i = 0; loop->taker != NULL && i < loop->threads; i++) {
        if (!keel_ranges_append(&loop->ranges, &loop->taker[i].ranges) ||
            loop->taker[i].ranges.incomplete) {
            loop->ranges.incomplete = true;
        }
    }
    keel_ranges_merge(&loop->ranges);
}

/* Ranks run different loops: the leader runs what the rank has not executed, once nobody else
 * does. */
static bool next_alone(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (!loop->alone) {
        loop->alone = true;
        keel_loop_gather_ranges(loop);
    }
    if (!keel_ranges_gap(&loop->ranges, loop->alone_from, loop->units, first, last)) {
        return false;
    }
    loop->alone_from = *last;
    keel_taker_begin_chunk(taker, *first, *last);
    return true;
}

/* --- the end --- */

/* A wait that is to end, and how many looks in a row were in vain. */
struct patience {
    struct keel_wait wait;
    unsigned looks, all;
};

static struct patience begin_patience(const struct keel_taker *taker)
{
    return (struct patience){.wait = keel_loop_wait(taker->loop)};
}

/* Whether others are late, or MPI has failed. */
static bool is_over_time(struct keel_taker *taker, struct patience *patience)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (taker->leads && taker->talks) {
        keel_loop_waits_on(loop, &patience->wait, patience->all++);
    }
    return keel_loop_has_failed(loop);
}

static void wait_a_little(struct keel_taker *taker, bool wants, MPI_Request *request,
                          struct patience *patience)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (taker->talks && keel_loop_attend(loop, wants ? taker : NULL)) {
        patience->looks = 0;
        return;
    }
    if (is_over_time(taker, patience)) {
        return;
    }
    bool alone = taker->talks && loop->threads == 1 && loop->job->locals == 1;
    bool resumes = wants && loop->waiting && isfinite(loop->resume_ns);
    keel_post_idle(&loop->job->post, request, patience->looks++, alone && !resumes);
}

/* Until the leader is the last one, and no other can come. */
static void wait_for_takers(struct keel_taker *leader)
{
    struct patience patience = begin_patience(leader);

    while (!keel_loop_close(leader->loop, 1)) {
        wait_a_little(leader, false, &leader->loop->agreement_request, &patience);
    }
}

static void wait_for_agreement(struct keel_taker *leader)
{
    struct keel_mpi_loop *loop = leader->loop;
    struct patience patience = begin_patience(leader);

    while (leader->talks && !keel_loop_is_settled(loop) && !keel_loop_has_failed(loop)) {
        bool asked = loop->agreement <= KEEL_AGREEMENT_ASKED;
        wait_a_little(leader, false, asked ? &loop->agreement_request : &loop->figures_request,
                      &patience);
    }
}

/* Ranks run different loops: also where the node's board was done before that was known. A rank
 * that may not call MPI hears nothing, and knows from itself. */
static bool is_apart(const struct keel_mpi_loop *loop)
{
    return loop->failed || loop->agreement == KEEL_AGREEMENT_APART ||
           loop->came.code != KEEL_MPI_OK || keel_board_end(loop->board) == KEEL_BOARD_APART;
}

static void leave_cancelled(struct keel_taker *taker)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (taker->talks && taker->leads) {
        keel_loop_cancel(loop);
    } else if (taker->talks) {
        keel_loop_attend(loop, NULL);
    }
    taker->over = true;
    go_out(loop);
}

/* The loop has ended: for a leader, when all has been told and heard. True: there is more after
 * all, as ranks run different loops. */
static bool conclude(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (!taker->leads) {
        taker->over = true;
        go_out(loop);
        return false;
    }
    if (keel_board_end(loop->board) == KEEL_BOARD_CANCELLED) {
        leave_cancelled(taker);
        return false;
    }
    if (loop->waits && !loop->alone) {
        wait_for_agreement(taker);
    }
    wait_for_takers(taker);
    if (is_apart(loop) && next_alone(taker, first, last)) {
        return true;
    }
    taker->over = true;
    if (taker->talks) {
        keel_loop_finish(loop);
    }
    if (loop->failed && loop->waits && !loop->alone && next_alone(taker, first, last)) {
        taker->over = false;
        return true;
    }
    return false;
}

/* Waits until there is a chunk; false: the loop has ended. */
static bool wait_for_chunk(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;
    struct patience patience = begin_patience(taker);
    bool got = false;

    /* relaxed: only tells how much of what comes stays here */
    atomic_fetch_add_explicit(&loop->board->idle, !taker->ended, memory_order_relaxed);
    while (keel_board_end(loop->board) == KEEL_BOARD_RUNS && !got) {
        if (keel_loop_is_over(loop) || (taker->ended && !taker->leads)) {
            break;
        }
        wait_a_little(taker, !taker->ended, &loop->agreement_request, &patience);
        if (taker->ended && taker->talks) {
            keel_blocks_hand_on(loop);
        }
        got = !taker->ended && keel_taker_claim(taker, first, last);
    }
    atomic_fetch_sub_explicit(&loop->board->idle, !taker->ended, memory_order_relaxed);
    return got;
}

/* The taker's next chunk, in units. */
static bool next_units(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (taker->over) {
        return false;
    }
    keel_taker_account(taker);
    if (loop->alone) {
        return conclude(taker, first, last);
    }
    if (taker->talks) {
        keel_loop_talk(taker);
    }
    bool runs = keel_board_end(loop->board) == KEEL_BOARD_RUNS;
    if ((runs && !taker->ended && keel_taker_claim(taker, first, last)) ||
        wait_for_chunk(taker, first, last)) {
        keel_taker_begin_chunk(taker, *first, *last);
        return true;
    }
    return conclude(taker, first, last);
}

bool keel_loop_next(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    /* read before: once the taker is over, the loop may be another one */
    uint64_t iterations = taker->loop->iterations, grain = taker->loop->grain;

    if (!next_units(taker, first, last)) {
        return false;
    }
    *first = keel_grain_iteration(*first, iterations, grain);
    *last = keel_grain_iteration(*last, iterations, grain);
    return true;
}

/* A loop that is cancelled is so for all ranks. */
void keel_loop_leave(struct keel_taker *taker, bool finished)
{
    if (finished) {
        return; /* the loop may be another one by now */
    }
    keel_board_close(taker->loop->board, KEEL_BOARD_CANCELLED);
    leave_cancelled(taker);
}
