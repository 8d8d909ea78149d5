/* prove FILE...: for each outlined function of the files that has a symbol, whether its loop can be
 * taken over as it is, or why not. */
#include <stdio.h>
#include <stdlib.h>

#include "omp_ext/shares/share_flow.h"

static void tell(const char *name, uint64_t address, void *context)
{
    struct keel_elf_code *code = context;
    struct keel_function_code *function = keel_function_code_read(code, address);

    if (function == NULL) {
        printf("%s: refused: there is no memory\n", name);
        return;
    }
    struct keel_refusal refusal = keel_share_flow_check(code, function);
    if (refusal.why == NULL) {
        printf("%s: taken\n", name);
    } else {
        printf("%s: refused: %s, at 0x%llx\n", name, refusal.why, (unsigned long long)refusal.at);
    }
    keel_function_code_free(function);
}

int main(int count, char **files)
{
    for (int i = 1; i < count; i++) {
        struct keel_elf_code *code = keel_elf_code_open(files[i]);
        if (code == NULL) {
            fprintf(stderr, "prove: %s: no program or library of this machine\n", files[i]);
            return 1;
        }
        keel_elf_code_outlined(code, tell, code);
        keel_elf_code_close(code);
    }
    return 0;
}
