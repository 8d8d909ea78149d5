/* One rank's part in one loop that is shared by all ranks of a job. */
#include "mpi_backend/loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/asked.h"
#include "mpi_backend/clock.h"
#include "mpi_backend/progress.h"
#include "mpi_backend/settings.h"
#include "omp_ext/message.h"
#include "schedules/balance/migration.h"
#include "schedules/loop/arithmetic.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"

/* Of `stage`. */
enum { NEW, OPENING, OPEN };

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

    if (builds_on_records(keel_asked())) {
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

/* --- opening --- */

static uint64_t mix(uint64_t check, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        check = (check ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return check;
}

#define MIX(check, value) mix(check, &(value), sizeof(value))

/* Everything that ranks work out for themselves and have to agree on. Never 0. */
static uint64_t check_of(const struct keel_mpi_loop *loop)
{
    uint64_t check = UINT64_C(0xcbf29ce484222325);

    check = MIX(check, loop->iterations);
    check = MIX(check, loop->waits);
    check = MIX(check, loop->schedule.kind);
    check = MIX(check, loop->schedule.gamma);
    check = MIX(check, loop->schedule.spec.value[KEEL_MIN]);
    if (loop->claiming == &keel_claiming_counter) {
        check = mix(check, loop->spec.schedule->name, strlen(loop->spec.schedule->name));
        check = MIX(check, loop->spec.value);
    }
    return check | 1;
}

/* Relative speed of a rank, as far as it is known beforehand. */
double keel_loop_weight(const struct keel_mpi_loop *loop, uint32_t rank)
{
    const struct keel_mpi_settings *settings = keel_mpi_settings();
    const struct keel_loop_record *record = loop->record;

    if (loop->schedule.kind == KEEL_MPI_RATE && record != NULL && record->instances > 0) {
        return keel_rebalance_speed(record->balance, rank);
    }
    return rank < settings->weights ? settings->weight[rank] : 1;
}

/* Where the blocks of all ranks begin, of memory for ranks + 1 values. */
static void divide(const struct keel_mpi_loop *loop, uint64_t *first, double *weight)
{
    const struct keel_job *job = loop->job;

    if (loop->schedule.kind == KEEL_MPI_RATE && loop->record != NULL &&
        loop->record->instances > 0) {
        for (uint32_t i = 0; i <= job->ranks; i++) {
            first[i] = keel_rebalance_first(loop->record->balance, i, loop->iterations);
        }
        return;
    }
    for (uint32_t i = 0; i < job->ranks; i++) {
        weight[i] = keel_loop_weight(loop, i);
    }
    keel_migration_blocks(loop->iterations, job->ranks, weight, first);
}

/* The blocks of the node's ranks, and all of them in the check. */
static bool open_blocks(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    uint64_t *first = malloc((job->ranks + 1) * sizeof *first);
    double *weight = malloc(job->ranks * sizeof *weight);
    bool room = first != NULL && weight != NULL;

    if (room) {
        divide(loop, first, weight);
        loop->check = mix(loop->check, first, (job->ranks + 1) * sizeof *first) | 1;
        for (uint32_t i = 0; i < job->locals; i++) {
            uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
            loop->block[i][0] = first[rank];
            loop->block[i][1] = first[rank + 1];
        }
    }
    free(first);
    free(weight);
    return room;
}

static struct keel_spec spec_of(const struct keel_schedule *schedule, uint64_t minimum)
{
    struct keel_spec spec = keel_spec_of(schedule);

    spec.value[KEEL_MIN].count = minimum;
    return spec;
}

/* Which schedule ranks run, and how they claim. Blocks of threads are no blocks of ranks: what they
 * name in order stands in. */
static void choose_claiming(struct keel_mpi_loop *loop)
{
    loop->claiming = &keel_claiming_blocks;
    if (loop->schedule.kind != KEEL_MPI_LOOP_SCHEDULE) {
        return;
    }
    loop->claiming = &keel_claiming_counter;
    loop->spec = loop->schedule.spec;
    const struct keel_schedule *schedule = loop->spec.schedule;
    uint64_t minimum = loop->spec.value[KEEL_MIN].count;
    if (schedule->in_order != NULL) {
        loop->spec = spec_of(schedule->in_order, minimum);
    } else if (!keel_record_complete(loop->record, &loop->spec)) {
        loop->spec = spec_of(&keel_schedule_fac2, minimum);
    }
}

static bool needs_times(const struct keel_mpi_loop *loop)
{
    if (loop->claiming == &keel_claiming_blocks || !loop->whole || loop->job->nodes > 1) {
        return true;
    }
    const struct keel_schedule *asked = loop->schedule.spec.schedule;
    return asked->timed || asked->learns != KEEL_LEARNS_NOT || asked->measured != 0;
}

/* What is left where there is no memory for more: the rank's first taker runs everything. */
static void open_poorly(struct keel_mpi_loop *loop)
{
    static const char message[] = "no memory to share a loop; each rank runs all of it";

    keel_message("%s", message);
    loop->check = 0;
    loop->code = KEEL_MPI_NO_ROOM;
    if (loop->taker == NULL) {
        loop->threads = 1;
        loop->taker = &loop->only;
    }
}

static void enter_board(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    bool blocks = loop->claiming == &keel_claiming_blocks;
    const struct keel_board_loop start = {
        .check = loop->check,
        .iterations = loop->iterations,
        .gamma = loop->schedule.gamma,
        .keeps_last = blocks && !loop->whole,
        .remembers = loop->schedule.kind == KEEL_MPI_TREE || loop->schedule.kind == KEEL_MPI_RATE,
    };

    for (unsigned patience = 0;
         !keel_board_enter(loop->board, loop->number, KEEL_BOARDS, &start, job->locals, job->ranks,
                           blocks ? (const uint64_t(*)[2])loop->block : NULL,
                           job->node == job->address[job->ranks - 1].node);
         patience++) {
        keel_post_idle(&loop->job->post, NULL, patience, false);
    }
    if (loop->board->loop.check != loop->check) {
        keel_board_close(loop->board, KEEL_BOARD_APART);
    }
}

static void open_loop(struct keel_mpi_loop *loop, const struct keel_taker_start *start)
{
    struct keel_job *job = loop->job;

    loop->iterations = start->iterations;
    loop->threads = start->threads;
    loop->whole = start->whole;
    loop->local = start->local != NULL ? *start->local : spec_of(&keel_schedule_rate, 1);
    loop->schedule = *keel_asked();
    loop->record = keel_record_of(&job->records, start->site, job->ranks);
    choose_claiming(loop);
    loop->timed = needs_times(loop);
    loop->check = check_of(loop);
    loop->taker = calloc(start->threads, sizeof *loop->taker);
    if (loop->taker == NULL || (loop->claiming == &keel_claiming_blocks && !open_blocks(loop)) ||
        !loop->claiming->open(loop)) {
        open_poorly(loop);
    }
    enter_board(loop);
    /* release: pairs with the acquire in keel_loop_is_open() */
    atomic_store_explicit(&loop->stage, OPEN, memory_order_release);
}

bool keel_loop_is_open(const struct keel_mpi_loop *loop)
{
    return atomic_load_explicit(&loop->stage, memory_order_acquire) == OPEN;
}

/* Opens it, or waits until another thread has. */
static void ready(struct keel_mpi_loop *loop, const struct keel_taker_start *start)
{
    int stage = NEW;

    if (atomic_compare_exchange_strong(&loop->stage, &stage, OPENING)) {
        open_loop(loop, start);
    }
    for (unsigned patience = 0; !keel_loop_is_open(loop); patience++) {
        keel_post_idle(&loop->job->post, NULL, patience, false);
    }
}

/* --- takers --- */

struct keel_taker *keel_loop_join(struct keel_mpi_loop *loop, uint64_t number,
                                  const struct keel_taker_start *start)
{
    if (!come_in(loop, number)) {
        return NULL;
    }
    ready(loop, start);
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
        loop->code = KEEL_MPI_THREADS;
        keel_board_close(loop->board, KEEL_BOARD_APART);
    }
    return taker;
}

/* --- what is measured --- */

struct keel_pace keel_loop_pace(const struct keel_mpi_loop *loop)
{
    const struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);
    double speed = 0, variance = 0, threads = 0;

    for (unsigned i = KEEL_CELL_THREADS; i < KEEL_CELLS; i++) {
        const struct keel_pace pace = keel_board_pace(&cell[i].pace);
        if (pace.mean_ns > 0) {
            speed += 1 / pace.mean_ns;
            variance += pace.variance_ns2;
            threads++;
        }
    }
    if (threads == 0) {
        return (struct keel_pace){0};
    }
    /* k iterations take threads k / threads each: their time varies as one's does, over threads
     * squared */
    return (struct keel_pace){1 / speed, variance / (threads * threads * threads)};
}

