/* Draws what program.c saved, as PNG:  picture OUT.png SAVED...
 *
 * Panels stand side by side. Each row has the colour of the thread that computed it, darker where
 * points escape early, and black inside the set's border line. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/demo_dir/mandelbrot.h"

#define GAP 16 /* pixels between panels */

struct panel {
    int size;
    uint16_t *owner;
    uint16_t *steps;
};

static void __attribute__((noreturn)) give_up(const char *path)
{
    perror(path);
    exit(1);
}

static void *read_array(FILE *file, size_t count, const char *path)
{
    uint16_t *values = calloc(count, sizeof *values);

    if (values == NULL || fread(values, sizeof *values, count, file) != count) {
        give_up(path);
    }
    return values;
}

static struct panel read_panel(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct panel panel;

    if (file == NULL || fread(&panel.size, sizeof panel.size, 1, file) != 1) {
        give_up(path);
    }
    size_t size = (size_t)panel.size;
    panel.owner = read_array(file, size, path);
    panel.steps = read_array(file, size * size, path);
    fclose(file);
    return panel;
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

static png_bytep paint_panels(const struct panel *panel, int panels, int size, int width)
{
    png_bytep pixels = malloc((size_t)width * (size_t)size * 3);

    if (pixels == NULL) {
        give_up("picture");
    }
    for (size_t i = 0; i < (size_t)width * (size_t)size * 3; i++) {
        pixels[i] = 255;
    }
    for (int i = 0; i < panels; i++) {
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                paint(&pixels[((size_t)row * (size_t)width + (size_t)(i * (size + GAP) + column)) *
                              3],
                      panel[i].owner[row], panel[i].steps[row * size + column]);
            }
        }
    }
    return pixels;
}

int main(int arguments, char **argument)
{
    int panels = arguments - 2;
    struct panel *panel = calloc((size_t)(panels > 0 ? panels : 1), sizeof *panel);

    if (panels < 1 || panel == NULL) {
        fputs("usage: picture OUT.png SAVED...\n", stderr);
        return 2;
    }
    for (int i = 0; i < panels; i++) {
        panel[i] = read_panel(argument[i + 2]);
        if (panel[i].size != panel[0].size) {
            fprintf(stderr, "keel: mandelbrot/picture: %s has another size\n", argument[i + 2]);
            return 1;
        }
    }
    int size = panel[0].size, width = panels * (size + GAP) - GAP;
    png_image image = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)width,
        .height = (png_uint_32)size,
        .format = PNG_FORMAT_RGB,
    };
    if (!png_image_write_to_file(&image, argument[1], 0, paint_panels(panel, panels, size, width),
                                 0, NULL)) {
        fprintf(stderr, "keel: %s: %s; there is no picture\n", argument[1], image.message);
        return 1;
    }
    return 0;
}
