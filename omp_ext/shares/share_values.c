/* Values by share. See share_values.h. */
#include "omp_ext/shares/share_values.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define FACTOR_MAX 0x1p52 /* below it doubles hold each whole number */
#define NONE ((struct keel_coefficient){0, 0})

/* --- coefficients --- */

static bool same(struct keel_coefficient a, struct keel_coefficient b)
{
    return a.factor == b.factor && (a.factor == 0 || a.symbol == b.symbol);
}

/* Whether the sum is one coefficient again. */
static bool add_to(struct keel_coefficient *a, struct keel_coefficient b, double sign)
{
    if (b.factor == 0) {
        return true;
    }
    if (a->factor == 0) {
        *a = (struct keel_coefficient){sign * b.factor, b.symbol};
        return true;
    }
    if (a->symbol != b.symbol) {
        return false;
    }
    a->factor += sign * b.factor;
    return true;
}

static bool times(struct keel_coefficient *a, double factor, uint16_t symbol)
{
    if (a->factor == 0) {
        return true;
    }
    if (a->symbol != 0 && symbol != 0) {
        return false;
    }
    a->factor *= factor;
    a->symbol = symbol != 0 ? symbol : a->symbol;
    return true;
}

/* --- values --- */

struct keel_share_value keel_share_of_kind(enum keel_share_kind kind)
{
    return (struct keel_share_value){.kind = kind};
}

struct keel_share_value keel_share_constant(int64_t value)
{
    return (struct keel_share_value){.kind = KEEL_VALUE_LINEAR, .exact = true, .offset = value};
}

struct keel_share_value keel_share_symbol(uint16_t symbol)
{
    return (struct keel_share_value){
        .kind = KEEL_VALUE_LINEAR, .symbol = symbol, .exact = symbol != 0};
}

struct keel_share_value keel_share_size(void)
{
    return (struct keel_share_value){.kind = KEEL_VALUE_LINEAR, .size = {1, 0}, .exact = true};
}

struct keel_share_value keel_share_rest(void)
{
    return (struct keel_share_value){.kind = KEEL_VALUE_REST, .exact = true};
}

struct keel_share_value keel_share_refused(const char *why)
{
    return (struct keel_share_value){.kind = KEEL_VALUE_REFUSED, .why = why};
}

static bool same_coefficients(const struct keel_share_value *a, const struct keel_share_value *b)
{
    return same(a->start, b->start) && same(a->trip, b->trip) && same(a->size, b->size);
}

static bool same_origin(const struct keel_share_value *a, const struct keel_share_value *b)
{
    if (a->kind == KEEL_VALUE_SUM || a->kind == KEEL_VALUE_TOTAL) {
        return a->symbol == b->symbol && a->offset == b->offset;
    }
    return a->symbol == b->symbol && a->exact == b->exact &&
           (!a->exact || (a->offset == b->offset && same(a->step, b->step)));
}

bool keel_share_value_equals(const struct keel_share_value *a, const struct keel_share_value *b)
{
    return a->kind == b->kind && a->lacks_rest == b->lacks_rest && a->base == b->base &&
           a->narrow == b->narrow && a->version == b->version && a->operation == b->operation &&
           a->digit == b->digit && a->next == b->next && a->form == b->form &&
           same_coefficients(a, b) && same_origin(a, b);
}

bool keel_share_is_constant(const struct keel_share_value *value)
{
    return keel_share_is_common(value) && value->exact && value->symbol == 0 &&
           value->step.factor == 0;
}

bool keel_share_is_common(const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_LINEAR && value->start.factor == 0 &&
           value->trip.factor == 0 && value->size.factor == 0 && value->narrow == 0 &&
           !value->lacks_rest;
}

bool keel_share_is_fair(const struct keel_share_value *value, double per_trip)
{
    struct keel_coefficient expected = value->start;

    if (value->lacks_rest) {
        return false;
    }

    if (value->kind != KEEL_VALUE_LINEAR && value->kind != KEEL_VALUE_INDEX) {
        return value->kind == KEEL_VALUE_DATA;
    }
    if (per_trip == KEEL_SHARE_BEHIND) {
        return value->trip.factor == 0 && same(value->start, value->size);
    }
    expected.factor *= per_trip;
    return per_trip == 0 ? value->trip.factor == 0 || value->start.factor != 0
                         : same(expected, value->trip) && value->size.factor == 0;
}

