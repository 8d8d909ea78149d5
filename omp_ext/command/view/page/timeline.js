/* Where everything is, from above: ranks, and threads with their rows. A row holds
 * spans of one thread that do not overlap, by their starts. */

const MAIN = 2; /* rows of a thread and level: regions, loops, chunks and waits; calls and moves last */
const ROW_KINDS = 5, CALLS = 3, MOVES = 4;

function rowsOf(lane) {
    const rows = [];
    const put = (level, kind, i) => {
        const place = level * ROW_KINDS + kind;
        (rows[place] = rows[place] || {kind, level, spans: []}).spans.push(i);
    };

    for (let i = lane.begin; i < lane.end; i++) {
        const kind = spans.kind[i], level = spans.level[i];
        if (kind === REGION || kind === LOOP) {
            put(level, kind, i);
        }
        if (kind === WAIT || spans.work[i] === 1) {
            put(level, MAIN, i);
        }
        if (kind === CALL || kind === MOVE) {
            put(0, kind === CALL ? CALLS : MOVES, i);
        }
    }
    return rows.filter((row) => row);
}

/* Index of the first span of a row that ends after `time`. */
function firstAfter(row, time) {
    let low = 0, high = row.spans.length;

    while (low < high) {
        const middle = (low + high) >> 1;
        if (endOf(row.spans[middle]) > time) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

trace.lanes.forEach((lane) => {
    lane.rows = rowsOf(lane);
    lane.levels = Math.max(0, ...lane.rows.map((row) => row.level)) + 1;
});

for (const process of trace.processes) {
    process.lanes = trace.lanes.filter((lane) => trace.processes[lane.process] === process);
}

/* --- layout --- */

const layout = {items: [], height: 0, main: 0};

/* Heights in pixels: regions and loops are thin where rows are flat. */
function heightOf(row, main) {
    const thin = Math.max(1, Math.round(main / 5));
    const named = row.kind === LOOP || row.kind === CALLS;
    return row.kind === MAIN ? main : named && main >= 18 ? 13 : thin;
}

function layOutLane(lane, top, main) {
    const gap = main >= 8 ? 4 : main >= 4 ? 2 : 1;
    let y = top;

    for (const row of lane.rows) {
        row.y = y;
        row.height = heightOf(row, main);
        y += row.height + (row.kind === REGION || main < 8 ? 0 : row.kind === MAIN ? 2 : 1);
    }
    lane.y = top;
    lane.height = Math.max(y - top, main);
    return top + lane.height + gap;
}

function layOut(main) {
    const ranks = trace.processes.length > 1;
    let y = 4;

    layout.items = [];
    layout.main = main;
    for (const process of trace.processes) {
        if (ranks) {
            layout.items.push({process, y, height: 20});
            y += 20;
        }
        for (const lane of process.lanes) {
            const next = layOutLane(lane, y, main);
            layout.items.push({lane, y, height: next - y});
            y = next;
        }
        y += ranks ? 6 : 0;
    }
    layout.height = y;
}

/* Rows as tall as the window allows, within reason. */
function fittingHeight(pixels) {
    const lanes = trace.lanes.reduce((sum, lane) => sum + lane.levels, 0) || 1;
    const fixed = 26 * trace.processes.length;
    return Math.min(44, Math.max(8, Math.floor(((pixels - fixed) / lanes - 8) / 1.9)));
}

/* Rectangles in an array of pixels, which is much faster than drawing each on a canvas. */

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

/* The timeline of threads: what is visible of each row, at most a few steps per pixel. */

const GUTTER = 150; /* pixels for names at the left */
const AXIS = 22;    /* for times above */

const view = {from: 0, to: trace.end, scroll: 0, chosen: -1, decision: -1, found: null, ratio: 1,
              width: 0, height: 0};

/* `found`: the names that were searched for; all others are dimmed. */
function shownColour(i) {
    if (view.found !== null && !view.found.has(spans.name[i])) {
        return DIMMED;
    }
    return spans.kind[i] === CALL ? IN_MPI : colourOf(spans.name[i]);
}

function plotWidth() {
    return Math.max(1, view.width - GUTTER);
}

/* In pixels of the page. */
function xOf(time) {
    return GUTTER + (time - view.from) / (view.to - view.from) * plotWidth();
}

function timeAt(x) {
    return view.from + (x - GUTTER) / plotWidth() * (view.to - view.from);
}

/* --- rows --- */

/* What one pixel column has gathered so far. */
const column = {x: -1, work: 0, wait: 0, colour: 0, votes: 0};

function flushColumn(y0, y1) {
    if (column.x >= 0 && column.work + column.wait > 0) {
        fillColumn(column.x, y0, y1, column.work, column.wait, column.colour);
    }
    column.x = -1;
    column.work = column.wait = column.votes = 0;
}

/* What is searched for shows, however short it is. */
function gather(x, time, wait, colour) {
    column.x = x;
    if (wait) {
        column.wait += time;
        return;
    }
    const votes = view.found !== null && colour !== DIMMED ? 1e6 * time : time;
    column.work += time;
    if (column.colour === colour) {
        column.votes += votes;
    } else if (column.votes >= votes) {
        column.votes -= votes;
    } else {
        column.votes = votes - column.votes;
        column.colour = colour;
    }
}

function drawSpan(row, i, x0, x1, y0, y1) {
    const left = Math.round(Math.max(-2, x0)), right = Math.round(Math.min(raster.width + 2, x1));

    if (row.kind === REGION) {
        fill(left, y0, right, y1, palette.region);
    } else if (spans.kind[i] === WAIT) {
        fillWait(left, y0, right, y1);
    } else {
        const colour = row.kind === MOVES ? OTHER : shownColour(i);
        fill(left, y0, right, y1, palette.fill[colour]);
        fill(left, y0, left + (x1 - x0 >= 4 ? 1 : 0), y1, palette.edge[colour]);
    }
}

/* A span narrower than two columns, in the up to three that it covers. */
function gatherAll(row, i, x0, x1, y0, y1) {
    const wait = spans.kind[i] === WAIT;
    const colour = row.kind === REGION || row.kind === MOVES ? OTHER : shownColour(i);

    for (let x = Math.floor(x0); x <= x1; x++) {
        if (x !== column.x) {
            flushColumn(y0, y1);
        }
        gather(x, Math.max(Math.min(x1, x + 1) - Math.max(x0, x), 1e-3), wait, colour);
    }
}

/* Each visible span: wide ones as they are, others summed up by pixels. */
function drawRow(row, top) {
    const ratio = view.ratio, left = Math.round(GUTTER * ratio);
    const y0 = Math.round((row.y - top) * ratio), y1 = Math.round((row.y + row.height - top) * ratio);
    const scale = plotWidth() * ratio / (view.to - view.from);

    for (let k = firstAfter(row, view.from); k < row.spans.length; k++) {
        const i = row.spans[k];
        const start = left + (spans.start[i] - view.from) * scale;
        const x0 = Math.max(left, start), x1 = start + spans.length[i] * scale;
        if (x0 >= raster.width) {
            break;
        }
        if (x1 - start < 1.5) {
            gatherAll(row, i, x0, x1, y0, y1);
        } else {
            flushColumn(y0, y1);
            drawSpan(row, i, x0, x1, y0, y1);
        }
    }
    flushColumn(y0, y1);
}

/* --- ranks --- */

function drawRank(context, item, top) {
    const y = item.y - top, {process} = item;

    context.fillStyle = theme.raised;
    context.fillRect(0, y, view.width, item.height - 2);
    context.fillStyle = theme.text;
    context.font = `600 12px ${FONT}`;
    context.fillText(process.name, 8, y + 13);
    context.font = `12px ${FONT}`;
}

/* --- names and marks --- */

const FONT = 'system-ui, "DejaVu Sans", sans-serif';

/* The last part of a path distinguishes loops. */
function shortName(name) {
    return nameOf(name).replace(/^.*\//, '');
}

function labelOf(row, i) {
    if (row.kind === LOOP || (row.kind === MAIN && spans.kind[i] === LOOP)) {
        return `${shortName(spans.name[i])} #${spans.instance[i]}`;
    }
    if (spans.kind[i] === WAIT) {
        return `wait: ${nameOf(spans.text[i])}`;
    }
    return spans.kind[i] === CHUNK
        ? `${spans.first[i]} \u2013 ${spans.last[i] - 1}` : shortName(spans.name[i]);
}

/* Black or white, whichever is read better on the colour of the span. */
function labelColour(row, i) {
    if (spans.kind[i] === WAIT) {
        return theme.text;
    }
    const colour = shownColour(i);
    if (colour === DIMMED) {
        return theme.faint;
    }
    return [0, 5, IN_MPI].includes(colour) ? '#ffffff' : '#000000';
}

function drawLabels(context, row, top) {
    const scale = plotWidth() / (view.to - view.from);

    if (row.height < 12 || row.kind === REGION || row.kind === MOVES) {
        return;
    }
    context.font = `${row.kind === MAIN ? 11 : 10}px ${FONT}`;
    for (let k = firstAfter(row, view.from), seen = 0; k < row.spans.length && seen < 4000; k++) {
        const i = row.spans[k];
        if (spans.start[i] > view.to) {
            break;
        }
        seen++;
        const x0 = Math.max(GUTTER, xOf(spans.start[i])), x1 = Math.min(view.width, xOf(endOf(i)));
        const text = (x1 - x0) * scale > 0 && x1 - x0 > 34 ? labelOf(row, i) : '';
        if (text !== '' && context.measureText(text).width < x1 - x0 - 6) {
            const y = row.y - top + row.height / 2 + 4;
            if (spans.kind[i] === WAIT) {
                context.fillStyle = theme.wait;
                context.fillRect(x0 + 2, y - 10, context.measureText(text).width + 4, 13);
            }
            context.fillStyle = labelColour(row, i);
            context.fillText(text, x0 + 4, y);
        }
    }
    context.font = `12px ${FONT}`;
}

function drawThread(context, lane, top) {
    const size = Math.min(12, Math.max(7, layout.main + 3));

    if (layout.main < 5 && trace.lanes.length > 1) {
        return;
    }
    context.font = `${size}px ${FONT}`;
    context.fillStyle = theme.text;
    context.fillText(lane.name, trace.processes.length > 1 ? 20 : 8,
                     lane.y - top + lane.height / 2 + size / 3, GUTTER - 26);
    context.font = `12px ${FONT}`;
}

/* Steps of 1, 2 or 5 times a power of ten, so that times have room beside each other. */
function axisStep() {
    const least = (view.to - view.from) * 100 / plotWidth();
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least);
}

function drawAxis(context) {
    const step = axisStep();

    context.fillStyle = theme.raised;
    context.fillRect(0, 0, view.width, AXIS);
    context.fillStyle = theme.faint;
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const x = Math.round(xOf(time)) + 0.5;
        context.fillText(timeText(time, step), x + 3, 15);
        context.fillRect(x, 4, 1, AXIS - 4);
    }
}

/* Behind everything else. */
function drawGrid() {
    const step = axisStep();

    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
        const x = Math.round(xOf(time) * view.ratio);
        fill(x, 0, x + 1, raster.height, palette.line);
    }
}

