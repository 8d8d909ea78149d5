/* Operands of instructions: registers, the stack frame, memory. See share_state.h. */
#include <string.h>

#include "omp_ext/shares/share_state.h"

#define STACK_MEMORY "memory of the thread's stack is reached by its address"

void keel_flow_refuse_at(struct keel_flow *flow, const char *why, uint64_t at)
{
    if (flow->checking && flow->refusal.why == NULL) {
        flow->refusal = (struct keel_refusal){why, at};
    }
}

void keel_flow_refuse(struct keel_flow *flow, const char *why)
{
    keel_flow_refuse_at(flow, why, keel_flow_now(flow)->address);
}

/* Iterations of a trip at the present block. */
double keel_flow_per_trip(const struct keel_flow *flow)
{
    int loop = flow->has_shares ? flow->share_loop[flow->block] : -1;

    return loop >= 0                                       ? flow->per_trip[loop]
           : flow->has_shares && flow->behind[flow->block] ? KEEL_SHARE_BEHIND
                                                           : 0;
}

bool keel_flow_in_share_loop(const struct keel_flow *flow)
{
    return flow->has_shares && flow->share_loop[flow->block] >= 0;
}

struct keel_share_value keel_flow_join(const struct keel_flow *flow,
                                       const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip)
{
    const struct keel_share_value *sum = a->kind == KEEL_VALUE_SUM ? a : b,
                                  *other = sum == a ? b : a;

    if (per_trip <= 0 && sum->kind == KEEL_VALUE_SUM && keel_share_is_common(other)) {
        const struct keel_share_value *entry =
            &flow->variables[sum->symbol - SYMBOLS_OF_LOOPS].entry;
        struct keel_share_value begun = *other;
        begun.version = entry->version;
        begun.base = entry->base;
        if (!other->exact || !keel_share_value_equals(&begun, entry)) {
            return keel_share_refused("a sum begins with another value in an empty share");
        }
    }
    return keel_share_join(a, b, per_trip);
}

/* --- sides of jumps --- */

bool keel_flow_is_side(const struct keel_flow *flow, int block, const enum keel_flow_side *sides)
{
    const struct keel_block *it = &flow->function->blocks[block];

    return it->count == 0 && it->origin >= 0 &&
           sides[it->origin] == (it->taken ? SIDE_TAKEN : SIDE_NOT_TAKEN);
}

bool keel_flow_is_behind_side(const struct keel_flow *flow, int block,
                              const enum keel_flow_side *sides)
{
    for (; block != 0; block = flow->function->blocks[block].dominator) {
        if (keel_flow_is_side(flow, block, sides)) {
            return true;
        }
    }
    return false;
}

/* Whether the present block only runs if there are no iterations at all. */
static bool has_no_iterations(const struct keel_flow *flow)
{
    return keel_flow_is_behind_side(flow, flow->block, flow->none);
}

/* --- slots of the stack frame --- */

void keel_flow_align_frame(struct keel_flow *flow)
{
    int64_t *offset = &flow->current.at[RSP].offset;

    if (flow->aligned_from != 0 && flow->aligned_from != *offset) {
        keel_flow_refuse(flow, FRAME_SIZE);
    }
    flow->aligned_from = *offset;
    *offset -= ALIGNED_BY;
    flow->aligned_to = *offset;
}

static int slot_of(struct keel_flow *flow, int64_t offset, int size)
{
    if (offset < flow->aligned_from && offset + size > flow->aligned_to) {
        keel_flow_refuse(flow, FRAME_SIZE);
    }
    for (int i = 0; i < flow->slot_count; i++) {
        if (flow->slots[i].offset == offset && flow->slots[i].size == size) {
            return SLOTS + i;
        }
    }
    if (flow->slot_count == LOCATIONS - SLOTS) {
        if (flow->refusal.why == NULL) {
            flow->refusal =
                (struct keel_refusal){"its stack frame is too large", keel_flow_now(flow)->address};
        }
        return SLOTS;
    }
    flow->slots[flow->slot_count] = (struct keel_flow_slot){offset, size};
    return SLOTS + flow->slot_count++;
}

