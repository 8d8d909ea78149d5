/* Pictures by gnuplot. */
#ifndef OMP_EXT_COMMAND_PARTS_PICTURE_H
#define OMP_EXT_COMMAND_PARTS_PICTURE_H

#include <stdbool.h>

/* Runs gnuplot over a script that writes a picture to its standard output, which becomes the file
 * `path`. False, and a message: there is no gnuplot, it failed, or the file can't be written. */
bool keel_picture_write(const char *script, const char *path);

/* Removes a file that could not be written to its end. Devices and pipes stay. */
void keel_picture_remove(const char *path);

#endif
