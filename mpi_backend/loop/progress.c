/* What the ranks of a shared loop tell each other, between chunks of the loop.
 *
 *   letters that ask -> boards -> answers;  answers -> claiming
 *   counts of iterations begun, up a tree of nodes -> all begun -> the end, down the tree
 *   agreement: do all run the same loop?    figures: how did it go?    (collective operations) */
#include <stdlib.h>

#include "mpi_backend/loop/agreement.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/loop/message_check.h"
#include "mpi_backend/loop/loop.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- the post --- */

bool keel_job_try_hold(struct keel_job *job)
{
    return !atomic_flag_test_and_set_explicit(&job->talking, memory_order_acquire);
}

void keel_job_hold(struct keel_job *job)
{
    for (unsigned patience = 0; !keel_job_try_hold(job); patience++) {
        keel_post_idle(&job->post, NULL, patience, false);
    }
}

void keel_job_release(struct keel_job *job)
{
    atomic_flag_clear_explicit(&job->talking, memory_order_release);
}

void keel_loop_send(struct keel_mpi_loop *loop, uint32_t rank, struct keel_letter letter)
{
    letter.loop = loop->number;
    loop->letters++;
    keel_post_send(&loop->job->post, rank, &letter);
}

/* Mean over some of the last answers. */
void keel_loop_time_answer(struct keel_mpi_loop *loop)
{
    double time_ns = keel_mpi_clock_ns() - loop->asked_ns;
    double *mean_ns = &loop->job->answer_ns;

    *mean_ns = *mean_ns > 0 ? *mean_ns + (time_ns - *mean_ns) / 4 : time_ns;
}

/* --- the end --- */

static bool is_leader(const struct keel_mpi_loop *loop)
{
    return loop->job->local == 0;
}

/* Tells the nodes below, once. */
static void pass_on_end(struct keel_mpi_loop *loop, enum keel_board_end end)
{
    const struct keel_job *job = loop->job;

    if (loop->told || !is_leader(loop)) {
        return;
    }
    loop->told = true;
    for (uint32_t node = 2 * job->node + 1; node <= 2 * job->node + 2 && node < job->nodes;
         node++) {
        keel_loop_send(loop, keel_job_leader_of(job, node),
                       (struct keel_letter){.kind = KEEL_LETTER_END, .left = (uint64_t)end});
    }
}

static void end_for_all(struct keel_mpi_loop *loop, enum keel_board_end end)
{
    keel_board_close(loop->board, end);
    pass_on_end(loop, end);
}

#define CHILD_WAIT 16 /* times KEEL_MPI_POLL */

/* Whether the rank will ask the counter for more by itself: it has nothing left after every chunk,
 * and what has been begun is told once, when the counter has no more. */
static bool draws_on(const struct keel_mpi_loop *loop)
{
    return loop->claiming == &keel_claiming_counter && !atomic_load(&loop->exhausted);
}

/* Whether the node tells now what it has not told yet. Its first count waits for those from below,
 * so that one letter tells of all; but not for ever, as a rank may come late. */
static bool has_to_tell(struct keel_mpi_loop *loop, uint64_t begun, uint64_t left)
{
    const struct keel_job *job = loop->job;
    uint32_t below =
        min_u64(job->nodes, 2 * job->node + 3) - min_u64(job->nodes, 2 * job->node + 1);

    if (draws_on(loop)) {
        return false;
    }
    if (left > 0 || loop->count_told) {
        return left == 0 && begun > loop->counted;
    }
    double now_ns = keel_mpi_clock_ns();
    loop->dry_ns = loop->dry_ns > 0 ? loop->dry_ns : now_ns;
    return loop->heard >= below || now_ns - loop->dry_ns > CHILD_WAIT * loop->poll_ns;
}

/* Tells the node above what has been begun here and below, when there is nothing left to begin
 * here; the first node compares it with all there is. */
static void count(struct keel_mpi_loop *loop)
{
    const struct keel_job *job = loop->job;
    const struct keel_board_sums sums = keel_board_sums(loop->board);
    uint64_t begun = sums.begun + loop->below;
    bool cancelled = keel_board_end(loop->board) == KEEL_BOARD_CANCELLED;

    if (loop->told) {
        return;
    }
    if (job->node == 0) {
        if (cancelled || begun == loop->units) {
            end_for_all(loop, cancelled ? KEEL_BOARD_CANCELLED : KEEL_BOARD_OVER);
        }
    } else if (cancelled ? !loop->cancel_told : has_to_tell(loop, begun, sums.left)) {
        loop->cancel_told = cancelled;
        keel_loop_send(loop, keel_job_leader_of(job, (job->node - 1) / 2),
                       (struct keel_letter){.kind = KEEL_LETTER_COUNT,
                                            .first = begun - loop->counted,
                                            .last = !loop->count_told,
                                            .left = cancelled});
        loop->counted = begun;
        if (cancelled) {
            pass_on_end(loop, KEEL_BOARD_CANCELLED); /* this rank may be gone when the end comes */
        }
        loop->count_told = true;
    }
}