static bool overlaps(const struct keel_flow_slot *slot, int64_t offset, int size)
{
    return slot->offset < offset + size && offset < slot->offset + slot->size;
}

struct keel_share_value keel_flow_read_slot(struct keel_flow *flow, int64_t offset, int size)
{
    int location = slot_of(flow, offset, size);
    struct keel_share_value value = flow->current.at[location];

    if (value.kind != KEEL_VALUE_UNKNOWN) {
        return value;
    }
    for (int i = 0; i < flow->slot_count; i++) {
        const struct keel_share_value *other = &flow->current.at[SLOTS + i];
        if (overlaps(&flow->slots[i], offset, size) && other->kind != KEEL_VALUE_UNKNOWN) {
            bool is_lower =
                size >= 4 && flow->slots[i].offset == offset && flow->slots[i].size > size;
            if (is_lower && other->kind != KEEL_VALUE_DATA && other->version >= 0) {
                return *other;
            }
            value = value.kind == KEEL_VALUE_UNKNOWN
                        ? keel_share_combine(other, other, keel_flow_per_trip(flow))
                        : keel_share_combine(&value, other, keel_flow_per_trip(flow));
        }
    }
    return value;
}

void keel_flow_write_slot(struct keel_flow *flow, int64_t offset, int size,
                          const struct keel_share_value *value)
{
    int location = slot_of(flow, offset, size);
    for (int i = 0; i < flow->slot_count; i++) {
        const struct keel_flow_slot *slot = &flow->slots[i];
        struct keel_share_value *old = &flow->current.at[SLOTS + i];
        if (overlaps(slot, offset, size) && old->kind != KEEL_VALUE_UNKNOWN) {
            bool is_whole = offset <= slot->offset && offset + size >= slot->offset + slot->size;
            *old = is_whole ? keel_share_of_kind(KEEL_VALUE_UNKNOWN)
                            : keel_share_refused("a stack slot that was set in part");
        }
    }
    flow->current.at[location] = *value;
}

/* --- sums --- */

static bool moves(const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_LINEAR && (value->trip.factor != 0 || value->size.factor != 0);
}

/* Whether the sum is the same for all shares, or for the one with the last iteration, but not if
 * one of the operands has wrapped around. */
static bool cancels(const struct keel_share_value *a, const struct keel_share_value *b,
                    const struct keel_share_value *sum, double trip)
{
    bool is_mended = a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR &&
                     !keel_share_is_common(a) && !keel_share_is_common(b) &&
                     (!keel_share_is_fair(a, trip) || !keel_share_is_fair(b, trip)) &&
                     keel_share_is_fair(sum, trip);

    return is_mended || (moves(a) && moves(b) && sum->trip.factor == 0 && sum->size.factor == 0);
}

/* Whether a number of 32 bits that depends on the share's start may have wrapped around for some
 * shares. */
static bool may_have_wrapped(const struct keel_share_value *value)
{
    return value->wraps && value->kind == KEEL_VALUE_LINEAR && value->start.factor != 0 &&
           value->trip.factor == 0 &&
           !(value->exact && value->symbol == 0 && value->offset == 0 && value->step.factor == 0);
}

struct keel_share_value keel_flow_sum(const struct keel_flow *flow,
                                      const struct keel_share_value *a,
                                      const struct keel_share_value *b, bool subtracts, int size)
{
    double trip = keel_flow_per_trip(flow);
    struct keel_share_value sum;
    if (keel_index_sum(flow, a, b, subtracts, size, trip, &sum)) {
        return sum;
    }
    sum = subtracts ? keel_share_subtract(a, b, trip) : keel_share_add(a, b, trip);
    bool wraps = a->wraps || b->wraps;

    if (size >= 8 &&
        (may_have_wrapped(a) || may_have_wrapped(b) || (wraps && cancels(a, b, &sum, trip)))) {
        return keel_share_refused(WRAPS);
    }
    if (trip == KEEL_SHARE_BEHIND && keel_share_is_common(&sum) && !sum.exact &&
        !(keel_share_is_common(a) && keel_share_is_common(b))) {
        return keel_share_data(a, b);
    }
    return sum;
}

