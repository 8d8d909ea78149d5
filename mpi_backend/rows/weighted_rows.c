/* Whole rows for each rank, by weights. */
#include "mpi_backend/rows/weighted_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "mpi_backend/rows/rows_constants.h"

static double weight_of(const struct keel_mpi_weighted_rows *own, uint64_t place)
{
    return keel_mpi_weight_decode(own->encoded[own->row[place]]);
}

/* --- adjacent rows --- */

/* Returns the end of an own row that is nearest to `target`, as a row number. begin: the work
 * before the first own row. */
static uint64_t nearest_end(const struct keel_mpi_weighted_rows *own, double begin, double target)
{
    for (uint64_t i = 0; i < own->count; i++) {
        double weight = weight_of(own, i);
        if (target < begin + weight) {
            return target - begin < weight / 2 ? own->row[i] : own->row[i] + 1;
        }
        begin += weight;
    }
    /* sums of weights differ from the rank's work by rounding */
    return own->count > 0 ? own->row[own->count - 1] + 1 : 0;
}

void keel_mpi_weighted_rows_bounds(const struct keel_mpi_work_division *all,
                                   const struct keel_mpi_weighted_rows *own, int64_t *bound)
{
    double begin = 0, target = 0, end;

    memset(bound, 0, all->ranks * sizeof *bound);
    for (uint32_t i = 0; i < own->rank; i++) {
        begin += all->present[i];
    }
    /* all ranks sum up work in the same order: no target is missed */
    end = begin + all->present[own->rank];
    for (uint32_t b = 1; b < all->ranks; b++) {
        target += all->wanted[b - 1];
        if (target >= begin && target < end) {
            bound[b] = (int64_t)nearest_end(own, begin, target) + 1;
        } else if (target >= end && own->rank + 1 == all->ranks) {
            bound[b] = (int64_t)all->rows + 1;
        }
    }
}

void keel_mpi_weighted_rows_shares(const struct keel_mpi_work_division *all, int64_t *bound,
                                   uint64_t *shares)
{
    int64_t least = all->rows >= all->ranks ? 1 : 0, end = (int64_t)all->rows;

    bound[0] = 0;
    for (uint32_t b = 1; b < all->ranks; b++) {
        int64_t lowest = bound[b - 1] + least;
        bound[b] = bound[b] - 1 > lowest ? bound[b] - 1 : lowest;
    }
    for (uint32_t b = all->ranks; b-- > 0;) {
        int64_t highest = end - least;
        bound[b] = b > 0 && bound[b] > highest ? highest : bound[b];
        shares[b] = (uint64_t)(end - bound[b]);
        end = bound[b];
    }
}

/* --- any rows --- */

/* Returns how many of the last rows come nearest to `surplus`, and adds their weights to *given. */
static uint64_t count_given(const struct keel_mpi_weighted_rows *own, double surplus, double *given)
{
    uint64_t gives = 0;

    while (gives + 1 < own->count) {
        double weight = weight_of(own, own->count - 1 - gives);
        if (*given + weight / 2 > surplus) {
            break;
        }
        *given += weight;
        gives++;
    }
    return gives;
}

void keel_mpi_weighted_rows_changes(const struct keel_mpi_work_division *all,
                                    const struct keel_mpi_weighted_rows *own, int64_t *change)
{
    double surplus = all->present[own->rank] - all->wanted[own->rank];
    double place = 0, end = 0, given = 0;
    uint32_t receiver = 0, last = all->ranks;

    memset(change, 0, all->ranks * sizeof *change);
    for (uint32_t i = 0; i < own->rank; i++) {
        place += fmax(all->present[i] - all->wanted[i], 0);
    }
    for (uint32_t i = 0; i < all->ranks; i++) {
        last = all->wanted[i] > all->present[i] ? i : last;
    }
    uint64_t gives = surplus > 0 && last < all->ranks ? count_given(own, surplus, &given) : 0;
    double scale = given > 0 ? surplus / given : 0;
    for (uint64_t i = own->count - gives; i < own->count; i++) {
        double weight = weight_of(own, i) * scale;
        while (receiver < last &&
               place + weight / 2 >=
                   end + fmax(all->wanted[receiver] - all->present[receiver], 0)) {
            end += fmax(all->wanted[receiver] - all->present[receiver], 0);
            receiver++;
        }
        change[receiver]++;
        change[own->rank]--;
        place += weight;
    }
}