static void take_count(struct keel_mpi_loop *loop, const struct keel_letter *letter)
{
    if (loop->agreement == KEEL_AGREEMENT_SAME &&
        letter->first > loop->units - min_u64(loop->units, loop->below)) {
        return; /* more than there are */
    }
    loop->below += letter->first;
    loop->heard += (uint32_t)letter->last;
    if (letter->left) {
        keel_board_close(loop->board, KEEL_BOARD_CANCELLED);
    }
}

/* --- letters --- */

/* The loop of that number, if this rank has opened it and its end has not been told yet. */
static struct keel_mpi_loop *find_loop(const struct keel_job *job, uint64_t number)
{
    struct keel_mpi_loop *loop = job->running[number % KEEL_BOARDS];

    return loop != NULL && loop->number == number && keel_loop_is_open(loop) ? loop : NULL;
}

/* What is about a loop of the future waits for it. Memory short: the letter is lost, which costs a
 * migration, or delays the end until the next count. */
static void defer(struct keel_job *job, const struct keel_letter *letter)
{
    struct keel_deferred *deferred = malloc(sizeof *deferred);

    if (deferred != NULL) {
        deferred->letter = *letter;
        deferred->next = job->deferred;
        job->deferred = deferred;
    }
}

/* N of the loop, once it is known that all ranks have the same; before that, who uses a letter
 * looks whether it fits. */
static uint64_t iterations_of(const struct keel_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = find_loop(job, number);

    return loop != NULL && loop->agreement == KEEL_AGREEMENT_SAME ? loop->units
                                                                  : KEEL_LETTERS_UNKNOWN;
}

/* Whether the letter can be right; else it is dropped, with one message. */
static bool is_right(struct keel_job *job, const struct keel_letter *letter)
{
    const struct keel_address *sender = &job->address[letter->from];
    const struct keel_letters_view view = {
        .ranks = job->ranks,
        .nodes = job->nodes,
        .node = job->node,
        .leads = job->local == 0,
        .sender_node = sender->node,
        .sender_leads = sender->local == 0,
        .newest = job->loops,
        .ahead = KEEL_BOARDS,
        .iterations = iterations_of(job, letter->loop),
    };
    const char *problem = keel_letters_problem(letter, &view);

    if (problem != NULL && !job->post.complained) {
        job->post.complained = true;
        keel_message("rank %u has got a message of kind %u from rank %u, expected %s; it is "
                     "ignored, and so are others that can't be right",
                     job->rank, letter->kind, letter->from, problem);
    }
    return problem == NULL;
}

/* False: it is too early for it. */
static bool see_to(struct keel_job *job, const struct keel_letter *letter)
{
    struct keel_mpi_loop *loop = find_loop(job, letter->loop);

    if (letter->kind == KEEL_LETTER_DRAW) {
        return keel_counter_serve(job, letter);
    }
    if (letter->kind == KEEL_LETTER_ASK || letter->kind == KEEL_LETTER_LOOK) {
        return keel_blocks_serve(job, letter);
    }
    if (loop == NULL) {
        return false;
    }
    if (letter->kind == KEEL_LETTER_COUNT) {
        take_count(loop, letter);
    } else if (letter->kind == KEEL_LETTER_END) {
        end_for_all(loop, (enum keel_board_end)letter->left);
    } else {
        loop->claiming->answer(loop, letter);
    }
    return true;
}

/* Whoever asks early is told at once that there is nothing, and may get something later. */
static void put_off(struct keel_job *job, const struct keel_letter *letter)
{
    struct keel_letter copy = *letter;

    if (letter->kind == KEEL_LETTER_ASK || letter->kind == KEEL_LETTER_LOOK) {
        const struct keel_letter nothing = {.kind = KEEL_LETTER_GIVE, .loop = letter->loop};
        keel_post_send(&job->post, letter->from, &nothing);
        copy.measured = 1;
    }
    if (letter->kind != KEEL_LETTER_LOOK) {
        defer(job, &copy);
    }
}

/* Whether the loop is over for this rank. */
static bool is_past(const struct keel_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = job->running[number % KEEL_BOARDS];

    return number <= job->loops && (loop == NULL || loop->number != number);
}

