/* Shared by several benchmarks: the clock, memory, chance, and settings of the command line. */
#ifndef BENCH_SUPPORT_SUPPORT_H
#define BENCH_SUPPORT_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- the clock --- */

/* The time of a clock of clock_gettime(). */
static inline int64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* For differences; processes of one machine read the same clock. Exact below 2^53 ns, 104 days
 * after the machine has started. */
static inline double now_ns(void)
{
    return (double)clock_ns(CLOCK_MONOTONIC);
}

/* --- memory --- */

/* An array of *room elements gets room for `count`, unless it has. Returns its present address. */
static inline void *memory_grow(void *array, int *room, int count, size_t size)
{
    if (count <= *room) {
        return array;
    }
    *room = count > 2 * *room ? count : 2 * *room;
    array = realloc(array, (size_t)*room * size);
    if (array == NULL) {
        fprintf(stderr, "keel: no memory for %d x %zu bytes\n", *room, size);
        exit(1);
    }
    return array;
}

/* For `count` elements, all 0. */
static inline void *memory_new(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL) {
        fprintf(stderr, "keel: no memory for %zu x %zu bytes\n", count, size);
        exit(1);
    }
    return memory;
}

/* --- chance ---
 *
 * Pseudo-random numbers, the same in every run: SplitMix64 (Steele, Lea & Flood 2014), a function
 * of a counter. */

#define RANDOM_STEP 0x9e3779b97f4a7c15u /* from one state of a generator to the next */

/* The 64 bits of a state. */
static inline uint64_t random_bits(uint64_t state)
{
    state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
    state = (state ^ (state >> 27)) * 0x94d049bb133111ebu;
    return state ^ (state >> 31);
}

/* The next bits of a generator, which begins with any state. */
static inline uint64_t random_next(uint64_t *state)
{
    return random_bits(*state += RANDOM_STEP);
}

/* In [0, 1), a multiple of 2^-53. */
static inline double random_fraction(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1p-53;
}

/* --- settings ---
 *
 * Arguments of a program, NAME=VALUE. */

/* A number, from 0 to 1e9, or a text. */
struct setting {
    const char *name;
    double *number;
    const char **text;
};

/* For a program whose settings are the members of `set`. */
#define NUMBER(field)                        \
    {                                        \
        .name = #field, .number = &set.field \
    }
#define TEXT(field)                        \
    {                                      \
        .name = #field, .text = &set.field \
    }

/* Sets one of the settings, which end with one without a name, by the argument; texts are not
 * copied. Returns false, and changes nothing, if the name is unknown, or the value no number. */
static inline bool settings_take(const struct setting *setting, const char *argument)
{
    size_t length = strcspn(argument, "=");
    const char *value = argument + length + 1;
    char *end;

    while (setting->name != NULL &&
           (strlen(setting->name) != length || strncmp(setting->name, argument, length) != 0)) {
        setting++;
    }
    if (setting->name == NULL || argument[length] == '\0') {
        return false;
    }
    if (setting->text != NULL) {
        *setting->text = value;
        return true;
    }
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= 0 && number <= 1e9)) {
        return false;
    }
    *setting->number = number;
    return true;
}

#endif