/* The paces of the rank's threads. */
static void look_around(struct keel_taker *taker)
{
    const struct keel_cell *cell = keel_board_cells(taker->loop->board, taker->loop->job->local);
    struct keel_paces team = {0};

    for (unsigned i = KEEL_CELL_THREADS; i < KEEL_CELLS; i++) {
        const struct keel_pace pace = keel_board_pace(&cell[i].pace);
        keel_timing_join(&team, &pace);
    }
    taker->team = team;
    taker->refresh = taker->chunks + min_u64(taker->chunks / 4 + 1, 16);
}

/* The chunk that ran is over. */
static void account(struct keel_taker *taker)
{
    if (!taker->loop->timed) {
        return;
    }
    double now_ns = keel_mpi_clock_ns();
    if (taker->chunk > 0) {
        double time_ns = now_ns - taker->start_ns, overhead_ns = taker->start_ns - taker->asked_ns;
        taker->busy_ns += time_ns;
        taker->overhead_ns += overhead_ns;
        keel_sizer_done(&taker->sizer, taker->chunk, time_ns, overhead_ns);
        keel_board_set_pace(&taker->cell->pace, keel_sizer_pace(&taker->sizer));
        if (taker->chunks >= taker->refresh) {
            look_around(taker);
        }
    }
    taker->asked_ns = now_ns;
    taker->chunk = 0;
}

