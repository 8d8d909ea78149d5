/* Static loops of unchanged binaries: whether a region's function may be run once for each of any
 * number of shares of its iterations.
 *
 *   address -> file, offset -> machine_code.h -> share_flow.c -> verdict
 *
 * Exported by libkeel_shares.so, which alone needs a disassembler and is loaded on demand. Calls
 * must not overlap. */
#ifndef OMP_EXT_SHARES_SHARES_H
#define OMP_EXT_SHARES_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_SHARES_WHERE_MAX 200

struct keel_shares_verdict {
    const char *why;                   /* reason of refusal; NULL if it is taken */
    char where[KEEL_SHARES_WHERE_MAX]; /* refused: "0x4012f0, solver.c:88" */
    bool meets;                        /* taken: it calls barriers, which shares do not wait at */
    size_t size;                       /* of the function's code in one piece, from its begin; 0:
                                          another run may have another verdict */
    bool divides;                      /* it divides iterations, or that is not known */
    bool by_word; /* refused, but it divides iterations, and shares could make its OpenMP calls */
};

/* Checks the function that begins at `code` in memory and at `address` in the file. */
void keel_shares_prove(const char *file, uint64_t address, const void *code,
                       struct keel_shares_verdict *verdict);

/* Checks all functions of regions that have symbols in the file, in the order of their addresses.
 * Returns their number, or -1 if the file cannot be read. */
int keel_shares_list(const char *file,
                     void (*visit)(const char *name, const struct keel_shares_verdict *verdict,
                                   void *context),
                     void *context);

#endif
