/* Indices of collapsed loops, collapse(n): digits of the iteration's number. See share_state.h.
 *
 *   dividing:   start -> quotient, remainder; a quotient -> quotient, remainder
 *   in values:  A * digit + c, in some bytes of a register or slot
 *
 *   r = start + finished trips            the number of the iteration
 *   D of r, or of another D's quotient    one division by a radix C: remainder d = D mod C, and
 *                                         quotient q = D / C
 *   index                                 A * digit + c, of the number r; `next`: of r + 1
 *
 * A share's first indices are computed by dividing its start, others are stepped from the previous
 * iteration. They are functions of r if the value that returns to the loop's head is the index of
 * r + 1. For r + 1, D grows by one if D is r, or the quotient of a division that wraps; otherwise
 * it stays. So
 *
 *   D stays:                  d(r + 1) = d(r),      q(r + 1) = q(r), and so all digits of q
 *   D grows, d(r) + 1 <  C:   d(r + 1) = d(r) + 1,  q(r + 1) = q(r), and so all digits of q
 *   D grows, d(r) + 1 == C:   d(r + 1) = 0,         q(r + 1) = q(r) + 1: the division wraps
 *
 * Which case applies is known after a jump that tests d(r) + 1 == C by comparing an index with the
 * end. There, indices of r become indices of r + 1 by these equations; where paths join later, c is
 * the index of a remainder on the paths on which its division wraps. */
#include <math.h>

#include "omp_ext/shares/share_state.h"

#define FACTOR_MAX 0x1p20

/* --- values --- */

static bool is_known(const struct keel_share_value *value)
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

/* Adds a number; offsets of four bytes are sign-extended. */
static void move(struct keel_share_value *index, int64_t by)
{
    index->offset = (int64_t)((uint64_t)index->offset + (uint64_t)by);
    if (index->form != KEEL_FORM_LONG) {
        index->offset = (int32_t)index->offset;
    }
}

/* Whether `size` bytes of the register or slot hold the index. */
static bool has_bytes(const struct keel_share_value *index, int size)
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
        move(value, 0);
    } else if (size < 8) {
        *value = keel_share_combine(value, value, per_trip);
    }
}

/* --- divisions --- */

/* The digit of a value that may be divided; 0: the share's start; -1: it may not be divided. */
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
                   flow->divisions[DIVISION(value->digit)].size <= size && has_bytes(value, size)
               ? value->digit
               : -1;
}

/* The number of the division, which is added if it is new; -1 if there are too many. */
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
                       is_known(radix);
    int division = is_division ? division_of(flow, of, radix, size) : -1;

    if (division < 0) {
        return false;
    }
    *low = index_of(QUOTIENT(division), size);
    *high = index_of(REMAINDER(division), size);
    return true;
}

/* The number C that a shift to the right divides by: a power of two; or, for a product x * M within
 * 64 bits, x * M / 2^by == x / C for all x of 32 bits if 0 <= M * C - 2^by <= 2^(by - 32). 0 if
 * there is none. */
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

/* Sets *digit to a digit of the division by a number; returns false if it is no such division. */
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

/* Whether the difference is D - C * q, which is the remainder of D. */
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

/* Whether the value is an index in `size` bytes, with a factor that is not too large. */
static bool is_index(const struct keel_share_value *value, int size)
{
    return value->kind == KEEL_VALUE_INDEX && value->narrow == 0 && has_bytes(value, size) &&
           value->start.factor != 0 && fabs(value->start.factor) < FACTOR_MAX;
}

static struct keel_share_value times(const struct keel_share_value *index, int64_t factor, int size)
{
    struct keel_share_value product = *index;

    product.start.factor *= (double)factor;
    product.trip.factor *= (double)factor;
    product.form = size == 8 ? KEEL_FORM_LONG : KEEL_FORM_ZEROS;
    product.offset = (int64_t)((uint64_t)product.offset * (uint64_t)factor);
    move(&product, 0);
    return product;
}

