/* Effects of instructions on values. See share_state.h. */
#include <math.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* --- sums, products, quotients, shifts and bits of values --- */

/* Whether the instruction may keep some flags, or all if it shifts by 0; flags of products and
 * quotients are undefined. */
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
               (x86->operands[x86->op_count - 1].imm & 31) == 0; /* modulo 32, also in 8 bytes */
    default:
        return false;
    }
}

/* Sets the flags by a result, and by the old flags if the instruction may keep some. */
static void set_some_flags(struct keel_flow *flow, const struct keel_share_value *value)
{
    struct keel_share_value some = *value;

    if (leaves_flags(keel_flow_now(flow))) {
        struct keel_share_value before = keel_flow_read_flags(flow);
        some = keel_share_combine(value, &before, keel_flow_per_trip(flow));
    }
    keel_flow_set_flags(flow, &some);
}

/* Whether the upper half of the dividend may be the extension of the lower one. */
static bool is_extended(const struct keel_flow *flow, const struct keel_share_value *high)
{
    bool is_zero = keel_share_is_constant(high) && high->offset == 0;

    return is_zero || (keel_flow_now(flow)->id == X86_INS_IDIV && !high->exact);
}

static void divide(struct keel_flow *flow)
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
    set_some_flags(flow, &flags);
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

/* A product of two common numbers of eight bytes, or of one and a multiple of another. Returns
 * false for other operands. */
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

static void multiply(struct keel_flow *flow)
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

    /* the rest is 0 for longer shares */
    product.lacks_rest = product.lacks_rest && flow->current.side != SIDE_TAKEN;
    const struct keel_share_value *index = a.kind == KEEL_VALUE_INDEX ? &a : &b,
                                  *factor = index == &a ? &b : &a;
    if (count != 1 && index->kind == KEEL_VALUE_INDEX && keel_share_is_constant(factor)) {
        int size = keel_flow_operand(flow, 0)->size;
        int64_t by = size == 8 ? factor->offset : (int32_t)factor->offset;
        product = keel_index_scale(index, by, size, trip);
    }
    if (count == 1) {
        /* with four bytes in two registers, only the dependences are known */
        flow->current.at[RAX] = keel_flow_operand(flow, 0)->size < 8 ? flags : product;
        flow->current.at[RDX] = flags;
    } else {
        keel_flow_write_operand(flow, 0, &product);
    }
    set_some_flags(flow, &flags);
}

static void shift(struct keel_flow *flow)
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
    set_some_flags(flow, &value);
}

/* Whether the instruction rounds the stack pointer down. */
static bool aligns_frame(const struct keel_flow *flow)
{
    const cs_x86_op *to = keel_flow_operand(flow, 0), *mask = keel_flow_operand(flow, 1);

    return keel_flow_now(flow)->id == X86_INS_AND && to->type == X86_OP_REG &&
           to->reg == X86_REG_RSP && mask->type == X86_OP_IMM && mask->imm < 0 &&
           (mask->imm & -mask->imm) == -mask->imm && mask->imm > -ALIGNED_BY;
}

/* and, or, xor. */
static void combine_bits(struct keel_flow *flow)
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

static void add_or_subtract(struct keel_flow *flow, bool subtracts)
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

static void step_by_one(struct keel_flow *flow, bool down)
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

