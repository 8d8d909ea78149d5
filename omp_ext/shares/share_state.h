/* What the parts of the flow of values share: the state of registers and stack frame, and how
 * operands and instructions change it.
 *
 *   share_proof.c -> share_flow.c -> share_instructions.c -> share_sums.c, share_calls.c
 *                                       -> share_flags.c, share_operands.c -> share_indices.c
 *                 -> share_ends.c */
#ifndef OMP_EXT_SHARES_SHARE_STATE_H
#define OMP_EXT_SHARES_SHARE_STATE_H

#include "omp_ext/shares/machine_code.h"
#include "omp_ext/shares/share_values.h"

enum { SLOTS = 56, LOCATIONS = SLOTS + 96 }; /* behind all registers */

#define SYMBOLS_OF_ENTRY 6100 /* behind those of instructions */
#define SYMBOLS_OF_CONSTANTS 6101
#define SYMBOLS_OF_LOOPS 6200
#define SYMBOLS_OF_PRODUCTS 10300 /* behind VARIABLES_MAX of those */
#define PASSES_MAX 200
#define STEPS_MAX 200000 /* instructions of a proof: a second; some hundred are usual */
#define VARIABLES_MAX 4096

enum flags_kind {
    FLAGS_COMMON,
    FLAGS_IS_LARGER, /* T was compared with R */
    FLAGS_EXTREME,   /* the sum of a reduction was compared with a register */
    FLAGS_INDEX,     /* an index was compared with what no share changes */
    FLAGS_VALUE
};

/* A side of a conditional jump. */
enum keel_flow_side { SIDE_NONE, SIDE_TAKEN, SIDE_NOT_TAKEN };

/* A jump that leaves a loop over the share, as many trips as it has iterations being over: it asks
 * before an iteration, or behind one. */
enum keel_flow_end { END_NONE, END_BEFORE, END_BEHIND };

struct keel_flow_flags {
    enum flags_kind kind;
    bool wraps;    /* COMMON: only whether two numbers are equal is the same for all iterations */
    bool negative; /* IS_LARGER: R may be below 0 */
    bool keeps_carry; /* of an instruction that leaves the carry as it was */
    bool swapped;     /* IS_LARGER: R was compared with T; EXTREME, INDEX: it came second */
    uint16_t sum;     /* EXTREME: its symbol */
    int version;      /* EXTREME: of the sum */
    int width;        /* EXTREME, INDEX: bytes that were compared */
    int other;        /* EXTREME: where the register's value is; -1: it has changed; INDEX: where
                         what it was compared with is, if that is not known */
    struct keel_share_value value;      /* VALUE: compared with 0; EXTREME: the register's */
    struct keel_share_value index, end; /* INDEX, with `value`: what it was compared with */
};

#define OF_LONGER_SHARES "longer shares have code of their own"
#define CARRIED "a value is carried from one iteration to the next"
#define WRAPS "numbers of iterations are compared that may wrap around"
#define CALLERS_REGISTER "what the caller has left in a register"
#define OUTSIDE_DEPENDS "code outside of the loop depends on the share"
#define LEFT_BEFORE "the loop may be left before its end"
#define OF_BARRIER "what was loaded before a barrier"
#define FRAME_SIZE "the size of its stack frame changes"

struct keel_flow_state {
    bool reached;
    enum keel_flow_side side; /* TAKEN: T < R, NOT_TAKEN: not so, until both ways have met */
    bool locked;              /* between GOMP_atomic_start() and GOMP_atomic_end() */
    uint32_t wrapped;         /* bits of divisions whose remainders are 0 in the next iteration */
    struct keel_flow_flags flags;
    struct keel_share_value at[LOCATIONS];
};

/* Version of data that a load of a number of bytes has brought: how it was done, times LOADED, and
 * that number. */
#define LOADED 128

struct keel_flow_slot {
    int64_t offset;
    int size;
};

/* What is loaded from memory that nothing writes to; size 0: the address itself. */
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
    EFFECT_REST, /* a store that only runs where there are no iterations, and then does no harm */
    EFFECT_TOTAL,
    EFFECT_EXCHANGE, /* a total by comparing and exchanging */
    EFFECT_CALL,
    EFFECT_BARRIER,
    EFFECT_FAULT, /* in functions with barriers: what the loop may change may make it fault */
    EFFECT_FILL   /* a call that the compiler has made of the loop */
};

/* Bytes of the region's variables that are loaded or stored, and of which the caller has told the
 * address alone. */
struct keel_flow_place {
    int64_t offset;
    int size;
    uint32_t base; /* as of keel_flow_base_at() */
};

#define PLACES_MAX 256

struct keel_flow_places {
    struct keel_flow_place at[PLACES_MAX];
    int count; /* PLACES_MAX: there may be more */
};

