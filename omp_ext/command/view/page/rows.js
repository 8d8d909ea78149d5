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
