/* What iterations may call: functions that do not know which thread they run in. */
#ifndef OMP_EXT_SHARES_CALLED_FUNCTIONS_H
#define OMP_EXT_SHARES_CALLED_FUNCTIONS_H

#include "omp_ext/shares/machine_code.h"

/* Why the call's function is none of them; NULL: it is. Functions of the same file are read with
 * all that they call. */
const char *keel_called_function_refused(struct keel_elf_code *code, const cs_insn *call);

/* Which of its arguments the call's function may read: bits 0 to 5: in general registers, rdi
 * first; 6 to 13: in vector registers. */
unsigned keel_called_function_reads(struct keel_elf_code *code, const cs_insn *call);

/* Bytes of the result that it leaves where that argument points to, without looking at what is
 * there; argument: in general registers, 0: rdi. 0: it is not known to do so. */
int keel_called_function_result(struct keel_elf_code *code, const cs_insn *call, int argument);

/* Which registers it may leave changed: bits 0 to 15 as X86 numbers general ones, 16 to 31 vectors.
 * GCC knows which of them functions of the same file leave as they are. */
uint32_t keel_called_function_writes(struct keel_elf_code *code, const cs_insn *call);

/* Whether it is memset(): 1; memcpy() or memmove(): 2; none of them: 0. */
int keel_called_function_fills(struct keel_elf_code *code, const cs_insn *call);

#endif