/* Adds another index of the same digit, or a common value; returns false for other values. */
static bool add(struct keel_share_value *sum, const struct keel_share_value *other, int size)
{
    bool more = is_index(other, size) && other->digit == sum->digit && other->next == sum->next &&
                (other->trip.factor != 0) == (sum->trip.factor != 0);
    bool is_symbol = other->symbol != 0;

    if ((!more && (!is_known(other) || other->step.factor != 0)) ||
        (is_symbol && (more || sum->symbol != 0)) ||
        (is_symbol && size == 8 && other->version != KEEL_SHARE_LOADED(8))) {
        return false;
    }
    sum->start.factor += more ? other->start.factor : 0;
    sum->trip.factor += more ? other->trip.factor : 0;
    sum->symbol = is_symbol ? other->symbol : sum->symbol;
    move(sum, other->offset);
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
        move(value, 0);
    }
}

bool keel_index_convert(struct keel_share_value *value, int size)
{
    bool is_signed = size == 4 && is_index(value, 4);

    if (is_signed) {
        value->form = KEEL_FORM_DOUBLE;
        move(value, 0);
    }
    return is_signed;
}

/* --- comparisons --- */

/* Whether a == b + more in `size` bytes: symbols are known to four bytes only, unless eight were
 * loaded. */
static bool same_number(const struct keel_share_value *a, const struct keel_share_value *b,
                        int64_t more, int size)
{
    bool same_step = a->step.factor == b->step.factor &&
                     (a->step.factor == 0 || a->step.symbol == b->step.symbol);
    uint64_t difference = (uint64_t)a->offset - (uint64_t)b->offset - (uint64_t)more;

    if (a->symbol != b->symbol || !same_step) {
        return false;
    }
    if (size == 4) {
        return (uint32_t)difference == 0;
    }
    bool is_number = a->symbol == 0 && a->step.factor == 0;
    return difference == 0 &&
           (is_number || (a->step.factor == 0 && a->version == KEEL_SHARE_LOADED(8) &&
                          b->version == KEEL_SHARE_LOADED(8)));
}

/* The relation of the two compared operands on that side of the jump; swapped: of the second
 * operand to the first. *is_signed: of signed numbers. */
static enum keel_code_relation relation_on(const struct keel_flow *flow,
                                           const struct keel_block *edge, bool swapped,
                                           bool *is_signed)
{
    const struct keel_block *from = &flow->function->blocks[edge->origin];
    struct keel_code_condition condition =
        keel_code_condition(flow->function->instructions[from->first + from->count - 1]->id);
    enum keel_code_relation relation =
        condition.of == KEEL_SIGN_ALONE ? KEEL_NOT_KNOWN : condition.relation;

    *is_signed = condition.of == KEEL_SIGNED;
    relation = edge->taken ? relation : keel_code_opposite(relation);
    return swapped ? keel_code_mirrored(relation) : relation;
}

void keel_index_compare(struct keel_flow *flow, const struct keel_share_value *a,
                        const struct keel_share_value *b, int size)
{
    bool swapped = b->kind == KEEL_VALUE_INDEX;
    const struct keel_share_value *index = swapped ? b : a, *end = swapped ? a : b;

    const cs_x86_op *other = keel_flow_operand(flow, swapped ? 0 : 1);
    int location = other->type == X86_OP_REG ? keel_code_location(other->reg) : -1;

    if (flow->current.flags.kind == FLAGS_VALUE && index->kind == KEEL_VALUE_INDEX &&
        has_bytes(index, size) && index->narrow == 0 &&
        (is_known(end) || (end->kind != KEEL_VALUE_INDEX && location >= 0))) {
        flow->current.flags.kind = FLAGS_INDEX;
        flow->current.flags.index = *index;
        flow->current.flags.end = *end;
        flow->current.flags.width = size;
        flow->current.flags.swapped = swapped;
        flow->current.flags.other = is_known(end) ? -1 : location;
    }
}

/* The number in `size` bytes. */
static int64_t number_of(int64_t offset, int size, bool is_signed)
{
    return size == 8 ? offset : is_signed ? (int32_t)offset : (int64_t)(uint32_t)offset;
}

