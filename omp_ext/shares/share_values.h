/* What is known of a value in an outlined function: how it depends on the share of iterations that
 * a thread has. Pure functions.
 *
 *   thread number T, team size N          as libgomp has returned them
 *   quotient Q, remainder R               of iterations / N, before the first R shares get one more
 *   linear                                A * start + B * trip + C * size + what no share changes
 *   data                                  depends on iterations otherwise
 *   index                                 A * digit of start + trip, and what no share changes
 *
 * start: the first iteration of the share; size: how many it has; trip: how often the loop over
 * them has come round, which one of its variables may count. With V iterations in a trip, only
 * where B == A * V is a value the same for an iteration whichever share has it. */
#ifndef OMP_EXT_SHARES_SHARE_VALUES_H
#define OMP_EXT_SHARES_SHARE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "omp_ext/shares/machine_code.h"

enum keel_share_kind {
    KEEL_VALUE_UNKNOWN, /* of a register that a call has changed, or that was not written */
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
    KEEL_VALUE_REST,      /* R or 0, as the share's start needs it, and what no share changes */
    KEEL_VALUE_IS_LARGER, /* T < R, as 0 or 1 */
    KEEL_VALUE_CANARY,    /* of the stack protector */
    KEEL_VALUE_SUM,       /* what the share's iterations have come to under one operation, from its
                         neutral element on */
    KEEL_VALUE_TOTAL,     /* that, combined with what stands at `base` in memory */
    KEEL_VALUE_REFUSED    /* no use of it is understood; `why` */
};

/* Why a value is refused. */
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
    KEEL_FORM_ZEROS,  /* four bytes of it, with zeros above */
    KEEL_FORM_SIGNED, /* four bytes, with their sign above */
    KEEL_FORM_LONG,   /* eight bytes */
    KEEL_FORM_DOUBLE, /* four bytes with their sign, as a double */
};

/* A factor times what a register held before the loop; 0: nothing. */
struct keel_coefficient {
    double factor;
    uint16_t symbol; /* 0: the factor alone */
};

/* Packed, as a proof copies some hundred of them from block to block. */
struct keel_share_value {
    struct keel_coefficient start, trip, size; /* LINEAR; INDEX: of the digit */
    /* What no share changes, and how far it is known: symbol + offset + step, where symbol 0 means
     * that only whether `exact` is known. Of SUM: `offset` is the width of its operations in
     * bytes, with a minus where they are of floating-point numbers; 0: none yet. */
    struct keel_coefficient step; /* added to the symbol beside the offset */
    int64_t offset;
    const char *why; /* REFUSED */
    uint32_t base;   /* which array it points into, as a number; 0: not known */
    int version;     /* SUM: which of its values in an iteration; 0: as it began */
    uint16_t symbol;
    enum keel_share_kind kind : 8;
    enum keel_share_form form : 8;           /* INDEX */
    enum keel_share_operation operation : 8; /* SUM, TOTAL */
    uint8_t narrow; /* only so many bytes of the register are that; 0: all */
    uint8_t digit;  /* INDEX: which; see struct keel_flow_division */
    bool exact : 1;
    bool lacks_rest : 1; /* LINEAR: T * size, to which REST is to be added */
    bool wraps : 1;      /* LINEAR: what moves with the trips of it had 32 bits */
    bool cut : 1;        /* LINEAR: of what moves with the start, 32 bits were left; INDEX */
    bool next : 1;       /* INDEX: of the next iteration's number */
};

/* The base of an address that was made of what the region is called with; those of others are odd
 * numbers. */
#define KEEL_SHARE_REGION 2

/* Version of what stands in memory at `base`, so many bytes as they are. */
#define KEEL_SHARE_LOADED(bytes) (-(bytes))

bool keel_share_value_equals(const struct keel_share_value *a, const struct keel_share_value *b);

struct keel_share_value keel_share_constant(int64_t value);
struct keel_share_value keel_share_symbol(uint16_t symbol); /* that no share changes */
struct keel_share_value keel_share_size(void);              /* of the share */
struct keel_share_value keel_share_rest(void);
struct keel_share_value keel_share_refused(const char *why);
struct keel_share_value keel_share_of_kind(enum keel_share_kind kind);

bool keel_share_is_constant(const struct keel_share_value *value);

/* Whether no share changes the value. */
bool keel_share_is_common(const struct keel_share_value *value);

/* Whether it is a value that a program could have without knowing its share: common, or the same
 * for each iteration whichever share has it. per_trip: iterations of a trip; 0: not known yet,
 * then all that move with the trips are taken to be; or that the loop is over: what moves with the
 * end of the share is the same where that is the end of all iterations. */
#define KEEL_SHARE_BEHIND -1
bool keel_share_is_fair(const struct keel_share_value *value, double per_trip);

struct keel_share_value keel_share_add(const struct keel_share_value *a,
                                       const struct keel_share_value *b, double per_trip);
struct keel_share_value keel_share_subtract(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip);
/* Whether what no share changes is one symbol, or a multiple of one. */
bool keel_share_is_coefficient(const struct keel_share_value *value, struct keel_coefficient *is);

struct keel_share_value keel_share_multiply(const struct keel_share_value *a,
                                            const struct keel_share_value *b, double per_trip);

/* Times a known factor; shifts to the right are factors below 1. */
struct keel_share_value keel_share_scale(const struct keel_share_value *value, double factor);

/* What depends on iterations, and was made of both. */
struct keel_share_value keel_share_data(const struct keel_share_value *a,
                                        const struct keel_share_value *b);

/* Any other operation on values. */
struct keel_share_value keel_share_combine(const struct keel_share_value *a,
                                           const struct keel_share_value *b, double per_trip);

/* The lower `size` bytes of a value, with zeros above. */
struct keel_share_value keel_share_lower(const struct keel_share_value *value, int size);

/* Whether a reduction that begins with that value comes to what the iterations give; real: one of
 * floating-point numbers. */
bool keel_share_is_neutral(const struct keel_share_value *value,
                           enum keel_share_operation operation, bool real);

/* One of the values is a SUM, the other one is combined with it. in_loop: over the share. */
struct keel_share_value keel_share_reduce(const struct keel_share_value *a,
                                          const struct keel_share_value *b,
                                          enum keel_share_operation operation, bool in_loop,
                                          double per_trip);

/* Whether a value is that rest where T < R. */
bool keel_share_is_rest_of_longer(const struct keel_share_value *value,
                                  const struct keel_share_value *rest);

/* Where two ways meet. */
struct keel_share_value keel_share_join(const struct keel_share_value *a,
                                        const struct keel_share_value *b, double per_trip);

/* --- how values that depend on the share flow through an outlined function ---
 *
 * Abstract interpretation of its machine code, to a fixed point.
 *
 *   blocks -> values at each block -> loops over the share -> values once more, with their trips
 *          -> each instruction checked */

/* Why a function is refused, and at which instruction. */
struct keel_refusal {
    const char *why; /* NULL: it is not */
    uint64_t at;
};

/* Whether the function, run once for each share of iterations, whoever has which share and however
 * many there are, does what it does when each thread of a team runs it once. */
struct keel_refusal keel_share_flow_check(struct keel_elf_code *code,
                                          struct keel_function_code *function);

#endif