/* --- taking chunks --- */

#define SAFE_NS 100e3 /* chunks this short may be begun whatever happens next */
#define GIVEN_PART 4  /* of a thread's share of what is left, a chunk is this part at most */

/* The end of what the rank has is for others to take over, so no chunk reaches far. */
static uint64_t shared_limit(const struct keel_taker *taker, uint64_t left, double mean_ns)
{
    uint64_t limit = left / (GIVEN_PART * (uint64_t)taker->loop->threads);

    return max_u64(limit, mean_ns > 0 ? (uint64_t)(SAFE_NS / mean_ns) : 1);
}

/* Whoever answers letters has to be back in time. */
static uint64_t talk_limit(const struct keel_taker *taker, double mean_ns)
{
    if (!taker->talks || taker->loop->job->nodes == 1) {
        return UINT64_MAX;
    }
    return mean_ns > 0 ? (uint64_t)fmin(taker->loop->poll_ns / mean_ns, 1e18) : 1;
}

/* Size of the taker's chunk, of `left` iterations of a hold of `length`. */
static uint64_t size_of(void *context, uint64_t left, uint64_t length)
{
    struct keel_taker *taker = context;
    const struct keel_mpi_loop *loop = taker->loop;
    double mean_ns = keel_board_pace(&taker->cell->pace).mean_ns;
    uint64_t size = left;

    if (!loop->whole || loop->claiming == &keel_claiming_blocks) {
        const struct keel_hold hold = {.length = length, .left = left};
        size = keel_sizer_size(&taker->sizer, &hold, &taker->team);
    }
    if (loop->claiming == &keel_claiming_blocks) {
        size = min_u64(size, shared_limit(taker, left, mean_ns));
        size = max_u64(size, loop->schedule.spec.value[KEEL_MIN].count);
    }
    return min_u64(left, max_u64(1, min_u64(size, talk_limit(taker, mean_ns))));
}

/* Cells of the rank that its takers look into. */
static unsigned cells_in_use(const struct keel_mpi_loop *loop)
{
    return KEEL_CELL_THREADS + (unsigned)min_u64(loop->threads, KEEL_THREAD_CELLS);
}

/* From what the rank holds: the taker's own cell first. */
static bool take_held(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;
    struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);

    if (keel_cell_take(loop->board, taker->cell, size_of, taker, first, last)) {
        return true;
    }
    for (unsigned i = 0; i < cells_in_use(loop); i++) {
        if (keel_cell_take(loop->board, &cell[i], size_of, taker, first, last)) {
            return true;
        }
    }
    return false;
}

/* Iterations [first, *last) that only the taker has become its chunk and, for all to take from, the
 * rest. */
static void settle(struct keel_taker *taker, uint64_t first, uint64_t *last)
{
    uint64_t length = *last - first, size = size_of(taker, length, length);

    if (size < length && keel_cell_fill(taker->loop->board, taker->cell, first + size, *last)) {
        *last = first + size;
    }
}

/* What has arrived and found no cell. */
static bool take_overflow(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (!taker->talks || !atomic_load_explicit(&loop->overflows, memory_order_relaxed)) {
        return false;
    }
    keel_job_hold(loop->job);
    bool got = loop->overflow.count > 0;
    if (got) {
        *first = loop->overflow.range[loop->overflow.count - 1].first;
        *last = loop->overflow.range[loop->overflow.count - 1].last;
        loop->overflow.count--;
    }
    atomic_store_explicit(&loop->overflows, loop->overflow.count > 0, memory_order_relaxed);
    keel_job_release(loop->job);
    return got;
}

static bool claim(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    if (take_held(taker, first, last)) {
        return true;
    }
    if (take_overflow(taker, first, last) || taker->loop->claiming->refill(taker, first, last)) {
        settle(taker, *first, last);
        return true;
    }
    return false;
}

