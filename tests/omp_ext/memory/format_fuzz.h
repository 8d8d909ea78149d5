/* The entry that libFuzzer, and format_fuzz_driver where there is none, feed with texts. */
#ifndef KEEL_TESTS_OMP_EXT_MEMORY_FORMAT_FUZZ_H
#define KEEL_TESTS_OMP_EXT_MEMORY_FORMAT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; aborts when something is wrong. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