/* The value of a compared register or constant; false for other operands. */
static bool operand_of(const struct keel_flow_state *state, const cs_x86_op *operand, int size,
                       struct keel_share_value *value)
{
    int location = operand->type == X86_OP_REG ? keel_code_location(operand->reg) : -1;

    *value = location >= 0 ? state->at[location] : keel_share_constant(operand->imm);
    return operand->size == size && (location >= 0 || operand->type == X86_OP_IMM) &&
           value->narrow == 0 && is_known(value);
}

/* Whether low + strictly <= high implies lower <= upper, without wrapping around. */
static bool follows(const struct keel_share_value *lower, const struct keel_share_value *upper,
                    const struct keel_share_value *low, const struct keel_share_value *high,
                    int strictly, int size, bool is_signed)
{
    bool is_behind = strictly && same_number(high, upper, 1, size);
    int above = same_number(high, upper, 0, size) ? strictly : 0;
    bool are_numbers =
        keel_share_is_constant(low) && keel_share_is_constant(lower) && (is_signed || size == 4);

    return (is_behind || same_number(high, upper, 0, size)) &&
           (same_number(lower, low, 0, size) || same_number(lower, low, above, size) ||
            (are_numbers && number_of(lower->offset, size, is_signed) <=
                                number_of(low->offset, size, is_signed) + above));
}

/* Whether lower <= upper holds in the block, for numbers of `size` bytes: they are constants, or a
 * jump on all paths to it has tested that. */
static bool is_ordered(const struct keel_flow *flow, int block,
                       const struct keel_share_value *lower, const struct keel_share_value *upper,
                       int size, bool is_signed)
{
    const struct keel_function_code *function = flow->function;
    bool found =
        keel_share_is_constant(lower) && keel_share_is_constant(upper) &&
        number_of(lower->offset, size, is_signed) <= number_of(upper->offset, size, is_signed) &&
        (is_signed || size == 4);

    for (; block != 0 && !found; block = function->blocks[block].dominator) {
        const struct keel_block *edge = &function->blocks[block];
        const cs_insn *asks =
            edge->count == 0 && edge->origin >= 0 ? keel_block_asks(function, edge->origin) : NULL;
        struct keel_share_value a, b, zero = keel_share_constant(0);
        bool of_signed, tests = asks != NULL && asks->id == X86_INS_TEST;
        if (asks == NULL || (asks->id != X86_INS_CMP && !tests)) {
            continue;
        }
        const cs_x86_op *first = &asks->detail->x86.operands[0], *second = first + 1;
        bool is_itself = second->type == X86_OP_REG && second->reg == first->reg;
        const struct keel_flow_state *state = &flow->out[edge->origin];
        if (!state->reached || !operand_of(state, first, size, &a) ||
            !operand_of(state, second, size, &b) || (tests && !is_itself)) {
            continue;
        }
        enum keel_code_relation relation = relation_on(flow, edge, false, &of_signed);
        const struct keel_share_value *other = tests ? &zero : &b;
        bool rises = relation == KEEL_LESS || relation == KEEL_AT_MOST,
             falls = relation == KEEL_MORE || relation == KEEL_AT_LEAST;
        found = (rises || falls) && of_signed == is_signed &&
                follows(lower, upper, rises ? &a : other, rises ? other : &a,
                        relation == KEEL_LESS || relation == KEEL_MORE, size, is_signed);
    }
    return found;
}

/* Whether C == upper - lower + 1, in the bytes of the division and the comparison. */
static bool is_distance(const struct keel_flow_division *division,
                        const struct keel_share_value *upper, const struct keel_share_value *lower)
{
    const struct keel_share_value *radix = &division->radix;

    if (lower->symbol == 0 && lower->step.factor == 0) {
        return same_number(radix, upper, (int64_t)(1 - (uint64_t)lower->offset), division->size);
    }
    struct keel_share_value difference = *upper;
    difference.offset = (int64_t)((uint64_t)upper->offset - (uint64_t)lower->offset);
    difference.step = (struct keel_coefficient){-1, lower->symbol};
    return division->size == 4 && upper->step.factor == 0 && lower->step.factor == 0 &&
           upper->symbol != lower->symbol && same_number(radix, &difference, 1, 4);
}