/* Whether the kind has no general form: T, N and the like. */
static bool is_own(const struct keel_share_value *value)
{
    return value->kind >= KEEL_VALUE_THREAD;
}

static struct keel_share_value refuse_own(const struct keel_share_value *value)
{
    switch (value->kind) {
    case KEEL_VALUE_REFUSED:
        return keel_share_refused(value->why); /* without base and version of memory */
    case KEEL_VALUE_THREAD:
        return keel_share_refused(
            "the thread number is used for more than dividing the iterations");
    case KEEL_VALUE_TEAM:
        return keel_share_refused("the team size is used for more than dividing the iterations");
    case KEEL_VALUE_SUM:
    case KEEL_VALUE_TOTAL:
        return keel_share_refused("a value is carried from one iteration to the next");
    default:
        return keel_share_refused(DIVIDED_OTHERWISE);
    }
}

static bool is_of_region(const struct keel_share_value *a, const struct keel_share_value *b)
{
    return a->base == KEEL_SHARE_REGION || b->base == KEEL_SHARE_REGION;
}

/* The bytes that are known of both; 0: all. */
static int narrower(const struct keel_share_value *a, const struct keel_share_value *b)
{
    return a->narrow == 0 || (b->narrow != 0 && b->narrow < a->narrow) ? b->narrow : a->narrow;
}

struct keel_share_value keel_share_data(const struct keel_share_value *a,
                                        const struct keel_share_value *b)
{
    struct keel_share_value data = keel_share_of_kind(KEEL_VALUE_DATA);

    data.base = is_of_region(a, b) ? KEEL_SHARE_REGION : 0;
    data.narrow = narrower(a, b);
    return data;
}

struct keel_share_value keel_share_combine(const struct keel_share_value *a,
                                           const struct keel_share_value *b, double per_trip)
{
    const struct keel_share_value *both[] = {a, b};

    for (int i = 0; i < 2; i++) {
        if (is_own(both[i])) {
            return refuse_own(both[i]);
        }
        if (both[i]->kind == KEEL_VALUE_FRAME) {
            return keel_share_refused("memory of the thread's stack is reached by its address");
        }
        if (both[i]->narrow != 0) {
            return keel_share_refused("a register that was set in part");
        }
    }
    for (int i = 0; i < 2; i++) {
        bool moves = both[i]->kind == KEEL_VALUE_LINEAR || both[i]->kind == KEEL_VALUE_INDEX;
        if (moves && !keel_share_is_fair(both[i], per_trip)) {
            return keel_share_refused("a value is carried from one iteration to the next");
        }
    }
    struct keel_share_value value = keel_share_data(a, b);
    if (keel_share_is_common(a) && keel_share_is_common(b)) {
        value.kind = KEEL_VALUE_LINEAR;
    }
    return value;
}

#define TOO_LARGE "a number by which iterations differ is too large"

static bool is_too_large(const struct keel_share_value *value)
{
    return fabs(value->start.factor) >= FACTOR_MAX || fabs(value->trip.factor) >= FACTOR_MAX ||
           fabs(value->size.factor) >= FACTOR_MAX;
}

/* --- sums --- */

/* Adds modulo 2^64. */
static int64_t moved(int64_t offset, int64_t by, double sign)
{
    return (int64_t)(sign > 0 ? (uint64_t)offset + (uint64_t)by : (uint64_t)offset - (uint64_t)by);
}

/* Adds symbol + offset + step; a sum of two symbols, or of two multiples of different ones, is not
 * exact. */
static void add_origin(struct keel_share_value *sum, const struct keel_share_value *b, double sign)
{
    bool cancels = (b->symbol != 0 && sum->symbol == b->symbol) ||
                   (sum->step.factor != 0 && b->step.factor != 0);

    if (!sum->exact || !b->exact) {
        sum->exact = false;
    } else if (b->symbol == 0 || (sum->symbol == b->symbol && sign < 0)) {
        sum->symbol = b->symbol == 0 ? sum->symbol : 0;
        sum->offset = moved(sum->offset, b->offset, sign);
        sum->exact = add_to(&sum->step, b->step, sign);
    } else if (sum->symbol == 0 && sign > 0) {
        sum->symbol = b->symbol;
        sum->offset = moved(sum->offset, b->offset, 1);
        sum->exact = add_to(&sum->step, b->step, sign);
    } else {
        struct keel_coefficient other = {1, b->symbol};
        sum->offset = moved(sum->offset, b->offset, sign);
        sum->exact = b->step.factor == 0 && add_to(&sum->step, other, sign);
    }
    if (sum->exact && cancels && keel_share_is_common(sum)) {
        sum->exact = false; /* their widths may have differed */
    }
    if (!sum->exact) {
        sum->symbol = 0;
        sum->offset = 0;
        sum->step = NONE;
    }
}

