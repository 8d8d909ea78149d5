/* Parts that the scripts for gnuplot share. */
#ifndef OMP_EXT_COMMAND_PLOT_SCRIPT_H
#define OMP_EXT_COMMAND_PLOT_SCRIPT_H

#include <stdint.h>
#include <stdio.h>

#include "omp_ext/command/trace/trace_data.h"

/* Colours that people who see colours otherwise can tell apart (Okabe & Ito 2008), as 0xRRGGBB. */
#define KEEL_SCRIPT_COLOURS 7
#define KEEL_SCRIPT_OTHER 0x9aa1abu /* of all further loops */

/* Colour `number`, and from KEEL_SCRIPT_COLOURS on from the beginning again. */
unsigned keel_script_colour(size_t number);

/* The text in gnuplot's single quotes, in which nothing is replaced. Control characters become
 * blanks, and single quotes typographic ones. */
void keel_script_quoted(FILE *script, const char *text);

/* set NAME 'TEXT' */
void keel_script_set(FILE *script, const char *name, const char *text);

/* Names the x axis by time in a unit that fits a length of time; the unit, ns. */
double keel_script_time(FILE *script, int64_t length_ns);

/* What a thread is called beside others: "thread 1", or "rank 0, thread 1" where there are several
 * ranks. */
void keel_script_thread(const struct keel_trace_data *data, uint32_t lane, char *text, size_t size);

#endif
