/* Sums, products, quotients, shifts and bits of values. See share_state.h. */
#include <math.h>

#include "omp_ext/shares/share_state.h"

/* Whether the instruction may leave some flags as they were, or all, where it shifts by 0; those of
 * products and quotients are not defined. */
static bool leaves_flags(const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    switch (instruction->id) {
    case X86_INS_BT:
    case X86_INS_BTC:
    case X86_INS_BTR:
    case X86_INS_BTS:
    case X86_INS_CLC:
    case X86_INS_CMC:
    case X86_INS_STC:
    case X86_INS_RCL:
    case X86_INS_RCR:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_DIV:
    case X86_INS_IDIV:
    case X86_INS_IMUL:
    case X86_INS_MUL:
        return true;
    case X86_INS_SAL:
    case X86_INS_SAR:
    case X86_INS_SHL:
    case X86_INS_SHR:
    case X86_INS_SHLD:
    case X86_INS_SHRD:
        return x86->operands[x86->op_count - 1].type != X86_OP_IMM ||
               (x86->operands[x86->op_count - 1].imm & 31) == 0; /* of 32, in 8 bytes, too */
    default:
        return false;
    }
}

void keel_flow_set_some_flags(struct keel_flow *flow, const struct keel_share_value *value)
{
    struct keel_share_value some = *value;

    if (leaves_flags(keel_flow_now(flow))) {
        struct keel_share_value before = keel_flow_read_flags(flow);
        some = keel_share_combine(value, &before, keel_flow_per_trip(flow));
    }
    keel_flow_set_flags(flow, &some);
}

/* Whether the upper half of what is divided may be what extends the lower one. */
static bool is_extended(const struct keel_flow *flow, const struct keel_share_value *high)
{
    bool is_zero = keel_share_is_constant(high) && high->offset == 0;

    return is_zero || (keel_flow_now(flow)->id == X86_INS_IDIV && !high->exact);
}

void keel_flow_divide(struct keel_flow *flow)
{
    struct keel_share_value divisor = keel_flow_read_operand(flow, 0);
    struct keel_share_value *low = &flow->current.at[RAX], *high = &flow->current.at[RDX];
    struct keel_share_value dividend =
        keel_share_is_common(low) && keel_share_is_common(high)
            ? *low
            : keel_share_combine(low, high, keel_flow_per_trip(flow));

    if (divisor.kind == KEEL_VALUE_TEAM && keel_share_is_common(&dividend) &&
        is_extended(flow, high)) {
        if (flow->checking && flow->divides &&
            !(dividend.exact && keel_share_value_equals(&dividend, &flow->dividend))) {
            keel_flow_refuse(flow, "two loops with different iterations and no barrier between");
        }
        flow->divides = true;
        flow->dividend = dividend;
        int size = keel_flow_operand(flow, 0)->size;
        flow->dividend_size = size;
        flow->divides_by = flow->divides_by == 0 || flow->divides_by == size ? size : -1;
        if (flow->divides_by < 0) {
            keel_flow_refuse(flow, "the iterations are not divided as GCC does it");
        }
        bool is_low = keel_share_is_constant(low) && low->offset >= 0 && low->offset <= INT32_MAX;
        bool is_signed = keel_flow_now(flow)->id == X86_INS_IDIV;
        flow->has_signed = flow->has_signed || is_signed;
        flow->has_unsigned = flow->has_unsigned || !is_signed;
        flow->may_be_negative = flow->may_be_negative || (is_signed && !is_low);
        *low = keel_share_of_kind(KEEL_VALUE_QUOTIENT);
        *high = keel_share_of_kind(KEEL_VALUE_REMAINDER);
        return;
    }
    if (keel_flow_now(flow)->id != X86_INS_DIV ||
        !keel_index_divide(flow, low, high, &divisor, keel_flow_operand(flow, 0)->size)) {
        *low = *high = keel_share_combine(&dividend, &divisor, keel_flow_per_trip(flow));
    }
    struct keel_share_value flags = keel_share_combine(low, high, keel_flow_per_trip(flow));
    keel_flow_set_some_flags(flow, &flags);
}