function visibleItems() {
    const top = view.scroll - AXIS;
    return layout.items.filter((item) =>
        item.y + item.height > view.scroll && item.y < top + view.height);
}

/* Of decisions of one thread that would hide each other, the first one. */
function drawDecisions(context, top) {
    const drawn = new Map(); /* by thread: where the last one is */

    context.fillStyle = theme.mark;
    for (const decision of trace.decisions) {
        const lane = trace.lanes[decision.lane], x = xOf(decision.time);
        if (x < GUTTER || x > view.width ||
            x - (drawn.has(lane) ? drawn.get(lane) : -100) < 12) {
            continue;
        }
        drawn.set(lane, x);
        const y = lane.y - top + lane.height / 2;
        context.beginPath();
        context.moveTo(x, y - 6);
        context.lineTo(x + 5, y);
        context.lineTo(x, y + 6);
        context.lineTo(x - 5, y);
        context.fill();
        context.strokeStyle = theme.ground;
        context.stroke();
    }
}

/* The row that shows a span: the last one, as undivided loops are in two. */
function rowWith(i) {
    const kind = spans.kind[i];
    const wanted = kind === REGION || kind === LOOP ? kind
        : kind === CALL ? CALLS : kind === MOVE ? MOVES : MAIN;
    return trace.lanes[spans.lane[i]].rows.find((row) =>
        row.kind === wanted && (wanted >= CALLS || row.level === spans.level[i]));
}

