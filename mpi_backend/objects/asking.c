/* An idle rank asks others for objects. */
#include "mpi_backend/objects/objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/objects/records.h"
#include "mpi_backend/process/mpi_process.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/objects/gift.h"

/* --- load information in questions and answers ---
 *
 *   measured work, waiting objects, news -> [digest]
 *        ~~> news of other ranks, and which are done soon (schedules/objects/news.h) */

/* The speed and the load of this rank, by now. */
struct status {
    struct keel_mpi_objects_pace pace; /* as it is sent, except next_s */
    double weight_s; /* weight that it computes per s; before any was computed, by the time of the
                        running object; 0: none runs */
    double next_s;   /* time of the next object, with its messages; 0: none waits */
    double spare_s;  /* time of an object for other ranks: the second one, if any, as the first is
                        about to begin here */
};

/* Returns the time of `amount` at that rate, in s; 1 s per unit if the rate is not known. */
static double time_of(double amount, double rate)
{
    return rate > 0 ? amount / rate : amount;
}

static double weight_per_s(const struct keel_mpi_objects *objects, double running_s)
{
    if (objects->computing.amount > 0 || objects->running_since_s <= 0 || running_s <= 0 ||
        objects->running_weight <= 0) {
        const struct keel_work computing = keel_mpi_movement_computing(objects);
        return keel_work_per_s(&computing);
    }
    return objects->threads / keel_work_expected_s(1, objects->running_weight, running_s);
}

/* Returns the time of a waiting object with its messages, in s. */
static double work_s(const struct keel_mpi_object *object, const struct status *status)
{
    double known_s = keel_mpi_object_known_s(object), compute_s = 0;

    if (object->to_compute) {
        compute_s = known_s > 0 ? known_s / status->pace.speed.power
                                : time_of(object->weight, status->weight_s);
    }
    return compute_s + time_of(object->messages.count, status->pace.message_s);
}

static struct status status_of(const struct keel_mpi_objects *objects)
{
    const struct keel_mpi_object *first = objects->first_ready;
    double running_s = keel_mpi_clock_s() - objects->running_since_s;
    struct status status = {
        .pace = {.speed = keel_rank_speed(&objects->computing, keel_speed_of(&objects->speed),
                                          objects->threads),
                 .message_s = keel_work_per_s(&objects->handling),
                 .unseen_s = keel_presence_unseen_s(&objects->presence)},
        .weight_s = weight_per_s(objects, running_s)};
    struct keel_mpi_objects_pace *pace = &status.pace;

    pace->waits_s = time_of(objects->ready_weight, status.weight_s) +
                    objects->ready_known_s / pace->speed.power +
                    time_of((double)objects->ready_messages, pace->message_s);
    if (objects->running_since_s > 0) {
        pace->begins_s =
            objects->running_known_s > 0
                ? keel_work_left_s(objects->running_known_s * objects->threads / pace->speed.power,
                                   running_s)
                : keel_work_running_left_s(&objects->computing, objects->running_weight, running_s);
    }
    pace->left_s = pace->waits_s + pace->begins_s;
    if (first != NULL) {
        status.next_s = work_s(first, &status);
        status.spare_s = first->next != NULL ? work_s(first->next, &status) : status.next_s;
    }
    return status;
}

/* Two ranks have no others to report; only the policy `diffuse` asks by news. */
static bool sends_news(const struct keel_mpi_objects *objects)
{
    return objects->policy.kind == KEEL_OBJECTS_DIFFUSE && objects->ranks > 2;
}

static struct keel_mpi_objects_digest digest_of(const struct keel_mpi_objects *objects,
                                                const struct status *status)
{
    const struct keel_mpi_objects_pace *pace = &status->pace;
    struct keel_mpi_objects_digest digest = {.pace = *pace};

    digest.pace.next_s = objects->early ? status->next_s : 0;
    if (sends_news(objects)) {
        digest.item[0] =
            (struct keel_news_item){.rank = objects->rank,
                                    .left_s = (float)(pace->left_s * pace->speed.power),
                                    .one_s = (float)(status->spare_s * pace->speed.power)};
        digest.items = 1 + keel_news_list(&objects->news, keel_mpi_clock_s(), &digest.item[1]);
    }
    return digest;
}