/* Rewrites x <= end as x < end + 1, and so on, for constants. */
static enum keel_code_relation as_end(enum keel_code_relation relation, bool rises,
                                      struct keel_share_value *end)
{
    static const enum keel_code_relation other[] = {KEEL_NOT_KNOWN, KEEL_EQUAL, KEEL_UNEQUAL,
                                                    KEEL_AT_MOST,   KEEL_LESS,  KEEL_AT_LEAST,
                                                    KEEL_MORE};
    bool is_past = rises ? relation == KEEL_AT_MOST || relation == KEEL_MORE
                         : relation == KEEL_AT_LEAST || relation == KEEL_LESS;

    if (!is_past || !keel_share_is_constant(end) || end->offset < 1 ||
        end->offset > INT32_MAX / 2) {
        return relation;
    }
    end->offset += rises ? 1 : -1;
    return other[relation];
}

/* Whether that side of a jump decides d + 1 == C, *wraps, for the division of the compared index:
 * the index is first + d or first - d, and C == |end - first| + 1. */
static bool decides_wrap(const struct keel_flow *flow, const struct keel_block *edge,
                         const struct keel_flow_flags *flags, bool *wraps)
{
    const struct keel_share_value *index = &flags->index;
    const struct keel_flow_division *division = &flow->divisions[DIVISION(index->digit)];
    struct keel_share_value end = flags->end, first = keel_share_constant(index->offset);
    bool is_signed, rises = index->start.factor == 1;
    enum keel_code_relation relation = relation_on(flow, edge, flags->swapped, &is_signed);

    if (relation == KEEL_NOT_KNOWN || !is_known(&end) || !IS_REMAINDER(index->digit) ||
        index->next || index->trip.factor != index->start.factor ||
        division->size != flags->width || (!rises && index->start.factor != -1)) {
        return false;
    }
    relation = as_end(relation, rises, &end);
    first.symbol = index->symbol;
    const struct keel_share_value *upper = rises ? &end : &first, *lower = rises ? &first : &end;
    bool asks_equal = relation == KEEL_EQUAL || relation == KEEL_UNEQUAL;
    bool is_below = rises && !is_signed && first.symbol == 0 &&
                    (first.offset == 0 || first.offset == 1); /* as C - 1 >= 0, and C >= 1 */
    *wraps = relation == KEEL_EQUAL || relation == (rises ? KEEL_AT_LEAST : KEEL_AT_MOST);
    return (*wraps || relation == KEEL_UNEQUAL || relation == (rises ? KEEL_LESS : KEEL_MORE)) &&
           is_distance(division, upper, lower) &&
           (asks_equal || is_below ||
            is_ordered(flow, edge->origin, lower, upper, division->size, is_signed));
}

/* --- paths --- */

/* Whether a digit is of the quotient, or of a quotient of it, and so on. */
static bool is_of(const struct keel_flow *flow, int digit, int quotient)
{
    while (digit > 0 && digit != quotient) {
        digit = flow->divisions[DIVISION(digit)].of;
    }
    return digit == quotient;
}

/* Turns indices into those of the next iteration, as `wraps` of the division is known. */
static void carry_on(const struct keel_flow *flow, struct keel_flow_state *state, int division,
                     bool wraps)
{
    int of = flow->divisions[division].of;
    bool grows = of == 0 || (state->wrapped & (1u << DIVISION(of)));

    if (!grows) {
        return;
    }
    state->wrapped |= wraps ? 1u << division : 0;
    for (int i = 0; i < keel_flow_locations(flow); i++) {
        struct keel_share_value *value = &state->at[i];
        if (value->kind != KEEL_VALUE_INDEX || value->next ||
            value->trip.factor != value->start.factor) {
            continue;
        }
        if (value->digit == (wraps ? QUOTIENT(division) : REMAINDER(division))) {
            value->next = true;
            move(value, -(int64_t)value->start.factor);
        } else if (!wraps && is_of(flow, value->digit, QUOTIENT(division))) {
            value->next = true;
        }
    }
}

