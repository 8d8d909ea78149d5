/* Draws the output of draw.c, as PNG:  picture OUT.png SAVED...
 *
 * Panels are side by side. Each row has the colour of the thread that computed it, darker where
 * points escape early, and black inside the set's border line. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/demo_dir/mandelbrot.h"

#define GAP 16 /* pixels between panels */

static void __attribute__((noreturn)) give_up(const char *path)
{
    perror(path);
    exit(1);
}

/* Colours of threads 0 to 7, far apart also for eyes that see few colours (Okabe & Ito 2008);
 * further threads begin again. */
static const unsigned char colour[8][3] = {
    {86, 180, 233}, {230, 159, 0}, {0, 158, 115},   {240, 228, 66},
    {0, 114, 178},  {213, 94, 0},  {204, 121, 167}, {187, 187, 187},
};

static void paint(unsigned char *pixel, unsigned owner, unsigned steps)
{
    /* the set itself keeps the plain colour; around it, brightness grows with the logarithm of the
     * steps */
    double light =
        steps >= MANDELBROT_LIMIT ? 1 : 0.15 + 0.6 * log(steps + 1) / log(MANDELBROT_LIMIT);

    for (int i = 0; i < 3; i++) {
        pixel[i] = (unsigned char)(colour[owner % 8][i] * light);
    }
}

/* Paints a saved picture, of the size of all others, into a panel whose rows are `width` pixels
 * apart. */
static void paint_panel(FILE *file, int size, unsigned char *panel, int width, const char *path)
{
    size_t columns = (size_t)size;
    uint16_t *owner = calloc(columns, sizeof *owner), *steps = calloc(columns, sizeof *steps);

    if (fread(owner, sizeof *owner, columns, file) != columns) {
        give_up(path);
    }
    for (int row = 0; row < size; row++) {
        if (fread(steps, sizeof *steps, columns, file) != columns) {
            give_up(path);
        }
        for (int column = 0; column < size; column++) {
            paint(&panel[((size_t)row * (size_t)width + (size_t)column) * 3], owner[row],
                  steps[column]);
        }
    }
    free(owner);
    free(steps);
}

int main(int arguments, char **argument)
{
    int panels = arguments - 2, size = 0, width = 0;
    unsigned char *pixels = NULL;

    for (int i = 0; i < panels; i++) {
        const char *path = argument[i + 2];
        FILE *file = fopen(path, "rb");
        if (file == NULL || fread(&size, sizeof size, 1, file) != 1) {
            give_up(path);
        }
        if (i == 0) {
            width = panels * (size + GAP) - GAP;
            pixels = malloc((size_t)width * (size_t)size * 3);
            memset(pixels, 255, (size_t)width * (size_t)size * 3);
        }
        paint_panel(file, size, pixels + (size_t)(i * (size + GAP)) * 3, width, path);
        fclose(file);
    }
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)width,
        .height = (png_uint_32)size,
        .format = PNG_FORMAT_RGB,
    };
    if (!png_image_write_to_file(&image, argument[1], 0, pixels, 0, NULL)) {
        fprintf(stderr, "keel: %s: %s; there is no picture\n", argument[1], image.message);
        return 1;
    }
    return 0;
}