/* Bytes to send. */
static uint64_t digest_bytes(const struct keel_mpi_objects_digest *digest)
{
    return digest->items > 0 ? sizeof *digest : sizeof digest->pace;
}

/* Takes the news in the payload of a record, if there are any. */
static void take_digest(struct keel_mpi_objects *objects, const void *payload, uint64_t bytes)
{
    struct keel_mpi_objects_digest digest;

    if (bytes == sizeof digest) {
        double now_s = keel_mpi_clock_s();
        memcpy(&digest, payload, sizeof digest);
        for (uint32_t i = 0; i < digest.items; i++) {
            keel_news_note(&objects->news, &digest.item[i], objects->rank, now_s);
            keel_helpers_note(&objects->helpers, &digest.item[i], objects->rank, now_s);
        }
    }
}

/* --- opening --- */

static bool is_prema(const struct keel_mpi_objects *objects)
{
    return objects->policy.kind == KEEL_OBJECTS_PREMA;
}

bool keel_mpi_asking_is_on(const struct keel_mpi_objects *objects)
{
    return objects->policy.kind < KEEL_OBJECTS_SHAKE && keel_mpi_movement_is_possible(objects);
}

static bool make_links(struct keel_mpi_objects *objects)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    double *speed = malloc(objects->ranks * sizeof *speed);
    bool made = false;

    for (uint32_t i = 0; speed != NULL && i < objects->ranks; i++) {
        speed[i] = i < settings->weights ? settings->weight[i] : 1;
    }
    if (speed != NULL) {
        made =
            keel_cluster_tree_links(objects->ranks, speed, objects->rank, realloc, &objects->links);
    }
    free(speed);
    return made;
}

static enum keel_victim_kind victim_kind(enum keel_objects_kind kind)
{
    return kind == KEEL_OBJECTS_TREE    ? KEEL_VICTIM_TREE
           : kind == KEEL_OBJECTS_STEAL ? KEEL_VICTIM_STEAL
                                        : KEEL_VICTIM_DIFFUSE;
}

int keel_mpi_asking_open(struct keel_mpi_objects *objects)
{
    if (objects->policy.kind == KEEL_OBJECTS_TREE && !make_links(objects)) {
        return KEEL_MPI_NO_ROOM;
    }
    objects->draws = objects->policy.seed;
    objects->report.neighbours =
        keel_objects_policy_looks(&objects->policy) ? objects->policy.neighbours : 0;
    keel_victim_begin(&objects->search, victim_kind(objects->policy.kind), objects->ranks,
                      objects->rank, &objects->links, objects->policy.neighbours,
                      objects->phase + 1);
    keel_victim_scatter(&objects->search, is_prema(objects));
    return KEEL_MPI_OK;
}

/* Part of the measurements of earlier phases that counts in the next one, but at least PACE_S: in
 * shorter times, a rank's pace depends on when others have its processor. */
#define OLD_PART 0.25
#define PACE_S 0.05
#define SHORTEST_PAUSE_S 50e-6
#define LONGEST_PAUSE_S 5e-3
#define EARLY_PART 0.01 /* of a rank's time, for looks for a heavier object */
/* a pause lasts at most LONGEST_PAUSE_S, or this part of the phase so far if longer */
#define PAUSE_PART 0.5
#define PREMA_PART 0.1

void keel_mpi_asking_begin(struct keel_mpi_objects *objects)
{
    struct keel_work *work[] = {&objects->computing, &objects->handling};

    for (unsigned i = 0; i < 2; i++) {
        bool is_short = work[i]->busy_s <= PACE_S;

        keel_work_age(work[i], is_short ? 1 : fmax(PACE_S / work[i]->busy_s, OLD_PART));
    }
    keel_speed_age(&objects->speed, OLD_PART);
    if (objects->asked) { /* its answer will be ignored */
        objects->asked = false;
        keel_mpi_asking_open(objects);
    }
    keel_victim_new_round(&objects->search);
    objects->since_s = keel_mpi_clock_s();
    objects->news = (struct keel_news){0};
    objects->helpers = (struct keel_helpers){0};
    objects->early = objects->sampled = false;
    objects->begins_again_s = 0;
    objects->again_s = 0;
    objects->pause_s = SHORTEST_PAUSE_S;
    objects->longest_s = 0;
    atomic_store_explicit(&objects->requests, 0, memory_order_relaxed);
}

