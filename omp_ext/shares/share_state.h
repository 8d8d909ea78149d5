/* Internal interface of the flow of values: the state of registers and stack frame, and how
 * operands and instructions change it.
 *
 *   share_proof.c -> share_flow.c -> share_instructions.c -> share_sums.c, share_calls.c
 *                                       -> share_flags.c, share_operands.c -> share_indices.c
 *                 -> share_ends.c */
#ifndef OMP_EXT_SHARES_SHARE_STATE_H
#define OMP_EXT_SHARES_SHARE_STATE_H

#include "omp_ext/shares/machine_code.h"
#include "omp_ext/shares/share_values.h"

enum { SLOTS = 56, LOCATIONS = SLOTS + 96 }; /* after all registers */

#define SYMBOLS_OF_ENTRY 6100 /* after those of instructions */
#define SYMBOLS_OF_CONSTANTS 6101
#define SYMBOLS_OF_LOOPS 6200
#define SYMBOLS_OF_PRODUCTS 10300 /* after VARIABLES_MAX of those */
#define PASSES_MAX 200
#define STEPS_MAX 200000 /* instructions of a proof: 1 s; usually some hundred */
#define VARIABLES_MAX 4096

enum flags_kind {
    FLAGS_COMMON,
    FLAGS_IS_LARGER, /* T was compared with R */
    FLAGS_EXTREME,   /* the sum of a reduction was compared with a register */
    FLAGS_INDEX,     /* an index was compared with a common value */
    FLAGS_VALUE
};

/* A side of a conditional jump. */
enum keel_flow_side { SIDE_NONE, SIDE_TAKEN, SIDE_NOT_TAKEN };

/* A jump that leaves a loop over the share after its last iteration: it tests before an iteration,
 * or after one. */
enum keel_flow_end { END_NONE, END_BEFORE, END_BEHIND };

struct keel_flow_flags {
    enum flags_kind kind;
    bool wraps;       /* COMMON: only equality is the same for all iterations */
    bool negative;    /* IS_LARGER: R may be below 0 */
    bool keeps_carry; /* of an instruction that keeps the carry */
    bool swapped;     /* IS_LARGER: R was compared with T; EXTREME, INDEX: second operand */
    uint16_t sum;     /* EXTREME: its symbol */
    int version;      /* EXTREME: of the sum */
    int width;        /* EXTREME, INDEX: bytes that were compared */
    int other;        /* location of the other operand; EXTREME: -1 if it has changed; INDEX: -1 if
                         its value is known */
    struct keel_share_value value;      /* VALUE: compared with 0; EXTREME: the register's */
    struct keel_share_value index, end; /* INDEX: the index, and the value that it was compared
                                           with */
};

#define OF_LONGER_SHARES "longer shares have code of their own"
#define CARRIED "a value is carried from one iteration to the next"
#define WRAPS "numbers of iterations are compared that may wrap around"
#define CALLERS_REGISTER "a value that the caller has left in a register"
#define OUTSIDE_DEPENDS "code outside of the loop depends on the share"
#define LEFT_BEFORE "the loop may be left before its end"
#define OF_BARRIER "a value that was loaded before a barrier"
#define FRAME_SIZE "the size of its stack frame changes"

struct keel_flow_state {
    bool reached;
    enum keel_flow_side side; /* TAKEN: T < R, NOT_TAKEN: T >= R, until both paths join */
    bool locked;              /* between GOMP_atomic_start() and GOMP_atomic_end() */
    uint32_t wrapped;         /* bits of divisions whose remainders are 0 in the next iteration */
    struct keel_flow_flags flags;
    struct keel_share_value at[LOCATIONS];
};

/* Version of loaded data: the kind of the load times LOADED, plus its number of bytes. */
#define LOADED 128

struct keel_flow_slot {
    int64_t offset;
    int size;
};

/* Data loaded from read-only memory; size 0: the address itself. */
struct keel_flow_constant {
    uint64_t address;
    int size;
};