/* --- operands --- */

/* Cuts a constant to `size` bytes, with zeros above. */
static void cut(struct keel_share_value *value, int size)
{
    if (size < 8 && keel_share_is_constant(value)) {
        value->offset = (int64_t)((uint64_t)value->offset & ((UINT64_C(1) << (8 * size)) - 1));
    }
}

/* Changes the version of loaded data that the register cuts to, or extends from, `size` bytes. */
static void change_loaded(struct keel_share_value *value, int size)
{
    if (value->kind == KEEL_VALUE_DATA && value->version > 0) {
        value->version = (value->version / LOADED % 100000 * 3 + size) * LOADED + size;
    }
}

void keel_flow_extend(struct keel_share_value *value, int size)
{
    if (size == 4 && value->kind == KEEL_VALUE_LINEAR && !keel_share_is_common(value)) {
        value->wraps = value->start.factor == 0; /* the compiler computes the start of a share */
        value->cut = true;
    }
    keel_index_extend(value, size);
    change_loaded(value, size);
    cut(value, size);
    if (size < 8 && keel_share_is_constant(value)) {
        int64_t sign = INT64_C(1) << (8 * size - 1);
        value->offset = (value->offset ^ sign) - sign;
    }
}

/* Whether `size` bytes may be too few for the size of a share, as the division had more. */
static bool cuts_size(const struct keel_flow *flow, const struct keel_share_value *value, int size)
{
    bool is_size =
        value->kind == KEEL_VALUE_QUOTIENT || value->kind == KEEL_VALUE_QUOTIENT_MORE ||
        value->kind == KEEL_VALUE_QUOTIENT_LESS ||
        (value->kind == KEEL_VALUE_LINEAR && value->size.factor != 0 && value->start.factor == 0);

    return is_size && size < 8 && flow->divides_by != 4;
}

struct keel_share_value keel_flow_part(const struct keel_flow *flow,
                                       const struct keel_share_value *value, int size)
{
    struct keel_share_value part = *value;

    if (value->narrow != 0 && size > value->narrow) {
        return keel_share_refused("a register that was set in part");
    }
    if (cuts_size(flow, value, size)) {
        return keel_share_refused(DIVIDED_OTHERWISE);
    }
    part.narrow = 0;
    if (size == 4 && part.version < -size && keel_share_is_common(&part) && part.symbol != 0) {
        part = keel_share_symbol(0); /* the lower half of a loaded value */
    }
    part.version = part.version < -size ? 0 : part.version;
    if (size < part.version % LOADED) {
        change_loaded(&part, size);
    }
    cut(&part, size);
    keel_index_read(&part, size, keel_flow_per_trip(flow));
    if (size >= 4 || value->narrow != 0 || value->kind == KEEL_VALUE_IS_LARGER ||
        value->kind == KEEL_VALUE_UNKNOWN) {
        return part;
    }
    return keel_share_combine(value, value, keel_flow_per_trip(flow));
}

/* The location of a register; -1 if it is not known, or a high byte. */
static int place_of(x86_reg reg)
{
    bool is_high = reg == X86_REG_AH || reg == X86_REG_BH || reg == X86_REG_CH || reg == X86_REG_DH;

    return is_high ? -1 : keel_code_location(reg);
}

static struct keel_share_value read_register(struct keel_flow *flow, x86_reg reg, int size)
{
    int location = place_of(reg);

