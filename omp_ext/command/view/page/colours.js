/* Colours of loops, which people who see colours otherwise can tell apart, too (Okabe & Ito 2008). The
 * seven loops that take most have one each, the next seven the same ones striped, all others one grey.
 * Waiting is striped whatever colours one sees. */

const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442'];
const STRIPED = PALETTE.length, OTHER = 2 * PALETTE.length, DIMMED = OTHER + 1;

const themes = {
    light: {ground: '#ffffff', raised: '#f3f4f6', line: '#d6d9de', text: '#1c2024', faint: '#5b636d',
            wait: '#e3e5e9', stripe: '#8d949e', other: '#9aa1ab', dimmed: '#dfe2e6',
            region: '#7a828d', mark: '#0b57d0', edge: 0.72},
    dark: {ground: '#16181b', raised: '#202327', line: '#34393f', text: '#e6e8ea', faint: '#a3abb5',
           wait: '#2b2f35', stripe: '#79818c', other: '#757d88', dimmed: '#30353b',
           region: '#8b939e', mark: '#8ab4f8', edge: 0.66},
};

/* A pixel as canvases hold it. */
function pixelOf(colour, factor = 1) {
    const value = parseInt(colour.slice(1), 16);
    const part = (shift) => Math.round(((value >> shift) & 255) * factor);
    return (255 << 24 | part(0) << 16 | part(8) << 8 | part(16)) >>> 0;
}

/* Pixels by number of colour: fill, its other stripe, and the edge between two chunks. */
function makePalette(theme) {
    const fill = [...PALETTE, ...PALETTE, theme.other, theme.dimmed];
    return {
        fill: Uint32Array.from(fill, (colour) => pixelOf(colour)),
        stripe: Uint32Array.from(fill, (colour, i) =>
            pixelOf(colour, i >= STRIPED && i < OTHER ? 0.6 : 1)),
        edge: Uint32Array.from(fill, (colour) => pixelOf(colour, theme.edge)),
        wait: pixelOf(theme.wait),
        waitStripe: pixelOf(theme.stripe),
        ground: pixelOf(theme.ground),
        raised: pixelOf(theme.raised),
        line: pixelOf(theme.line),
        region: pixelOf(theme.region),
        mark: pixelOf(theme.mark),
    };
}

const colourByName = new Uint8Array(trace.names.length + 1).fill(OTHER);
loops.slice(0, OTHER).forEach((loop, i) => {
    colourByName[loop.name + 1] = i;
});

function colourOf(name) {
    return colourByName[name + 1];
}

/* The same for elements of the page. */
function backgroundOf(name) {
    const number = colourOf(name);
    const colour = number === OTHER ? theme.other : PALETTE[number % PALETTE.length];
    return number < STRIPED || number === OTHER ? colour
        : `repeating-linear-gradient(135deg, ${colour} 0 3px, #0008 3px 5px), ${colour}`;
}

let theme = themes.light;
let palette = makePalette(theme);

function setTheme(name) {
    theme = themes[name];
    palette = makePalette(theme);
    document.documentElement.dataset.theme = name;
}
