/* The sum of a memory file. */
#include "omp_ext/memory/sum.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t keel_memory_sum_begin(uint64_t run)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64 " ", run);
    return keel_memory_sum_add(0xcbf29ce484222325u, text);
}

uint64_t keel_memory_sum_add(uint64_t sum, const char *site)
{
    for (; *site != '\0'; site++) {
        sum = (sum ^ (unsigned char)*site) * 0x100000001b3u;
    }
    return sum;
}

void keel_memory_sum_write(uint64_t sum, char *text)
{
    snprintf(text, KEEL_MEMORY_SUM_TEXT_MAX, "%016" PRIx64, sum);
}
