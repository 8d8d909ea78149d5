/* Operations on sums, minima and maxima of reductions. See share_state.h. */
#include <stdlib.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* The result of an instruction on a sum and another value, in numbers of that width. */
static struct keel_share_value go_on(struct keel_flow *flow, const struct keel_share_value *a,
                                     const struct keel_share_value *b,
                                     enum keel_share_operation operation, int width)
{
    const struct keel_share_value *sum = a->kind == KEEL_VALUE_SUM ? a : b,
                                  *other = sum == a ? b : a;
    struct keel_share_value value =
        keel_share_reduce(a, b, operation, keel_flow_in_share_loop(flow), keel_flow_per_trip(flow));
    bool fits = value.kind != KEEL_VALUE_TOTAL || other->version <= KEEL_SHARE_LOADED(abs(width));

    if (value.kind != KEEL_VALUE_REFUSED && (!fits || (sum->offset != 0 && sum->offset != width))) {
        value = keel_share_refused("a sum goes on with another width");
    }
    value.offset = width;
    value.version = 1 + flow->instruction;
    flow->works[flow->block] =
        flow->works[flow->block] || (flow->checking && keel_flow_in_share_loop(flow));
    return value;
}

bool keel_sum_move_extreme(struct keel_flow *flow)
{
    const struct keel_flow_flags *flags = &flow->current.flags;
    const cs_x86_op *to = keel_flow_operand(flow, 0), *from = keel_flow_operand(flow, 1);
    struct keel_code_condition condition = keel_code_condition(keel_flow_now(flow)->id);
    bool first_is_larger = condition.relation == KEEL_MORE || condition.relation == KEEL_AT_LEAST;

    if (flags->kind != FLAGS_EXTREME || from->type != X86_OP_REG ||
        (condition.of != KEEL_SIGNED && condition.of != KEEL_UNSIGNED)) {
        return false;
    }
    struct keel_share_value old = keel_flow_read_operand(flow, 0),
                            new = keel_flow_read_operand(flow, 1);
    bool new_is_sum = new.kind == KEEL_VALUE_SUM;
    const struct keel_share_value *sum = new_is_sum ? &new : &old;
    const struct keel_share_value *value_of_other = new_is_sum ? &old : &new;
    int other = keel_code_location(new_is_sum ? to->reg : from->reg);
    bool is_copy = keel_share_is_common(value_of_other) && value_of_other->base != 0 &&
                   value_of_other->base == flags->value.base &&
                   value_of_other->version == flags->value.version;
    if (sum->kind != KEEL_VALUE_SUM || sum->symbol != flags->sum ||
        sum->version != flags->version || (other != flags->other && !is_copy)) {
        return false;
    }
    bool larger_is_sum = first_is_larger != flags->swapped;
    bool takes_larger = larger_is_sum == new_is_sum;
    enum keel_share_operation operation =
        condition.of == KEEL_SIGNED
            ? (takes_larger ? KEEL_OPERATION_MAXIMUM : KEEL_OPERATION_MINIMUM)
            : (takes_larger ? KEEL_OPERATION_UNSIGNED_MAXIMUM : KEEL_OPERATION_UNSIGNED_MINIMUM);
    struct keel_share_value value = flags->width == to->size
                                        ? go_on(flow, &old, &new, operation, to->size)
                                        : keel_share_refused("a sum goes on with another width");
    keel_flow_write_operand(flow, 0, &value);
    return true;
}

bool keel_sum_call_extreme(struct keel_flow *flow, const char *name,
                           struct keel_share_value *result)
{
    const struct keel_share_value *a = &flow->current.at[VECTORS],
                                  *b = &flow->current.at[VECTORS + 1];
    bool is_least = name != NULL && (strcmp(name, "fmin") == 0 || strcmp(name, "fminf") == 0);
    bool is_most = name != NULL && (strcmp(name, "fmax") == 0 || strcmp(name, "fmaxf") == 0);

    if ((!is_least && !is_most) || (a->kind == KEEL_VALUE_SUM) == (b->kind == KEEL_VALUE_SUM)) {
        return false;
    }
    *result = go_on(flow, a, b, is_least ? KEEL_OPERATION_MINIMUM : KEEL_OPERATION_MAXIMUM,
                    name[4] == 'f' ? -4 : -8);
    return true;
}

bool keel_sum_adds_product(unsigned id)
{
    return id == X86_INS_VFMADD231SD || id == X86_INS_VFMADD231SS || id == X86_INS_VFNMADD231SD ||
           id == X86_INS_VFNMADD231SS;
}

static bool subtracts(unsigned id)
{
    return id == X86_INS_SUB || id == X86_INS_SUBSD || id == X86_INS_SUBSS ||
           id == X86_INS_VSUBSD || id == X86_INS_VSUBSS;
}

struct operation {
    enum keel_share_operation is;
    int width; /* bytes of its numbers, negative for floating-point ones; 0: those of the first
                  operand */
};

