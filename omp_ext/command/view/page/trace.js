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
