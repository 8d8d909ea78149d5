/* RFC 4648, without line breaks. */
#include "omp_ext/command/view/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The group's bytes as 4 digits; digits of bytes that are not there are "=". */
static void write_group(struct keel_base64 *base64)
{
    unsigned bits =
        (unsigned)base64->group[0] << 16 | (unsigned)base64->group[1] << 8 | base64->group[2];

    for (unsigned i = 0; i < 4; i++) {
        putc(i <= base64->used ? digits[bits >> (18 - 6 * i) & 63] : '=', base64->stream);
    }
    base64->used = 0;
    memset(base64->group, 0, sizeof base64->group);
}

void keel_base64_byte(struct keel_base64 *base64, unsigned char byte)
{
    base64->group[base64->used++] = byte;
    if (base64->used == sizeof base64->group) {
        write_group(base64);
    }
}

void keel_base64_number(struct keel_base64 *base64, uint64_t number)
{
    for (; number >= 128; number /= 128) {
        keel_base64_byte(base64, (unsigned char)(number % 128 | 128));
    }
    keel_base64_byte(base64, (unsigned char)number);
}

void keel_base64_real(struct keel_base64 *base64, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    for (unsigned i = 0; i < sizeof bits; i++) {
        keel_base64_byte(base64, (unsigned char)(bits >> (8 * i)));
    }
}

void keel_base64_end(struct keel_base64 *base64)
{
    if (base64->used > 0) {
        write_group(base64);
    }
}
