/* The trace that the page holds, decoded into columns: element i of each belongs to span i. Spans of
 * a thread are side by side, by their starts, outer ones first. omp_ext/command/view/view.c
 * writes what is read here. Times are in nanoseconds since the trace began. */

const REGION = 0, LOOP = 1, CHUNK = 2, WAIT = 3, CALL = 4, MOVE = 5;

function columns(count) {
    return {
        count,
        kind: new Uint8Array(count),
        level: new Uint8Array(count),
        work: new Uint8Array(count), /* 1: the thread computed all the time */
        lane: new Uint32Array(count),
        start: new Float64Array(count),
        length: new Float64Array(count),
        name: new Int32Array(count), /* -1: none */
        text: new Int32Array(count), /* of loops the schedule, of waits and calls where */
        instance: new Float64Array(count),
        first: new Float64Array(count),
        last: new Float64Array(count),
        amount: new Float64Array(count), /* threads of regions and loops, bytes of moves */
        from: new Uint32Array(count), /* ranks of moves */
        to: new Uint32Array(count),
    };
}

/* What follows of each kind. */
const FIELDS = [['instance', 'amount'], ['instance', 'text', 'last', 'amount'],
                ['instance', 'first', 'last'], ['text'], ['text'],
                ['text', 'from', 'to', 'first', 'last', 'amount']];

function readSpan(next, spans, i, before) {
    const head = next(), kind = head & 7;

    spans.kind[i] = kind;
    spans.level[i] = (head >> 3) & 7;
    spans.work[i] = head >> 6;
    spans.start[i] = before + next();
    spans.length[i] = next();
    spans.name[i] = next();
    spans.text[i] = -1;
    for (const field of FIELDS[kind]) {
        spans[field][i] = next();
    }
}

function readSpans(next, lanes) {
    const spans = columns(lanes.reduce((sum, lane) => sum + lane.spans, 0));
    let i = 0;

    lanes.forEach((lane, number) => {
        lane.begin = i;
        for (let before = 0; i < lane.begin + lane.spans; i++) {
            readSpan(next, spans, i, before);
            spans.lane[i] = number;
            before = spans.start[i];
        }
        lane.end = i;
    });
    return spans;
}

function readTrace() {
    const trace = JSON.parse(document.getElementById('trace-header').textContent);
    const numbers = JSON.parse(document.getElementById('trace-data').textContent);
    let at = 0;
    const next = () => numbers[at++];

    trace.spans = readSpans(next, trace.lanes);
    trace.decisions = Array.from({length: trace.decisions}, () => ({
        time: next(),
        lane: next(),
        name: next(),
        text: next(),
    }));
    trace.end = Math.max(trace.end, 1);
    return trace;
}

const trace = readTrace();
const spans = trace.spans;

function nameOf(number) {
    return number >= 0 ? trace.names[number] : '';
}

function endOf(i) {
    return spans.start[i] + spans.length[i];
}

/* --- numbers as people read them --- */

function digits(value, places) {
    return value.toLocaleString('en', {maximumFractionDigits: places, useGrouping: false});
}

/* 12.3 ms; `step`: nanoseconds that have to be told apart. */
function timeText(ns, step) {
    const size = Math.max(Math.abs(ns), step);
    const [unit, name] = size >= 1e9 ? [1e9, 's'] : size >= 1e6 ? [1e6, 'ms']
        : size >= 1e3 ? [1e3, '\u00b5s'] : [1, 'ns'];
    const places = step > 0 ? Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))
        : size >= 100 * unit ? 1 : size >= 10 * unit ? 2 : 3;

    return `${digits(ns / unit + 0, Math.min(9, unit === 1 ? 0 : places))} ${name}`;
}

/* 12 345 678 */
function countText(count) {
    return Math.round(count).toLocaleString('en').replace(/,/g, '\u202f');
}

function partText(part) {
    return `${digits(100 * part, part < 0.0995 ? 1 : 0)} %`;
}

function plural(count, word) {
    return `${countText(count)} ${word}${count === 1 ? '' : 's'}`;
}

/* The sums of spans: instances of loops, and loops. */

const instances = []; /* by their starts */
const knownInstances = new Map();

/* The instance that a span of a lane belongs to; made at its first. */
function instanceFor(process, name, number, kind) {
    const key = `${process} ${name} ${number}`;
    let instance = knownInstances.get(key);

    if (!instance) {
        instance = {process, name, number, kind, start: Infinity, end: 0, busy: 0, chunks: 0,
                    waited: 0, iterations: 0, text: -1, lanes: 0, most: 0, lane: -1, own: 0};
        knownInstances.set(key, instance);
        instances.push(instance);
    }
    return instance;
}

function leaveLane(instance) {
    instance.most = Math.max(instance.most, instance.own);
    instance.own = 0;
}

