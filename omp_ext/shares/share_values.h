/* Abstract values of an outlined function: their dependence on the thread's share of iterations.
 * Pure functions.
 *
 *   thread number T, team size N          as libgomp has returned them
 *   quotient Q, remainder R               of iterations / N, before the first R shares get one more
 *   linear                                A * start + B * trip + C * size + common part
 *   data                                  depends on iterations in another way
 *   index                                 A * digit of start + trip, + common part
 *
 * start: the first iteration of the share; size: its number of iterations; trip: the number of
 * finished trips of the loop over them; common: equal in all shares. With V iterations in a trip, a
 * value is the same for an iteration in any share only if B == A * V. */
#ifndef OMP_EXT_SHARES_SHARE_VALUES_H
#define OMP_EXT_SHARES_SHARE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/shares/machine_code.h"

enum keel_share_kind {
    KEEL_VALUE_UNKNOWN, /* in a register that a call has changed, or that was not written */
    KEEL_VALUE_LINEAR,
    KEEL_VALUE_DATA,
    KEEL_VALUE_INDEX,          /* A * digit of an iteration's number; share_indices.c */
    KEEL_VALUE_FRAME,          /* address in the function's stack frame */
    KEEL_VALUE_THREAD,         /* T */
    KEEL_VALUE_TEAM,           /* N */
    KEEL_VALUE_QUOTIENT,       /* Q */
    KEEL_VALUE_QUOTIENT_MORE,  /* Q + 1 */
    KEEL_VALUE_QUOTIENT_LESS,  /* Q, where T < R: it lacks one */
    KEEL_VALUE_REMAINDER,      /* R */
    KEEL_VALUE_REMAINDER_LESS, /* R, where T < R: it is to become 0 */
    KEEL_VALUE_REST,           /* R or 0, as the share's start needs it, plus a common value */
    KEEL_VALUE_IS_LARGER,      /* T < R, as 0 or 1 */
    KEEL_VALUE_CANARY,         /* of the stack protector */
    KEEL_VALUE_SUM,    /* result of the share's iterations under one operation, beginning with
                             its neutral element */
    KEEL_VALUE_TOTAL,  /* a SUM combined with the memory at `base` */
    KEEL_VALUE_REFUSED /* any use is refused; `why` */
};

/* A reason for refusal. */
#define DIVIDED_OTHERWISE "the iterations are not divided as GCC does it"

/* Operations of reductions. */
enum keel_share_operation {
    KEEL_OPERATION_NONE,
    KEEL_OPERATION_ADD, /* and subtract from */
    KEEL_OPERATION_MULTIPLY,
    KEEL_OPERATION_AND,
    KEEL_OPERATION_OR,
    KEEL_OPERATION_XOR,
    KEEL_OPERATION_MINIMUM,
    KEEL_OPERATION_MAXIMUM,
    KEEL_OPERATION_UNSIGNED_MINIMUM,
    KEEL_OPERATION_UNSIGNED_MAXIMUM
};

/* How a register or slot holds an index. */
enum keel_share_form {
    KEEL_FORM_ZEROS,  /* four bytes, with zeros above */
    KEEL_FORM_SIGNED, /* four bytes, with their sign above */
    KEEL_FORM_LONG,   /* eight bytes */
    KEEL_FORM_DOUBLE, /* four bytes with their sign, as a double */
};

/* A factor times a symbol, a value from before the loop; 0: nothing. */
struct keel_coefficient {
    double factor;
    uint16_t symbol; /* 0: the factor alone */
};

/* Packed, as a proof copies some hundred values from block to block. */
struct keel_share_value {
    struct keel_coefficient start, trip, size; /* LINEAR; INDEX: of the digit */
    /* The common part: symbol + offset + step if `exact`, otherwise not known. Of SUM: `offset` is
     * the width of its operations in bytes, negative for floating-point numbers; 0: none yet. */
    struct keel_coefficient step; /* added to the symbol beside the offset */
    int64_t offset;
    const char *why; /* REFUSED */
    uint32_t base;   /* number of the array that it points into; 0: not known */
    int version;     /* SUM: number of its value in an iteration; 0: the first */
    uint16_t symbol;
    enum keel_share_kind kind : 8;
    enum keel_share_form form : 8;           /* INDEX */
    enum keel_share_operation operation : 8; /* SUM, TOTAL */
    uint8_t narrow;                          /* bytes of the register that hold the value; 0: all */
    uint8_t digit;                           /* INDEX: its digit; see struct keel_flow_division */
    bool exact : 1;
    bool lacks_rest : 1; /* LINEAR: T * size, to which REST is to be added */
    bool wraps : 1;      /* LINEAR: the part that moves with trips had 32 bits */
    bool cut : 1;        /* LINEAR: the part that moves with the start was cut to 32 bits; INDEX */
    bool next : 1;       /* INDEX: of the next iteration's number */
};