/* --- the resulting work --- */

static double work_of(const struct keel_mpi_work_division *all)
{
    double sum = 0;

    for (uint32_t i = 0; i < all->ranks; i++) {
        sum += all->present[i];
    }
    return sum;
}

/* Parts per unit of work; 0 if there is no work, or too little to divide. */
static double parts_of(double sum)
{
    return sum > KEEL_MPI_WEIGHTED_PARTS / DBL_MAX ? KEEL_MPI_WEIGHTED_PARTS / sum : 0;
}

/* Adds a row's work in parts. Own rows may weigh much more by now than in the measurements: the sum
 * is limited to all work. */
static void add_parts(int64_t *work, double weight, double parts)
{
    if (parts > 0 && weight > KEEL_MPI_WEIGHTED_LEAST / parts) {
        double more = fmin(weight, KEEL_MPI_WEIGHTED_PARTS / parts) * parts;
        *work = (int64_t)fmin((double)(*work + llround(more)), KEEL_MPI_WEIGHTED_PARTS);
    }
}

/* Adds own rows in their order to the ranks in whose blocks they lie. */
static void add_blocks(const struct keel_mpi_work_division *all,
                       const struct keel_mpi_weighted_rows *own, const uint64_t *shares,
                       double parts, int64_t *work)
{
    uint64_t end = shares[0];
    uint32_t owner = 0;

    for (uint64_t i = 0; i < own->count; i++) {
        while (owner + 1 < all->ranks && own->row[i] >= end) {
            end += shares[++owner];
        }
        add_parts(&work[owner], weight_of(own, i), parts);
    }
}

/* Adds own rows that stay to this rank, and the last ones to others in the order of ranks. */
static void add_any(const struct keel_mpi_work_division *all,
                    const struct keel_mpi_weighted_rows *own, const int64_t *change, double parts,
                    int64_t *work)
{
    uint64_t i = 0;

    for (; i + (uint64_t)-change[own->rank] < own->count; i++) {
        add_parts(&work[own->rank], weight_of(own, i), parts);
    }
    for (uint32_t owner = 0; owner < all->ranks; owner++) {
        for (int64_t n = 0; owner != own->rank && n < change[owner]; n++, i++) {
            add_parts(&work[owner], weight_of(own, i), parts);
        }
    }
}

void keel_mpi_weighted_rows_work(const struct keel_mpi_work_division *all,
                                 const struct keel_mpi_weighted_rows *own, const uint64_t *shares,
                                 const int64_t *change, int64_t *work)
{
    double parts = parts_of(work_of(all));

    memset(work, 0, all->ranks * sizeof *work);
    if (shares != NULL) {
        add_blocks(all, own, shares, parts, work);
    } else {
        add_any(all, own, change, parts, work);
    }
}

/* Mean of the known rates; 0 if none is known. */
static double mean_rate(const double *rate, uint32_t ranks)
{
    double sum = 0, known = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        sum += rate[i] > 0 ? rate[i] : 0;
        known += rate[i] > 0;
    }
    return known > 0 ? sum / known : 0;
}

double keel_mpi_weighted_rows_gain(const struct keel_mpi_work_division *all, const int64_t *work,
                                   const double *rate)
{
    double parts = parts_of(work_of(all)), part = parts > 0 ? 1 / parts : 0, now = 0, then = 0;
    double mean = parts > 0 ? mean_rate(rate, all->ranks) : 0;

    for (uint32_t i = 0; mean > 0 && i < all->ranks; i++) {
        double speed = rate[i] > 0 ? rate[i] : mean;
        now = fmax(now, all->present[i] / speed);
        then = fmax(then, (double)work[i] * part / speed);
    }
    return now > 0 ? 1 - then / now : 0;
}