    if (location < 0) {
        return reg == X86_REG_RIP ? keel_share_symbol(0)
                                  : keel_share_refused("a register that is not known");
    }
    struct keel_share_value value = keel_flow_part(flow, &flow->current.at[location], size);
    return location < VECTORS ? keel_share_lower(&value, size) : value;
}

static void write_register(struct keel_flow *flow, x86_reg reg, int size,
                           const struct keel_share_value *value)
{
    int location = place_of(reg);

    if (location >= 0 && location == flow->current.flags.other) {
        flow->current.flags.other = -1;
    }
    if (location < 0) {
        keel_flow_refuse(flow, "a register that is not known");
    } else if (size >= 4 || value->kind == KEEL_VALUE_IS_LARGER) {
        struct keel_share_value *new = &flow->current.at[location];
        *new = cuts_size(flow, value, size) ? keel_share_refused(DIVIDED_OTHERWISE) : *value;
        cut(new, size);
        bool is_plain = value->exact && value->symbol == 0 && value->step.factor == 0;
        bool may_wrap = value->trip.factor != 0 ||
                        (value->start.factor != 0 && (!is_plain || (int32_t)value->offset < 0)) ||
                        (value->size.factor != 0 && !is_plain);
        keel_index_read(new, size, keel_flow_per_trip(flow));
        new->cut = new->cut ||
                   (size == 4 && value->kind == KEEL_VALUE_LINEAR && value->start.factor != 0 &&
                    (value->start.factor != 1 || flow->divides_by != 4));
        new->wraps = new->wraps || (size == 4 && value->kind == KEEL_VALUE_LINEAR && may_wrap);
        if (value->kind == KEEL_VALUE_LINEAR && !value->exact &&
            flow->function->blocks[flow->block].loop < 0) {
            new->exact = true; /* computed once */
            new->symbol = (uint16_t)(1 + flow->instruction);
        }
    } else {
        struct keel_share_value *old = &flow->current.at[location];
        bool was_zero = keel_share_is_constant(old) && old->offset == 0 && old->narrow == 0;
        *old = *value;
        cut(old, size);
        old->narrow = was_zero ? 0 : size;
    }
}

/* A register of an address, of which `size` bytes count. */
static struct keel_share_value read_part(struct keel_flow *flow, x86_reg reg, int size)
{
    int location = place_of(reg);
    bool is_index = location >= 0 && flow->current.at[location].kind == KEEL_VALUE_INDEX;

    return read_register(flow, reg, is_index ? size : 8);
}

struct keel_share_value keel_flow_address_of(struct keel_flow *flow, const x86_op_mem *memory)
{
    struct keel_share_value address = keel_share_constant(memory->disp);
    bool is_sum = keel_flow_now(flow)->id == X86_INS_LEA;
    int size = is_sum ? keel_flow_operand(flow, 0)->size : 8;

    if (memory->base == X86_REG_RIP) {
        address = keel_share_symbol(0);
    } else if (memory->base != X86_REG_INVALID) {
        struct keel_share_value base = read_part(flow, memory->base, size);
        if (!keel_index_sum(flow, &base, &address, false, size, keel_flow_per_trip(flow),
                            &address)) {
            address = keel_share_add(&base, &address, keel_flow_per_trip(flow));
        }
    }
    if (memory->index != X86_REG_INVALID && keel_code_location(memory->index) < VECTORS) {
        struct keel_share_value index = read_part(flow, memory->index, size);
        if (memory->scale != 1 && index.kind == KEEL_VALUE_INDEX) {
            index = keel_index_scale(&index, memory->scale, size, keel_flow_per_trip(flow));
        } else if (memory->scale != 1) {
            index = index.kind >= KEEL_VALUE_FRAME
                        ? keel_share_combine(&index, &index, keel_flow_per_trip(flow))
                        : keel_share_scale(&index, memory->scale);
        }
        address = keel_flow_sum(flow, &address, &index, false, size);
    } else if (memory->index != X86_REG_INVALID) {
        struct keel_share_value index = read_register(flow, memory->index, 16);
        address = keel_share_combine(&address, &index, keel_flow_per_trip(flow));
    }
    return keel_flow_now(flow)->detail->x86.addr_size == 4 /* the upper half is cut off */
               ? keel_share_combine(&address, &address, keel_flow_per_trip(flow))
               : address;
}

