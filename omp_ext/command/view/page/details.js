/* What is known of what was clicked. Texts go in as text alone: names are whatever a program has. */

const detailsPlace = document.getElementById('details');

function element(kind, text) {
    const made = document.createElement(kind);
    made.textContent = text;
    return made;
}

/* Rows of [name, text]; those without a text are left out. */
function show(title, rows, remark = '') {
    const table = document.createElement('table');

    for (const [name, text] of rows) {
        if (text !== '') {
            const row = table.insertRow();
            row.append(element('th', name), element('td', text));
        }
    }
    detailsPlace.replaceChildren(element('h2', title), table, element('p', remark));
}

function whoText(i) {
    const lane = trace.lanes[spans.lane[i]];
    return trace.processes.length > 1 ? `${lane.name}, ${trace.processes[lane.process].name}` : lane.name;
}

function whenText(i) {
    return `${timeText(spans.start[i], 1)} to ${timeText(endOf(i), 1)}`;
}

function iterationsText(i) {
    const count = spans.last[i] - spans.first[i];
    return count > 0
        ? `${spans.first[i]} to ${spans.last[i] - 1} (${plural(count, 'iteration')})` : 'none';
}

function perIteration(i) {
    const count = spans.last[i] - spans.first[i];
    return count > 0 ? `${timeText(spans.length[i] / count, 0)} an iteration` : '';
}

function instanceText(instance) {
    const wall = instance.end - instance.start;
    const mean = instance.busy / instance.lanes;
    return `${timeText(wall, 0)} on ${plural(instance.lanes, 'thread')}, ` +
        `waited ${timeText(instance.waited, 0)}, ` +
        `imbalance ${mean > 0 ? partText(instance.most / mean - 1) : partText(0)}`;
}

/* The loop's part of this thread that a chunk is in has the schedule. */
function scheduleOf(i) {
    const instance = instanceOf(i);
    return instance && instance.text >= 0 ? nameOf(instance.text) : '';
}

function numberOfInstance(i) {
    const loop = loopByName.get(spans.name[i]);
    return loop ? `${spans.instance[i]} of ${plural(loop.instances.length, 'instance')}`
        : String(spans.instance[i]);
}

const KIND_TITLES = ['Parallel region', 'Loop', 'Chunk of', 'Wait', 'Call of', 'Move of'];

/* Rows that a kind has not are left out. */
function describe(i) {
    const kind = spans.kind[i], name = nameOf(spans.name[i]), text = nameOf(spans.text[i]);
    const instance = kind === LOOP || kind === CHUNK ? instanceOf(i) : undefined;
    const move = kind === MOVE, what = move ? text || 'iterations' : 'iterations';
    const only = (kinds, rowText) => (kinds.includes(kind) ? rowText() : '');

    show(`${KIND_TITLES[kind]} ${move ? what : kind === WAIT ? '' : name}`.trim(), [
        ['at', only([WAIT, CALL], () => text)],
        ['loop', only([CHUNK, WAIT], () => name)],
        ['instance', only([CHUNK, LOOP], () => numberOfInstance(i))],
        ['instance', only([REGION], () => String(spans.instance[i]))],
        ['from rank', only([MOVE], () => String(spans.from[i]))],
        ['to rank', only([MOVE], () => String(spans.to[i]))],
        [what, only([CHUNK], () => `${iterationsText(i)}, ${perIteration(i)}`)],
        [what, only([MOVE], () => iterationsText(i).replace('iteration', 'of them'))],
        [what, only([LOOP], () => `${countText(spans.last[i])} on all threads`)],
        ['threads', only([REGION], () => String(spans.amount[i]))],
        ['bytes', only([MOVE], () => countText(spans.amount[i]))],
        ['time', timeText(spans.length[i], 0)],
        ['when', whenText(i)],
        ['schedule', instance ? scheduleOf(i) : ''],
        ['thread', whoText(i)],
        ['whole instance', instance ? instanceText(instance) : ''],
    ]);
}

function describeDecision(decision) {
    show(`Decision: ${nameOf(decision.name)}`, [
        ...Object.entries(JSON.parse(nameOf(decision.text))).map(([name, value]) =>
            [name, typeof value === 'string' ? value : JSON.stringify(value)]),
        ['when', timeText(decision.time, 1)],
        ['thread', trace.lanes[decision.lane].name],
    ]);
}

function describeNothing() {
    const busy = loops.reduce((sum, loop) => sum + loop.busy, 0);
    let waited = 0, called = 0;

    for (let i = 0; i < spans.count; i++) {
        waited += spans.kind[i] === WAIT ? spans.length[i] : 0;
        called += spans.kind[i] === CALL ? spans.length[i] : 0;
    }
    show(trace.title, [
        ['run', timeText(trace.end, 0)],
        ['threads', trace.processes.length > 1
            ? `${trace.lanes.length} of ${plural(trace.processes.length, 'rank')}`
            : String(trace.lanes.length)],
        ['loops', countText(loops.length)],
        ['chunks', countText(loops.reduce((sum, loop) => sum + loop.chunks, 0))],
        ['computing', `${timeText(busy, 0)}, ${partText(busy / trace.end / (trace.lanes.length || 1))} ` +
            'of the threads\u2019 time'],
        ['waiting', `${timeText(waited, 0)}, ` +
            `${partText(waited / trace.end / (trace.lanes.length || 1))}`],
        ['in MPI', called > 0 ? `${timeText(called, 0)}, ` +
            `${partText(called / trace.end / trace.lanes.length)}` : ''],
        ['decisions', trace.decisions.length > 0 ? countText(trace.decisions.length) : ''],
    ], 'Click something for details, ? for keys.');
}