void keel_index_pass(const struct keel_flow *flow, int block, const struct keel_block *to,
                     struct keel_flow_state *state)
{
    struct keel_flow_flags *flags = &state->flags;
    bool wraps;

    if (flags->kind != FLAGS_INDEX) {
        return;
    }
    bool is_edge = to->origin == block && to->count == 0, is_signed;
    if (is_edge && flags->other >= 0 &&
        relation_on(flow, to, flags->swapped, &is_signed) == KEEL_EQUAL) {
        state->at[flags->other] = flags->index; /* it equals the index */
        state->at[flags->other].narrow = flags->width == 4 ? 4 : 0;
    }
    if (is_edge && decides_wrap(flow, to, flags, &wraps)) {
        carry_on(flow, state, DIVISION(flags->index.digit), wraps);
    }
    flags->kind = FLAGS_VALUE; /* no longer needed */
}

/* Whether a constant equals the index, of a division that wraps there. */
static bool is_begun(const struct keel_share_value *index, const struct keel_flow_state *state,
                     const struct keel_share_value *other, bool *is_whole)
{
    struct keel_share_value begin = keel_share_symbol(index->symbol);

    begin.offset = index->offset;
    *is_whole = keel_share_is_constant(other) && index->symbol == 0 &&
                other->offset == (index->form == KEEL_FORM_ZEROS ? (int64_t)(uint32_t)index->offset
                                                                 : index->offset);
    return index->next && IS_REMAINDER(index->digit) &&
           (state->wrapped & (1u << DIVISION(index->digit))) && is_known(other) &&
           same_number(other, &begin, 0, 4);
}

bool keel_index_join(const struct keel_flow_state *state, const struct keel_share_value *a,
                     const struct keel_flow_state *more, const struct keel_share_value *b,
                     struct keel_share_value *joined)
{
    bool first = a->kind == KEEL_VALUE_INDEX, second = b->kind == KEEL_VALUE_INDEX;
    const struct keel_share_value *index = first ? a : b;
    bool is_whole = false;

    if ((!first && !second) || index->form == KEEL_FORM_DOUBLE ||
        (index->narrow != 0 && index->narrow != 4)) {
        return false;
    }
    if (first && second) {
        bool is_same = a->digit == b->digit && a->next == b->next &&
                       a->start.factor == b->start.factor && a->trip.factor == b->trip.factor &&
                       a->symbol == b->symbol && (int32_t)a->offset == (int32_t)b->offset;
        is_whole = keel_share_value_equals(a, b);
        if (!is_same || b->form == KEEL_FORM_DOUBLE || (b->narrow != 0 && b->narrow != 4)) {
            return false;
        }
    } else if (!is_begun(index, first ? more : state, first ? b : a, &is_whole)) {
        return false;
    }
    *joined = *index;
    if (!is_whole) { /* only the lower halves are equal */
        joined->narrow = 4;
        joined->cut = true;
        joined->form = KEEL_FORM_ZEROS;
        move(joined, 0);
    }
    return true;
}

/* --- the loop over the share --- */

struct keel_share_value keel_index_at_head(const struct keel_share_value *entry, int narrow)
{
    struct keel_share_value value = *entry;

    if (entry->next || entry->trip.factor != 0) {
        return keel_share_refused(CARRIED);
    }
    value.trip = value.start;
    if (narrow == 4) {
        value.narrow = narrow;
        value.cut = true;
        value.form = KEEL_FORM_ZEROS;
        move(&value, 0);
    }
    return value;
}

bool keel_index_comes_back(const struct keel_share_value *head, const struct keel_flow_state *state,
                           const struct keel_share_value *back, int *narrow)
{
    struct keel_share_value next = *head, joined;

    next.next = true;
    if (keel_share_value_equals(&next, back)) {
        *narrow = head->narrow;
        return true;
    }
    bool is_next = keel_index_join(NULL, &next, state, back, &joined);
    *narrow = is_next ? joined.narrow : 0;
    return is_next;
}
