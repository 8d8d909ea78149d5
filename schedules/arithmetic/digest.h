/* A digest of bytes: FNV-1a, 64 bits (Fowler, Noll, Vo). It tells apart what differs by chance or
 * by damage, not by intent. */
#ifndef SCHEDULES_ARITHMETIC_DIGEST_H
#define SCHEDULES_ARITHMETIC_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_DIGEST_START UINT64_C(0xcbf29ce484222325) /* of nothing */

/* The digest of what `digest` is of, and of these bytes behind it. */
static inline uint64_t keel_digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static inline uint64_t keel_digest_text(uint64_t digest, const char *text)
{
    for (; *text != '\0'; text++) {
        digest = keel_digest_bytes(digest, text, 1);
    }
    return digest;
}

/* In 32 bits. */
static inline uint32_t keel_digest_folded(uint64_t digest)
{
    return (uint32_t)(digest ^ digest >> 32);
}

#endif
