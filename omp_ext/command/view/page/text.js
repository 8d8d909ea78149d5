/* Numbers as people read them. */

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

/* 12.3M */
function compactText(value) {
    return value.toLocaleString('en', {notation: 'compact', maximumSignificantDigits: 3});
}

function partText(part) {
    return `${digits(100 * part, part < 0.0995 ? 1 : 0)} %`;
}

function plural(count, word) {
    return `${countText(count)} ${word}${count === 1 ? '' : 's'}`;
}