function describeKeys() {
    show('Keys', [
        ['wheel', 'zoom where the pointer is'],
        ['Shift + wheel', 'move along time'],
        ['Alt + wheel, scroll bar', 'move along threads'],
        ['drag', 'move'],
        ['click', 'details'],
        ['double click', 'zoom to it'],
        ['\u2190 \u2192, + \u2212', 'move along time, zoom'],
        ['\u2191 \u2193', 'move along threads'],
        ['/', 'find a loop'],
        ['n p', 'next and previous instance of what was found, or of all loops'],
        ['0', 'the whole run'],
        ['Esc', 'choose nothing; once more: find all loops'],
    ], 'Of each thread, from above: thin, its regions; its loops; its chunks, in the colour of the ' +
        'loop, and striped where it waits; dark, its calls of MPI. Where more happens than there ' +
        'are pixels, a column shows which part of its time the thread computed, in the colour of ' +
        'the loop that took most, and above it which part it waited. Marks are decisions. The ' +
        'address of the page keeps what it shows.');
}

function tipOf(what) {
    if (what.decision !== undefined) {
        return `decision: ${nameOf(trace.decisions[what.decision].name)}`;
    }
    const i = what.span, kind = spans.kind[i], name = nameOf(spans.name[i]);
    const time = timeText(spans.length[i], 0);

    if (kind === CALL) {
        return `${name}, ${nameOf(spans.text[i])}\n${time}`;
    }
    if (kind === WAIT || kind === MOVE) {
        return `${KIND_TITLES[kind]} ${nameOf(spans.text[i])}, ${time}`;
    }
    return kind === CHUNK
        ? `${name} #${spans.instance[i]}: ${iterationsText(i)}\n${time}, ${perIteration(i)}`
        : `${KIND_TITLES[kind]} ${name} #${spans.instance[i]} ${scheduleOf(i)}\n${time}`;
}

/* --- table --- */

/* The table of loops, by the time that they take; a click shows a loop's first instance, and the
 * next click the next one. */

const tablePlace = document.getElementById('table');

function tableRow(loop) {
    const row = document.createElement('tr'), colour = element('span', '');
    const texts = [
        loop.text + (loop.region ? ' (region)' : ''), countText(loop.instances.length),
        countText(loop.chunks), loop.iterations > 0 ? countText(loop.iterations) : '',
        timeText(loop.busy, 0), timeText(loop.waited, 0), partText(loop.imbalance),
    ];

    row.append(...texts.map((text) => element('td', text)));
    colour.className = 'colour';
    colour.style.background = backgroundOf(loop.name);
    row.firstChild.prepend(colour);
    row.firstChild.title = loop.text;
    row.className = view.chosenLoop === loop ? 'chosen' : '';
    row.addEventListener('click', () => jumpTo(loop));
    return row;
}

function showTable() {
    const shown = loops.filter((loop) => view.found === null || view.found.has(loop.name));
    const head = document.createElement('thead'), body = document.createElement('tbody');

    head.append(...['loop', 'instances', 'chunks', 'iterations', 'computing', 'waiting', 'imbalance']
        .map((title) => element('th', title)));
    body.append(...shown.map(tableRow));
    tablePlace.replaceChildren(head, body);
}

/* Searching loops by a part of their names, and going through their instances. */

const findPlace = document.getElementById('find');
const foundPlace = document.getElementById('found');

function foundInstances() {
    return view.found === null ? instances
        : instances.filter((instance) => view.found.has(instance.name));
}

function showFound() {
    if (view.found === null) {
        foundPlace.textContent = '';
        return;
    }
    foundPlace.textContent = view.found.size === 0 ? 'no loop has that name'
        : `${plural(view.found.size, 'loop')}, ${plural(foundInstances().length, 'instance')}`;
}

/* Names without a loop, such as those of regions with loops in them, are found, too. */
function find(text) {
    const wanted = text.trim().toLowerCase();

    findPlace.value = text;
    view.found = wanted === '' ? null : new Set(loops
        .filter((loop) => loop.text.toLowerCase().includes(wanted))
        .map((loop) => loop.name));
    view.current = null;
    showFound();
    showTable();
    redraw();
}

function showInstance(instance) {
    const length = Math.max(instance.end - instance.start, 1);

    view.current = instance;
    showRange(instance.start - length * 0.15, instance.end + length * 0.15);
}

/* A span of the instance: the loop's part of its first thread. */
function firstSpanOf(instance) {
    for (const lane of trace.processes[instance.process].lanes) {
        for (let i = lane.begin; i < lane.end; i++) {
            if (spans.name[i] === instance.name && spans.instance[i] === instance.number &&
                (spans.kind[i] === instance.kind || spans.kind[i] === LOOP)) {
                return i;
            }
        }
    }
    return -1;
}

function goTo(instance) {
    choose({span: firstSpanOf(instance)});
    showInstance(instance);
}

/* The instance after the one that was shown last, or the first one. */
function step(by) {
    const list = foundInstances();
    const place = Math.max(list.indexOf(view.current), by > 0 ? -1 : 0);
    const next = (place + by + list.length) % list.length;

    if (list.length > 0) {
        goTo(list[next]);
        foundPlace.textContent = `${countText(next + 1)} of ${plural(list.length, 'instance')}`;
    }
}

function jumpTo(loop) {
    const again = view.chosenLoop === loop && view.current ? loop.instances.indexOf(view.current) : -1;

    view.chosenLoop = loop;
    goTo(loop.instances[(again + 1) % loop.instances.length]);
    showTable();
}