/* More is known of the loop than when it came. */
static bool is_wrong_now(struct keel_job *job, const struct keel_deferred *deferred)
{
    struct keel_letter letter = deferred->letter;

    letter.measured = letter.kind == KEEL_LETTER_ASK ? 0 : letter.measured; /* see put_off() */
    return !is_right(job, &letter);
}

static void retry_deferred(struct keel_job *job)
{
    for (struct keel_deferred **link = &job->deferred; *link != NULL;) {
        struct keel_deferred *deferred = *link;
        if (is_past(job, deferred->letter.loop) || is_wrong_now(job, deferred) ||
            see_to(job, &deferred->letter)) {
            *link = deferred->next;
            free(deferred);
        } else {
            link = &deferred->next;
        }
    }
}

/* Letters about loops that are over for this rank come late, and tell nothing new. But a rank that
 * still looks for iterations there waits for an answer. */
static void answer_late(struct keel_job *job, const struct keel_letter *letter)
{
    struct keel_letter nothing = {.kind = KEEL_LETTER_GIVE, .loop = letter->loop};

    if (letter->kind == KEEL_LETTER_DRAW) {
        nothing.kind = KEEL_LETTER_GRANT;
        nothing.first = UINT64_MAX;
    } else if (letter->kind != KEEL_LETTER_ASK && letter->kind != KEEL_LETTER_LOOK) {
        return;
    }
    keel_post_send(&job->post, letter->from, &nothing);
}

/* Whether there were any. */
static bool read_letters(struct keel_job *job)
{
    struct keel_letter letter;
    bool any = false;

    retry_deferred(job);
    while (keel_post_take(&job->post, &letter)) {
        if (!is_right(job, &letter)) {
            continue;
        }
        if (is_past(job, letter.loop)) {
            answer_late(job, &letter);
        } else if (!see_to(job, &letter)) {
            put_off(job, &letter);
        }
        any = true;
    }
    return any;
}

/* --- collective operations --- */

static void settle_agreement(struct keel_mpi_loop *loop)
{
    uint64_t most = loop->agreed[0], least = ~loop->agreed[1];

    loop->agreement = most == least ? KEEL_AGREEMENT_SAME : KEEL_AGREEMENT_APART;
    if (most == 0) {
        loop->agreement = KEEL_AGREEMENT_NOBODY;
    }
    if (loop->agreement != KEEL_AGREEMENT_APART) {
        return;
    }
    if (keel_loop_is_open(loop)) {
        keel_board_close(loop->board, KEEL_BOARD_APART);
    }
    loop->code = loop->code != KEEL_MPI_OK ? loop->code : KEEL_MPI_MISMATCH;
}

static void send_figures(struct keel_mpi_loop *loop)
{
    struct keel_peers *peers = &loop->job->peers;

    if (loop->figures_sent) {
        return;
    }
    loop->figures_sent = true;
    if (!keel_check(peers,
                    MPI_Iallgather(&loop->figures, sizeof loop->figures, MPI_BYTE,
                                   loop->all_figures, sizeof loop->figures, MPI_BYTE, peers->comm,
                                   &loop->figures_request),
                    "MPI_Iallgather")) {
        loop->figures_request = MPI_REQUEST_NULL;
    }
}

/* Ranks run different loops: they tell each other at once what they came with. */
static void tell_apart(struct keel_mpi_loop *loop)
{
    if (loop->agreement != KEEL_AGREEMENT_APART || loop->apart_told) {
        return;
    }
    if (!loop->figures_sent) {
        loop->figures = (struct keel_figures){.came = loop->came};
        send_figures(loop);
    }
    if (keel_post_is_done(&loop->job->peers, &loop->figures_request)) {
        loop->apart_told = true;
        keel_came_tell(loop);
    }
}

bool keel_loop_is_settled(const struct keel_mpi_loop *loop)
{
    return loop->agreement == KEEL_AGREEMENT_APART ? loop->apart_told
                                                   : loop->agreement > KEEL_AGREEMENT_ASKED;
}

/* Asks all ranks whether they run the same loop, and goes on without waiting for the answer. */
static void agree(struct keel_mpi_loop *loop)
{
    struct keel_peers *peers = &loop->job->peers;

    if (loop->agreement == KEEL_AGREEMENT_NONE) {
        loop->offered[0] = loop->check;
        loop->offered[1] = ~loop->check;
        loop->agreement = KEEL_AGREEMENT_ASKED;
        if (!keel_check(peers,
                        MPI_Iallreduce(loop->offered, loop->agreed, 2, MPI_UINT64_T, MPI_MAX,
                                       peers->comm, &loop->agreement_request),
                        "MPI_Iallreduce")) {
            loop->agreement_request = MPI_REQUEST_NULL;
            return;
        }
    }
    if (loop->agreement == KEEL_AGREEMENT_ASKED &&
        keel_post_is_done(&loop->job->peers, &loop->agreement_request)) {
        settle_agreement(loop);
    }
    tell_apart(loop);
}