static struct keel_share_value sum_of(const struct keel_share_value *a,
                                      const struct keel_share_value *b, double sign,
                                      double per_trip)
{
    struct keel_share_value sum = *a;

    if (a->kind == KEEL_VALUE_FRAME && keel_share_is_constant(b)) {
        sum.offset = moved(sum.offset, b->offset, sign);
        return sum;
    }
    if (a->kind == KEEL_VALUE_FRAME && b->kind < KEEL_VALUE_THREAD) {
        sum.exact = false;
        return sum;
    }
    bool lacks_rest = a->lacks_rest || b->lacks_rest;
    if (lacks_rest && a->start.factor != 0 && b->start.factor != 0) {
        return keel_share_refused(DIVIDED_OTHERWISE); /* the rest would count twice, or alone */
    }
    if (a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR &&
        add_to(&sum.start, b->start, sign) && add_to(&sum.trip, b->trip, sign) &&
        add_to(&sum.size, b->size, sign)) {
        sum.lacks_rest = lacks_rest;
        sum.wraps = a->wraps || b->wraps;
        sum.cut = a->cut || b->cut;
        add_origin(&sum, b, sign);
        return is_too_large(&sum) ? keel_share_refused(TOO_LARGE) : sum;
    }
    return keel_share_combine(a, b, per_trip);
}

/* A pointer stays in its array if a number is added. */
static struct keel_share_value add(const struct keel_share_value *a,
                                   const struct keel_share_value *b, double sign, double per_trip)
{
    struct keel_share_value sum = sum_of(a, b, sign, per_trip);

    sum.version = sum.kind == KEEL_VALUE_SUM ? sum.version : 0;
    sum.base = is_of_region(a, b)         ? KEEL_SHARE_REGION
               : b->base == 0             ? a->base
               : a->base == 0 && sign > 0 ? b->base
                                          : 0;
    return sum;
}

struct keel_share_value keel_share_add(const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip)
{
    if (b->kind == KEEL_VALUE_FRAME) {
        const struct keel_share_value *swap = a;
        a = b;
        b = swap;
    }
    for (int turn = 0; turn < 2; turn++) {
        if (a->kind == KEEL_VALUE_QUOTIENT && b->kind == KEEL_VALUE_IS_LARGER) {
            return keel_share_size();
        }
        if (keel_share_is_constant(b) && b->offset == 1 && a->kind == KEEL_VALUE_QUOTIENT) {
            return keel_share_of_kind(KEEL_VALUE_QUOTIENT_MORE);
        }
        if (keel_share_is_constant(b) && b->offset == 1 && a->kind == KEEL_VALUE_QUOTIENT_LESS) {
            return keel_share_size();
        }
        bool lacks_rest = b->lacks_rest && b->start.factor == 1 && b->start.symbol == 0;
        if (a->kind == KEEL_VALUE_REST && b->kind == KEEL_VALUE_LINEAR &&
            (lacks_rest || keel_share_is_common(b))) {
            struct keel_share_value common = *a;
            common.kind = KEEL_VALUE_LINEAR;
            struct keel_share_value sum = add(b, &common, 1, per_trip);
            sum.kind = b->lacks_rest ? KEEL_VALUE_LINEAR : KEEL_VALUE_REST;
            sum.lacks_rest = false;
            return sum;
        }
        const struct keel_share_value *swap = a;
        a = b;
        b = swap;
    }
    return add(a, b, 1, per_trip);
}

struct keel_share_value keel_share_subtract(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip)
{
    if (a->kind == KEEL_VALUE_CANARY && b->kind == KEEL_VALUE_CANARY) {
        return keel_share_symbol(0);
    }
    return add(a, b, -1, per_trip);
}

/* --- products --- */

struct keel_share_value keel_share_scale(const struct keel_share_value *value, double factor)
{
    struct keel_share_value product = *value;