static void begin_chunk(struct keel_taker *taker, uint64_t first, uint64_t last)
{
    struct keel_mpi_loop *loop = taker->loop;

    taker->chunk = last - first;
    taker->ended = !loop->whole && last == loop->iterations;
    taker->chunks++;
    keel_ranges_note(&taker->ranges, first, last);
    /* relaxed: who sums up looks again */
    atomic_fetch_add_explicit(&taker->cell->begun, taker->chunk, memory_order_relaxed);
    if (loop->timed) {
        taker->start_ns = keel_mpi_clock_ns();
    }
}

/* Whether there will be nothing more to take. On one node, whoever looks finds out. */
static bool is_over(struct keel_mpi_loop *loop)
{
    if (keel_board_end(loop->board) != KEEL_BOARD_RUNS) {
        return true;
    }
    if (loop->job->nodes > 1) {
        return false;
    }
    if (loop->claiming == &keel_claiming_counter) {
        return keel_counter_is_over(loop);
    }
    if (keel_board_sums(loop->board).begun < loop->board->loop.iterations) {
        return false;
    }
    keel_board_close(loop->board, KEEL_BOARD_OVER);
    return true;
}

void keel_loop_arrive(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_cell *cell = keel_board_cells(loop->board, loop->job->local);

    if (loop->board->loop.keeps_last && last == loop->iterations) {
        atomic_store(&loop->board->last, 1);
        atomic_store(&loop->board->dry, 1);
        return;
    }
    for (unsigned i = 1; i <= cells_in_use(loop); i++) {
        if (keel_cell_fill(loop->board, &cell[i % cells_in_use(loop)], first, last)) {
            return;
        }
    }
    keel_ranges_note(&loop->overflow, first, last);
    atomic_store_explicit(&loop->overflows, true, memory_order_relaxed);
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
    if (!keel_ranges_gap(&loop->ranges, loop->alone_from, loop->iterations, first, last)) {
        return false;
    }
    loop->alone_from = *last;
    begin_chunk(taker, *first, *last);
    return true;
}

/* --- the end --- */

static void wait_a_little(struct keel_taker *taker, bool wants, MPI_Request *request,
                          unsigned *patience)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (taker->talks && keel_loop_attend(loop, wants ? taker : NULL)) {
        *patience = 0;
        return;
    }
    bool alone = taker->talks && loop->threads == 1 && loop->job->locals == 1;
    bool resumes = wants && loop->waiting && isfinite(loop->resume_ns);
    keel_post_idle(&loop->job->post, request, (*patience)++, alone && !resumes);
}

/* Until the leader is the last one, and no other can come. */
static void wait_for_takers(struct keel_taker *leader)
{
    unsigned patience = 0;

    while (!keel_loop_close(leader->loop, 1)) {
        wait_a_little(leader, false, &leader->loop->agreement_request, &patience);
    }
}

static void wait_for_agreement(struct keel_taker *leader)
{
    struct keel_mpi_loop *loop = leader->loop;
    unsigned patience = 0;

    while (leader->talks && loop->agreement <= KEEL_AGREEMENT_ASKED) {
        wait_a_little(leader, false, &loop->agreement_request, &patience);
    }
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
    if (loop->waits && !loop->alone) {
        wait_for_agreement(taker);
    }
    wait_for_takers(taker);
    if (keel_board_end(loop->board) == KEEL_BOARD_APART && next_alone(taker, first, last)) {
        return true;
    }
    taker->over = true;
    if (taker->talks) {
        keel_loop_finish(loop);
    }
    return false;
}

bool keel_loop_next(struct keel_taker *taker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = taker->loop;
    unsigned patience = 0;

    if (taker->over) {
        return false;
    }
    account(taker);
    if (loop->alone) {
        return conclude(taker, first, last);
    }
    if (taker->talks) {
        keel_loop_talk(taker);
    }
    while (keel_board_end(loop->board) == KEEL_BOARD_RUNS) {
        if (!taker->ended && claim(taker, first, last)) {
            begin_chunk(taker, *first, *last);
            return true;
        }
        if (is_over(loop) || (taker->ended && !taker->leads)) {
            break;
        }
        wait_a_little(taker, !taker->ended, &loop->agreement_request, &patience);
    }
    return conclude(taker, first, last);
}

/* A loop that is cancelled is so for all ranks. Its figures go out when somebody asks for them, as
 * threads that are cancelled do not come here in time. */
void keel_loop_leave(struct keel_taker *taker, bool finished)
{
    if (finished) {
        return; /* the loop may be another one by now */
    }
    struct keel_mpi_loop *loop = taker->loop;
    keel_board_close(loop->board, KEEL_BOARD_CANCELLED);
    if (taker->talks) {
        keel_loop_attend(loop, NULL);
    }
    taker->over = true;
    go_out(loop);
}