/* --- asking ---
 *
 * Gains of its parts: the time without a part over that with it, simulated (bench/papers prema05:
 * R9 with 10 and 25 % heavy, seeds 1 to 10, and drawn jobs; 30 to 90 in all). Asking early for
 * heavier objects: 1.083; waiting for answers to that: 1.03; moving arrived objects before lighter
 * ones: 1.04; the last one first as a sample: 1.02; counts of helpers: 1.01, and 1.07 with 25 %
 * heavy; news of ranks without work: 1.07, and a 13th of the messages. */

/* Sends a question or a look, with the load of this rank. */
static void send(struct keel_mpi_objects *objects, uint32_t rank, enum keel_mpi_record_kind kind)
{
    double began_s = keel_mpi_clock_s();
    const struct status status = status_of(objects);
    struct keel_mpi_objects_digest digest = digest_of(objects, &status);
    struct keel_mpi_object_record record = {.index = objects->phase,
                                            .bytes = digest_bytes(&digest),
                                            .kind = kind,
                                            .sender = objects->rank};

    if (keel_mpi_delivery_put(objects, rank, &record, &digest)) {
        objects->asked = true;
        objects->asked_s = keel_mpi_clock_s();
        objects->sending_s += objects->asked_s - began_s;
        objects->questions++;
        objects->report.asked += kind == KEEL_MPI_RECORD_ASK;
    } else {
        keel_victim_answered(&objects->search, rank, 0, 0, false);
    }
}

/* Returns the processor time of a look and its answer; 0: not known. */
static double message_s(const struct keel_mpi_objects *objects)
{
    if (objects->questions == 0 || objects->requests_answered == 0) {
        return 0;
    }
    return objects->sending_s / (double)objects->questions +
           objects->report.answering_s / (double)objects->requests_answered;
}

/* No rank has objects to give: begins another round after a pause. */
static void pause_asking(struct keel_mpi_objects *objects)
{
    double now_s = keel_mpi_clock_s(), phase_s = now_s - objects->since_s;
    double early_s = objects->early ? objects->search.asked * message_s(objects) / EARLY_PART : 0;

    objects->again_s = now_s + fmax(objects->pause_s, early_s);
    double part = is_prema(objects) ? PREMA_PART : PAUSE_PART;
    objects->pause_s = fmin(2 * fmax(objects->pause_s, objects->report.answer_s),
                            fmax(LONGEST_PAUSE_S, part * phase_s));
    keel_victim_new_round(&objects->search);
    keel_news_forgive(&objects->news);
}

/* Whether work of left_s will be done before an answer can arrive. */
static bool is_due(const struct keel_mpi_objects *objects, double left_s)
{
    const struct keel_need_case need = {
        .left_s = left_s,
        .gap_s = keel_looks_gap_s(&objects->looks_apart),
        .answer_s = objects->answer_s,
        .trips = keel_objects_policy_looks(&objects->policy) ? 2 : 1,
    };

    return keel_need_is_due(&need);
}

/* Whether all work of this rank will be done before an answer can arrive. */
static bool is_needy(const struct keel_mpi_objects *objects)
{
    const struct keel_mpi_objects_pace pace = status_of(objects).pace;
    bool known = objects->ready_weight <= 0 && objects->ready_known_s > 0;

    return known || pace.speed.weight_s > 0 || pace.message_s > 0 ? is_due(objects, pace.left_s)
                                                                  : objects->ready == 0;
}

#define AHEAD 2 /* objects that wait at most if a rank wants heavier ones */

/* Whether the running object takes longer than expected, so that its end is not known. */
static bool is_overdue(const struct keel_mpi_objects *objects)
{
    return objects->running_since_s > 0 &&
           keel_work_is_overdue(&objects->computing, objects->running_weight,
                                keel_mpi_clock_s() - objects->running_since_s);
}

