/* The table of loops; a click shows a loop's first instance, and the next click the next one. */

const tableColumns = [
    {title: 'loop', text: (loop) => loop.text + (loop.region ? ' (region)' : ''),
     by: (loop) => loop.text},
    {title: 'instances', text: (loop) => countText(loop.instances.length),
     by: (loop) => loop.instances.length},
    {title: 'chunks', text: (loop) => countText(loop.chunks), by: (loop) => loop.chunks},
    {title: 'iterations', text: (loop) => (loop.iterations > 0 ? countText(loop.iterations) : ''),
     by: (loop) => loop.iterations},
    {title: 'computing', text: (loop) => timeText(loop.busy, 0), by: (loop) => loop.busy},
    {title: 'waiting', text: (loop) => timeText(loop.waited, 0), by: (loop) => loop.waited},
    {title: 'imbalance', text: (loop) => partText(loop.imbalance), by: (loop) => loop.imbalance},
];
const tablePlace = document.getElementById('table');
const TABLE_MOST = 2000; /* rows */
let tableOrder = {column: 4, falling: true};

function tableRow(loop) {
    const row = document.createElement('tr');

    tableColumns.forEach((column, i) => {
        const cell = element('td', column.text(loop));
        if (i === 0) {
            const colour = element('span', '');
            colour.className = 'colour';
            colour.style.background = backgroundOf(loop.name);
            cell.prepend(colour);
            cell.title = loop.text;
        }
        row.append(cell);
    });
    row.className = view.chosenLoop === loop ? 'chosen' : '';
    row.addEventListener('click', () => jumpTo(loop));
    return row;
}

function tableHead() {
    const head = document.createElement('tr');

    tableColumns.forEach((column, i) => {
        const cell = document.createElement('th');
        const arrow = tableOrder.column !== i ? '' : tableOrder.falling ? ' \u2193' : ' \u2191';
        cell.append(action(column.title + arrow, () => {
            tableOrder = {column: i, falling: tableOrder.column === i ? !tableOrder.falling : i > 0};
            showTable();
        }));
        head.append(cell);
    });
    return head;
}

function showTable() {
    const {by} = tableColumns[tableOrder.column], sign = tableOrder.falling ? -1 : 1;
    const shown = loops.filter((loop) => view.found === null || view.found.has(loop.name));
    const head = document.createElement('thead'), body = document.createElement('tbody');

    shown.sort((a, b) => sign * (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));
    head.append(tableHead());
    body.append(...shown.slice(0, TABLE_MOST).map(tableRow));
    if (shown.length > TABLE_MOST) {
        body.append(element('p', `and ${plural(shown.length - TABLE_MOST, 'loop')} more`));
    }
    tablePlace.replaceChildren(head, body);
}
