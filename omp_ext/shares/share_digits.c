/* Digits of the iteration's number, and arithmetic with indices that are made of them. See
 * share_state.h, and share_indices.c for what they are.
 *
 *   dividing:   start -> quotient, remainder; a quotient -> quotient, remainder
 *   in values:  A * digit + c, in so many bytes of a register or slot */
#include <math.h>

#include "omp_ext/shares/share_state.h"

#define FACTOR_MAX 0x1p20

/* --- values --- */

static bool is_exact(const struct keel_share_value *value)
{
    return keel_share_is_common(value) && value->exact;
}

static struct keel_share_value index_of(int digit, int size)
{
    return (struct keel_share_value){.kind = KEEL_VALUE_INDEX,
                                     .start = {1, 0},
                                     .exact = true,
                                     .digit = digit,
                                     .form = size == 8 ? KEEL_FORM_LONG : KEEL_FORM_ZEROS};
}

void keel_index_move(struct keel_share_value *index, int64_t by)
{
    index->offset = (int64_t)((uint64_t)index->offset + (uint64_t)by);
    if (index->form != KEEL_FORM_LONG) {
        index->offset = (int32_t)index->offset;
    }
}

bool keel_index_has_bytes(const struct keel_share_value *index, int size)
{
    bool is_digit = index->start.factor == 1 && index->symbol == 0 && index->offset == 0;

    return (size == 4 && index->form != KEEL_FORM_DOUBLE) ||
           (size == 8 &&
            (index->form == KEEL_FORM_LONG ||
             (index->form == KEEL_FORM_ZEROS && is_digit && !index->next && !index->cut)));
}

void keel_index_read(struct keel_share_value *value, int size, double per_trip)
{
    if (value->kind != KEEL_VALUE_INDEX || size == 8 || size > 16) {
        return;
    }
    if (size == 4 && value->form != KEEL_FORM_DOUBLE) {
        value->cut = value->cut || value->form == KEEL_FORM_LONG;
        value->form = KEEL_FORM_ZEROS;
        keel_index_move(value, 0);
    } else if (size < 8) {
        *value = keel_share_combine(value, value, per_trip);
    }
}

/* --- divisions --- */

/* The digit that a value is, where it is one that may be divided; 0: the share's start; -1: it is
 * none. */
static int dividend_of(const struct keel_flow *flow, const struct keel_share_value *value, int size)
{
    bool is_plain = value->exact && value->symbol == 0 && value->offset == 0 &&
                    value->step.factor == 0 && value->start.factor == 1 &&
                    value->start.symbol == 0 && value->trip.factor == 0 &&
                    value->size.factor == 0 && value->narrow == 0 && !value->lacks_rest;

    if (!is_plain || (flow->has_shares && flow->share_loop[flow->block] >= 0)) {
        return -1;
    }
    if (value->kind == KEEL_VALUE_LINEAR) {
        return size == flow->divides_by && (size == 4 || !value->cut) ? 0 : -1;
    }
    return value->kind == KEEL_VALUE_INDEX && !value->next && !IS_REMAINDER(value->digit) &&
                   flow->divisions[DIVISION(value->digit)].size <= size &&
                   keel_index_has_bytes(value, size)
               ? value->digit
               : -1;
}

/* The division; -1: there are too many. */
static int division_of(struct keel_flow *flow, int of, const struct keel_share_value *radix,
                       int size)
{
    const int most = sizeof flow->divisions / sizeof *flow->divisions;
    struct keel_share_value divisor = *radix;

    if (size == 4 && keel_share_is_constant(radix)) {
        divisor = keel_share_constant((int64_t)(uint32_t)radix->offset);
    }
    for (int i = 0; i < flow->division_count; i++) {
        const struct keel_flow_division *it = &flow->divisions[i];
        if (it->of == of && it->size == size && keel_share_value_equals(&it->radix, &divisor)) {
            return i;
        }
    }
    if (flow->division_count == most) {
        return -1;
    }
    flow->divisions[flow->division_count] = (struct keel_flow_division){of, size, divisor};
    return flow->division_count++;
}