/* Whether a heavier object than the next one would help now (schedules/objects/gift.h): the rank is
 * about to begin that, and its last object has shown how long those before it take. Only `diffuse`
 * knows which ranks have heavier ones. */
static bool is_early(const struct keel_mpi_objects *objects)
{
    if (objects->policy.kind != KEEL_OBJECTS_DIFFUSE || objects->threads > 1 ||
        objects->ranks <= 2 || objects->ready == 0 || objects->ready_to_compute < objects->ready ||
        objects->computing.amount <= 0 || objects->running_known_s > 0 || objects->ready > AHEAD ||
        (objects->ready > 1 && !objects->sampled)) {
        return false;
    }
    return !is_overdue(objects) && is_due(objects, status_of(objects).pace.begins_s);
}

/* Returns how long this rank may wait for answers before it begins its next object; 0 if others
 * look too seldom. */
static double patience_s(const struct keel_mpi_objects *objects)
{
    return keel_need_patience_s(status_of(objects).next_s, keel_looks_gap_s(&objects->looks_apart));
}

/* Whether it only looks for heavier objects, and asks when its running object is done: that may be
 * heavy, too, and would delay an object taken before its end. */
static bool only_looks(const struct keel_mpi_objects *objects)
{
    return objects->early && objects->running_since_s > 0 && patience_s(objects) > 0;
}

/* PREMA: by the number of objects, whatever their times. */
static bool is_below_threshold(const struct keel_mpi_objects *objects)
{
    /* relaxed: threads may end at any time */
    uint64_t in_work = atomic_load_explicit(&objects->running, memory_order_relaxed) +
                       (objects->running_since_s > 0);

    return objects->ready + in_work < objects->policy.threshold;
}

/* Whether it is time to ask. */
static bool decide_to_ask(struct keel_mpi_objects *objects)
{
    if (is_prema(objects)) {
        return is_below_threshold(objects);
    }
    bool needy = is_needy(objects);

    if (needy && objects->early) { /* ranks without heavier objects may have others */
        objects->again_s = 0;
        objects->pause_s = SHORTEST_PAUSE_S;
        keel_news_forgive(&objects->news);
    }
    objects->early = !needy && is_early(objects);
    return needy || objects->early;
}

/* Chooses the neighbours of `diffuse`, unless the user has set their number. */
static void choose_neighbours(struct keel_mpi_objects *objects)
{
    if (objects->policy.kind != KEEL_OBJECTS_DIFFUSE || objects->policy.stated ||
        objects->requests_answered == 0 || objects->looks == 0) {
        return;
    }
    double answered_s = objects->report.answering_s / (double)objects->requests_answered;
    const struct keel_neighbourhood_case measured = {
        .others = objects->ranks - 1,
        .empty = (double)objects->empty / (double)objects->looks,
        .message_s = message_s(objects),
        .wait_s = objects->report.answer_s - answered_s,
    };
    objects->report.neighbours =
        keel_neighbourhood(&measured, KEEL_VICTIM_NEIGHBOURS_MAX, objects->policy.neighbours);
    keel_victim_set_neighbours(&objects->search, (uint32_t)objects->report.neighbours);
}

/* Asks a rank that is known by news. False: there is none, or none can be asked now. */
static bool ask_by_news(struct keel_mpi_objects *objects)
{
    const struct status status = status_of(objects);
    double next_s = objects->early ? status.next_s * status.pace.speed.power : 0;
    uint64_t draw = keel_chance_mix(objects->questions * objects->ranks + objects->rank + 1);
    uint32_t rank = sends_news(objects) && !only_looks(objects)
                        ? keel_news_choose(&objects->news, next_s, keel_mpi_clock_s(), draw)
                        : KEEL_NEWS_NO_RANK;

    if (rank == KEEL_NEWS_NO_RANK || !keel_victim_ask(&objects->search, rank)) {
        return false;
    }
    send(objects, rank, KEEL_MPI_RECORD_ASK);
    return true;
}