/* Digits: the number of the iteration is 0; others are remainders and quotients of divisions. */
#define REMAINDER(division) (1 + 2 * (division))
#define QUOTIENT(division) (2 + 2 * (division))
#define DIVISION(digit) (((digit)-1) / 2)
#define IS_REMAINDER(digit) ((digit) % 2 == 1)

/* A division of the iteration's number, or of another division's quotient. */
struct keel_flow_division {
    int of;   /* digit that is divided */
    int size; /* bytes */
    struct keel_share_value radix;
};

enum keel_flow_effect_kind {
    EFFECT_STORE,
    EFFECT_REST, /* a harmless store that only runs if there are no iterations */
    EFFECT_TOTAL,
    EFFECT_EXCHANGE, /* a total by compare-and-exchange */
    EFFECT_CALL,
    EFFECT_BARRIER,
    EFFECT_FAULT, /* in functions with barriers: it may fault by values that the loop changes */
    EFFECT_FILL   /* a call that replaces the loop */
};

/* Bytes of the region's variables that are loaded or stored: the function's argument points to
 * them. */
struct keel_flow_place {
    int64_t offset;
    int size;
    uint32_t base; /* by keel_flow_base_at() */
};

#define PLACES_MAX 256

struct keel_flow_places {
    struct keel_flow_place at[PLACES_MAX];
    int count; /* PLACES_MAX: there may be more */
};

/* A value that changes from one trip of a loop over the share to the next, as known so far. */
struct keel_flow_variable {
    int block, location; /* head of the loop; location of the value */
    enum {
        VARIABLE_NEW,
        VARIABLE_STEPS,  /* by the same amount each time */
        VARIABLE_LOADED, /* an element of an array, the next one each trip */
        VARIABLE_SUM,
        VARIABLE_INDEX,
        VARIABLE_CARRIED
    } is;
    struct keel_coefficient step;        /* STEPS: growth of a linear one in a trip */
    bool wraps;                          /* STEPS: that of the value */
    int narrow;                          /* LOADED, INDEX: known bytes; 0: all */
    enum keel_share_operation operation; /* SUM */
    int version;                         /* SUM: at its return to the head */
    struct keel_share_value entry;       /* SUM: before the first trip */
    int64_t width;                       /* SUM: of its operations, as `offset` of the value */
};

/* An instruction whose effect is visible to other threads. */
struct keel_flow_effect {
    int instruction, block;
    enum keel_flow_effect_kind kind;
    uint32_t base; /* TOTAL, EXCHANGE: memory and operation */
    enum keel_share_operation operation;
    const struct keel_flow_variable *sum; /* its sum; NULL: of no iteration, then */
    uint16_t symbol;                      /* a constant, with its offset */
    int64_t offset;
};

