/* The sum of a memory file. */
#include "omp_ext/memory/sum.h"

#include <inttypes.h>
#include <stdio.h>

#include "schedules/arithmetic/digest.h"

uint64_t keel_memory_sum_begin(uint64_t run)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64 " ", run);
    return keel_memory_sum_add(KEEL_DIGEST_START, text);
}

uint64_t keel_memory_sum_add(uint64_t sum, const char *site)
{
    return keel_digest_text(sum, site);
}

void keel_memory_sum_write(uint64_t sum, char *text)
{
    snprintf(text, KEEL_MEMORY_SUM_TEXT_MAX, "%016" PRIx64, sum);
}
