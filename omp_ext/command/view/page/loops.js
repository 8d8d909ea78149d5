/* What the spans come to: instances of loops, and loops. */

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
