/* Bytes as text for a stream. */
#ifndef OMP_EXT_COMMAND_VIEW_BASE64_H
#define OMP_EXT_COMMAND_VIEW_BASE64_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All but `stream` zero: nothing is written yet. */
struct keel_base64 {
    FILE *stream; /* whose error indicator tells failures */
    unsigned char group[3];
    unsigned used; /* bytes of the group */
};

void keel_base64_byte(struct keel_base64 *base64, unsigned char byte);

/* A whole number, 7 bits a byte, least significant ones first; all bytes but the last have their
 * eighth bit set. */
void keel_base64_number(struct keel_base64 *base64, uint64_t number);

/* The 8 bytes of a double, least significant ones first. */
void keel_base64_real(struct keel_base64 *base64, double number);

/* Writes what is left. */
void keel_base64_end(struct keel_base64 *base64);

#endif