bool keel_index_divide(struct keel_flow *flow, struct keel_share_value *low,
                       struct keel_share_value *high, const struct keel_share_value *radix,
                       int size)
{
    int of = dividend_of(flow, low, size);
    bool is_division = of >= 0 && size >= 4 && keel_share_is_constant(high) && high->offset == 0 &&
                       is_exact(radix);
    int division = is_division ? division_of(flow, of, radix, size) : -1;

    if (division < 0) {
        return false;
    }
    *low = index_of(QUOTIENT(division), size);
    *high = index_of(REMAINDER(division), size);
    return true;
}

/* The number C that a shift to the right divides by: by a power of two; or of x * M, where that
 * does not go beyond 64 bits, for all x of 32 bits: x * M / 2^by == x / C if
 * 0 <= M * C - 2^by <= 2^(by - 32). 0: it is none. */
static int64_t divisor_of(double factor, int64_t by)
{
    if (factor == 1 && by > 0 && by < 31) {
        return INT64_C(1) << by;
    }
    if (factor <= 1 || factor > (double)UINT32_MAX || by < 32 || by > 62) {
        return 0;
    }
    uint64_t multiple = (uint64_t)factor, power = UINT64_C(1) << by;
    uint64_t radix = (power + multiple - 1) / multiple;
    return multiple * radix - power <= power >> 32 && radix < UINT32_MAX ? (int64_t)radix : 0;
}

/* A digit of the division by a number; false: there is no such division. */
static bool divide_by(struct keel_flow *flow, int of, int64_t by, int size, bool quotient,
                      struct keel_share_value *digit)
{
    struct keel_share_value radix = keel_share_constant(by);
    int division = of >= 0 && by > 0 ? division_of(flow, of, &radix, size) : -1;

    if (division >= 0) {
        *digit = index_of(quotient ? QUOTIENT(division) : REMAINDER(division), size);
    }
    return division >= 0;
}

bool keel_index_shift(struct keel_flow *flow, struct keel_share_value *value, int64_t by, int size)
{
    struct keel_share_value plain = *value;
    double factor = value->start.factor;
    bool divided = false;

    plain.start.factor = 1;
    if (factor == 1) {
        divided =
            divide_by(flow, dividend_of(flow, value, size), divisor_of(1, by), size, true, value);
    } else if (value->kind == KEEL_VALUE_LINEAR && size == 8 && !value->cut) {
        divided =
            divide_by(flow, dividend_of(flow, &plain, 4), divisor_of(factor, by), 4, true, value);
        value->form = divided ? KEEL_FORM_LONG : value->form;
    }
    return divided;
}

bool keel_index_mask(struct keel_flow *flow, struct keel_share_value *value,
                     const struct keel_share_value *mask, int size)
{
    int64_t bits = keel_share_is_constant(mask) ? mask->offset : 0;

    return bits > 0 && bits < INT32_MAX && (bits & (bits + 1)) == 0 &&
           divide_by(flow, dividend_of(flow, value, size), bits + 1, size, false, value);
}

/* --- arithmetic --- */

/* D - C * q, which is the remainder of D. */
static bool leaves_remainder(const struct keel_flow *flow, const struct keel_share_value *whole,
                             const struct keel_share_value *part, int size,
                             struct keel_share_value *remainder)
{
    int division = DIVISION(part->digit), of = dividend_of(flow, whole, size);
    const struct keel_flow_division *it = &flow->divisions[division];

    if (of != it->of || IS_REMAINDER(part->digit) || part->next || part->symbol != 0 ||
        part->offset != 0 || part->trip.factor != 0 || it->size != size ||
        !keel_share_is_constant(&it->radix) || part->start.factor != (double)it->radix.offset) {
        return false;
    }
    *remainder = index_of(REMAINDER(division), size);
    return true;
}

