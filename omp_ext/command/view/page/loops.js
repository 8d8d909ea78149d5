/* What the spans come to: instances of loops, and loops. What stands in a thread's main row counts as
 * computing: chunks; loops that no chunks are known of; regions in which nothing is known. */

/* For each span of a lane, whether it has nothing of its own level within. */
function findUndivided(lane, undivided) {
    const next = []; /* start of the next loop or chunk, by level, from the end on */

    for (let i = lane.end - 1; i >= lane.begin; i--) {
        const kind = spans.kind[i], level = spans.level[i];
        if (kind === REGION || kind === LOOP) {
            const inner = next[level] || [Infinity, Infinity];
            const start = kind === LOOP ? inner[1] : Math.min(inner[0], inner[1]);
            undivided[i] = start >= endOf(i) && spans.length[i] > 0 ? 1 : 0;
        }
        if (kind === LOOP || kind === CHUNK) {
            next[level] = next[level] || [Infinity, Infinity];
            next[level][kind - LOOP] = spans.start[i];
        }
    }
}

const undivided = new Uint8Array(spans.count);
trace.lanes.forEach((lane) => findUndivided(lane, undivided));

function isWork(i) {
    return spans.kind[i] === CHUNK || undivided[i] === 1;
}

/* The instance that a span of a lane belongs to; made at its first. */
class Instances {
    constructor() {
        this.list = [];
        this.known = new Map();
    }

    of(process, name, number, kind) {
        const key = `${process} ${name} ${number}`;
        let instance = this.known.get(key);
        if (!instance) {
            instance = {process, name, number, kind, start: Infinity, end: 0, busy: 0, chunks: 0,
                        waited: 0, iterations: 0, text: -1, lanes: 0, most: 0, lane: -1, own: 0};
            this.known.set(key, instance);
            this.list.push(instance);
        }
        return instance;
    }
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
    if (isWork(i)) {
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

/* Waits say which loop they are at, but not which instance: it is the thread's last one. */
function findInstances() {
    const instances = new Instances();

    for (const lane of trace.lanes) {
        const latest = new Map();
        let previous = null;
        for (let i = lane.begin; i < lane.end; i++) {
            const kind = spans.kind[i], name = spans.name[i];
            if (kind === WAIT && name >= 0 && latest.has(name)) {
                latest.get(name).waited += spans.length[i];
            }
            if (kind !== LOOP && kind !== CHUNK && undivided[i] === 0) {
                continue;
            }
            const known = previous && previous.name === name && previous.process === lane.process &&
                previous.number === spans.instance[i];
            previous = known ? previous
                : instances.of(lane.process, name, spans.instance[i], kind);
            addToInstance(previous, i);
            latest.set(name, previous);
        }
    }
    instances.list.forEach(leaveLane);
    instances.list.sort((a, b) => a.start - b.start);
    return instances;
}

/* Imbalance: the time of the thread that worked longest over the mean, less 1, all instances
 * together. */
function findLoops(list) {
    const loops = new Map();

    for (const instance of list) {
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

const instances = findInstances();
const loops = findLoops(instances.list);
const loopByName = new Map(loops.map((loop) => [loop.name, loop]));

function instanceOf(i) {
    const process = trace.lanes[spans.lane[i]].process;
    return instances.known.get(`${process} ${spans.name[i]} ${spans.instance[i]}`);
}
