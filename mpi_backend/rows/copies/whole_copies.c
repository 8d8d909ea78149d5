/* Which rank holds whose copy, to which copies all go back, and which rank gets which rows then. */
#include "mpi_backend/rows/copies/generations.h"

#include <stdlib.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- which rank holds whose copy --- */

/* Lists ranks machine by machine in order[0 .. ranks - 1]. place: ranks + 1 values, all 0. Returns
 * how many ranks the largest machine has. */
static uint32_t sort_by_machine(uint32_t ranks, const uint32_t *machine, uint32_t *place,
                                uint32_t *order)
{
    uint32_t largest = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        place[machine[i] + 1]++;
    }
    for (uint32_t i = 1; i <= ranks; i++) {
        largest = place[i] > largest ? place[i] : largest;
        place[i] += place[i - 1];
    }
    for (uint32_t i = 0; i < ranks; i++) {
        order[place[machine[i]]++] = i;
    }
    return largest;
}

/* In that order, a holder is as many ranks ahead as the largest machine has: beyond the end of any
 * machine. Around the end, it is on the same machine only if that has more than half of all
 * ranks. */
bool keel_mpi_copies_ring(uint32_t ranks, const uint32_t *machine, uint32_t *holder)
{
    uint32_t *place = calloc(ranks + (size_t)1, sizeof *place);
    uint32_t *order = calloc(ranks, sizeof *order);
    bool room = place != NULL && order != NULL;

    if (room) {
        uint32_t largest = sort_by_machine(ranks, machine, place, order);
        uint32_t ahead = largest < ranks ? largest : 1;
        for (uint32_t i = 0; i < ranks; i++) {
            holder[order[i]] = order[(i + (uint64_t)ahead) % ranks];
        }
    }
    free(place);
    free(order);
    return room;
}

/* --- which generation --- */

/* Returns the survivor's copy of that generation; NULL: none. */
static const struct keel_mpi_generation *find_generation(const struct keel_mpi_survivor *survivor,
                                                         uint64_t epoch, uint64_t step)
{
    for (size_t i = 0; i < KEEL_MPI_GENERATIONS; i++) {
        const struct keel_mpi_generation *generation = &survivor->generation[i];
        if (generation->epoch == epoch && generation->step == step) {
            return generation;
        }
    }
    return NULL;
}

uint32_t keel_mpi_copies_find(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                              uint64_t id)
{
    for (uint32_t i = 0; i < survivors; i++) {
        if (survivor[i].id == id) {
            return i;
        }
    }
    return KEEL_MPI_NO_SURVIVOR;
}

uint32_t keel_mpi_copies_provider(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                                  uint64_t epoch, uint64_t step, uint64_t id)
{
    uint32_t itself = keel_mpi_copies_find(survivor, survivors, id);

    if (itself != KEEL_MPI_NO_SURVIVOR) {
        bool has = find_generation(&survivor[itself], epoch, step) != NULL;
        return has ? itself : KEEL_MPI_NO_SURVIVOR;
    }
    for (uint32_t i = 0; i < survivors; i++) {
        const struct keel_mpi_generation *generation = find_generation(&survivor[i], epoch, step);
        if (generation != NULL && generation->held == id) {
            return i;
        }
    }
    return KEEL_MPI_NO_SURVIVOR;
}

/* Returns the first rank whose copy no survivor has; epoch->ranks if there are all. */
static uint32_t first_gone(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           const struct keel_mpi_generation *generation,
                           const struct keel_mpi_epoch *epoch)
{
    for (uint32_t i = 0; i < epoch->ranks; i++) {
        uint64_t id = epoch->id[i];
        bool needed = epoch->owned == NULL || epoch->owned[i] > 0 ||
                      keel_mpi_copies_find(survivor, survivors, id) != KEEL_MPI_NO_SURVIVOR;
        if (needed && keel_mpi_copies_provider(survivor, survivors, generation->epoch,
                                               generation->step, id) == KEEL_MPI_NO_SURVIVOR) {
            return i;
        }
    }
    return epoch->ranks;
}