/* Looks at a rank, unless it is known to have no objects. */
static void look(struct keel_mpi_objects *objects, uint32_t rank)
{
    double now_s = keel_mpi_clock_s();
    double fresh_s = fmax(objects->pause_s, PAUSE_PART * (now_s - objects->since_s));

    if (keel_news_is_empty(&objects->news, rank, now_s, fresh_s)) {
        keel_victim_answered(&objects->search, rank, 0, 0, false);
    } else {
        send(objects, rank, KEEL_MPI_RECORD_LOOK);
    }
}

void keel_mpi_asking_if_due(struct keel_mpi_objects *objects)
{
    if (objects->asked || !keel_mpi_asking_is_on(objects) || !decide_to_ask(objects) ||
        keel_mpi_clock_s() < objects->again_s) {
        return;
    }
    choose_neighbours(objects);
    if (ask_by_news(objects)) {
        return;
    }
    struct keel_victim_step step = keel_victim_next(&objects->search);
    switch (step.action) {
    case KEEL_VICTIM_ASK:
        send(objects, step.worker, KEEL_MPI_RECORD_ASK);
        break;
    case KEEL_VICTIM_LOOK: /* all of a neighbourhood at once */
        while (step.action == KEEL_VICTIM_LOOK) {
            look(objects, step.worker);
            step = keel_victim_next(&objects->search);
        }
        break;
    case KEEL_VICTIM_PENDING:
        break;
    case KEEL_VICTIM_WAIT:
        pause_asking(objects);
        break;
    }
}

bool keel_mpi_asking_holds(struct keel_mpi_objects *objects)
{
    if (!is_early(objects) || !keel_mpi_asking_is_on(objects)) {
        return false;
    }
    double now_s = keel_mpi_clock_s();
    bool first = objects->report.computed == 1 && objects->again_s <= now_s;
    const struct status status = status_of(objects);
    double next_s = status.next_s * status.pace.speed.power;
    if (!first && !objects->asked &&
        keel_news_choose(&objects->news, next_s, now_s, 0) == KEEL_NEWS_NO_RANK) {
        return false;
    }
    if (objects->begins_again_s <= 0) {
        objects->begins_again_s = now_s + patience_s(objects);
    }
    /* waits longer for the answer to a question: it may be an object */
    return now_s < objects->begins_again_s + (objects->search.pending ? patience_s(objects) : 0);
}

static void note_answer(double *answer_s, double took_s)
{
    *answer_s += (took_s - *answer_s) / (*answer_s > 0 ? 4 : 1);
}

/* Whether that rank may give objects. A rank that wants heavier ones asks only ranks that have
 * some, so that it reaches more ranks before its own end. */
static bool is_of_use(const struct keel_mpi_objects *objects,
                      const struct keel_mpi_object_record *record)
{
    return objects->early && objects->ready > 0
               ? keel_gift_goes_first(record->epoch / 1e6, status_of(objects).next_s)
               : record->epoch > 0;
}

void keel_mpi_asking_take(struct keel_mpi_objects *objects,
                          const struct keel_mpi_object_record *record, const void *payload)
{
    if (record->index != objects->phase) {
        return;
    }
    take_digest(objects, payload, record->bytes);
    double took_s = keel_mpi_clock_s() - objects->asked_s;
    objects->answers_s += took_s;
    objects->answers++;
    objects->looks += record->handler == KEEL_MPI_RECORD_LOOK;
    bool useful = is_of_use(objects, record);
    objects->empty += record->handler == KEEL_MPI_RECORD_LOOK && !useful;
    note_answer(&objects->report.answer_s, took_s);
    if (record->number > 0 || record->epoch > 0) { /* others only have to answer */
        note_answer(&objects->answer_s, took_s);
    }
    keel_victim_answered(&objects->search, record->sender, record->number,
                         useful && !only_looks(objects) ? record->rank : 0, false);
    objects->asked = false;
    if (record->number > 0) {
        objects->again_s = 0;
        objects->pause_s = SHORTEST_PAUSE_S;
    } else if (record->handler != KEEL_MPI_RECORD_LOOK) {
        objects->report.asked_in_vain++;
        keel_news_refuse(&objects->news, record->sender);
    }
}