    product.base = is_of_region(value, value) ? KEEL_SHARE_REGION : 0;
    product.version = 0;
    if (value->kind != KEEL_VALUE_LINEAR) {
        return keel_share_combine(value, value, 0);
    }
    if (factor == 0) {
        return keel_share_constant(0);
    }
    times(&product.start, factor, 0);
    times(&product.trip, factor, 0);
    times(&product.size, factor, 0);
    if (is_too_large(&product)) {
        return keel_share_refused(TOO_LARGE);
    }
    bool is_whole = fabs(factor) >= 1 && fabs(factor) <= 0x1p32;
    bool has_two = value->symbol != 0 && value->step.factor != 0;
    bool is_exact = value->exact && is_whole && fabs(value->step.factor * factor) < FACTOR_MAX;
    if (!is_exact || has_two) {
        product.exact = false;
        product.symbol = 0;
        product.offset = 0;
        product.step = NONE;
    } else {
        product.offset = (int64_t)((uint64_t)product.offset * (uint64_t)(int64_t)factor);
        product.step =
            value->symbol != 0 ? (struct keel_coefficient){1, value->symbol} : value->step;
        product.symbol = 0;
        times(&product.step, factor, 0);
    }
    return product;
}

bool keel_share_is_coefficient(const struct keel_share_value *value, struct keel_coefficient *is)
{
    bool is_symbol = value->symbol != 0 && value->step.factor == 0;

    *is = is_symbol ? (struct keel_coefficient){1, value->symbol} : value->step;
    return keel_share_is_common(value) && value->exact && value->offset == 0 &&
           (is_symbol || (value->symbol == 0 && value->step.symbol != 0));
}

static bool is_size(const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_LINEAR && value->start.factor == 0 &&
           value->trip.factor == 0 && value->size.factor == 1 && value->size.symbol == 0 &&
           !value->lacks_rest && value->exact && value->symbol == 0 && value->offset == 0 &&
           value->step.factor == 0;
}

struct keel_share_value keel_share_multiply(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip)
{
    for (int turn = 0; turn < 2; turn++) {
        if (a->kind == KEEL_VALUE_THREAD && is_size(b)) {
            return (struct keel_share_value){
                .kind = KEEL_VALUE_LINEAR, .start = {1, 0}, .exact = true, .lacks_rest = true};
        }
        if (a->kind == KEEL_VALUE_LINEAR && keel_share_is_constant(b)) {
            return keel_share_scale(a, (double)b->offset);
        }
        struct keel_coefficient by;
        if (a->kind == KEEL_VALUE_LINEAR && keel_share_is_coefficient(b, &by) &&
            !keel_share_is_common(a)) {
            struct keel_share_value product = *a;
            if (times(&product.start, by.factor, by.symbol) &&
                times(&product.trip, by.factor, by.symbol) &&
                times(&product.size, by.factor, by.symbol) && !is_too_large(&product)) {
                product.exact = false;
                product.symbol = 0;
                product.offset = 0;
                product.step = NONE;
                product.base = is_of_region(a, b) ? KEEL_SHARE_REGION : 0;
                product.version = 0;
                return product;
            }
        }
        const struct keel_share_value *swap = a;
        a = b;
        b = swap;
    }
    return keel_share_combine(a, b, per_trip);
}

/* --- reductions --- */

bool keel_share_is_neutral(const struct keel_share_value *entry,
                           enum keel_share_operation operation, bool real)
{
    bool is_zero = keel_share_is_constant(entry) && entry->offset == 0;

    switch (operation) {
    case KEEL_OPERATION_ADD:
    case KEEL_OPERATION_XOR:
        return is_zero;
    case KEEL_OPERATION_MULTIPLY:
        return !real && keel_share_is_constant(entry) && entry->offset == 1;
    case KEEL_OPERATION_NONE:
        return false;
    default:
        return keel_share_is_common(entry); /* combining it twice changes nothing */
    }
}

struct keel_share_value keel_share_lower(const struct keel_share_value *value, int size)
{
    struct keel_share_value lower = *value;

    if (value->kind != KEEL_VALUE_SUM || size >= llabs(value->offset)) {
        return lower;
    }
    if (value->operation >= KEEL_OPERATION_MINIMUM || value->offset < 0) {
        return keel_share_refused("a sum goes on with another width");
    }
    lower.offset = size;
    return lower;
}

static struct keel_share_value of_operation(const struct keel_share_value *value,
                                            enum keel_share_operation operation)
{
    struct keel_share_value same_operation = *value;