/* What changes from one trip of a loop over the share to the next, as far as it has been seen. */
struct keel_flow_variable {
    int block, location; /* head of the loop; where the value is */
    enum {
        VARIABLE_NEW,
        VARIABLE_STEPS,  /* by the same each time */
        VARIABLE_LOADED, /* what stands in an array, one trip further each time */
        VARIABLE_SUM,
        VARIABLE_INDEX,
        VARIABLE_CARRIED
    } is;
    struct keel_coefficient step;        /* STEPS: what a linear one grows by in a trip */
    bool wraps;                          /* STEPS: as of the value */
    int narrow;                          /* LOADED, INDEX: bytes that are known of it; 0: all */
    enum keel_share_operation operation; /* SUM */
    int version;                         /* SUM: with which it comes back */
    struct keel_share_value entry;       /* SUM: with which it begins */
    int64_t width;                       /* SUM: of its operations, as `offset` of the value */
};

/* An instruction that others can see the effect of. */
struct keel_flow_effect {
    int instruction, block;
    enum keel_flow_effect_kind kind;
    uint32_t base; /* TOTAL, EXCHANGE: what it is combined with, and how */
    enum keel_share_operation operation;
    const struct keel_flow_variable *sum; /* that it is of; NULL: of no iteration, then */
    uint16_t symbol;                      /* a constant, with its offset */
    int64_t offset;
};