static void negate(struct keel_flow *flow)
{
    struct keel_share_value value = keel_flow_read_operand(flow, 0), zero = keel_share_constant(0);

    if (!keel_index_sum(flow, &zero, &value, true, keel_flow_operand(flow, 0)->size,
                        keel_flow_per_trip(flow), &value)) {
        value = keel_share_subtract(&zero, &value, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
    keel_flow_set_flags(flow, &value);
}

/* --- other instructions --- */

static void set_condition(struct keel_flow *flow)
{
    const struct keel_flow_flags *flags = &flow->current.flags;
    struct keel_share_value value =
        flags->kind == FLAGS_IS_LARGER && keel_flow_is_larger(flags, keel_flow_now(flow)->id) == 1
            ? keel_share_of_kind(KEEL_VALUE_IS_LARGER)
            : keel_flow_read_flags(flow);

    keel_flow_write_operand(flow, 0, &value);
}

static void move_on_condition(struct keel_flow *flow)
{
    if (keel_sum_move_extreme(flow)) {
        return;
    }
    const struct keel_flow_flags *flags = &flow->current.flags;
    struct keel_share_value old = keel_flow_read_operand(flow, 0),
                            new = keel_flow_read_operand(flow, 1);
    int larger =
        flags->kind == FLAGS_IS_LARGER ? keel_flow_is_larger(flags, keel_flow_now(flow)->id) : -1;
    const struct keel_share_value *is = larger == 1 ? &new : &old,
                                  *is_not = larger == 1 ? &old : &new;
    struct keel_share_value value;

    if (larger >= 0 && is->kind == KEEL_VALUE_QUOTIENT_MORE &&
        is_not->kind == KEEL_VALUE_QUOTIENT) {
        value = keel_share_size();
    } else if (larger >= 0 && keel_share_is_constant(is) && is->offset == 0 &&
               is_not->kind == KEEL_VALUE_REMAINDER) {
        value = keel_share_rest();
    } else {
        struct keel_share_value condition = keel_flow_read_flags(flow);
        value = (old.kind == KEEL_VALUE_UNKNOWN) == (new.kind == KEEL_VALUE_UNKNOWN)
                    ? keel_flow_join(flow, &old, &new, keel_flow_per_trip(flow))
                    : keel_share_combine(&old, &new, keel_flow_per_trip(flow));
        if (old.kind == KEEL_VALUE_SUM && new.kind == KEEL_VALUE_SUM &&
            old.version != new.version) {
            value.version = KEEL_CODE_INSTRUCTIONS + 1 + KEEL_CODE_BLOCKS * LOCATIONS +
                            flow->instruction; /* of both, as in join_state() */
        }
        if (condition.kind == KEEL_VALUE_REFUSED) {
            value = condition;
        } else if (!keel_share_is_common(&condition)) {
            value = keel_share_combine(&value, &condition, keel_flow_per_trip(flow));
        }
    }
    keel_flow_write_operand(flow, 0, &value);
}

static void push(struct keel_flow *flow)
{
    struct keel_share_value value = keel_flow_read_operand(flow, 0);

    flow->current.at[RSP].offset -= 8;
    keel_flow_write_slot(flow, flow->current.at[RSP].offset, 8, &value);
}

static void pop(struct keel_flow *flow)
{
    const struct keel_share_value *pointer = &flow->current.at[RSP];
    struct keel_share_value value = keel_flow_read_slot(flow, pointer->offset, 8);

    keel_flow_write_operand(flow, 0, &value);
    flow->current.at[RSP].offset += 8;
}

/* The combination of all values that an instruction reads from registers and memory. */
static struct keel_share_value read_all(struct keel_flow *flow)
{
    const cs_insn *instruction = keel_flow_now(flow);
    const cs_x86 *x86 = &instruction->detail->x86;
    struct keel_share_value value = keel_share_symbol(0);

    for (int i = 0; i < x86->op_count; i++) {
        const cs_x86_op *it = &x86->operands[i];
        if (it->type == X86_OP_MEM ||
            (it->type == X86_OP_REG &&
             (i > 0 || keel_code_keeps_part(instruction->id) || x86->op_count == 1 ||
              it->access == 0 || (it->access & CS_AC_READ)))) {
            struct keel_share_value one = keel_flow_read_operand(flow, i);
            value = keel_share_combine(&value, &one, keel_flow_per_trip(flow));
        }
    }
    for (int i = 0; i < instruction->detail->regs_read_count; i++) {
        x86_reg reg = (x86_reg)instruction->detail->regs_read[i];
        int location = keel_code_location(reg);
        if (reg == X86_REG_EFLAGS) {
            struct keel_share_value flags = keel_flow_read_flags(flow);
            value = keel_share_combine(&value, &flags, keel_flow_per_trip(flow));
        } else if (location >= 0 && location != RSP) {
            value =
                keel_share_combine(&value, &flow->current.at[location], keel_flow_per_trip(flow));
        }
    }
    return value;
}

/* The bytes of a vector register that are known after a scalar instruction: those written, if the
 * others are refused; 0: all. */
static int written_part(const struct keel_flow *flow)
{
    const cs_x86_op *to = keel_flow_operand(flow, 0);
    int location = to->type == X86_OP_REG ? keel_code_location(to->reg) : -1;
    int size = location >= VECTORS ? keel_flow_scalar_size(keel_flow_now(flow), 0) : 0;
    const struct keel_share_value *old = &flow->current.at[location >= 0 ? location : 0];

    return size == 0 ||
                   keel_share_combine(old, old, keel_flow_per_trip(flow)).kind != KEEL_VALUE_REFUSED
               ? 0
               : size;
}

/* Any other instruction: its results depend on all that it reads. A first operand in memory counts
 * as written, as the disassembler does not report all such writes. */
static void other(struct keel_flow *flow)
{
    const cs_insn *instruction = keel_flow_now(flow);
    const cs_x86 *x86 = &instruction->detail->x86;
    struct keel_share_value value = read_all(flow);

    bool is_index = false;

    if (instruction->id == X86_INS_CVTSI2SD && value.kind != KEEL_VALUE_REFUSED) {
        struct keel_share_value index = keel_flow_read_operand(flow, 1);
        value = keel_index_convert(&index, keel_flow_operand(flow, 1)->size) ? index : value;
        is_index = value.kind == KEEL_VALUE_INDEX;
    }

    if (value.kind == KEEL_VALUE_REFUSED) {
        keel_flow_refuse(flow, value.why);
    }
    int results = 0;
    for (int i = 0; i < x86->op_count; i++) {
        results += x86->operands[i].type == X86_OP_REG && (x86->operands[i].access & CS_AC_WRITE);
    }
    if (results > 1 && keel_share_is_common(&value)) {
        value = keel_share_of_kind(KEEL_VALUE_DATA); /* each is another number */
    }
    for (int i = 0; i < x86->op_count; i++) {
        const cs_x86_op *it = &x86->operands[i];
        bool unknown = i == 0 && (it->access == 0 || it->type == X86_OP_MEM);
        if (it->type != X86_OP_IMM && (unknown || (it->access & CS_AC_WRITE))) {
            struct keel_share_value part = value;
            part.narrow = i == 0 ? (is_index ? 8 : written_part(flow)) : 0;
            if (i > 0 && keel_share_is_common(&part)) {
                part = keel_share_of_kind(KEEL_VALUE_DATA); /* differs from the first result */
            }
            keel_flow_write_operand(flow, i, &part);
        }
    }
    if (instruction->id == X86_INS_CMPXCHG || instruction->id == X86_INS_XADD) {
        keel_flow_set_flags(flow, &value); /* not reported by the disassembler */
    }
    if (instruction->id == X86_INS_CMPXCHG) {
        flow->current.at[RAX] =
            keel_share_combine(&value, &flow->current.at[RAX], keel_flow_per_trip(flow));
    }
    for (int i = 0; i < instruction->detail->regs_write_count; i++) {
        x86_reg reg = (x86_reg)instruction->detail->regs_write[i];
        int location = keel_code_location(reg);
        if (reg == X86_REG_EFLAGS) {
            set_some_flags(flow, &value);
        } else if (location == RSP) {
            keel_flow_refuse(flow, FRAME_SIZE);
        } else if (location >= 0) {
            flow->current.at[location] = value;
        }
    }
}

static bool clears(const struct keel_flow *flow)
{
    const cs_x86 *x86 = &keel_flow_now(flow)->detail->x86;
    int count = x86->op_count;

    return count >= 2 && x86->operands[count - 1].type == X86_OP_REG &&
           x86->operands[count - 2].type == X86_OP_REG &&
           x86->operands[count - 1].reg == x86->operands[count - 2].reg;
}

/* Whether it moves four bytes from or to a vector register, with zeros above. */
static bool moves_four_bytes(unsigned id)
{
    return id == X86_INS_MOVD || id == X86_INS_VMOVD || id == X86_INS_MOVSS || id == X86_INS_VMOVSS;
}

static void copy(struct keel_flow *flow, int from)
{
    unsigned id = keel_flow_now(flow)->id;
    if (id == X86_INS_MOVAPS || id == X86_INS_MOVAPD) {
        const cs_x86_op *to = keel_flow_operand(flow, 0), *source = keel_flow_operand(flow, from);
        if (to->type == X86_OP_REG && source->type == X86_OP_REG) {
            flow->current.at[keel_code_location(to->reg)] =
                flow->current.at[keel_code_location(source->reg)];
            return;
        }
    }
    struct keel_share_value value = keel_flow_read_operand(flow, from);

    if (value.kind == KEEL_VALUE_SUM &&
        (id == X86_INS_MOVSXD || id == X86_INS_MOVSX || id == X86_INS_MOVZX)) {
        value = keel_share_refused("a sum goes on with another width");
    }
    if (id == X86_INS_MOVSXD || id == X86_INS_MOVSX) {
        keel_flow_extend(&value, keel_flow_operand(flow, from)->size);
        value.version += value.kind == KEEL_VALUE_DATA && value.version > 0
                             ? LOADED * keel_flow_operand(flow, 0)->size
                             : 0;
    }
    if (moves_four_bytes(id) &&
        (value.kind == KEEL_VALUE_LINEAR || value.kind == KEEL_VALUE_INDEX) &&
        (!keel_share_is_common(&value) || value.version < KEEL_SHARE_LOADED(4))) {
        value = keel_share_combine(&value, &value, keel_flow_per_trip(flow));
    }
    keel_flow_write_operand(flow, 0, &value);
}

static void test(struct keel_flow *flow)
{
    struct keel_share_value a = keel_flow_read_operand(flow, 0),
                            b = keel_flow_read_operand(flow, 1);

    if (!clears(flow)) {
        a = keel_share_combine(&a, &b, keel_flow_per_trip(flow));
    }
    if (a.kind == KEEL_VALUE_THREAD || a.kind == KEEL_VALUE_TEAM) {
        a = keel_share_combine(&a, &a, keel_flow_per_trip(flow));
    }
    keel_flow_set_flags(flow, &a);
    if (clears(flow)) {
        struct keel_share_value zero = keel_share_constant(0);
        keel_index_compare(flow, &a, &zero, keel_flow_operand(flow, 0)->size);
    }
}

static void load_address(struct keel_flow *flow)
{
    if (keel_sum_load_address(flow)) {
        return;
    }
    struct keel_share_value address = keel_flow_address_of(flow, &keel_flow_operand(flow, 1)->mem);

    if (keel_flow_operand(flow, 1)->mem.base == X86_REG_RIP) {
        const cs_insn *now = keel_flow_now(flow);
        address = keel_share_symbol(keel_flow_symbol_of(flow, 0, 0)); /* load address of the file */
        address.offset = (int64_t)now->address + now->size + keel_flow_operand(flow, 1)->mem.disp;
        address.base = keel_flow_base_at(flow, &keel_flow_operand(flow, 1)->mem, &address);
    }
    keel_flow_write_operand(flow, 0, &address);
}

static void leave(struct keel_flow *flow)
{
    flow->current.at[RSP] = flow->current.at[RBP];
    flow->current.at[RSP].offset += 8;
    flow->current.at[RBP] = keel_flow_read_slot(flow, flow->current.at[RSP].offset - 8, 8);
}

/* Refuses the function unless the stack pointer is known. */
static void check_frame(struct keel_flow *flow)
{
    const struct keel_share_value *pointer = &flow->current.at[RSP];

    if (pointer->kind != KEEL_VALUE_FRAME || !pointer->exact) {
        keel_flow_refuse(flow, "the size of its stack frame changes");
        flow->current.at[RSP] = keel_share_of_kind(KEEL_VALUE_FRAME);
        flow->current.at[RSP].exact = true;
    }
}

/* Whether the disassembler misses operands, flags or effects of the instruction; or it uses masks
 * of AVX-512, or the x87 stack. */
static bool is_unknown(const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    for (int i = 0; i < x86->op_count; i++) {
        if (x86->operands[i].type == X86_OP_REG && x86->operands[i].reg >= X86_REG_K0 &&
            x86->operands[i].reg <= X86_REG_K7) {
            return true;
        }
    }
    switch (instruction->id) {
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JRCXZ:
    case X86_INS_JECXZ:
    case X86_INS_XLATB:
    case X86_INS_ENTER:
    case X86_INS_MASKMOVDQU:
    case X86_INS_VMASKMOVDQU:
    case X86_INS_MASKMOVQ:
    case X86_INS_CMC:
    case X86_INS_RCL:
    case X86_INS_RCR:
        return true;
    default:
        return instruction->mnemonic[0] == 'f' ||
               strncmp(instruction->mnemonic, "vscatter", 8) == 0 ||
               strncmp(instruction->mnemonic, "vpscatter", 9) == 0;
    }
}

/* Whether it multiplies or divides bytes, which does not change rdx. */
static bool works_in_ax(const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    bool multiplies = instruction->id == X86_INS_MUL || instruction->id == X86_INS_IMUL;
    bool divides = instruction->id == X86_INS_DIV || instruction->id == X86_INS_IDIV;

    return (multiplies || divides) && x86->op_count == 1 && x86->operands[0].size == 1;
}

/* Packs two numbers into one register. */
static void pack(struct keel_flow *flow)
{
    struct keel_share_value low = keel_flow_read_operand(flow, 0),
                            high = keel_flow_read_operand(flow, 1);

    if (keel_flow_is_left(&low) && keel_flow_is_left(&high)) {
        keel_flow_write_operand(flow, 0, &low);
    } else {
        other(flow);
    }
}

/* Handles registers that the instruction writes implicitly. */
static void write_unnamed(struct keel_flow *flow)
{
    const cs_detail *detail = keel_flow_now(flow)->detail;

    for (int i = 0; i < detail->regs_write_count; i++) {
        x86_reg reg = (x86_reg)detail->regs_write[i];
        if (keel_code_location(reg) >= 0 && keel_code_location(reg) == flow->current.flags.other) {
            flow->current.flags.other = -1;
        }
        if (reg == X86_REG_AL || reg == X86_REG_AH) {
            keel_flow_refuse(flow, "a register that is not known");
        }
    }
}

/* Whether it may raise a floating-point exception, for which programs may set traps: any
 * instruction on vector registers that does not only move, shuffle or combine bits. */
static bool may_trap(const cs_insn *instruction)
{
    static const char *const quiet[] = {"mov", "unpck",  "shuf",    "xor",       "and", "or",
                                        "p",   "insert", "extract", "broadcast", "zero"};
    const cs_x86 *x86 = &instruction->detail->x86;
    const char *name = instruction->mnemonic + (instruction->mnemonic[0] == 'v');
    bool traps = false;

    for (int i = 0; i < x86->op_count; i++) {
        traps = traps || (x86->operands[i].type == X86_OP_REG &&
                          keel_code_location(x86->operands[i].reg) >= VECTORS);
    }
    for (size_t i = 0; traps && i < sizeof quiet / sizeof *quiet; i++) {
        traps = strncmp(name, quiet[i], strlen(quiet[i])) != 0;
    }
    return traps;
}

/* Whether it may end the program: by a divisor that the loop sets, or after a test of one. */
static bool may_fault(const cs_insn *instruction)
{
    switch (instruction->id) {
    case X86_INS_DIV:
    case X86_INS_IDIV:
    case X86_INS_UD2:
    case X86_INS_HLT:
    case X86_INS_INT:
    case X86_INS_INT1:
    case X86_INS_INT3:
    case X86_INS_INTO:
        return true;
    default:
        return may_trap(instruction);
    }
}

void keel_flow_step(struct keel_flow *flow)
{
    const cs_insn *instruction = keel_flow_now(flow);

    write_unnamed(flow);
    if (flow->meets && !keel_flow_in_share_loop(flow) && may_fault(instruction)) {
        keel_flow_add_effect(flow, EFFECT_FAULT, NULL);
    }
    if (keel_code_asks_thread(instruction)) {
        keel_flow_refuse(flow, "an instruction asks for what the thread has of its own");
    }
    if (is_unknown(instruction)) {
        keel_flow_refuse(flow, "an instruction that is not understood");
    }
    if ((keel_sum_adds_product(instruction->id) || !clears(flow)) && keel_sum_reduce(flow)) {
        return;
    }
    if (keel_sum_exchange(flow)) {
        return;
    }
    if (instruction->detail->x86.prefix[0] != 0) { /* lock, rep */
        bool repeats = instruction->detail->x86.prefix[0] != X86_PREFIX_LOCK;
        if (repeats && instruction->id != X86_INS_RET && instruction->id != X86_INS_NOP &&
            !keel_code_is_jump(instruction) && instruction->id != X86_INS_CALL) {
            other(flow);
            return;
        }
        if (!repeats) {
            other(flow);
            return;
        }
    }
    if (works_in_ax(instruction)) {
        other(flow);
        return;
    }
    switch (instruction->id) {
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
    case X86_INS_PREFETCHNTA:
    case X86_INS_PREFETCHT0:
    case X86_INS_PREFETCHT1:
    case X86_INS_PREFETCHT2:
    case X86_INS_UD2:
    case X86_INS_RET:
        break;
    case X86_INS_VZEROUPPER:
        for (int i = VECTORS; i < MASKS; i++) {
            struct keel_share_value *value = &flow->current.at[i];
            *value = value->kind == KEEL_VALUE_DATA ? keel_share_of_kind(KEEL_VALUE_DATA) : *value;
        }
        break;
    case X86_INS_JMP:
        if (keel_code_ends_by_call(flow->code, instruction)) {
            keel_flow_call(flow);
        }
        break;
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_MOVZX:
    case X86_INS_MOVD:
    case X86_INS_MOVQ:
    case X86_INS_VMOVD:
    case X86_INS_VMOVQ:
    case X86_INS_MOVAPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVUPS:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
    case X86_INS_VMOVAPS:
    case X86_INS_VMOVAPD:
    case X86_INS_VMOVUPS:
    case X86_INS_VMOVUPD:
    case X86_INS_VMOVDQA:
    case X86_INS_VMOVDQU:
        copy(flow, 1);
        break;
    case X86_INS_MOVSS:
    case X86_INS_MOVSD:
    case X86_INS_VMOVSS:
    case X86_INS_VMOVSD:
        if (instruction->detail->x86.op_count == 2 &&
            (keel_flow_operand(flow, 0)->type == X86_OP_MEM ||
             keel_flow_operand(flow, 1)->type == X86_OP_MEM)) {
            copy(flow, 1);
        } else {
            other(flow);
        }
        break;
    case X86_INS_CDQE:
        if (flow->current.at[RAX].kind == KEEL_VALUE_SUM) {
            flow->current.at[RAX] = keel_share_refused("a sum goes on with another width");
        }
        flow->current.at[RAX] = keel_flow_part(flow, &flow->current.at[RAX], 4);
        keel_flow_extend(&flow->current.at[RAX], 4);
        break;
    case X86_INS_CDQ:
    case X86_INS_CQO: {
        struct keel_share_value *low = &flow->current.at[RAX];
        flow->current.at[RDX] = keel_share_combine(low, low, keel_flow_per_trip(flow));
        break;
    }
    case X86_INS_LEA:
        load_address(flow);
        break;
    case X86_INS_ADD:
    case X86_INS_PADDD:
    case X86_INS_PADDQ:
    case X86_INS_VPADDD:
    case X86_INS_VPADDQ:
        add_or_subtract(flow, false);
        break;
    case X86_INS_SUB:
        if (clears(flow)) {
            struct keel_share_value zero = keel_share_constant(0);
            keel_flow_write_operand(flow, 0, &zero);
            keel_flow_set_common_flags(&flow->current.flags);
        } else {
            add_or_subtract(flow, true);
        }
        break;
    case X86_INS_INC:
        step_by_one(flow, false);
        break;
    case X86_INS_DEC:
        step_by_one(flow, true);
        break;
    case X86_INS_NEG:
        negate(flow);
        break;
    case X86_INS_IMUL:
    case X86_INS_MUL:
        multiply(flow);
        break;
    case X86_INS_DIV:
    case X86_INS_IDIV:
        divide(flow);
        break;
    case X86_INS_SHL:
    case X86_INS_SAL:
    case X86_INS_SHR:
    case X86_INS_SAR:
        shift(flow);
        break;
    case X86_INS_XOR:
    case X86_INS_PXOR:
    case X86_INS_VPXOR:
    case X86_INS_XORPS:
    case X86_INS_XORPD:
    case X86_INS_VXORPS:
    case X86_INS_VXORPD:
        if (clears(flow)) {
            struct keel_share_value zero = keel_share_constant(0);
            keel_flow_write_operand(flow, 0, &zero);
            if (instruction->id == X86_INS_XOR) {
                keel_flow_set_common_flags(&flow->current.flags);
            }
        } else if (instruction->id == X86_INS_XOR) {
            combine_bits(flow);
        } else {
            other(flow);
        }
        break;
    case X86_INS_AND:
    case X86_INS_OR:
        combine_bits(flow);
        break;
    case X86_INS_CMP: {
        struct keel_share_value a = keel_flow_read_operand(flow, 0),
                                b = keel_flow_read_operand(flow, 1);
        if (!keel_sum_compare(flow, &a, &b)) {
            keel_flow_compare(flow, &a, &b, keel_flow_operand(flow, 0)->size);
            keel_index_compare(flow, &a, &b, keel_flow_operand(flow, 0)->size);
        }
        break;
    }
    case X86_INS_TEST:
        test(flow);
        break;
    case X86_INS_PUSH:
        push(flow);
        break;
    case X86_INS_POP:
        pop(flow);
        break;
    case X86_INS_LEAVE:
        leave(flow);
        break;
    case X86_INS_CALL:
        keel_flow_call(flow);
        break;
    case X86_INS_UNPCKLPD:
    case X86_INS_UNPCKLPS:
        pack(flow);
        break;
    default:
        if (instruction->id >= X86_INS_CMOVA && instruction->id <= X86_INS_CMOVS) {
            move_on_condition(flow);
        } else if (instruction->id >= X86_INS_SETAE && instruction->id <= X86_INS_SETS) {
            set_condition(flow);
        } else if (!keel_code_is_jump(instruction)) {
            other(flow);
        }
    }
    check_frame(flow);
}
