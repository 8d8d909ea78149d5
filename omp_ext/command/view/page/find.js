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
