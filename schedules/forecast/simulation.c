/* A loop instance without threads or a clock. */
#include "schedules/forecast/simulation.h"

#include <stdlib.h>

struct actor {
    double free_ns; /* when it is done with what it has */
    double time_ns; /* of its last chunk; < 0: it has had none */
    struct keel_seat seat;
};

struct keel_rehearsal {
    const struct keel_play *play;
    struct keel_team *team;
    struct actor *actors;
    uint64_t *heap;   /* threads: each is free no later than those at 2i + 1 and 2i + 2 */
    uint64_t working; /* threads in the heap */
};

/* --- who is free next --- */

static bool is_earlier(const struct keel_rehearsal *rehearsal, uint64_t a, uint64_t b)
{
    double a_ns = rehearsal->actors[a].free_ns, b_ns = rehearsal->actors[b].free_ns;

    return a_ns < b_ns || (a_ns == b_ns && a < b);
}

/* Moves the first of the heap to its place. */
static void sift(struct keel_rehearsal *rehearsal)
{
    uint64_t *heap = rehearsal->heap, place = 0, least;

    while ((least = 2 * place + 1) < rehearsal->working) {
        if (least + 1 < rehearsal->working && is_earlier(rehearsal, heap[least + 1], heap[least])) {
            least++;
        }
        if (is_earlier(rehearsal, heap[place], heap[least])) {
            return;
        }
        uint64_t moved = heap[place];
        heap[place] = heap[least];
        heap[least] = moved;
        place = least;
    }
}

static void leave(struct keel_rehearsal *rehearsal)
{
    rehearsal->heap[0] = rehearsal->heap[--rehearsal->working];
    sift(rehearsal);
}

/* --- the play --- */

static void seat_all(struct keel_rehearsal *rehearsal)
{
    const struct keel_play *play = rehearsal->play;
    const struct keel_pace unknown = {0};

    keel_team_begin(rehearsal->team, play->spec, play->iterations, play->threads, play->first,
                    NULL);
    for (uint64_t i = 0; i < play->threads && play->known != NULL; i++) {
        keel_team_recall(rehearsal->team, i, play->known[i]);
    }
    for (uint64_t i = 0; i < play->threads; i++) {
        struct actor *actor = &rehearsal->actors[i];
        *actor = (struct actor){.time_ns = -1};
        rehearsal->heap[i] = i;
        keel_seat_begin(&actor->seat, rehearsal->team, i,
                        play->known != NULL ? play->known[i] : unknown);
    }
    rehearsal->working = play->threads;
}

struct keel_rehearsal *keel_rehearsal_begin(const struct keel_play *play)
{
    if (play->threads > KEEL_REHEARSAL_THREADS_MAX) {
        return NULL;
    }
    struct keel_rehearsal *rehearsal = malloc(sizeof *rehearsal);
    if (rehearsal == NULL) {
        return NULL;
    }
    *rehearsal = (struct keel_rehearsal){
        .play = play,
        .team = aligned_alloc(64, keel_team_size(play->threads)),
        .actors = malloc(play->threads * sizeof(struct actor)),
        .heap = malloc(play->threads * sizeof(uint64_t)),
    };
    if (rehearsal->team == NULL || rehearsal->actors == NULL || rehearsal->heap == NULL) {
        keel_rehearsal_end(rehearsal);
        return NULL;
    }
    seat_all(rehearsal);
    return rehearsal;
}

bool keel_rehearsal_next(struct keel_rehearsal *rehearsal, struct keel_rehearsed_chunk *chunk)
{
    const struct keel_play *play = rehearsal->play;

    for (; rehearsal->working > 0; leave(rehearsal)) {
        uint64_t thread = rehearsal->heap[0];
        struct actor *actor = &rehearsal->actors[thread];
        if (actor->time_ns >= 0) {
            keel_seat_done(&actor->seat, actor->time_ns, play->claim_ns);
        }
        if (keel_seat_next(&actor->seat, &chunk->first, &chunk->last)) {
            chunk->thread = thread;
            chunk->start_ns = actor->free_ns + play->claim_ns;
            chunk->time_ns = actor->time_ns = play->time_ns(chunk, play->context);
            actor->free_ns = chunk->start_ns + chunk->time_ns;
            sift(rehearsal);
            return true;
        }
    }
    return false;
}

void keel_rehearsal_end(struct keel_rehearsal *rehearsal)
{
    free(rehearsal->team);
    free(rehearsal->actors);
    free(rehearsal->heap);
    free(rehearsal);
}