struct keel_flow {
    struct keel_elf_code *code;
    struct keel_function_code *function;
    struct keel_flow_state *in;  /* of each block */
    struct keel_flow_state *out; /* of each block */
    struct keel_flow_state scratch[3];
    struct keel_flow_state current; /* that instructions change */
    int block, instruction;
    int *steps;       /* how many instructions have been looked at, with all answers */
    bool trips_found; /* iterations of a trip, for a loop that they were not known of */
    bool has_shares;  /* the loops over shares are known */
    bool guarded[KEEL_CODE_BLOCKS];   /* blocks: they only run where the share has iterations */
    int share_loop[KEEL_CODE_BLOCKS]; /* blocks: header of the loop over the share that they are
                                         in; -1: none */
    bool behind[KEEL_CODE_BLOCKS];    /* blocks: behind a loop over the share, and in none; headers:
                                      behind another */
    double per_trip
        [KEEL_CODE_BLOCKS]; /* headers of such loops: iterations of a trip; 0: not known yet */
    enum keel_flow_side
        iterations[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs iterations */
    enum keel_flow_side
        last[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs the last iteration */
    enum keel_flow_side
        none[KEEL_CODE_BLOCKS]; /* blocks: side of the jump that needs that there are none */
    enum keel_flow_end ends[KEEL_CODE_BLOCKS]; /* blocks: what their jumps are */
    bool works
        [KEEL_CODE_BLOCKS]; /* blocks: in loops over the share, with effects, or changing sums */
    struct keel_flow_slot slots[LOCATIONS - SLOTS];
    int slot_count;
    struct keel_flow_constant constants[SYMBOLS_OF_LOOPS - SYMBOLS_OF_CONSTANTS];
    int constant_count;
    uint16_t products[100]
                     [2]; /* symbols of which another one is the product, the smaller one first */
    int product_count;
    int64_t aligned_from, aligned_to; /* the frame was aligned there; 0 and 0: it was not */
    struct keel_flow_places loaded, stored;
    bool meets;       /* it calls a barrier */
    bool stores_all;  /* it may store to the region's variables where it does not show */
    bool stores_late; /* one was found when the loops over shares were known */
    bool checking;
    bool divides;                     /* iterations have been divided */
    struct keel_share_value dividend; /* how many */
    int dividend_size;                /* bytes */
    int divides_by;                   /* bytes of that division; -1: of several */
    bool has_signed, has_unsigned;    /* iterations were divided as such numbers */
    bool may_be_negative;             /* how many there are, and the rest */
    struct keel_flow_division divisions[16];
    int division_count;
    struct keel_refusal refusal;
    struct keel_flow_effect effects[KEEL_CODE_INSTRUCTIONS];
    int effect_count;
    struct keel_flow_variable variables[VARIABLES_MAX];
    int variable_count;
};

/* Locations that have been used; all behind them are UNKNOWN. */
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

/* Whether a symbol is of what changes from one trip of a loop to the next. */
static inline bool keel_flow_is_of_loop(uint16_t symbol)
{
    return symbol >= SYMBOLS_OF_LOOPS && symbol < SYMBOLS_OF_PRODUCTS;
}

/* --- share_operands.c --- */

void keel_flow_refuse_at(struct keel_flow *flow, const char *why, uint64_t at);

void keel_flow_refuse(struct keel_flow *flow, const char *why);

/* Iterations of a trip of the loop over the share, where the flow is; 0: not known, or in none;
 * KEEL_SHARE_BEHIND. */
double keel_flow_per_trip(const struct keel_flow *flow);

bool keel_flow_in_share_loop(const struct keel_flow *flow);

/* Where two ways meet, of which one may be that of a share without iterations. */
struct keel_share_value keel_flow_join(const struct keel_flow *flow,
                                       const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip);

/* Whether a block is the edge on that side of a jump; only runs behind such an edge. */
bool keel_flow_is_side(const struct keel_flow *flow, int block, const enum keel_flow_side *sides);
bool keel_flow_is_behind_side(const struct keel_flow *flow, int block,
                              const enum keel_flow_side *sides);

/* Of `size` bytes; refused where trips of numbers cancel in it that have wrapped before. */
struct keel_share_value keel_flow_sum(const struct keel_flow *flow,
                                      const struct keel_share_value *a,
                                      const struct keel_share_value *b, bool subtracts, int size);

struct keel_share_value keel_flow_read_slot(struct keel_flow *flow, int64_t offset, int size);

void keel_flow_write_slot(struct keel_flow *flow, int64_t offset, int size,
                          const struct keel_share_value *value);

#define ALIGNED_BY 65536 /* bytes of the frame; more than aligning moves it by */

/* The stack pointer is aligned: how far it moves is not known, so that slots below it are some that
 * nothing above reaches. */
void keel_flow_align_frame(struct keel_flow *flow);

/* What `size` bytes of a register are that has the value. */
struct keel_share_value keel_flow_part(const struct keel_flow *flow,
                                       const struct keel_share_value *value, int size);

struct keel_share_value keel_flow_address_of(struct keel_flow *flow, const x86_op_mem *memory);

/* What no thread's share may reach: the value goes where the program sees it. */
void keel_flow_check_seen(struct keel_flow *flow, const struct keel_share_value *value);

/* total: the value of one; else NULL. */
void keel_flow_add_effect(struct keel_flow *flow, enum keel_flow_effect_kind kind,
                          const struct keel_share_value *total);

/* A constant of so many bytes, with its sign. */
void keel_flow_extend(struct keel_share_value *value, int size);

/* Notes what the instruction loads, or stores, of the region's variables. */
void keel_flow_note(struct keel_flow *flow, struct keel_flow_places *places,
                    const cs_x86_op *operand, const struct keel_share_value *address);

/* The value is where others may store to what it is the address of. */
void keel_flow_let_out(struct keel_flow *flow, const struct keel_share_value *value);

/* At a barrier, what was loaded before may have changed behind it. */
void keel_flow_meet(struct keel_flow *flow);

/* A number for what stands at an address that no share changes. */
uint32_t keel_flow_base_at(const struct keel_flow *flow, const x86_op_mem *memory,
                           const struct keel_share_value *address);

/* A symbol for so many bytes at an address of the file, or with 0 for the address itself; 0: they
 * may change, or there are too many. */
uint16_t keel_flow_symbol_of(struct keel_flow *flow, uint64_t address, int size);

/* A symbol for the product of two; 0: there are too many, or one may change in the loop. */
uint16_t keel_flow_symbol_of_product(struct keel_flow *flow, uint16_t a, uint16_t b);

/* Whether it is what a call or the caller has left in a register. */
bool keel_flow_is_left(const struct keel_share_value *value);

/* Bytes of an operand that a scalar instruction on vector registers reads or writes; 0: it is none,
 * or leaves no part of what it writes. */
int keel_flow_scalar_size(const cs_insn *instruction, int number);

struct keel_share_value keel_flow_read_operand(struct keel_flow *flow, int number);

void keel_flow_write_operand(struct keel_flow *flow, int number,
                             const struct keel_share_value *value);

/* --- share_flags.c --- */

/* Flags of what no share changes, or that nothing reads. */
void keel_flow_set_common_flags(struct keel_flow_flags *flags);

void keel_flow_set_flags(struct keel_flow *flow, const struct keel_share_value *value);

void keel_flow_compare(struct keel_flow *flow, const struct keel_share_value *a,
                       const struct keel_share_value *b, int size);

/* Whether a condition means T < R: 1, or the opposite: 0; -1: neither. */
int keel_flow_is_larger(const struct keel_flow_flags *flags, unsigned id);

/* Whether the instruction asks for more than whether numbers that may wrap around are equal. */
bool keel_flow_is_unsure(const struct keel_flow_flags *flags, unsigned id);

/* What an instruction sees of the flags, other than a jump that leaves the loop over the share. */
struct keel_share_value keel_flow_read_flags(struct keel_flow *flow);

/* --- share_flow.c --- */

bool keel_flow_heads_share_loop(const struct keel_flow *flow, int block);

/* Whether the block comes to an end of the function, and not only to what ends the process, without
 * passing a block that is `shut`; NULL: none is. */
bool keel_flow_returns(const struct keel_flow *flow, int block, const bool *shut);

/* Looks at a block's instructions, with what has come into it: `current` is what goes out. */
void keel_flow_run_block(struct keel_flow *flow, int block);

/* All values, to a fixed point; the same with loops over the share, whose variables are learned
 * meanwhile. */
void keel_flow_find_fixed_point(struct keel_flow *flow, struct keel_flow_state *scratch);
void keel_flow_find_trips(struct keel_flow *flow, struct keel_flow_state *scratch);

/* --- share_ends.c --- */

/* Whether the jump at the end of the block leaves the loop over the share, by comparing how far it
 * has come. */
bool keel_flow_ends_loop(const struct keel_flow *flow, int block);

/* Whether the jump takes numbers of four bytes for signed ones that were divided as unsigned ones,
 * or the other way round; for_any: it asks if there are iterations, of as many bytes, too. */
bool keel_flow_asks_otherwise(const struct keel_flow *flow, int block, bool for_any);

/* Notes what such a jump is, while checking. */
void keel_flow_note_end(struct keel_flow *flow, int block);

/* Refuses loops that do not go over the iterations of their shares, each once, when all blocks have
 * been checked. */
void keel_flow_check_ends(struct keel_flow *flow);

/* --- share_indices.c --- */

/* Division of high:low by a radix, of so many bytes: sets both to quotient and remainder. False: it
 * is not of an iteration's number. */
bool keel_index_divide(struct keel_flow *flow, struct keel_share_value *low,
                       struct keel_share_value *high, const struct keel_share_value *radix,
                       int size);

/* The same by a shift to the right, and by a mask. */
bool keel_index_shift(struct keel_flow *flow, struct keel_share_value *value, int64_t by, int size);
bool keel_index_mask(struct keel_flow *flow, struct keel_share_value *value,
                     const struct keel_share_value *mask, int size);

/* Sum or difference of an index and another number; false: none is an index. */
bool keel_index_sum(const struct keel_flow *flow, const struct keel_share_value *a,
                    const struct keel_share_value *b, bool subtracts, int size, double per_trip,
                    struct keel_share_value *sum);

struct keel_share_value keel_index_scale(const struct keel_share_value *index, int64_t factor,
                                         int size, double per_trip);

/* What so many bytes of an index are, with zeros above; with their sign above; as a double. */
void keel_index_read(struct keel_share_value *value, int size, double per_trip);
void keel_index_extend(struct keel_share_value *value, int size);
bool keel_index_convert(struct keel_share_value *value, int size);

/* Sets the flags, where one is an index. */
void keel_index_compare(struct keel_flow *flow, const struct keel_share_value *a,
                        const struct keel_share_value *b, int size);

/* From a block to the next one: what its question tells of indices. */
void keel_index_pass(const struct keel_flow *flow, int block, const struct keel_block *to,
                     struct keel_flow_state *state);

/* Where two ways meet; false: no index goes on. */
bool keel_index_join(const struct keel_flow_state *state, const struct keel_share_value *a,
                     const struct keel_flow_state *more, const struct keel_share_value *b,
                     struct keel_share_value *joined);

/* An index at the head of the loop over the share, of which so many bytes are known. */
struct keel_share_value keel_index_at_head(const struct keel_share_value *entry, int narrow);

/* Whether what comes back to the head is the index of the next iteration, and in how many bytes. */
bool keel_index_comes_back(const struct keel_share_value *head, const struct keel_flow_state *state,
                           const struct keel_share_value *back, int *narrow);

/* --- share_sums.c ---
 *
 * Each does what the instruction does, if it is an operation on the sum of a reduction; false: it
 * is none. */

/* cmov: a minimum or maximum. */
bool keel_sum_move_extreme(struct keel_flow *flow);

/* lea. */
bool keel_sum_load_address(struct keel_flow *flow);

bool keel_sum_reduce(struct keel_flow *flow);

/* lock cmpxchg of a total with what it was made of. */
bool keel_sum_exchange(struct keel_flow *flow);

/* Compares the sum with a register. */
bool keel_sum_compare(struct keel_flow *flow, const struct keel_share_value *a,
                      const struct keel_share_value *b);

/* The smaller or larger one of a sum and another number, by a function of that name. */
bool keel_sum_call_extreme(struct keel_flow *flow, const char *name,
                           struct keel_share_value *result);

/* Whether the instruction adds a product to its first operand. */
bool keel_sum_adds_product(unsigned id);

/* --- share_calls.c --- */

void keel_flow_call(struct keel_flow *flow);

/* Whether it is no vector instruction. */
bool keel_flow_is_of_integers(const struct keel_flow *flow);

/* --- share_instructions.c --- */

void keel_flow_step(struct keel_flow *flow);

#endif