/* --- giving --- */

#define CANDIDATES 4096
/* Most bytes for one answer, or one object: packed objects take memory twice. */
#define PACKED_MOST ((uint64_t)256 << 20)
#define BYTE_S 1e-9 /* transfer time of a byte */

void keel_mpi_asking_place(struct keel_mpi_objects *objects, struct keel_mpi_object *object)
{
    const struct status status = status_of(objects);

    if (is_prema(objects) || object == NULL || object->state != KEEL_MPI_OBJECT_READY ||
        !object->to_compute || objects->ready_to_compute < 2) {
        return;
    }
    double own_s = work_s(object, &status), others_s = status.pace.waits_s - own_s;
    if (keel_gift_goes_first(own_s, others_s / (double)(objects->ready_to_compute - 1))) {
        keel_mpi_ready_go_first(objects, object);
    }
}

#define SAMPLED 4 /* objects left when the last one goes first: one before others look */

void keel_mpi_asking_sample(struct keel_mpi_objects *objects)
{
    if (objects->sampled || objects->ready > SAMPLED || objects->ready < 2 ||
        objects->computing.amount <= 0 || !sends_news(objects) ||
        objects->ready_to_compute < objects->ready || !keel_mpi_asking_is_on(objects)) {
        return;
    }
    const struct keel_mpi_object *first = objects->first_ready;
    struct keel_mpi_object *last = objects->last_ready;

    objects->sampled = true;
    if (!last->stated && keel_mpi_object_known_s(last) <= 0 &&
        keel_mpi_object_known_s(first) <= 0 && !keel_gift_goes_first(first->weight, last->weight)) {
        keel_mpi_ready_go_first(objects, last);
    }
}

/* Lists the times of objects that have not begun, from the end of the list. */
static size_t list_candidates(const struct keel_mpi_objects *objects, const struct status *status,
                              struct keel_gift_object *candidate)
{
    size_t count = 0;

    for (struct keel_mpi_object *object = objects->last_ready; object != NULL && count < CANDIDATES;
         object = object->before) {
        if (object->stays) {
            continue;
        }
        candidate[count++] = (struct keel_gift_object){
            .work_s = work_s(object, status),
            .bytes = keel_mpi_movement_bytes(objects, object),
            .place = (uint64_t)(uintptr_t)object,
        };
    }
    return count;
}

/* Returns the receiver's rate, relative to this rank's. */
static double speed_of(const struct keel_mpi_objects *objects,
                       const struct keel_mpi_objects_pace *own,
                       const struct keel_mpi_objects_pace *other)
{
    if (objects->ready_to_compute == 0 && own->message_s > 0 && other->message_s > 0) {
        return other->message_s / own->message_s;
    }
    return keel_relative_speed(&own->speed, &other->speed);
}

/* Returns how many ranks other than that one are done by then, if they are as fast as this one. */
static double helpers_in(const struct keel_mpi_objects *objects, uint32_t rank,
                         const struct keel_mpi_objects_pace *own, double time_s)
{
    double by_s = keel_mpi_clock_s() + time_s * own->speed.power;

    return keel_helpers_count(&objects->helpers, rank, by_s);
}

/* The work that waits on that rank; waited_s: age of that information. */
static struct keel_gift_waiting waiting_of(const struct keel_mpi_objects *objects, uint32_t rank,
                                           const struct keel_gift_case *gift,
                                           const struct keel_mpi_objects_pace *own,
                                           const struct keel_mpi_objects_pace *other,
                                           double waited_s)
{
    double time_s = gift->giver_s - other->next_s * gift->speed;
    double part = other->waits_s > other->next_s ? other->next_s / other->waits_s : 1;

    return (struct keel_gift_waiting){
        .begins_s = fmax(other->begins_s - waited_s, 0),
        .waits_s = other->waits_s,
        .next_s = other->next_s,
        .helpers = helpers_in(objects, rank, own, time_s) * part,
    };
}