static bool is_later(const struct keel_mpi_generation *a, const struct keel_mpi_generation *b)
{
    return a->step != b->step ? a->step > b->step : a->epoch > b->epoch;
}

int keel_mpi_copies_choose(const struct keel_mpi_survivor *survivor, uint32_t survivors,
                           uint32_t own, const struct keel_mpi_epoch *epoch,
                           struct keel_mpi_gone *gone)
{
    const struct keel_mpi_generation *generation = survivor[own].generation;
    int chosen = -1;

    *gone = (struct keel_mpi_gone){.generation = -1};
    for (int i = 0; i < KEEL_MPI_GENERATIONS; i++) {
        if (generation[i].epoch == 0) {
            continue;
        }
        uint32_t missing = first_gone(survivor, survivors, &generation[i], &epoch[i]);
        if (missing == epoch[i].ranks) {
            chosen = chosen < 0 || is_later(&generation[i], &generation[chosen]) ? i : chosen;
        } else if (gone->generation < 0 ||
                   is_later(&generation[gone->generation], &generation[i])) {
            *gone = (struct keel_mpi_gone){i, missing};
        }
    }
    return chosen;
}

bool keel_mpi_copies_were_whole(const struct keel_mpi_survivor *survivor, uint32_t survivors)
{
    for (uint32_t i = 0; i < survivors; i++) {
        if (survivor[i].confirmed > 0) {
            return true;
        }
    }
    return false;
}

/* --- pieces ---
 *
 * Which rank gets which rows from which rank when a distribution is restored on fewer ranks. */

/* The survivors next to a rank of before; KEEL_MPI_NO_SURVIVOR: none on that side. */
struct neighbours {
    uint32_t below, above;
};

static struct neighbours neighbours_of(const struct keel_mpi_recovery *recovery, uint32_t of)
{
    struct neighbours next = {KEEL_MPI_NO_SURVIVOR, KEEL_MPI_NO_SURVIVOR};

    for (uint32_t i = of; i > 0 && next.below == KEEL_MPI_NO_SURVIVOR; i--) {
        next.below = recovery->survivor[i - 1];
    }
    for (uint32_t i = of + 1; i < recovery->before->ranks && next.above == KEEL_MPI_NO_SURVIVOR;
         i++) {
        next.above = recovery->survivor[i];
    }
    return next;
}

static void add(struct keel_mpi_transfer *piece, size_t *pieces, struct keel_mpi_transfer added)
{
    if (added.first < added.last) {
        piece[(*pieces)++] = added;
    }
}

static bool is_gone(const struct keel_mpi_recovery *recovery, size_t run)
{
    return run < recovery->before->count &&
           recovery->survivor[recovery->before->run[run].owner] == KEEL_MPI_NO_SURVIVOR;
}

/* Divides the rows of the runs from `run` on whose ranks have ended and have the same survivors
 * next to them: one half to each of these. Returns the run behind them. */
static size_t halve(const struct keel_mpi_recovery *recovery, size_t run,
                    struct keel_mpi_transfer *piece, size_t *pieces)
{
    const struct keel_mpi_placement *before = recovery->before;
    struct neighbours next = neighbours_of(recovery, before->run[run].owner), other = next;
    size_t end = run;

    while (is_gone(recovery, end) && other.below == next.below && other.above == next.above) {
        end++;
        other = is_gone(recovery, end) ? neighbours_of(recovery, before->run[end].owner) : other;
    }
    uint64_t first = before->run[run].first, last = keel_mpi_placement_end(before, end - 1);
    uint64_t middle = first + (last - first) / 2;

