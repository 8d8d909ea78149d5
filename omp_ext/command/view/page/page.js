/* What the page shows, and what is done with pointer and keys. */

const middle = document.getElementById('middle');
const spacer = document.getElementById('spacer');
const tip = document.getElementById('tip');
const statusPlace = document.getElementById('status');
const SHORTEST = 10; /* ns that the timeline shows at least */

/* --- drawing when there is something new --- */

let waiting = false;

function redraw() {
    if (!waiting) {
        waiting = true;
        requestAnimationFrame(draw);
    }
}

function draw() {
    const before = performance.now();

    waiting = false;
    drawTimeline();
    const took = performance.now() - before;
    statusPlace.textContent = `${timeText(view.from, (view.to - view.from) / 1e4)} to ` +
        `${timeText(view.to, (view.to - view.from) / 1e4)}, ` +
        `${timeText(view.to - view.from, 0)} of ${timeText(trace.end, 0)}; ` +
        `${plural(spans.count, 'event')}, drawn in ${digits(took, 1)} ms`;
    keepState();
}

/* --- the address keeps what is shown --- */

let kept = 0;

function keepState() {
    clearTimeout(kept);
    kept = setTimeout(() => {
        const state = new URLSearchParams();
        state.set('from', String(Math.round(view.from)));
        state.set('to', String(Math.round(view.to)));
        if (view.found !== null) {
            state.set('find', findPlace.value);
        }
        if (view.chosen >= 0) {
            state.set('chosen', String(view.chosen));
        }
        try {
            history.replaceState(null, '', `#${state}`);
        } catch (error) {
            /* some browsers refuse it to files; the page works without */
        }
    }, 200);
}

function takeState() {
    const state = new URLSearchParams(location.hash.slice(1));
    const from = Number(state.get('from')), to = Number(state.get('to'));
    const chosen = state.has('chosen') ? Number(state.get('chosen')) : -1;

    if (Number.isInteger(chosen) && chosen >= 0 && chosen < spans.count) {
        choose({span: chosen});
    } else {
        describeNothing();
    }
    find(state.get('find') || '');
    if (to > from) {
        showRange(from, to);
    }
}

/* --- what is visible --- */

function showRange(from, to) {
    const whole = trace.end * 1.02;
    const length = Math.min(whole, Math.max(SHORTEST, to - from));
    const middleTime = (from + to) / 2;
    const least = -trace.end * 0.01, most = trace.end * 1.01;

    view.from = Math.min(Math.max(middleTime - length / 2, least), most - length);
    view.to = view.from + length;
    redraw();
}

function showWhole() {
    showRange(-trace.end * 0.01, trace.end * 1.01);
}

/* Keeps the time at `x` where it is. */
function zoom(factor, x = GUTTER + plotWidth() / 2) {
    const part = (x - GUTTER) / plotWidth();
    const time = timeAt(x);
    const length = Math.min(trace.end * 1.02, Math.max(SHORTEST, (view.to - view.from) * factor));

    showRange(time - part * length, time + (1 - part) * length);
}

function move(part) {
    const length = view.to - view.from;
    showRange(view.from + part * length, view.to + part * length);
}

function resize() {
    view.ratio = window.devicePixelRatio || 1;
    view.width = middle.clientWidth;
    view.height = middle.clientHeight;
    timelineCanvas.width = Math.max(1, Math.round(view.width * view.ratio));
    timelineCanvas.height = Math.max(1, Math.round(view.height * view.ratio));
    timelineCanvas.style.width = `${view.width}px`;
    timelineCanvas.style.height = `${view.height}px`;
    redraw();
}

/* Scrolls until the thread of a span is visible. */
function scrollTo(i) {
    const lane = trace.lanes[spans.lane[i]];

    if (lane.y < view.scroll || lane.y + lane.height > view.scroll + view.height - AXIS) {
        middle.scrollTop = Math.max(0, lane.y - (view.height - AXIS) / 3);
    }
}

/* --- choosing --- */

function choose(what) {
    view.chosen = -1;
    view.decision = -1;
    if (what === null || what.span === -1) {
        describeNothing();
    } else if (what.decision !== undefined) {
        view.decision = what.decision;
        describeDecision(trace.decisions[what.decision]);
    } else {
        view.chosen = what.span;
        describe(what.span);
        scrollTo(what.span);
    }
    redraw();
}