/* Whether the value is an index in so many bytes, with a factor that is not too large. */
static bool is_index(const struct keel_share_value *value, int size)
{
    return value->kind == KEEL_VALUE_INDEX && value->narrow == 0 &&
           keel_index_has_bytes(value, size) && value->start.factor != 0 &&
           fabs(value->start.factor) < FACTOR_MAX;
}

static struct keel_share_value times(const struct keel_share_value *index, int64_t factor, int size)
{
    struct keel_share_value product = *index;

    product.start.factor *= (double)factor;
    product.trip.factor *= (double)factor;
    product.form = size == 8 ? KEEL_FORM_LONG : KEEL_FORM_ZEROS;
    product.offset = (int64_t)((uint64_t)product.offset * (uint64_t)factor);
    keel_index_move(&product, 0);
    return product;
}

/* Adds another index of the same digit, or what no share changes; false: it is none of both. */
static bool add(struct keel_share_value *sum, const struct keel_share_value *other, int size)
{
    bool more = is_index(other, size) && other->digit == sum->digit && other->next == sum->next &&
                (other->trip.factor != 0) == (sum->trip.factor != 0);
    bool is_symbol = other->symbol != 0;

    if ((!more && (!is_exact(other) || other->step.factor != 0)) ||
        (is_symbol && (more || sum->symbol != 0)) ||
        (is_symbol && size == 8 && other->version != KEEL_SHARE_LOADED(8))) {
        return false;
    }
    sum->start.factor += more ? other->start.factor : 0;
    sum->trip.factor += more ? other->trip.factor : 0;
    sum->symbol = is_symbol ? other->symbol : sum->symbol;
    keel_index_move(sum, other->offset);
    return is_index(sum, size);
}

bool keel_index_sum(const struct keel_flow *flow, const struct keel_share_value *a,
                    const struct keel_share_value *b, bool subtracts, int size, double per_trip,
                    struct keel_share_value *sum)
{
    bool first = a->kind == KEEL_VALUE_INDEX;
    struct keel_share_value value = first ? *a : *b, other = first ? *b : *a;
    bool negates = subtracts && first, negated = subtracts && !first;

    if (value.kind != KEEL_VALUE_INDEX) {
        return false;
    }
    if (subtracts && is_index(b, size) && leaves_remainder(flow, a, b, size, sum)) {
        return true;
    }
    bool is_right = is_index(&value, size) && (!negates || other.symbol == 0) &&
                    (!negated || value.symbol == 0);
    value = times(&value, negated ? -1 : 1, size);
    if (negates) {
        other.start.factor = -other.start.factor;
        other.trip.factor = -other.trip.factor;
        other.offset = (int64_t)(0 - (uint64_t)other.offset);
    }
    *sum = is_right && add(&value, &other, size) ? value : keel_share_combine(a, b, per_trip);
    return true;
}

struct keel_share_value keel_index_scale(const struct keel_share_value *index, int64_t factor,
                                         int size, double per_trip)
{
    struct keel_share_value product = times(index, factor, size);

    return is_index(index, size) && index->symbol == 0 && is_index(&product, size)
               ? product
               : keel_share_combine(index, index, per_trip);
}

void keel_index_extend(struct keel_share_value *value, int size)
{
    if (value->kind == KEEL_VALUE_INDEX && value->form == KEEL_FORM_DOUBLE) {
        *value = keel_share_refused(CARRIED);
    } else if (value->kind == KEEL_VALUE_INDEX && size == 4) {
        value->form = KEEL_FORM_SIGNED;
        keel_index_move(value, 0);
    }
}

bool keel_index_convert(struct keel_share_value *value, int size)
{
    bool is_signed = size == 4 && is_index(value, 4);

    if (is_signed) {
        value->form = KEEL_FORM_DOUBLE;
        keel_index_move(value, 0);
    }
    return is_signed;
}