struct keel_flow {
    struct keel_elf_code *code;
    struct keel_function_code *function;
    struct keel_flow_state *in;  /* of each block */
    struct keel_flow_state *out; /* of each block */
    struct keel_flow_state scratch[3];
    struct keel_flow_state current; /* changed by instructions */
    int block, instruction;
    int *steps;                       /* instructions checked so far, in all parts */
    bool trips_found;                 /* per_trip of a loop has become known */
    bool has_shares;                  /* the loops over shares are known */
    bool guarded[KEEL_CODE_BLOCKS];   /* blocks that only run if the share has iterations */
    int share_loop[KEEL_CODE_BLOCKS]; /* blocks: header of their loop over the share; -1: none */
    bool behind[KEEL_CODE_BLOCKS];    /* blocks: after a loop over the share, in none; headers:
                                         after another loop */
    double per_trip
        [KEEL_CODE_BLOCKS]; /* headers of such loops: iterations of a trip; 0: not known yet */
    enum keel_flow_side
        iterations[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs iterations */
    enum keel_flow_side
        last[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs the last iteration */
    enum keel_flow_side
        none[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs no iterations at all */
    enum keel_flow_end ends[KEEL_CODE_BLOCKS]; /* blocks: kind of their jumps */
    bool works[KEEL_CODE_BLOCKS]; /* blocks in loops over the share with effects or changing sums */
    struct keel_flow_slot slots[LOCATIONS - SLOTS];
    int slot_count;
    struct keel_flow_constant constants[SYMBOLS_OF_LOOPS - SYMBOLS_OF_CONSTANTS];
    int constant_count;
    uint16_t products[100][2]; /* factors of symbols that are products, the smaller symbol first */
    int product_count;
    int64_t aligned_from, aligned_to; /* offsets of the frame's alignment; 0, 0: none */
    struct keel_flow_places loaded, stored;
    bool meets;       /* the function calls a barrier */
    bool stores_all;  /* it may store to the region's variables unnoticed */
    bool stores_late; /* such a store was found after the loops over shares */
    bool checking;
    bool divides;                     /* iterations have been divided */
    struct keel_share_value dividend; /* number of iterations */
    int dividend_size;                /* bytes */
    int divides_by;                   /* bytes of that division; -1 if they differ */
    bool has_signed, has_unsigned;    /* iterations were divided as signed, unsigned */
    bool may_be_negative;             /* dividend and rest */
    struct keel_flow_division divisions[16];
    int division_count;
    struct keel_refusal refusal;
    struct keel_flow_effect effects[KEEL_CODE_INSTRUCTIONS];
    int effect_count;
    struct keel_flow_variable variables[VARIABLES_MAX];
    int variable_count;
};

/* The number of used locations; all later ones are UNKNOWN. */
static inline int keel_flow_locations(const struct keel_flow *flow)
{
    return SLOTS + flow->slot_count;
}

static inline const cs_insn *keel_flow_now(const struct keel_flow *flow)
{
    return flow->function->instructions[flow->instruction];
}

static inline const cs_x86_op *keel_flow_operand(const struct keel_flow *flow, int number)
{
    return &keel_flow_now(flow)->detail->x86.operands[number];
}

/* Whether the symbol's value changes from one trip of a loop to the next. */
static inline bool keel_flow_is_of_loop(uint16_t symbol)
{
    return symbol >= SYMBOLS_OF_LOOPS && symbol < SYMBOLS_OF_PRODUCTS;
}

/* --- share_operands.c --- */

void keel_flow_refuse_at(struct keel_flow *flow, const char *why, uint64_t at);

void keel_flow_refuse(struct keel_flow *flow, const char *why);

/* Iterations of a trip of the loop over the share at the present block; 0: not known, or in none;
 * KEEL_SHARE_BEHIND: after it. */
double keel_flow_per_trip(const struct keel_flow *flow);

bool keel_flow_in_share_loop(const struct keel_flow *flow);

/* The value where two paths join, one of which may be that of a share without iterations. */
struct keel_share_value keel_flow_join(const struct keel_flow *flow,
                                       const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip);

/* Whether a block is the edge on that side of a jump; whether it only runs after such an edge. */
bool keel_flow_is_side(const struct keel_flow *flow, int block, const enum keel_flow_side *sides);
bool keel_flow_is_behind_side(const struct keel_flow *flow, int block,
                              const enum keel_flow_side *sides);

/* Sum or difference of `size` bytes; refused if trips cancel in it of numbers that may have
 * wrapped. */
struct keel_share_value keel_flow_sum(const struct keel_flow *flow,
                                      const struct keel_share_value *a,
                                      const struct keel_share_value *b, bool subtracts, int size);

struct keel_share_value keel_flow_read_slot(struct keel_flow *flow, int64_t offset, int size);

void keel_flow_write_slot(struct keel_flow *flow, int64_t offset, int size,
                          const struct keel_share_value *value);

#define ALIGNED_BY 65536 /* bytes of the frame; more than alignment moves it by */

/* Aligns the stack pointer: its distance is not known, so slots below are kept apart from those
 * above. */
void keel_flow_align_frame(struct keel_flow *flow);

/* The value of `size` bytes of a register that has the value. */
struct keel_share_value keel_flow_part(const struct keel_flow *flow,
                                       const struct keel_share_value *value, int size);

struct keel_share_value keel_flow_address_of(struct keel_flow *flow, const x86_op_mem *memory);

/* Refuses values that depend on the share, or point to the stack frame: they become visible to the
 * program. */
void keel_flow_check_seen(struct keel_flow *flow, const struct keel_share_value *value);

/* total: the value of a total; otherwise NULL. */
void keel_flow_add_effect(struct keel_flow *flow, enum keel_flow_effect_kind kind,
                          const struct keel_share_value *total);

/* Sign-extends a value of `size` bytes. */
void keel_flow_extend(struct keel_share_value *value, int size);

/* Records the region's variables that the instruction loads or stores. */
void keel_flow_note(struct keel_flow *flow, struct keel_flow_places *places,
                    const cs_x86_op *operand, const struct keel_share_value *address);

/* Called for values that escape: other code may store to the memory that they point to. */
void keel_flow_let_out(struct keel_flow *flow, const struct keel_share_value *value);

/* At a barrier: values that were loaded before may have changed after it. */
void keel_flow_meet(struct keel_flow *flow);

/* A number for the memory at a common address. */
uint32_t keel_flow_base_at(const struct keel_flow *flow, const x86_op_mem *memory,
                           const struct keel_share_value *address);

/* A symbol for `size` bytes at an address of the file, or with size 0 for the address itself; 0 if
 * they may change or there are too many. */
uint16_t keel_flow_symbol_of(struct keel_flow *flow, uint64_t address, int size);

/* A symbol for the product of two; 0 if there are too many, or one may change in the loop. */
uint16_t keel_flow_symbol_of_product(struct keel_flow *flow, uint16_t a, uint16_t b);

/* Whether the value was left in a register by a call or the caller. */
bool keel_flow_is_left(const struct keel_share_value *value);

/* Bytes of an operand that a scalar instruction on vector registers reads or writes; 0 for others,
 * and if it writes the whole register. */
int keel_flow_scalar_size(const cs_insn *instruction, int number);

struct keel_share_value keel_flow_read_operand(struct keel_flow *flow, int number);

void keel_flow_write_operand(struct keel_flow *flow, int number,
                             const struct keel_share_value *value);

/* --- share_flags.c --- */

/* Sets flags of common values, or flags that no instruction reads. */
void keel_flow_set_common_flags(struct keel_flow_flags *flags);

void keel_flow_set_flags(struct keel_flow *flow, const struct keel_share_value *value);

void keel_flow_compare(struct keel_flow *flow, const struct keel_share_value *a,
                       const struct keel_share_value *b, int size);

/* Returns 1 if a condition means T < R, 0 for its negation, -1 for others. */
int keel_flow_is_larger(const struct keel_flow_flags *flags, unsigned id);

/* Whether the instruction tests more than equality of numbers that may wrap around. */
bool keel_flow_is_unsure(const struct keel_flow_flags *flags, unsigned id);

/* The flags as a value, for instructions other than a jump that leaves the loop over the share. */
struct keel_share_value keel_flow_read_flags(struct keel_flow *flow);

/* --- share_flow.c --- */

bool keel_flow_heads_share_loop(const struct keel_flow *flow, int block);

/* Whether the block reaches a return of the function without passing a block that is `shut`; shut:
 * NULL if none is. */
bool keel_flow_returns(const struct keel_flow *flow, int block, const bool *shut);

/* Runs a block's instructions on its incoming state; `current` is the outgoing one. */
void keel_flow_run_block(struct keel_flow *flow, int block);

/* Find all values, to a fixed point; the second one with loops over the share and their
 * variables. */
void keel_flow_find_fixed_point(struct keel_flow *flow, struct keel_flow_state *scratch);
void keel_flow_find_trips(struct keel_flow *flow, struct keel_flow_state *scratch);

/* --- share_ends.c --- */

/* Whether the jump at the end of the block leaves the loop over the share, by comparing its
 * progress. */
bool keel_flow_ends_loop(const struct keel_flow *flow, int block);

/* Whether the jump compares numbers of four bytes as signed ones that were divided as unsigned
 * ones, or vice versa; for_any: it tests whether there are iterations. */
bool keel_flow_asks_otherwise(const struct keel_flow *flow, int block, bool for_any);

/* Records the kind of such a jump, while checking. */
void keel_flow_note_end(struct keel_flow *flow, int block);

/* Refuses loops that do not run each iteration of their shares once. Call after checking all
 * blocks. */
void keel_flow_check_ends(struct keel_flow *flow);

/* --- share_indices.c --- */

/* Divides high:low by a radix of `size` bytes: sets low to the quotient, high to the remainder.
 * Returns false if it is not an iteration's number. */
bool keel_index_divide(struct keel_flow *flow, struct keel_share_value *low,
                       struct keel_share_value *high, const struct keel_share_value *radix,
                       int size);

/* The same by a shift to the right, which gives the quotient, and by a mask, the remainder. */
bool keel_index_shift(struct keel_flow *flow, struct keel_share_value *value, int64_t by, int size);
bool keel_index_mask(struct keel_flow *flow, struct keel_share_value *value,
                     const struct keel_share_value *mask, int size);

/* Sum or difference of an index and another number; false if none is an index. */
bool keel_index_sum(const struct keel_flow *flow, const struct keel_share_value *a,
                    const struct keel_share_value *b, bool subtracts, int size, double per_trip,
                    struct keel_share_value *sum);

struct keel_share_value keel_index_scale(const struct keel_share_value *index, int64_t factor,
                                         int size, double per_trip);

/* Reduce an index to `size` bytes: with zeros above; sign-extended; as a double. */
void keel_index_read(struct keel_share_value *value, int size, double per_trip);
void keel_index_extend(struct keel_share_value *value, int size);
bool keel_index_convert(struct keel_share_value *value, int size);

/* Sets the flags if one value is an index. */
void keel_index_compare(struct keel_flow *flow, const struct keel_share_value *a,
                        const struct keel_share_value *b, int size);

/* Applies the result of a block's test to the indices that pass to the next block. */
void keel_index_pass(const struct keel_flow *flow, int block, const struct keel_block *to,
                     struct keel_flow_state *state);

/* The index where two paths join; false if there is none. */
bool keel_index_join(const struct keel_flow_state *state, const struct keel_share_value *a,
                     const struct keel_flow_state *more, const struct keel_share_value *b,
                     struct keel_share_value *joined);

/* An index at the head of the loop over the share; narrow: its known bytes, 0: all. */
struct keel_share_value keel_index_at_head(const struct keel_share_value *entry, int narrow);

/* Whether the value that returns to the head is the index of the next iteration; *narrow: in so
 * many bytes, 0: all. */
bool keel_index_comes_back(const struct keel_share_value *head, const struct keel_flow_state *state,
                           const struct keel_share_value *back, int *narrow);

/* --- share_sums.c ---
 *
 * Each performs the instruction if it is an operation on the sum of a reduction; otherwise it
 * returns false. */

/* cmov: a minimum or maximum. */
bool keel_sum_move_extreme(struct keel_flow *flow);

/* lea. */
bool keel_sum_load_address(struct keel_flow *flow);

bool keel_sum_reduce(struct keel_flow *flow);

/* lock cmpxchg of a total with the memory that it was computed from. */
bool keel_sum_exchange(struct keel_flow *flow);

/* Compares the sum with a register. */
bool keel_sum_compare(struct keel_flow *flow, const struct keel_share_value *a,
                      const struct keel_share_value *b);

/* The minimum or maximum of a sum and another number, by the function `name`. */
bool keel_sum_call_extreme(struct keel_flow *flow, const char *name,
                           struct keel_share_value *result);

/* Whether the instruction adds a product to its first operand. */
bool keel_sum_adds_product(unsigned id);

/* --- share_calls.c --- */

void keel_flow_call(struct keel_flow *flow);

/* Whether the instruction is no vector instruction. */
bool keel_flow_is_of_integers(const struct keel_flow *flow);

/* --- share_instructions.c --- */

void keel_flow_step(struct keel_flow *flow);

#endif