/* --- the pointer in the timeline --- */

const press = {active: false, moved: false, x: 0, y: 0, from: 0, to: 0, scroll: 0};

function placeOf(event) {
    const box = timelineCanvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
}

function showTip(event) {
    const what = press.active ? null : whatIsAt(...placeOf(event));

    tip.hidden = what === null;
    if (!tip.hidden) {
        tip.textContent = tipOf(what);
        tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
        tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
    }
}

timelineCanvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) {
        return;
    }
    const [x, y] = placeOf(event);
    Object.assign(press, {active: true, moved: false, x, y, from: view.from, to: view.to,
                          scroll: middle.scrollTop});
    timelineCanvas.setPointerCapture(event.pointerId);
});

timelineCanvas.addEventListener('pointermove', (event) => {
    const [x, y] = placeOf(event);

    showTip(event);
    if (!press.active) {
        return;
    }
    press.moved = press.moved || Math.abs(x - press.x) + Math.abs(y - press.y) > 4;
    if (press.moved) {
        const time = (press.x - x) / plotWidth() * (press.to - press.from);
        middle.scrollTop = press.scroll + press.y - y;
        showRange(press.from + time, press.to + time);
    }
});

timelineCanvas.addEventListener('pointerup', (event) => {
    const [x, y] = placeOf(event);

    if (press.active && !press.moved) {
        choose(whatIsAt(x, y));
    }
    press.active = false;
});

timelineCanvas.addEventListener('pointercancel', () => {
    press.active = false;
});

timelineCanvas.addEventListener('pointerleave', () => {
    tip.hidden = true;
});

timelineCanvas.addEventListener('dblclick', (event) => {
    const what = whatIsAt(...placeOf(event));

    if (what && what.span >= 0) {
        const i = what.span, margin = spans.length[i] * 0.1;
        showRange(spans.start[i] - margin, endOf(i) + margin);
    }
});

middle.addEventListener('wheel', (event) => {
    const amount = (event.deltaY || event.deltaX) * (event.deltaMode === 1 ? 30 : 1);

    if (event.altKey) {
        return;
    }
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        move(amount / 1000);
    } else {
        zoom(Math.exp(amount / 400), placeOf(event)[0]);
    }
}, {passive: false});

middle.addEventListener('scroll', () => {
    view.scroll = middle.scrollTop;
    redraw();
});

/* --- keys and buttons --- */

const keys = {
    'ArrowLeft': () => move(-0.2),
    'ArrowRight': () => move(0.2),
    'ArrowUp': () => { middle.scrollTop -= 60; },
    'ArrowDown': () => { middle.scrollTop += 60; },
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    '-': () => zoom(1 / 0.7),
    '0': showWhole,
    'Home': showWhole,
    'n': () => step(1),
    'p': () => step(-1),
    '/': () => { findPlace.focus(); findPlace.select(); },
    '?': describeKeys,
    'Escape': () => (view.chosen >= 0 || view.decision >= 0 ? choose(null) : find('')),
};

document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
        return;
    }
    if (event.target === findPlace) {
        if (event.key === 'Enter') {
            step(event.shiftKey ? -1 : 1);
        } else if (event.key === 'Escape') {
            find('');
            middle.focus();
        }
        return;
    }
    if (Object.hasOwn(keys, event.key)) {
        event.preventDefault();
        keys[event.key]();
    }
});

function onClick(name, act) {
    document.getElementById(name).addEventListener('click', act);
}

findPlace.addEventListener('input', () => find(findPlace.value));
onClick('previous', () => step(-1));
onClick('next', () => step(1));
onClick('whole', showWhole);
onClick('help-button', describeKeys);
window.addEventListener('resize', resize);

/* --- the beginning --- */

document.title = `${trace.title} - keel view`;
document.getElementById('title').textContent = trace.title;
view.current = null;
view.chosenLoop = null;
showTable();
resize();
layOut(fittingHeight(view.height - AXIS));
spacer.style.height = `${layout.height + AXIS + 8}px`;
showWhole();
takeState();
