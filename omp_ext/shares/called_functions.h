/* What iterations may call: functions that do not know which thread they run in. */
#ifndef OMP_EXT_SHARES_CALLED_FUNCTIONS_H
#define OMP_EXT_SHARES_CALLED_FUNCTIONS_H

#include "omp_ext/shares/machine_code.h"

/* Why the call's function is none of them; NULL: it is. Functions of the same file are read with all
 * that they call. */
const char *keel_called_function_refused(struct keel_elf_code *code, const cs_insn *call);

/* Whether a function of that name is one of the mathematical library, which takes what it computes
 * with in vector registers. */
bool keel_called_function_is_mathematical(const char *name);

#endif
