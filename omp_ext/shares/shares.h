/* Static loops of binaries as they are: whether a region's function may be run once for each of any
 * number of shares of its iterations.
 *
 *   address -> file, offset -> machine_code.h -> share_flow.h -> verdict
 *
 * Exported by libkeel_shares.so, which alone needs a disassembler and is loaded on demand. */
#ifndef OMP_EXT_SHARES_SHARES_H
#define OMP_EXT_SHARES_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_shares_verdict {
    const char *why; /* it is refused; NULL: it is taken */
    uint64_t at;     /* refused: address of the instruction, in the file */
    size_t size;     /* of the function's code in one piece, from its begin */
};

/* Looks at the function that begins at `code` in memory and at `address` in the file. One thread at
 * a time. */
void keel_shares_prove(const char *file, uint64_t address, const void *code,
                       struct keel_shares_verdict *verdict);

#endif