function drawChosen(context, top) {
    const i = view.chosen;

    if (i < 0) {
        return;
    }
    const row = rowWith(i), instance = instanceOf(i);
    context.strokeStyle = theme.text;
    if (instance) {
        context.setLineDash([4, 3]);
        for (const time of [instance.start, instance.end]) {
            context.beginPath();
            context.moveTo(xOf(time), AXIS);
            context.lineTo(xOf(time), view.height);
            context.stroke();
        }
        context.setLineDash([]);
    }
    const x0 = Math.max(GUTTER - 4, xOf(spans.start[i])), x1 = Math.min(view.width + 4, xOf(endOf(i)));
    context.lineWidth = 3;
    context.strokeRect(x0 - 1.5, row.y - top - 1.5, Math.max(3, x1 - x0) + 3, row.height + 3);
    context.strokeStyle = theme.ground;
    context.lineWidth = 1;
    context.strokeRect(x0 - 1.5, row.y - top - 1.5, Math.max(3, x1 - x0) + 3, row.height + 3);
}

/* --- the whole --- */

const timelineCanvas = document.getElementById('timeline');

function drawTimeline() {
    const context = timelineCanvas.getContext('2d'), top = view.scroll - AXIS;
    const items = visibleItems();

    context.setTransform(1, 0, 0, 1, 0, 0);
    sizeRaster(context, timelineCanvas.width, timelineCanvas.height);
    raster.pixels.fill(palette.ground);
    drawGrid();
    for (const item of items) {
        if (item.lane) {
            item.lane.rows.forEach((row) => drawRow(row, top));
        }
    }
    context.putImageData(raster.image, 0, 0);
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.font = `12px ${FONT}`;
    for (const item of items) {
        if (item.lane) {
            item.lane.rows.forEach((row) => drawLabels(context, row, top));
            drawThread(context, item.lane, top);
        } else {
            drawRank(context, item, top);
        }
    }
    drawDecisions(context, top);
    drawChosen(context, top);
    drawAxis(context);
}