function addToInstance(instance, i) {
    if (instance.lane !== spans.lane[i]) {
        leaveLane(instance);
        instance.lane = spans.lane[i];
        instance.lanes++;
    }
    instance.start = Math.min(instance.start, spans.start[i]);
    instance.end = Math.max(instance.end, endOf(i));
    if (spans.work[i] === 1) {
        instance.busy += spans.length[i];
        instance.own += spans.length[i];
    }
    if (spans.kind[i] === CHUNK) {
        instance.chunks++;
        instance.counted = (instance.counted || 0) + spans.last[i] - spans.first[i];
    } else {
        instance.text = spans.text[i];
        instance.iterations = Math.max(instance.iterations, spans.last[i]);
    }
}

/* Waits say which loop they are at, but not which instance: it is the thread's last one. Those within
 * a region, at its barriers, are no part of its work, nor are calls of MPI there. */
function findInstances() {
    for (const lane of trace.lanes) {
        const latest = new Map();
        let previous = null, around = -1;
        for (let i = lane.begin; i < lane.end; i++) {
            const kind = spans.kind[i], name = spans.name[i];
            if (kind === WAIT && name >= 0 && latest.has(name)) {
                latest.get(name).waited += spans.length[i];
            }
            if ((kind === WAIT || kind === CALL) && around >= 0 && spans.start[i] < endOf(around)) {
                previous.busy -= spans.length[i];
                previous.own -= spans.length[i];
            }
            if (kind !== LOOP && kind !== CHUNK && spans.work[i] === 0) {
                continue;
            }
            const known = previous && previous.name === name && previous.process === lane.process &&
                previous.number === spans.instance[i];
            previous = known ? previous
                : instanceFor(lane.process, name, spans.instance[i], kind);
            addToInstance(previous, i);
            around = kind !== CHUNK && spans.work[i] === 1 ? i : -1;
            latest.set(name, previous);
        }
    }
    instances.forEach(leaveLane);
    instances.sort((a, b) => a.start - b.start);
}

/* Imbalance: the time of the thread that worked longest over the mean, less 1, all instances
 * together. */
function findLoops() {
    const loops = new Map();

    for (const instance of instances) {
        let loop = loops.get(instance.name);
        if (!loop) {
            loop = {name: instance.name, text: nameOf(instance.name), instances: [], chunks: 0,
                    busy: 0, waited: 0, iterations: 0, most: 0, mean: 0, region: true};
            loops.set(instance.name, loop);
        }
        loop.instances.push(instance);
        loop.region = loop.region && instance.kind === REGION;
        loop.chunks += instance.chunks;
        loop.busy += instance.busy;
        loop.waited += instance.waited;
        loop.iterations += instance.counted || instance.iterations;
        loop.most += instance.most;
        loop.mean += instance.busy / instance.lanes;
    }
    for (const loop of loops.values()) {
        loop.imbalance = loop.mean > 0 ? loop.most / loop.mean - 1 : 0;
    }
    return [...loops.values()].sort((a, b) => b.busy - a.busy);
}

findInstances();
const loops = findLoops();
const loopByName = new Map(loops.map((loop) => [loop.name, loop]));

function instanceOf(i) {
    const process = trace.lanes[spans.lane[i]].process;
    return knownInstances.get(`${process} ${spans.name[i]} ${spans.instance[i]}`);
}

/* --- colours --- */

/* Colours of loops, which people who see colours otherwise can tell apart, too (Okabe & Ito 2008). The
 * seven loops that take most have one each, all others one grey. Waiting is striped. Calls of MPI,
 * in rows of their own, are dark. */

const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442'];
const OTHER = PALETTE.length, DIMMED = OTHER + 1, IN_MPI = OTHER + 2;

/* Those of the page, as page.css has them, and of the timeline. */
const theme = {ground: '#ffffff', raised: '#f3f4f6', line: '#d6d9de', text: '#1c2024', faint: '#5b636d',
               wait: '#e3e5e9', stripe: '#8d949e', other: '#9aa1ab', region: '#7a828d', mark: '#0b57d0'};

/* A pixel as canvases hold it. */
function pixelOf(colour, factor = 1) {
    const value = parseInt(colour.slice(1), 16);
    const part = (shift) => Math.round(((value >> shift) & 255) * factor);
    return (255 << 24 | part(0) << 16 | part(8) << 8 | part(16)) >>> 0;
}

/* Pixels by number of colour: fill, and the edge between two chunks. */
const FILLS = [...PALETTE, theme.other, '#dfe2e6', '#44337a'];
const palette = {
    fill: FILLS.map((colour) => pixelOf(colour)),
    edge: FILLS.map((colour) => pixelOf(colour, 0.72)),
    wait: pixelOf(theme.wait),
    stripe: pixelOf(theme.stripe),
    ground: pixelOf(theme.ground),
    line: pixelOf(theme.line),
    region: pixelOf(theme.region),
};

const colourByName = new Uint8Array(trace.names.length + 1).fill(OTHER);
loops.slice(0, OTHER).forEach((loop, i) => {
    colourByName[loop.name + 1] = i;
});

function colourOf(name) {
    return colourByName[name + 1];
}

/* The same for elements of the page. */
function backgroundOf(name) {
    return PALETTE[colourOf(name)] || theme.other;
}