/* Refuses values that depend on the share or point to the frame: they become visible. */
void keel_flow_check_seen(struct keel_flow *flow, const struct keel_share_value *value)
{
    struct keel_share_value seen = keel_share_combine(value, value, keel_flow_per_trip(flow));

    if (value->kind == KEEL_VALUE_FRAME) {
        keel_flow_refuse(flow, STACK_MEMORY);
    } else if (seen.kind == KEEL_VALUE_REFUSED) {
        keel_flow_refuse(flow, seen.why);
    }
}

void keel_flow_add_effect(struct keel_flow *flow, enum keel_flow_effect_kind kind,
                          const struct keel_share_value *total)
{
    if (total == NULL && kind != EFFECT_FAULT && flow->current.side != SIDE_NONE) {
        keel_flow_refuse(flow, "longer shares have code of their own");
    }
    if (flow->checking && keel_flow_in_share_loop(flow)) {
        flow->works[flow->block] = true;
    }
    if (flow->checking && flow->effect_count == KEEL_CODE_INSTRUCTIONS) {
        keel_flow_refuse(flow, "the function is too large");
    } else if (flow->checking) {
        struct keel_flow_effect *effect = &flow->effects[flow->effect_count++];
        *effect = (struct keel_flow_effect){
            .instruction = flow->instruction, .block = flow->block, .kind = kind};
        if (total != NULL) {
            bool has_sum = keel_flow_is_of_loop(total->symbol);
            effect->base = total->base;
            effect->operation = total->operation;
            effect->sum = has_sum ? &flow->variables[total->symbol - SYMBOLS_OF_LOOPS] : NULL;
            effect->symbol = total->symbol;
            effect->offset = total->offset;
        }
    }
}

/* --- variables of the region --- */

static bool is_of_region(const struct keel_share_value *address)
{
    return keel_share_is_common(address) && address->exact && address->symbol == SYMBOLS_OF_ENTRY &&
           address->step.factor == 0;
}

void keel_flow_note(struct keel_flow *flow, struct keel_flow_places *places,
                    const cs_x86_op *operand, const struct keel_share_value *address)
{
    const struct keel_flow_place place = {address->offset, operand->size,
                                          keel_flow_base_at(flow, &operand->mem, address)};

    for (int i = 0; i < places->count; i++) {
        const struct keel_flow_place *known = &places->at[i];
        if (known->size == place.size && known->offset == place.offset) {
            return;
        }
    }
    if (is_of_region(address) && places->count < PLACES_MAX) {
        places->at[places->count++] = place;
        flow->stores_late = flow->stores_late || (places == &flow->stored && flow->has_shares);
    }
}

void keel_flow_let_out(struct keel_flow *flow, const struct keel_share_value *value)
{
    if (value->base == KEEL_SHARE_REGION && !flow->stores_all) {
        flow->stores_all = true;
        flow->stores_late = flow->stores_late || flow->has_shares;
    }
}

/* Whether the value is an unchanged load from a place that the function never stores to. */
static bool stays(const struct keel_flow *flow, const struct keel_share_value *value)
{
    bool found = false;

    for (int i = 0; i < flow->loaded.count; i++) {
        const struct keel_flow_place *from = &flow->loaded.at[i];
        if (from->base != value->base || value->version != KEEL_SHARE_LOADED(from->size)) {
            continue;
        }
        found = true;
        for (int k = 0; k < flow->stored.count; k++) {
            const struct keel_flow_place *to = &flow->stored.at[k];
            if (from->offset < to->offset + to->size && to->offset < from->offset + from->size) {
                return false;
            }
        }
    }
    return found && flow->stored.count < PLACES_MAX && !flow->stores_all;
}

