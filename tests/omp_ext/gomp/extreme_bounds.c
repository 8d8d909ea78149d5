/* Chunks of loops of up to 2^64 - 1 iterations tile the iteration space. No iteration is
 * executed: the entry points are called as the compiler would call them, and the chunks are
 * compared with the space. */
#include <limits.h>
#include <stdbool.h>

#include "tests/support/schedules.h"

typedef unsigned long long ull;

extern bool GOMP_loop_runtime_start(long, long, long, long *, long *);
extern bool GOMP_loop_runtime_next(long *, long *);
extern bool GOMP_loop_ull_runtime_start(bool, ull, ull, ull, ull *, ull *);
extern bool GOMP_loop_ull_runtime_next(ull *, ull *);
extern void GOMP_loop_end(void);

enum { CHUNKS_MAX = 1000000 };

static struct chunk {
    uint64_t start, end;
} chunks[CHUNKS_MAX];
static unsigned chunk_count;

/* Schedules that give out 2^64 iterations in few chunks. */
static const char *const coarse[] = {
    "static",
    "gss",
    "tss",
    "tfss",
    "fac2",
    "fac:mu=100,sigma=50",
    "wf2",
    "mfsc",
    "fiss",
    "viss",
    "pls",
    "css,4611686018427387904",
    "static,4611686018427387904",
    "tap:mu=100,sigma=50",
    "bold:mu=100,sigma=50,overhead=1000",
    "fsc:sigma=1,overhead=1e12",
    "gss,1000000",
};

static uint64_t space_start, space_stride;

static int by_place(const void *a, const void *b)
{
    uint64_t x = (((const struct chunk *)a)->start - space_start) / space_stride;
    uint64_t y = (((const struct chunk *)b)->start - space_start) / space_stride;

    return (x > y) - (x < y);
}

static int by_place_down(const void *a, const void *b)
{
    uint64_t x = (space_start - ((const struct chunk *)a)->start) / -space_stride;
    uint64_t y = (space_start - ((const struct chunk *)b)->start) / -space_stride;

    return (x > y) - (x < y);
}

/* Each chunk begins where the one before ended, the first at `start` and the last at `end`. */
static void check_tiles(uint64_t start, uint64_t end, uint64_t stride, bool up, bool empty)
{
    uint64_t at = start;

    space_start = start;
    space_stride = stride;
    qsort(chunks, chunk_count, sizeof chunks[0], up ? by_place : by_place_down);
    for (unsigned i = 0; i < chunk_count; i++) {
        if (chunks[i].start != at) {
            CHECK(0, "chunk %u of %u starts at %llu, wanted %llu", i, chunk_count,
                  (ull)chunks[i].start, (ull)at);
            break;
        }
        at = chunks[i].end;
    }
    CHECK(empty ? chunk_count == 0 : at == end, "%u chunks end at %llu, wanted %llu", chunk_count,
          (ull)at, (ull)end);
    chunk_count = 0;
}

static void note(uint64_t start, uint64_t end)
{
    unsigned place = __atomic_fetch_add(&chunk_count, 1, __ATOMIC_RELAXED);

    if (place < CHUNKS_MAX) {
        chunks[place] = (struct chunk){start, end};
    }
}

static void tile_long(long start, long end, long stride)
{
#pragma omp parallel
    {
        long first, last;
        if (GOMP_loop_runtime_start(start, end, stride, &first, &last)) {
            do {
                note((uint64_t)first, (uint64_t)last);
            } while (GOMP_loop_runtime_next(&first, &last));
        }
        GOMP_loop_end();
    }
    check_tiles((uint64_t)start, (uint64_t)end, (uint64_t)stride, stride > 0,
                stride > 0 ? start >= end : start <= end);
}

static void tile_ull(bool up, ull start, ull end, ull stride)
{
#pragma omp parallel
    {
        ull first, last;
        if (GOMP_loop_ull_runtime_start(up, start, end, stride, &first, &last)) {
            do {
                note(first, last);
            } while (GOMP_loop_ull_runtime_next(&first, &last));
        }
        GOMP_loop_end();
    }
    check_tiles(start, end, stride, up, up ? start >= end : start <= end);
}

static void every_extreme(void)
{
    tile_long(LONG_MIN, LONG_MAX, 1);
    tile_long(LONG_MAX, LONG_MIN, -1);
    tile_long(LONG_MIN, LONG_MAX, 2);
    tile_long(LONG_MIN, LONG_MAX, LONG_MAX);
    tile_long(LONG_MAX, LONG_MIN, LONG_MIN);
    tile_long(LONG_MIN, LONG_MAX, 1000003);
    tile_long(LONG_MAX, LONG_MIN, -1000003);
    tile_long(0, LONG_MAX, 1);
    tile_long(-1, LONG_MIN, -1);
    tile_long(LONG_MAX, LONG_MAX, 1);
    tile_long(LONG_MAX, LONG_MIN, 1);
    tile_ull(true, 0, ULLONG_MAX, 1);
    tile_ull(true, 0, ULLONG_MAX, 7);
    tile_ull(true, 1, ULLONG_MAX, ULLONG_MAX);
    tile_ull(false, ULLONG_MAX, 0, -1ull);
    tile_ull(false, ULLONG_MAX, 0, -7ull);
    tile_ull(false, ULLONG_MAX, 1, -(ULLONG_MAX - 3));
    tile_ull(true, ULLONG_MAX, 0, 1);
    tile_ull(false, 0, ULLONG_MAX, -1ull);
    tile_ull(true, LONG_MAX, LONG_MAX + 3ull, 1);
}

int main(void)
{
    for (unsigned i = 0; i < COUNT(coarse); i++) {
        set_schedule(coarse[i]);
        for (unsigned k = 0; k < COUNT(team_sizes); k++) {
            if (!is_tried(i, k)) {
                continue;
            }
            snprintf(check_context, sizeof check_context, ", %s, %d threads", coarse[i],
                     team_sizes[k]);
            omp_set_num_threads(team_sizes[k]);
            every_extreme();
        }
    }
    return check_status();
}