/* After a failure nothing is collective any more. */
void keel_loop_exchange(struct keel_mpi_loop *loop)
{
    if (!keel_loop_has_failed(loop)) {
        agree(loop);
    }
    if (!keel_loop_has_failed(loop)) {
        send_figures(loop);
    }
}

bool keel_loop_exchanged(struct keel_mpi_loop *loop)
{
    if (keel_loop_has_failed(loop)) {
        return true;
    }
    agree(loop);
    if (keel_loop_has_failed(loop)) {
        return true;
    }
    return keel_loop_is_settled(loop) &&
           keel_post_is_done(&loop->job->peers, &loop->figures_request);
}

/* --- between chunks --- */

bool keel_loop_has_failed(struct keel_mpi_loop *loop)
{
    int code = keel_job_code(loop->job);

    if (code != KEEL_MPI_OK && !loop->failed) {
        loop->failed = true;
        loop->code = loop->code != KEEL_MPI_OK ? loop->code : code;
        if (keel_loop_is_open(loop)) {
            keel_board_close(loop->board, KEEL_BOARD_APART);
        }
    }
    return loop->failed;
}

#define CALM 64 /* looks until it matters how long others take */

bool keel_loop_waits_on(struct keel_mpi_loop *loop, struct keel_wait *wait, unsigned looks)
{
    if (looks < CALM) {
        return true;
    }
    keel_job_hold(loop->job);
    bool goes_on = keel_wait_goes_on(wait);
    keel_job_release(loop->job);
    return goes_on;
}

#define HEARING_S 0.1 /* notices of others are looked for so often, where nobody waits */

/* Whether anything has come. */
static bool attend(struct keel_mpi_loop *loop, struct keel_taker *taker)
{
    struct keel_job *job = loop->job;
    enum keel_agreement agreement = loop->agreement;
    enum keel_board_end end = keel_board_end(loop->board);

    keel_peers_hear_at(&job->peers, false, keel_mpi_clock_ns() * 1e-9, HEARING_S);
    if (keel_loop_has_failed(loop)) {
        return false;
    }
    agree(loop);
    if (job->nodes == 1) {
        return loop->agreement != agreement;
    }
    bool any = read_letters(job);
    if (taker != NULL && keel_board_end(loop->board) == KEEL_BOARD_RUNS) {
        loop->claiming->talk(taker);
    }
    if (is_leader(loop) && keel_loop_is_open(loop)) {
        count(loop);
    }
    return any || loop->agreement != agreement || keel_board_end(loop->board) != end;
}

void keel_loop_attend_held(struct keel_mpi_loop *loop)
{
    attend(loop, NULL);
    atomic_store_explicit(&loop->talked_ns, keel_mpi_clock_ns(), memory_order_relaxed);
}

bool keel_loop_attend(struct keel_mpi_loop *loop, struct keel_taker *taker)
{
    if (!keel_job_try_hold(loop->job)) {
        return false;
    }
    bool any = attend(loop, taker);
    keel_job_release(loop->job);
    return any;
}

#define TALK_PART 8 /* letters are looked at this often in the time that answers may take */

/* Whether letters have not been looked at for so long. */
static bool is_time(const struct keel_mpi_loop *loop, double now_ns)
{
    double talked_ns = atomic_load_explicit(&loop->talked_ns, memory_order_relaxed);

    return now_ns - talked_ns >= loop->poll_ns / TALK_PART;
}

/* Whether there may be something to say or to hear by now. */
static bool is_due(const struct keel_taker *taker)
{
    const struct keel_mpi_loop *loop = taker->loop;

    if (loop->job->nodes > 1) {
        return is_time(loop, taker->asked_ns);
    }
    return loop->agreement <= KEEL_AGREEMENT_ASKED ||
           taker->asked_ns * 1e-9 - loop->job->peers.heard_s > HEARING_S;
}

void keel_loop_poll(struct keel_mpi_loop *loop)
{
    if (loop->job->nodes > 1 && is_time(loop, keel_mpi_clock_ns()) && keel_job_may_talk() &&
        keel_job_try_hold(loop->job)) {
        keel_loop_attend_held(loop);
        keel_job_release(loop->job);
    }
}

void keel_loop_talk(struct keel_taker *taker)
{
    struct keel_mpi_loop *loop = taker->loop;

    if (!is_due(taker) || !keel_job_try_hold(loop->job)) {
        return;
    }
    attend(loop, taker);
    atomic_store_explicit(&loop->talked_ns, taker->asked_ns, memory_order_relaxed);
    keel_job_release(loop->job);
}