void keel_flow_meet(struct keel_flow *flow)
{
    for (int i = 0; i < keel_flow_locations(flow); i++) {
        struct keel_share_value *value = &flow->current.at[i];
        bool is_left = value->kind == KEEL_VALUE_UNKNOWN || value->kind == KEEL_VALUE_FRAME ||
                       value->kind == KEEL_VALUE_CANARY || value->kind == KEEL_VALUE_THREAD ||
                       value->kind == KEEL_VALUE_TEAM || value->kind == KEEL_VALUE_REFUSED;
        bool is_known = keel_share_is_constant(value) ||
                        (keel_share_is_common(value) && value->exact && value->step.factor == 0 &&
                         value->symbol == SYMBOLS_OF_ENTRY);
        if (!is_left && !is_known && !(keel_share_is_common(value) && stays(flow, value))) {
            value->kind = KEEL_VALUE_REFUSED;
            value->why = OF_BARRIER;
        }
    }
}

/* A number for the memory at a common address. */
uint32_t keel_flow_base_at(const struct keel_flow *flow, const x86_op_mem *memory,
                           const struct keel_share_value *address)
{
    uint64_t at = (uint64_t)flow->instruction;

    if (memory->base == X86_REG_RIP) {
        at = keel_flow_now(flow)->address + keel_flow_now(flow)->size + (uint64_t)memory->disp;
    } else if (address->exact && address->step.factor == 0) {
        at = ((uint64_t)address->symbol << 32) + (uint64_t)address->offset;
    }
    return (uint32_t)((at * 0x9e3779b97f4a7c15u) >> 33) | 1;
}

uint16_t keel_flow_symbol_of(struct keel_flow *flow, uint64_t address, int size)
{
    const int most = sizeof flow->constants / sizeof *flow->constants;

    for (int i = 0; i < flow->constant_count; i++) {
        if (flow->constants[i].address == address && flow->constants[i].size == size) {
            return (uint16_t)(SYMBOLS_OF_CONSTANTS + i);
        }
    }
    if (flow->constant_count == most ||
        (size != 0 && !keel_code_is_constant(flow->code, address))) {
        return 0;
    }
    flow->constants[flow->constant_count] = (struct keel_flow_constant){address, size};
    return (uint16_t)(SYMBOLS_OF_CONSTANTS + flow->constant_count++);
}

uint16_t keel_flow_symbol_of_product(struct keel_flow *flow, uint16_t a, uint16_t b)
{
    const int most = sizeof flow->products / sizeof *flow->products;
    uint16_t low = a < b ? a : b, high = a < b ? b : a;
    bool may_change = keel_flow_is_of_loop(low) || keel_flow_is_of_loop(high);

    for (int i = 0; i < flow->product_count; i++) {
        if (flow->products[i][0] == low && flow->products[i][1] == high) {
            return (uint16_t)(SYMBOLS_OF_PRODUCTS + i);
        }
    }
    if (flow->product_count == most || may_change) {
        return 0;
    }
    flow->products[flow->product_count][0] = low;
    flow->products[flow->product_count][1] = high;
    return (uint16_t)(SYMBOLS_OF_PRODUCTS + flow->product_count++);
}

/* The value at a common address. */
static struct keel_share_value load_common(struct keel_flow *flow, const cs_x86_op *operand,
                                           const struct keel_share_value *address)
{
    bool once = flow->function->blocks[flow->block].loop < 0;
    uint16_t symbol = once ? (uint16_t)(1 + flow->instruction) : 0;

    if (operand->mem.base == X86_REG_RIP && operand->mem.index == X86_REG_INVALID) {
        const cs_insn *now = keel_flow_now(flow);
        uint16_t constant = keel_flow_symbol_of(
            flow, now->address + now->size + (uint64_t)operand->mem.disp, operand->size);
        symbol = constant != 0 ? constant : symbol;
    }
    struct keel_share_value value = keel_share_symbol(symbol);
    keel_flow_note(flow, &flow->loaded, operand, address);
    value.base = keel_flow_base_at(flow, &operand->mem, address);
    value.version =
        address->exact || operand->mem.base == X86_REG_RIP ? KEEL_SHARE_LOADED(operand->size) : 0;
    return value;
}

