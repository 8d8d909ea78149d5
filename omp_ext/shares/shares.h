/* Static loops of binaries as they are: whether a region's function may be run once for each of any
 * number of shares of its iterations.
 *
 *   address -> file, offset -> machine_code.h -> share_flow.c -> verdict
 *
 * Exported by libkeel_shares.so, which alone needs a disassembler and is loaded on demand. For one
 * thread at a time. */
#ifndef OMP_EXT_SHARES_SHARES_H
#define OMP_EXT_SHARES_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_SHARES_WHERE_MAX 200

struct keel_shares_verdict {
    const char *why;                   /* it is refused; NULL: it is taken */
    char where[KEEL_SHARES_WHERE_MAX]; /* refused: "0x4012f0, solver.c:88" */
    bool meets;                        /* taken: it calls barriers, which shares are to pass */
    size_t size;                       /* of the function's code in one piece, from its begin; 0:
                                          another run may find something else */
    bool divides;                      /* iterations are divided in it, as far as is known */
    bool by_word; /* refused, but they are, and shares could call what it calls of OpenMP */
};

/* Looks at the function that begins at `code` in memory and at `address` in the file. */
void keel_shares_prove(const char *file, uint64_t address, const void *code,
                       struct keel_shares_verdict *verdict);

/* Looks at all functions of regions that the file has symbols of, in the order of their addresses.
 * Returns how many there are; -1: it can't be read. */
int keel_shares_list(const char *file,
                     void (*visit)(const char *name, const struct keel_shares_verdict *verdict,
                                   void *context),
                     void *context);

#endif
