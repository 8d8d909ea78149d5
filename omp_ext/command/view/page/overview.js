/* The whole run in a strip: which part of the time all threads computed what. Drag in it to choose
 * what the timeline shows. */

/* Work by colour: element part * (DIMMED + 1) + colour; the last colour is waiting. */
const overview = {parts: 1200, colours: DIMMED + 1, time: null, step: 0};

function sumOverview() {
    const {parts, colours} = overview;

    overview.time = new Float64Array(parts * colours);
    overview.step = trace.end / parts;
    for (const lane of trace.lanes) {
        for (const row of lane.rows.filter((each) => each.kind === MAIN)) {
            row.spans.forEach((i) => addToOverview(i));
        }
    }
}

function addToOverview(i) {
    const {step, parts, colours, time} = overview;
    const start = spans.start[i], end = endOf(i);
    const colour = spans.kind[i] === WAIT ? DIMMED : colourOf(spans.name[i]);
    const last = Math.min(parts - 1, Math.floor(end / step));

    for (let part = Math.floor(start / step); part <= last; part++) {
        time[part * colours + colour] +=
            Math.min(end, (part + 1) * step) - Math.max(start, part * step);
    }
}

const overviewCanvas = document.getElementById('overview');

function drawOverviewPart(context, x, width, height, part) {
    const {step, colours, time} = overview, all = step * trace.lanes.length;
    let y = height;

    for (let colour = 0; colour < colours; colour++) {
        const tall = Math.min(y, time[part * colours + colour] / all * height);
        if (tall > 0) {
            context.fillStyle = colour === DIMMED ? theme.wait : PALETTE[colour] || theme.other;
            context.globalAlpha = view.found === null || colour === DIMMED ||
                [...view.found].some((name) => colourOf(name) === colour) ? 1 : 0.2;
            context.fillRect(x, y - tall, width + 0.6, tall);
        }
        y -= tall;
    }
    context.globalAlpha = 1;
}

function drawWindow(context, width, height) {
    const x0 = view.from / trace.end * width, x1 = view.to / trace.end * width;

    context.fillStyle = theme.ground;
    context.globalAlpha = 0.6;
    context.fillRect(0, 0, x0, height);
    context.fillRect(x1, 0, width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = theme.mark;
    context.lineWidth = 2;
    context.strokeRect(Math.max(1, x0), 1, Math.max(3, Math.min(width - 1, x1) - Math.max(1, x0)),
                       height - 2);
    context.lineWidth = 1;
}

function drawOverview() {
    const context = overviewCanvas.getContext('2d');
    const width = overviewCanvas.clientWidth, height = overviewCanvas.clientHeight;

    if (overview.time === null) {
        sumOverview();
    }
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
    context.fillStyle = theme.ground;
    context.fillRect(0, 0, width, height);
    for (let part = 0; part < overview.parts; part++) {
        drawOverviewPart(context, part * width / overview.parts, width / overview.parts, height - 4,
                         part);
    }
    drawWindow(context, width, height);
}