static uint32_t give(struct keel_mpi_objects *objects, uint32_t rank,
                     const struct keel_mpi_objects_pace *other)
{
    struct keel_gift_object *candidate = malloc(CANDIDATES * sizeof *candidate);
    const struct status status = status_of(objects);
    const struct keel_mpi_objects_pace *own = &status.pace;
    uint32_t given = 0;

    if (candidate == NULL) {
        return 0;
    }
    /* the question has arrived at some time since this rank looked last */
    double waited_s = (keel_mpi_clock_s() - objects->progress_s) / 2;
    struct keel_gift_case gift = {
        .giver_s = own->left_s,
        .receiver_s = fmax(other->left_s - waited_s, 0),
        .speed = speed_of(objects, own, other),
        .message_s = fmax(KEEL_MPI_ANSWER_S, other->unseen_s),
        .byte_s = BYTE_S + objects->packing_s,
        .packing_s = objects->packing_s,
        .object_s = KEEL_MPI_OBJECT_S,
    };
    size_t count = list_candidates(objects, &status, candidate);
    const struct keel_gift_waiting waiting = waiting_of(objects, rank, &gift, own, other, waited_s);
    double mean_s = own->waits_s / fmax((double)objects->ready, 1);
    gift.helpers = helpers_in(objects, rank, own, gift.receiver_s + mean_s / gift.speed);
    size_t chosen = other->next_s > 0 ? keel_gift_choose_first(&gift, &waiting, candidate, count)
                                      : keel_gift_choose(&gift, candidate, count);
    uint64_t before = objects->report.bytes_given;
    for (size_t i = 0; i < chosen && objects->report.bytes_given - before < PACKED_MOST; i++) {
        struct keel_mpi_object *object = (struct keel_mpi_object *)(uintptr_t)candidate[i].place;
        given += keel_mpi_movement_give(objects, object, rank);
    }
    free(candidate);
    return given;
}

/* PREMA: gives the last object, whatever its time. */
static uint32_t give_last(struct keel_mpi_objects *objects, uint32_t rank)
{
    struct keel_mpi_object *object = objects->last_ready;

    while (object != NULL && object->stays) {
        object = object->before;
    }
    return object != NULL ? keel_mpi_movement_give(objects, object, rank) : 0;
}

/* At least 1. By it an idle rank finds the fullest one, as numbers of objects say little if some
 * are heavy. */
static uint32_t microseconds(double time_s)
{
    return (uint32_t)fmin(time_s * 1e6 + 1, UINT32_MAX);
}

void keel_mpi_asking_answer(struct keel_mpi_objects *objects,
                            const struct keel_mpi_object_record *record, const void *payload)
{
    double began_s = keel_mpi_clock_s();
    bool gives = record->kind == KEEL_MPI_RECORD_ASK && record->index == objects->phase &&
                 objects->ready > 0 && keel_mpi_asking_is_on(objects);
    struct keel_mpi_object_record answer = {.index = record->index,
                                            .kind = KEEL_MPI_RECORD_GAVE,
                                            .handler = record->kind,
                                            .sender = objects->rank};

    /* relaxed: only a count */
    atomic_fetch_add_explicit(&objects->requests, 1, memory_order_relaxed);
    if (gives) {
        struct keel_mpi_objects_pace other;
        memcpy(&other, payload, sizeof other);
        answer.number = is_prema(objects) ? give_last(objects, record->sender)
                                          : give(objects, record->sender, &other);
    }
    const struct status status = status_of(objects);
    if (record->index == objects->phase && objects->ready > 0) {
        answer.rank = is_prema(objects) ? (uint32_t)fmin((double)objects->ready, UINT32_MAX)
                                        : microseconds(status.pace.left_s);
        answer.epoch = microseconds(status.spare_s);
    }
    struct keel_mpi_objects_digest digest = digest_of(objects, &status);
    if (record->index == objects->phase && digest.items > 0) {
        take_digest(objects, payload, record->bytes);
        answer.bytes = digest_bytes(&digest);
    }
    if (!keel_mpi_delivery_put(objects, record->sender, &answer, &digest)) {
        answer.bytes = 0;
        keel_mpi_delivery_notify(objects, record->sender, &answer);
    }
    objects->requests_answered++;
    objects->report.answering_s += keel_mpi_clock_s() - began_s;
}