/* The base of an address that was computed from the region's argument; other bases are odd. */
#define KEEL_SHARE_REGION 2

/* Version of `bytes` bytes loaded from `base`, unchanged. */
#define KEEL_SHARE_LOADED(bytes) (-(bytes))

bool keel_share_value_equals(const struct keel_share_value *a, const struct keel_share_value *b);

struct keel_share_value keel_share_constant(int64_t value);
struct keel_share_value keel_share_symbol(uint16_t symbol); /* a common value */
struct keel_share_value keel_share_size(void);              /* of the share */
struct keel_share_value keel_share_rest(void);
struct keel_share_value keel_share_refused(const char *why);
struct keel_share_value keel_share_of_kind(enum keel_share_kind kind);

bool keel_share_is_constant(const struct keel_share_value *value);

/* Whether the value is common: the same in all shares. */
bool keel_share_is_common(const struct keel_share_value *value);

/* Whether the value does not depend on the share: it is common, or the same for each iteration in
 * any share. per_trip: iterations of a trip; 0 if not known yet: values that move with trips are
 * then assumed to be fair; KEEL_SHARE_BEHIND after the loop: values that move with the end of the
 * share are the same if that is the end of all iterations. */
#define KEEL_SHARE_BEHIND -1
bool keel_share_is_fair(const struct keel_share_value *value, double per_trip);

struct keel_share_value keel_share_add(const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip);
struct keel_share_value keel_share_subtract(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip);
/* Whether the value is one symbol, or a multiple of one. */
bool keel_share_is_coefficient(const struct keel_share_value *value, struct keel_coefficient *is);

struct keel_share_value keel_share_multiply(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip);

/* Multiplies by a known factor; shifts to the right are factors below 1. */
struct keel_share_value keel_share_scale(const struct keel_share_value *value, double factor);

/* Data that depend on iterations and were computed from both. */
struct keel_share_value keel_share_data(const struct keel_share_value *a,
                                        const struct keel_share_value *b);

/* Any other operation on values. */
struct keel_share_value keel_share_combine(const struct keel_share_value *a,
                                           const struct keel_share_value *b, double per_trip);

/* The lower `size` bytes of a value, with zeros above. */
struct keel_share_value keel_share_lower(const struct keel_share_value *value, int size);

/* Whether a reduction that begins with the value gives the result of the iterations; real: of
 * floating-point numbers. */
bool keel_share_is_neutral(const struct keel_share_value *value,
                           enum keel_share_operation operation, bool real);

/* Combines a SUM with another value. in_loop: in the loop over the share. */
struct keel_share_value keel_share_reduce(const struct keel_share_value *a,
                                          const struct keel_share_value *b,
                                          enum keel_share_operation operation, bool in_loop,
                                          double per_trip);

/* Whether a value equals that rest if T < R. */
bool keel_share_is_rest_of_longer(const struct keel_share_value *value,
                                  const struct keel_share_value *rest);

/* The value where two paths join. */
struct keel_share_value keel_share_join(const struct keel_share_value *a,
                                        const struct keel_share_value *b, double per_trip);

/* --- flow of values that depend on the share through an outlined function ---
 *
 * Abstract interpretation of its machine code, to a fixed point.
 *
 *   blocks -> values at each block -> loops over the share -> values once more, with their trips
 *          -> each instruction checked */

/* Why a function is refused, and the address of the instruction. */
struct keel_refusal {
    const char *why; /* NULL if it is not refused */
    uint64_t at;
};

/* Whether the function, run once for each of any number of shares by any threads, has the effects
 * that it has if each thread of a team runs it once. */
struct keel_refusal keel_share_flow_check(struct keel_elf_code *code,
                                          struct keel_function_code *function);

#endif