    middle = next.below == KEEL_MPI_NO_SURVIVOR ? first : middle;
    middle = next.above == KEEL_MPI_NO_SURVIVOR ? last : middle;
    for (; run < end; run++) {
        uint32_t from = recovery->provider[before->run[run].owner];
        uint64_t begin = before->run[run].first, stop = keel_mpi_placement_end(before, run);
        add(piece, pieces,
            (struct keel_mpi_transfer){from, next.below, begin, min_u64(stop, middle)});
        add(piece, pieces,
            (struct keel_mpi_transfer){from, next.above, max_u64(begin, middle), stop});
    }
    return end;
}

/* Returns the part of row number `given` of `total` rows that are divided into equal parts; *end:
 * the first row behind that part. */
static uint32_t part_of(uint64_t given, uint64_t total, uint32_t parts, uint64_t *end)
{
    uint64_t whole = total / parts, more = total % parts, large = more * (whole + 1);
    uint64_t part = given < large ? given / (whole + 1) : more + (given - large) / whole;

    *end = part < more ? (part + 1) * (whole + 1) : large + (part + 1 - more) * whole;
    return (uint32_t)part;
}

/* Divides a run of an ended rank among survivors; *given of `total` such rows were given before. */
static void share_out(const struct keel_mpi_recovery *recovery, size_t run, uint64_t total,
                      uint64_t *given, struct keel_mpi_transfer *piece, size_t *pieces)
{
    uint32_t from = recovery->provider[recovery->before->run[run].owner];
    uint64_t last = keel_mpi_placement_end(recovery->before, run);

    for (uint64_t row = recovery->before->run[run].first; row < last;) {
        uint64_t end;
        uint32_t to = part_of(*given, total, recovery->survivors, &end);
        uint64_t count = min_u64(end - *given, last - row);
        add(piece, pieces, (struct keel_mpi_transfer){from, to, row, row + count});
        *given += count;
        row += count;
    }
}

static uint64_t count_gone(const struct keel_mpi_recovery *recovery)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < recovery->before->ranks; i++) {
        count += recovery->survivor[i] == KEEL_MPI_NO_SURVIVOR ? recovery->before->owned[i] : 0;
    }
    return count;
}

size_t keel_mpi_recovery_pieces(const struct keel_mpi_recovery *recovery,
                                struct keel_mpi_transfer *piece)
{
    const struct keel_mpi_placement *before = recovery->before;
    uint64_t total = count_gone(recovery), given = 0;
    size_t pieces = 0;

    for (size_t i = 0; i < before->count;) {
        uint32_t of = before->run[i].owner;
        if (!is_gone(recovery, i)) {
            add(piece, &pieces,
                (struct keel_mpi_transfer){recovery->survivor[of], recovery->survivor[of],
                                           before->run[i].first,
                                           keel_mpi_placement_end(before, i)});
            i++;
        } else if (recovery->adjacent) {
            i = halve(recovery, i, piece, &pieces);
        } else {
            share_out(recovery, i++, total, &given, piece, &pieces);
        }
    }
    return pieces;
}

bool keel_mpi_recovery_placement(const struct keel_mpi_recovery *recovery,
                                 const struct keel_mpi_transfer *piece, size_t pieces,
                                 struct keel_mpi_placement *placement)
{
    *placement = (struct keel_mpi_placement){
        .rows = recovery->before->rows,
        .ranks = recovery->survivors,
        .run = malloc((pieces > 0 ? pieces : 1) * sizeof *placement->run),
        .owned = calloc(recovery->survivors, sizeof *placement->owned),
    };
    if (placement->run == NULL || placement->owned == NULL) {
        keel_mpi_placement_free(placement);
        return false;
    }
    for (size_t i = 0; i < pieces; i++) {
        size_t count = placement->count;
        if (count == 0 || placement->run[count - 1].owner != piece[i].from) {
            placement->run[placement->count++] =
                (struct keel_mpi_run){piece[i].first, piece[i].from};
        }
        placement->owned[piece[i].from] += piece[i].last - piece[i].first;
    }
    return true;
}