static struct keel_share_value load(struct keel_flow *flow, const cs_x86_op *operand)
{
    struct keel_share_value address = keel_flow_address_of(flow, &operand->mem);

    if (operand->mem.segment == X86_REG_FS || operand->mem.segment == X86_REG_GS) {
        if (operand->mem.base == X86_REG_INVALID && operand->mem.disp == 0x28) {
            return keel_share_of_kind(KEEL_VALUE_CANARY);
        }
        keel_flow_refuse(flow, "thread-local data");
        return keel_share_refused("thread-local data");
    }
    if (address.kind == KEEL_VALUE_FRAME && address.exact) {
        struct keel_share_value value = keel_flow_read_slot(flow, address.offset, operand->size);
        if (cuts_size(flow, &value, operand->size)) {
            return keel_share_refused(DIVIDED_OTHERWISE);
        }
        value.wraps = value.wraps || (operand->size == 4 && value.kind == KEEL_VALUE_LINEAR &&
                                      !keel_share_is_common(&value));
        keel_index_read(&value, operand->size, keel_flow_per_trip(flow));
        return keel_share_lower(&value, operand->size);
    }
    if (flow->meets && !keel_flow_in_share_loop(flow) && !is_of_region(&address) &&
        operand->mem.base != X86_REG_RIP) {
        keel_flow_add_effect(flow, EFFECT_FAULT, NULL);
    }
    keel_flow_check_seen(flow, &address);
    struct keel_share_value seen = keel_share_combine(&address, &address, keel_flow_per_trip(flow));
    if (seen.kind == KEEL_VALUE_REFUSED) {
        return seen;
    }
    if (keel_share_is_common(&address)) {
        return load_common(flow, operand, &address);
    }
    struct keel_share_value value = keel_share_of_kind(KEEL_VALUE_DATA);
    if (address.kind == KEEL_VALUE_LINEAR && address.exact && address.base != 0 &&
        address.size.factor == 0) {
        value = address; /* identified by address and kind of load */
        value.kind = KEEL_VALUE_DATA;
        value.version = (int)keel_flow_now(flow)->id * LOADED + operand->size;
    }
    return value;
}

/* Whether a store writes a reduction's result to its variable: by a locked instruction, or between
 * the calls that lock operations without such an instruction. */
static bool is_total(const struct keel_flow *flow, const x86_op_mem *memory,
                     const struct keel_share_value *address, const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_TOTAL && flow->current.side == SIDE_NONE &&
           keel_share_is_common(address) &&
           value->base == keel_flow_base_at(flow, memory, address) &&
           (flow->current.locked || keel_flow_now(flow)->detail->x86.prefix[0] == X86_PREFIX_LOCK);
}

bool keel_flow_is_left(const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_UNKNOWN ||
           (value->kind == KEEL_VALUE_REFUSED && value->version < 0 &&
            strcmp(value->why, CALLERS_REGISTER) == 0);
}

/* Whether each share may store the value if there are no iterations. OpenMP does not define the
 * variable then, but no share may read values that others have stored. */
