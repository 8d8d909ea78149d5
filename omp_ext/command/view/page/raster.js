/* Rectangles in an array of pixels, which is much faster than telling a canvas of each. */

const raster = {width: 0, height: 0, pixels: new Uint32Array(0), image: null};

function sizeRaster(context, width, height) {
    if (raster.width !== width || raster.height !== height) {
        raster.image = context.createImageData(width, height);
        raster.pixels = new Uint32Array(raster.image.data.buffer);
        raster.width = width;
        raster.height = height;
    }
}

/* From x0 to x1 and y0 to y1, whole pixels, without the last ones; cut at the edges. */
function fill(x0, y0, x1, y1, pixel) {
    const left = Math.max(0, x0), right = Math.min(raster.width, x1);
    const bottom = Math.min(raster.height, y1);

    if (left >= right) {
        return;
    }
    for (let y = Math.max(0, y0); y < bottom; y++) {
        raster.pixels.fill(pixel, y * raster.width + left, y * raster.width + right);
    }
}

/* The same with oblique stripes: a thread waits. */
function fillWait(x0, y0, x1, y1) {
    const left = Math.max(0, x0), right = Math.min(raster.width, x1);
    const bottom = Math.min(raster.height, y1);

    for (let y = Math.max(0, y0); y < bottom; y++) {
        const row = y * raster.width;
        for (let x = left; x < right; x++) {
            raster.pixels[row + x] = ((x + y) & 7) < 2 ? palette.stripe : palette.wait;
        }
    }
}

/* A column of pixels in which much happens: from below, which part of it was work, and then which
 * part was waiting. */
function fillColumn(x, y0, y1, work, wait, colour) {
    const height = y1 - y0;
    const busy = work > 0 ? Math.max(1, Math.round(height * Math.min(1, work))) : 0;
    const idle = wait > 0 ? Math.max(1, Math.round(height * Math.min(1, wait))) : 0;

    fill(x, y1 - busy, x + 1, y1, palette.fill[colour]);
    fillWait(x, Math.max(y0, y1 - busy - idle), x + 1, y1 - busy);
}