/* --- what is where --- */

/* What is at a place of the canvas: {span}, {decision} or null. Short spans count within
 * three pixels. */
function whatIsAt(x, y) {
    const top = y + view.scroll - AXIS, time = timeAt(x);
    const near = 3 * (view.to - view.from) / plotWidth();
    const item = y < AXIS ? null
        : layout.items.find((each) => top >= each.y && top < each.y + each.height);

    if (!item || !item.lane) {
        return null;
    }
    const decision = trace.decisions.findIndex((each) =>
        trace.lanes[each.lane] === item.lane && Math.abs(each.time - time) <= 2 * near &&
        Math.abs(item.lane.y + item.lane.height / 2 - top) <= 7);
    if (decision >= 0) {
        return {decision};
    }
    const row = item.lane.rows.reduce((best, each) => {
        const away = (each2) => Math.max(each2.y - top, top - each2.y - each2.height, 0);
        return best === null || away(each) < away(best) ? each : best;
    }, null);
    return row === null || x < GUTTER ? null : nearestIn(row, time, near);
}

function nearestIn(row, time, near) {
    let best = -1, least = near;

    for (let k = Math.max(0, firstAfter(row, time) - 1); k < row.spans.length; k++) {
        const i = row.spans[k];
        const away = Math.max(spans.start[i] - time, time - endOf(i), 0);
        if (away < least || (away === 0 && least === 0) || (best < 0 && away <= least)) {
            best = i;
            least = away;
        }
        if (spans.start[i] - time > near) {
            break;
        }
    }
    return best >= 0 ? {span: best} : null;
}