    if (value->operation != KEEL_OPERATION_NONE && value->operation != operation) {
        return refuse_own(value);
    }
    same_operation.operation = operation;
    return same_operation;
}

struct keel_share_value keel_share_reduce(const struct keel_share_value *a,
                                          const struct keel_share_value *b,
                                          enum keel_share_operation operation, bool in_loop,
                                          double per_trip)
{
    const struct keel_share_value *sum = a->kind == KEEL_VALUE_SUM ? a : b,
                                  *other = sum == a ? b : a;
    struct keel_share_value result = of_operation(sum, operation);

    if (result.kind == KEEL_VALUE_REFUSED || operation == KEEL_OPERATION_NONE) {
        return refuse_own(sum);
    }
    if (in_loop) {
        struct keel_share_value seen = keel_share_combine(other, other, per_trip);
        return seen.kind == KEEL_VALUE_REFUSED ? seen : result;
    }
    if (other->kind == KEEL_VALUE_SUM) {
        return other->symbol == sum->symbol ? of_operation(other, operation) : refuse_own(sum);
    }
    if (keel_share_is_constant(other) && other->offset == 0 && operation == KEEL_OPERATION_ADD) {
        return result;
    }
    if (!keel_share_is_common(other) || other->base == 0 || other->version >= 0) {
        return refuse_own(sum);
    }
    result.kind = KEEL_VALUE_TOTAL;
    result.base = other->base;
    return result;
}

/* --- joins --- */

bool keel_share_is_rest_of_longer(const struct keel_share_value *value,
                                  const struct keel_share_value *rest)
{
    struct keel_share_value common = *rest;

    common.kind = KEEL_VALUE_LINEAR;
    return rest->kind == KEEL_VALUE_REST && same_origin(&common, value) &&
           keel_share_is_common(value) && value->exact;
}

static struct keel_share_value joined(const struct keel_share_value *a,
                                      const struct keel_share_value *b, double per_trip)
{
    if (keel_share_value_equals(a, b)) {
        return *a;
    }
    if (a->kind == KEEL_VALUE_REFUSED || b->kind == KEEL_VALUE_REFUSED) {
        return keel_share_refused(a->kind == KEEL_VALUE_REFUSED ? a->why : b->why);
    }
    if (a->kind == KEEL_VALUE_UNKNOWN || b->kind == KEEL_VALUE_UNKNOWN) {
        return keel_share_refused("a value that a call may have left in a register");
    }
    if (a->kind == KEEL_VALUE_SUM && b->kind == KEEL_VALUE_SUM && a->symbol == b->symbol &&
        (a->operation == b->operation || a->operation == KEEL_OPERATION_NONE ||
         b->operation == KEEL_OPERATION_NONE) &&
        (a->offset == b->offset || a->offset == 0 || b->offset == 0)) {
        return a->operation == KEEL_OPERATION_NONE ? *b : *a; /* the caller sets a new version */
    }
    /* After the loop: a share without iterations. */
    if (per_trip <= 0 && a->kind == KEEL_VALUE_SUM &&
        keel_share_is_neutral(b, a->operation, a->offset < 0)) {
        return *a;
    }
    if (per_trip <= 0 && b->kind == KEEL_VALUE_SUM &&
        keel_share_is_neutral(a, b->operation, b->offset < 0)) {
        return *b;
    }
    if (a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR && same_coefficients(a, b) &&
        a->lacks_rest == b->lacks_rest) {
        struct keel_share_value joined = *a;
        joined.exact = false;
        joined.symbol = 0;
        joined.offset = 0;
        joined.step = NONE;
        joined.version = a->version == b->version && a->base == b->base ? a->version : 0;
        return joined;
    }
    return keel_share_combine(a, b, per_trip);
}

struct keel_share_value keel_share_join(const struct keel_share_value *a,
                                        const struct keel_share_value *b, double per_trip)
{
    struct keel_share_value one = *a, other = *b;

    one.narrow = other.narrow = 0;
    struct keel_share_value value = joined(&one, &other, per_trip);
    value.narrow = narrower(a, b);
    value.wraps = a->wraps || b->wraps;
    value.cut = a->cut || b->cut;
    value.base = is_of_region(a, b) ? KEEL_SHARE_REGION : a->base == b->base ? a->base : 0;
    return value;
}
