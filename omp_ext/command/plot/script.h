/* Parts that the scripts for gnuplot share. */
#ifndef OMP_EXT_COMMAND_PLOT_SCRIPT_H
#define OMP_EXT_COMMAND_PLOT_SCRIPT_H

#include <stdio.h>

/* Colours that people who see colours otherwise can tell apart (Okabe & Ito 2008), as 0xRRGGBB. */
#define KEEL_SCRIPT_COLOURS 7
#define KEEL_SCRIPT_OTHER 0x9aa1abu /* of all further loops */

/* Colour `number`, and from KEEL_SCRIPT_COLOURS on from the beginning again. */
unsigned keel_script_colour(size_t number);

/* The text in gnuplot's single quotes, in which nothing is replaced. Control characters become
 * blanks. */
void keel_script_quoted(FILE *script, const char *text);

/* set NAME 'TEXT' */
void keel_script_set(FILE *script, const char *name, const char *text);

#endif