static bool multiply_coefficient(struct keel_flow *flow, struct keel_coefficient *is,
                                 struct keel_coefficient by)
{
    if (is->factor == 0) {
        return true;
    }
    is->factor *= by.factor;
    is->symbol =
        is->symbol == 0 ? by.symbol : keel_flow_symbol_of_product(flow, is->symbol, by.symbol);
    return is->symbol != 0 && fabs(is->factor) < 0x1p52;
}

/* A product of two numbers of eight bytes that no share changes, or of such a one and of what is a
 * multiple of another already. False: it is neither. */
static bool multiply_symbols(struct keel_flow *flow, const struct keel_share_value *a,
                             const struct keel_share_value *b, struct keel_share_value *product)
{
    struct keel_coefficient of_a, by;

    if (keel_flow_operand(flow, 0)->size != 8) {
        return false;
    }
    if (!keel_share_is_coefficient(b, &by)) {
        const struct keel_share_value *swap = a;
        a = b;
        b = swap;
    }
    if (!keel_share_is_coefficient(b, &by) || a->kind != KEEL_VALUE_LINEAR || a->lacks_rest) {
        return false;
    }
    *product = *a;
    product->base = 0;
    product->version = 0;
    product->exact = keel_share_is_coefficient(a, &of_a);
    product->step = product->exact ? of_a : (struct keel_coefficient){0, 0};
    product->symbol = 0;
    product->offset = 0;
    bool fits = multiply_coefficient(flow, &product->start, by) &&
                multiply_coefficient(flow, &product->trip, by) &&
                multiply_coefficient(flow, &product->size, by) &&
                multiply_coefficient(flow, &product->step, by);
    if (product->step.factor == 1) {
        product->symbol = product->step.symbol;
        product->step = (struct keel_coefficient){0, 0};
    }
    return fits && (product->exact || !keel_share_is_common(a));
}

void keel_flow_multiply(struct keel_flow *flow)
{
    int count = keel_flow_now(flow)->detail->x86.op_count;
    double trip = keel_flow_per_trip(flow);

    struct keel_share_value a = keel_flow_read_operand(flow, count == 1 ? 0 : count - 2),
                            b = count == 1 ? flow->current.at[RAX]
                                           : keel_flow_read_operand(flow, count - 1);
    struct keel_share_value product, flags = keel_share_combine(&a, &b, trip);

    if (count == 1 || !multiply_symbols(flow, &a, &b, &product)) {
        product = keel_share_multiply(&a, &b, trip);
    }

    /* the rest is 0 for shares that are longer */
    product.lacks_rest = product.lacks_rest && flow->current.side != SIDE_TAKEN;
    const struct keel_share_value *index = a.kind == KEEL_VALUE_INDEX ? &a : &b,
                                  *factor = index == &a ? &b : &a;
    if (count != 1 && index->kind == KEEL_VALUE_INDEX && keel_share_is_constant(factor)) {
        int size = keel_flow_operand(flow, 0)->size;
        int64_t by = size == 8 ? factor->offset : (int32_t)factor->offset;
        product = keel_index_scale(index, by, size, trip);
    }
    if (count == 1) {
        /* of four bytes, in two registers, only what it depends on is known */
        flow->current.at[RAX] = keel_flow_operand(flow, 0)->size < 8 ? flags : product;
        flow->current.at[RDX] = flags;
    } else {
        keel_flow_write_operand(flow, 0, &product);
    }
    keel_flow_set_some_flags(flow, &flags);
}

