/* Adversarial schedules. */
#include "schedules/claim/adversary.h"

#include "schedules/arithmetic/arithmetic.h"

/* Draws of an instance; borders and owners of chunks have numbers from DRAW_CHUNKS on. */
enum {
    DRAW_COUNT,
    DRAW_SIZES,
    DRAW_MAGNITUDE,
    DRAW_WHO,
    DRAW_ORDER,
    DRAW_FACTOR,
    DRAW_OFFSET,
    DRAW_CHUNKS
};

uint64_t keel_adversary_draw(uint64_t seed, uint64_t what)
{
    /* from a seed that has been mixed before */
    return keel_chance_drawn(keel_chance_drawn(seed + KEEL_CHANCE_STEP) +
                             (what + 1) * KEEL_CHANCE_STEP);
}

/* Uniform over 0 .. choices - 1. */
static uint64_t draw_below(uint64_t seed, uint64_t what, uint64_t choices)
{
    return (uint64_t)(((unsigned __int128)keel_adversary_draw(seed, what) * choices) >> 64);
}

/* --- how many chunks --- */

/* Whether neighbours run at about the same time on different threads, if chunks are small and in
 * order: then iterations that write into one word or one cache line become visible. */
static bool mixes_neighbours(enum keel_adversary_who who)
{
    return who == KEEL_ADVERSARY_SHARED || who == KEEL_ADVERSARY_ROUND_ROBIN;
}

/* Single iterations often; otherwise any magnitude of sizes is as likely as any other. */
static uint64_t draw_chunks(uint64_t seed, enum keel_adversary_who who, uint64_t iterations)
{
    uint64_t most = min_u64(iterations, KEEL_ADVERSARY_CHUNKS_MAX);
    unsigned magnitudes = 0;

    if (most <= 1 || draw_below(seed, DRAW_SIZES, 3) < (mixes_neighbours(who) ? 2 : 1)) {
        return most;
    }
    while (most >> magnitudes > 1) {
        magnitudes++;
    }
    uint64_t low = UINT64_C(1) << draw_below(seed, DRAW_MAGNITUDE, magnitudes + 1);
    return min_u64(low + draw_below(seed, DRAW_COUNT, low), most);
}

/* --- order --- */

/* Forwards, backwards, or all over the loop. places: K - 1. */
static void draw_order(struct keel_adversary *adversary, uint64_t places)
{
    uint64_t kind = draw_below(adversary->seed, DRAW_ORDER, 4);
    bool forwards = kind == 0 || (kind == 1 && mixes_neighbours(adversary->who));

    if (places < 2 || forwards) {
        return;
    }
    adversary->factor = places - 1;
    adversary->offset = places - 1;
    if (kind != 2) {
        uint64_t factor = 1 + draw_below(adversary->seed, DRAW_FACTOR, places - 1);
        while (common_divisor(factor, places) != 1) {
            factor = factor % (places - 1) + 1;
        }
        adversary->factor = factor;
        adversary->offset = draw_below(adversary->seed, DRAW_OFFSET, places);
    }
}

static enum keel_adversary_who draw_who(uint64_t seed)
{
    static const enum keel_adversary_who who[] = {
        KEEL_ADVERSARY_SHARED,   KEEL_ADVERSARY_SHARED, KEEL_ADVERSARY_SHARED,
        KEEL_ADVERSARY_RANDOM,   KEEL_ADVERSARY_RANDOM, KEEL_ADVERSARY_ROUND_ROBIN,
        KEEL_ADVERSARY_REVERSED, KEEL_ADVERSARY_ONE,
    };

    return who[draw_below(seed, DRAW_WHO, sizeof who / sizeof who[0])];
}

void keel_adversary_begin(struct keel_adversary *adversary, uint64_t seed, uint64_t iterations,
                          uint64_t threads, bool in_order)
{
    *adversary = (struct keel_adversary){
        .seed = seed,
        .iterations = iterations,
        .threads = threads,
        .factor = 1,
        .who = draw_who(seed),
    };
    adversary->chunks = draw_chunks(seed, adversary->who, iterations);
    if (!in_order && threads > 1 && adversary->chunks > 0) {
        draw_order(adversary, adversary->chunks - 1);
    }
}

/* --- chunks --- */

static uint64_t scaled(const struct keel_adversary *adversary, uint64_t chunk)
{
    return (uint64_t)((unsigned __int128)adversary->iterations * chunk / adversary->chunks);
}

/* Where `chunk` begins: anywhere in its K-th part of the loop; the first one begins with the loop.
 * chunk == K: where the loop ends. Parts are not empty, so borders increase. */
static uint64_t border(const struct keel_adversary *adversary, uint64_t chunk)
{
    uint64_t low = scaled(adversary, chunk);

    if (chunk == 0 || chunk == adversary->chunks) {
        return low;
    }
    return low + draw_below(adversary->seed, DRAW_CHUNKS + 1 + 2 * chunk,
                            scaled(adversary, chunk + 1) - low);
}

/* K - 1 < 2^16: products stay below 2^32. */
static uint64_t chunk_at(const struct keel_adversary *adversary, uint64_t place)
{
    uint64_t places = adversary->chunks - 1;

    return place == places ? place : (place * adversary->factor + adversary->offset) % places;
}

void keel_adversary_chunk(const struct keel_adversary *adversary, uint64_t place, uint64_t *first,
                          uint64_t *last)
{
    uint64_t chunk = chunk_at(adversary, place);

    *first = border(adversary, chunk);
    *last = border(adversary, chunk + 1);
}

static uint64_t owner_of(const struct keel_adversary *adversary, uint64_t chunk)
{
    uint64_t seed = adversary->seed, threads = adversary->threads;

    switch (adversary->who) {
    case KEEL_ADVERSARY_ROUND_ROBIN:
        return (chunk + seed % threads) % threads;
    case KEEL_ADVERSARY_REVERSED:
        return threads - 1 - (uint64_t)((unsigned __int128)chunk * threads / adversary->chunks);
    case KEEL_ADVERSARY_ONE:
        return draw_below(seed, DRAW_CHUNKS, threads);
    default:
        return draw_below(seed, DRAW_CHUNKS + 2 + 2 * chunk, threads);
    }
}

bool keel_adversary_next_own(const struct keel_adversary *adversary, uint64_t thread,
                             uint64_t *place, uint64_t *first, uint64_t *last)
{
    while (*place < adversary->chunks) {
        uint64_t here = (*place)++;
        if (owner_of(adversary, chunk_at(adversary, here)) == thread) {
            keel_adversary_chunk(adversary, here, first, last);
            return true;
        }
    }
    return false;
}
