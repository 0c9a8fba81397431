// Texts on the page that are hard to read: [what is wrong, element, text], for tests.
//
// Every visible text is at least 11 px high, and its colour is at least 4.5:1 from what lies behind
// it, 3:1 if it is large. What lies behind is found by walking up: backgrounds that can be seen
// through are laid over each other, on white. Left out are texts on a background that is a picture
// or a gradient, for there is no one colour behind them, and controls that are switched off. Of
// texts in a drawing the size counts as it is on the screen; what the drawing itself painted
// behind them is known where it says so, by the name of a colour in data-on; else they are measured
// on what the drawing lies on.
window.illegible = () => {
  const LEAST = 11, FINE = 4.5, LARGE = 3;
  const pixel = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (colour) => {
    const [r, g, b] = colour.map((c) => {
      c /= 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };

  // what lies behind an element's text, or null where that is a picture; and how opaque it is
  function behind(element) {
    const on = element.closest('svg [data-on^="--"]')?.dataset.on;
    const layers = on ? [rgba(getComputedStyle(element).getPropertyValue(on))] : [];
    let opacity = 1, painted = Boolean(on);
    for (let node = element; node; node = node.parentElement) {
      const style = getComputedStyle(node);
      opacity *= +style.opacity;
      if (painted) continue;
      if (style.backgroundImage !== 'none') return { ground: null, opacity };
      const colour = rgba(style.backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      painted = colour[3] === 1;
    }
    const ground = layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
    return { ground, opacity };
  }

  const scale = (drawn) => { // of its letters, which may be turned
    const { a, b } = drawn.getScreenCTM() ?? { a: 1, b: 0 };
    return Math.hypot(a, b);
  };
  const FIELD = 'textarea, select, input:not([type=range], [type=radio], [type=checkbox])';
  const written = (element) =>
    element.matches(FIELD) ? element.value || element.placeholder : [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent.trim())
      .join('');
  function shown(element) {
    const box = element.getBoundingClientRect();
    return box.width > 1 && box.height > 1 && !element.closest(':disabled, [aria-disabled=true]') &&
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  const faults = new Map();
  for (const element of document.querySelectorAll('body *')) {
    const text = written(element);
    if (!text || element.matches('script, style, option') || !shown(element)) continue;
    const style = getComputedStyle(element), drawn = element instanceof SVGElement;
    const size = parseFloat(style.fontSize) * (drawn ? scale(element) : 1);
    const name = `${element.localName}.${element.getAttribute('class') ?? ''}`;
    const fault = (what) => faults.set(what + name, [what, name, text.slice(0, 30)]);
    if (size < LEAST - 0.01) fault(`${size.toFixed(1)} px`);
    const { ground, opacity } = behind(element);
    const [r, g, b, a] = rgba(drawn ? style.fill : style.color);
    if (!ground || drawn && style.fill === 'none') continue;
    const ratio = contrast(over([r, g, b, a * opacity], ground), ground);
    const large = size >= 24 || size >= 18.66 && +style.fontWeight >= 700;
    if (ratio < (large ? LARGE : FINE)) fault(`${ratio.toFixed(2)}:1`);
  }
  return [...faults.values()];
};