void keel_flow_shift(struct keel_flow *flow)
{
    struct keel_share_value value = keel_flow_read_operand(flow, 0);
    unsigned id = keel_flow_now(flow)->id;
    bool by_constant = keel_flow_now(flow)->detail->x86.op_count == 1 ||
                       keel_flow_operand(flow, 1)->type == X86_OP_IMM;
    int64_t by =
        keel_flow_now(flow)->detail->x86.op_count == 1 ? 1 : keel_flow_operand(flow, 1)->imm;
    bool left = id == X86_INS_SHL || id == X86_INS_SAL;
    int size = keel_flow_operand(flow, 0)->size;

    bool divides = by_constant && id == X86_INS_SHR && keel_index_shift(flow, &value, by, size);

    if (divides) {
        value.narrow = 0;
    } else if (by_constant && value.kind == KEEL_VALUE_INDEX && by < 20 && left) {
        value = keel_index_scale(&value, INT64_C(1) << by, size, keel_flow_per_trip(flow));
    } else if (by_constant && value.kind == KEEL_VALUE_LINEAR && by < 20 && left) {
        value = keel_share_scale(&value, ldexp(1, (int)by));
    } else {
        struct keel_share_value count =
            by_constant ? keel_share_constant(by) : keel_flow_read_operand(flow, 1);
        value = keel_share_combine(&value, &count, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
    keel_flow_set_some_flags(flow, &value);
}

/* Whether the instruction rounds the stack pointer down. */
static bool aligns_frame(const struct keel_flow *flow)
{
    const cs_x86_op *to = keel_flow_operand(flow, 0), *mask = keel_flow_operand(flow, 1);

    return keel_flow_now(flow)->id == X86_INS_AND && to->type == X86_OP_REG &&
           to->reg == X86_REG_RSP && mask->type == X86_OP_IMM && mask->imm < 0 &&
           (mask->imm & -mask->imm) == -mask->imm && mask->imm > -ALIGNED_BY;
}

/* and, or, xor, and what else takes two integers. */
void keel_flow_combine_bits(struct keel_flow *flow)
{
    if (aligns_frame(flow)) {
        keel_flow_align_frame(flow);
        keel_flow_set_common_flags(&flow->current.flags);
        return;
    }
    struct keel_share_value a = keel_flow_read_operand(flow, 0),
                            b = keel_flow_read_operand(flow, 1);
    struct keel_share_value value = a;

    if (keel_flow_now(flow)->id != X86_INS_AND ||
        !keel_index_mask(flow, &value, &b, keel_flow_operand(flow, 0)->size)) {
        value = keel_share_combine(&a, &b, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
    keel_flow_set_flags(flow, &value);
}

void keel_flow_add_or_subtract(struct keel_flow *flow, bool subtracts)
{
    int count = keel_flow_now(flow)->detail->x86.op_count;
    struct keel_share_value a = keel_flow_read_operand(flow, count - 2),
                            b = keel_flow_read_operand(flow, count - 1);
    struct keel_share_value value =
        keel_flow_sum(flow, &a, &b, subtracts, keel_flow_operand(flow, 0)->size);

    bool is_of_integers = keel_flow_is_of_integers(flow),
         moves = a.kind == KEEL_VALUE_LINEAR && !keel_share_is_common(&a);
    if (!is_of_integers && a.kind == KEEL_VALUE_LINEAR && (moves || !keel_share_is_common(&b))) {
        value = keel_share_combine(&a, &b, keel_flow_per_trip(flow)); /* of a vector */
    }
    keel_flow_write_operand(flow, 0, &value);
    if (is_of_integers) {
        keel_flow_set_flags(flow, &value);
        flow->current.flags.wraps = moves;
    }
}

void keel_flow_step_by_one(struct keel_flow *flow, bool down)
{
    struct keel_share_value value = keel_flow_read_operand(flow, 0),
                            one = keel_share_constant(down ? -1 : 1);

    if (!keel_index_sum(flow, &value, &one, false, keel_flow_operand(flow, 0)->size,
                        keel_flow_per_trip(flow), &value)) {
        value = keel_share_add(&value, &one, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
    keel_flow_set_flags(flow, &value);
    flow->current.flags.keeps_carry = true;
}

void keel_flow_negate(struct keel_flow *flow)
{
    struct keel_share_value value = keel_flow_read_operand(flow, 0), zero = keel_share_constant(0);

    if (!keel_index_sum(flow, &zero, &value, true, keel_flow_operand(flow, 0)->size,
                        keel_flow_per_trip(flow), &value)) {
        value = keel_share_subtract(&zero, &value, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
    keel_flow_set_flags(flow, &value);
}