static struct operation operation_of(unsigned id)
{
    static const struct {
        struct operation operation;
        unsigned ids[12];
    } known[] = {
        {{KEEL_OPERATION_ADD, 0}, {X86_INS_ADD, X86_INS_SUB, X86_INS_INC, X86_INS_DEC}},
        {{KEEL_OPERATION_ADD, 4}, {X86_INS_PADDD, X86_INS_VPADDD}},
        {{KEEL_OPERATION_ADD, 8}, {X86_INS_PADDQ, X86_INS_VPADDQ}},
        {{KEEL_OPERATION_ADD, -4},
         {X86_INS_ADDSS, X86_INS_ADDPS, X86_INS_SUBSS, X86_INS_VADDSS, X86_INS_VSUBSS,
          X86_INS_VADDPS, X86_INS_VFMADD231SS, X86_INS_VFNMADD231SS}},
        {{KEEL_OPERATION_ADD, -8},
         {X86_INS_ADDSD, X86_INS_ADDPD, X86_INS_SUBSD, X86_INS_VADDSD, X86_INS_VSUBSD,
          X86_INS_VADDPD, X86_INS_VFMADD231SD, X86_INS_VFNMADD231SD}},
        {{KEEL_OPERATION_MULTIPLY, 0}, {X86_INS_IMUL}},
        {{KEEL_OPERATION_MULTIPLY, -4}, {X86_INS_MULSS, X86_INS_VMULSS}},
        {{KEEL_OPERATION_MULTIPLY, -8}, {X86_INS_MULSD, X86_INS_VMULSD}},
        {{KEEL_OPERATION_AND, 0}, {X86_INS_AND, X86_INS_PAND, X86_INS_VPAND}},
        {{KEEL_OPERATION_OR, 0}, {X86_INS_OR, X86_INS_POR, X86_INS_VPOR}},
        {{KEEL_OPERATION_XOR, 0}, {X86_INS_XOR, X86_INS_PXOR, X86_INS_VPXOR}},
        {{KEEL_OPERATION_MINIMUM, -4}, {X86_INS_MINSS, X86_INS_VMINSS}},
        {{KEEL_OPERATION_MINIMUM, -8}, {X86_INS_MINSD, X86_INS_VMINSD}},
        {{KEEL_OPERATION_MAXIMUM, -4}, {X86_INS_MAXSS, X86_INS_VMAXSS}},
        {{KEEL_OPERATION_MAXIMUM, -8}, {X86_INS_MAXSD, X86_INS_VMAXSD}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (const unsigned *one = known[i].ids; *one != 0; one++) {
            if (*one == id) {
                return known[i].operation;
            }
        }
    }
    return (struct operation){KEEL_OPERATION_NONE, 0};
}

bool keel_flow_is_of_integers(const struct keel_flow *flow)
{
    const cs_x86_op *to = keel_flow_operand(flow, 0);

    return to->type == X86_OP_MEM || keel_code_location(to->reg) < VECTORS;
}

static bool is_constant_of_file(const struct keel_share_value *value)
{
    return keel_share_is_common(value) && value->exact && value->offset == 0 &&
           value->step.factor == 0 && value->symbol >= SYMBOLS_OF_CONSTANTS &&
           value->symbol < SYMBOLS_OF_LOOPS;
}

/* Whether it is the result of a reduction without iterations: its constant is combined with memory,
 * by a locked instruction or for one. */
static bool totals_nothing(const struct keel_flow *flow, enum keel_share_operation operation,
                           const struct keel_share_value *nothing,
                           const struct keel_share_value *old)
{
    const cs_x86_op *to = keel_flow_operand(flow, 0);
    bool is_real = to->type == X86_OP_REG && keel_code_location(to->reg) >= VECTORS;
    bool is_locked = keel_flow_now(flow)->detail->x86.prefix[0] == X86_PREFIX_LOCK;

    return (is_real || is_locked) && !keel_flow_in_share_loop(flow) &&
           (keel_share_is_constant(nothing) || is_constant_of_file(nothing)) &&
           keel_share_is_neutral(nothing, operation, is_real) && keel_share_is_common(old) &&
           !is_constant_of_file(old) && old->base != 0 && old->version < 0;
}

/* An operation on the sum of a reduction. Returns false for other instructions. */
bool keel_sum_reduce(struct keel_flow *flow)
{
    const cs_insn *instruction = keel_flow_now(flow);
    struct operation known = operation_of(instruction->id);
    enum keel_share_operation operation = known.is;
    int count = instruction->detail->x86.op_count;
    struct keel_share_value one = keel_share_constant(1);

    if (operation == KEEL_OPERATION_NONE || count == 0 ||
        (instruction->id == X86_INS_IMUL && count == 1)) {
        return false;
    }
    bool adds_product = keel_sum_adds_product(instruction->id); /* of others to the first one */
    int first = count == 3 && !adds_product ? 1 : 0;
    bool was_checking = flow->checking; /* the operands are checked below */
    flow->checking = false;
    struct keel_share_value a = keel_flow_read_operand(flow, first),
                            b = count == 1 ? one : keel_flow_read_operand(flow, count - 1);
    if (adds_product) {
        struct keel_share_value factor = keel_flow_read_operand(flow, 1);
        b = keel_share_combine(&b, &factor, keel_flow_per_trip(flow));
    }
    flow->checking = was_checking;
    bool takes_away = subtracts(instruction->id);
    bool a_is_old = totals_nothing(flow, operation, &b, &a);
    if (a_is_old || (!takes_away && totals_nothing(flow, operation, &a, &b))) {
        struct keel_share_value total = keel_share_of_kind(KEEL_VALUE_TOTAL);
        const struct keel_share_value *nothing = a_is_old ? &b : &a;
        total.operation = operation;
        total.base = a_is_old ? a.base : b.base;
        total.symbol = nothing->symbol;
        total.offset = nothing->offset;
        keel_flow_write_operand(flow, 0, &total);
        return true;
    }
    if (a.kind != KEEL_VALUE_SUM && b.kind != KEEL_VALUE_SUM) {
        return false;
    }
    int width = known.width != 0 ? known.width : keel_flow_operand(flow, 0)->size;
    bool in_loop = keel_flow_in_share_loop(flow);
    bool is_difference = takes_away && (a.kind != KEEL_VALUE_SUM || !in_loop);
    struct keel_share_value value =
        in_loop && width < 0 && operation >= KEEL_OPERATION_MINIMUM && b.kind != KEEL_VALUE_SUM
            ? keel_share_refused(
                  "which number is the smallest or largest depends on where a NaN is")
            : go_on(flow, &a, &b, is_difference ? KEEL_OPERATION_NONE : operation, width);
    if (value.kind == KEEL_VALUE_REFUSED) {
        keel_flow_refuse(flow, value.why);
    }
    keel_flow_write_operand(flow, 0, &value);
    if (keel_flow_is_of_integers(flow)) {
        flow->current.flags.kind = FLAGS_VALUE;
        flow->current.flags.value = keel_share_refused(CARRIED);
    }
    return true;
}

bool keel_sum_exchange(struct keel_flow *flow)
{
    if (keel_flow_now(flow)->id != X86_INS_CMPXCHG ||
        keel_flow_operand(flow, 0)->type != X86_OP_MEM) {
        return false;
    }
    const cs_x86_op *to = keel_flow_operand(flow, 0);
    struct keel_share_value address = keel_flow_address_of(flow, &to->mem);
    struct keel_share_value value = keel_flow_read_operand(flow, 1);
    struct keel_share_value *there = &flow->current.at[RAX];
    uint32_t base = keel_flow_base_at(flow, &to->mem, &address);

    if (value.kind != KEEL_VALUE_TOTAL || value.base != base || !keel_share_is_common(&address) ||
        flow->current.side != SIDE_NONE) {
        return false;
    }
    bool is_old = there->exact; /* compared with the value before the first try */
    if (!keel_share_is_common(there) || is_old || there->base != base ||
        there->version != KEEL_SHARE_LOADED(to->size)) {
        keel_flow_refuse(flow, "a sum is exchanged with a value that may not be in memory");
    }
    keel_flow_note(flow, &flow->stored, to, &address);
    keel_flow_let_out(flow, &value);
    keel_flow_add_effect(flow, EFFECT_EXCHANGE, &value);
    *there = keel_share_symbol(0);
    there->base = base;
    there->version = KEEL_SHARE_LOADED(to->size);
    keel_flow_set_common_flags(&flow->current.flags);
    return true;
}

bool keel_sum_compare(struct keel_flow *flow, const struct keel_share_value *a,
                      const struct keel_share_value *b)
{
    bool first = a->kind == KEEL_VALUE_SUM, second = b->kind == KEEL_VALUE_SUM;
    const cs_x86_op *other = keel_flow_operand(flow, first ? 1 : 0);

    if (first == second || other->type != X86_OP_REG) {
        return false;
    }
    flow->current.flags = (struct keel_flow_flags){.kind = FLAGS_EXTREME,
                                                   .swapped = second,
                                                   .sum = first ? a->symbol : b->symbol,
                                                   .version = first ? a->version : b->version,
                                                   .width = other->size,
                                                   .other = keel_code_location(other->reg),
                                                   .value = first ? *b : *a};
    return true;
}

/* lea as an addition to the sum of a reduction. */
bool keel_sum_load_address(struct keel_flow *flow)
{
    const x86_op_mem *memory = &keel_flow_operand(flow, 1)->mem;
    bool is_pair = memory->base != X86_REG_INVALID && memory->index != X86_REG_INVALID &&
                   memory->base != X86_REG_RIP && memory->disp == 0;
    struct keel_share_value base, index;

    if (!is_pair) {
        return false;
    }
    base = flow->current.at[keel_code_location(memory->base)];
    index = flow->current.at[keel_code_location(memory->index)];
    if (base.kind != KEEL_VALUE_SUM && (index.kind != KEEL_VALUE_SUM || memory->scale != 1)) {
        return false;
    }
    if (memory->scale != 1 && !keel_flow_in_share_loop(flow)) {
        return false;
    }
    struct keel_share_value sum =
        go_on(flow, &base, &index, KEEL_OPERATION_ADD, keel_flow_operand(flow, 0)->size);
    keel_flow_write_operand(flow, 0, &sum);
    return true;
}