static bool may_rest(const struct keel_flow *flow, const cs_x86_op *operand,
                     const struct keel_share_value *address, const struct keel_share_value *value)
{
    bool is_left = keel_flow_is_left(value);
    bool is_constant = value->symbol == 0 ||
                       (value->symbol >= SYMBOLS_OF_CONSTANTS && value->symbol < SYMBOLS_OF_LOOPS);
    bool is_number =
        keel_share_is_common(value) && value->exact && is_constant && value->step.factor == 0;
    bool is_loaded = (value->kind == KEEL_VALUE_LINEAR && value->exact) ||
                     (value->kind == KEEL_VALUE_REFUSED && strcmp(value->why, OF_BARRIER) == 0);
    bool is_same = is_loaded && value->offset == 0 && value->step.factor == 0 &&
                   value->version == KEEL_SHARE_LOADED(operand->size) &&
                   value->base == keel_flow_base_at(flow, &operand->mem, address);

    return keel_share_is_common(address) && address->exact && (is_left || is_number || is_same);
}

static void store(struct keel_flow *flow, const cs_x86_op *operand,
                  const struct keel_share_value *value)
{
    struct keel_share_value address = keel_flow_address_of(flow, &operand->mem);

    bool repeats = keel_flow_now(flow)->detail->x86.prefix[0] == X86_PREFIX_REP ||
                   keel_flow_now(flow)->detail->x86.prefix[0] == X86_PREFIX_REPNE;

    keel_flow_note(flow, &flow->stored, operand, &address);
    if (repeats || !is_of_region(&address)) {
        keel_flow_let_out(flow, &address);
    }
    if (address.kind != KEEL_VALUE_FRAME) {
        keel_flow_let_out(flow, value);
    }
    if (operand->mem.segment == X86_REG_FS || operand->mem.segment == X86_REG_GS) {
        keel_flow_refuse(flow, "thread-local data");
    } else if (address.kind == KEEL_VALUE_FRAME && address.exact) {
        keel_flow_write_slot(flow, address.offset, operand->size, value);
    } else if (is_total(flow, &operand->mem, &address, value)) {
        keel_flow_add_effect(flow, EFFECT_TOTAL, value);
    } else if (has_no_iterations(flow) && may_rest(flow, operand, &address, value)) {
        keel_flow_add_effect(flow, EFFECT_REST, NULL);
    } else {
        keel_flow_check_seen(flow, &address);
        keel_flow_check_seen(flow, value);
        keel_flow_add_effect(flow, EFFECT_STORE, NULL);
    }
}

/* For SSE: names end with ss or sd, but so do names for integers, pmaxsd; conversions name both
 * types. */
int keel_flow_scalar_size(const cs_insn *instruction, int number)
{
    const char *name = instruction->mnemonic, *type = name + strlen(name);

    if (instruction->id == X86_INS_MOVQ && number > 0 &&
        keel_code_location(instruction->detail->x86.operands[0].reg) >= VECTORS) {
        return 8; /* with zeros above */
    }
    if (name[0] == 'v' || name[0] == 'p' || strlen(name) < 5) {
        return 0;
    }
    if (strncmp(name, "cvt", 3) == 0 && number > 0) {
        type = strchr(name, '2');
    }
    return type == NULL                      ? 0
           : strncmp(type - 2, "ss", 2) == 0 ? 4
           : strncmp(type - 2, "sd", 2) == 0 ? 8
                                             : 0;
}

struct keel_share_value keel_flow_read_operand(struct keel_flow *flow, int number)
{
    const cs_x86_op *it = keel_flow_operand(flow, number);
    int size;

    switch (it->type) {
    case X86_OP_REG:
        size = keel_code_location(it->reg) >= VECTORS
                   ? keel_flow_scalar_size(keel_flow_now(flow), number)
                   : 0;
        return read_register(flow, it->reg, size != 0 ? size : it->size);
    case X86_OP_IMM:
        return keel_share_constant(it->imm);
    default:
        return load(flow, it);
    }
}

void keel_flow_write_operand(struct keel_flow *flow, int number,
                             const struct keel_share_value *value)
{
    const cs_x86_op *it = keel_flow_operand(flow, number);

    if (it->type == X86_OP_REG) {
        write_register(flow, it->reg, it->size, value);
    } else {
        store(flow, it, value);
    }
}
