// A pen that writes as SVG what a canvas paints: the part of a canvas context that a flow is drawn with.
class SvgPen {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.body = [];
    this.defs = [];
    this.moved = [0, 0];
    Object.assign(this, {
      globalAlpha: 1,
      fillStyle: '#000',
      strokeStyle: '#000',
      lineWidth: 1,
      font: '',
      textAlign: 'left',
    });
  }
  point(x, y) {
    return `${+(x + this.moved[0]).toFixed(2)} ${+(y + this.moved[1]).toFixed(2)}`;
  }
  translate(x, y) {
    this.moved = [this.moved[0] + x, this.moved[1] + y];
  }
  beginPath() {
    this.path = [];
  }
  moveTo(x, y) {
    this.path.push('M' + this.point(x, y));
  }
  lineTo(x, y) {
    this.path.push('L' + this.point(x, y));
  }
  bezierCurveTo(a, b, c, d, x, y) {
    this.path.push(`C${this.point(a, b)} ${this.point(c, d)} ${this.point(x, y)}`);
  }
  roundRect(x, y, w, h, r) {
    const corner = (...to) => `A${r} ${r} 0 0 1 ${this.point(...to)}`,
      line = (...to) => 'L' + this.point(...to);
    this.path.push(
      'M' + this.point(x + r, y),
      line(x + w - r, y),
      corner(x + w, y + r),
      line(x + w, y + h - r),
      corner(x + w - r, y + h),
      line(x + r, y + h),
      corner(x, y + h - r),
      line(x, y + r),
      corner(x + r, y),
      'Z',
    );
  }
  createLinearGradient(x0, y0, x1, y1) {
    const name = `g${this.defs.length}`,
      stops = [],
      at = [[x0, y0], [x1, y1]].map(([x, y]) => this.point(x, y).split(' '));
    this.defs.push({ name, at, stops });
    return {
      addColorStop: (offset, paint) => stops.push([offset, paint]),
      toString: () => `url(#${name})`,
    };
  }
  add(tag, attributes, kind, style, text) {
    const [, channels, alpha] = /^rgba\((.+), ([\d.]+)\)$/.exec(style) ?? [],
      node = shape(tag, attributes, text);
    node.setAttribute(kind, channels ? `rgb(${channels})` : style);
    if (channels) node.setAttribute(`${kind}-opacity`, alpha);
    node.setAttribute('opacity', +this.globalAlpha.toFixed(3));
    this.body.push(node);
  }
  fill() {
    this.add('path', { d: this.path.join('') }, 'fill', this.fillStyle);
  }
  stroke() {
    this.add(
      'path',
      { d: this.path.join(''), fill: 'none', 'stroke-width': this.lineWidth },
      'stroke',
      this.strokeStyle,
    );
  }
  // as wide as here, since the font may be missing where the file is opened
  fillText(text, x, y, width = 0) {
    const [left, base] = this.point(x, y).split(' ');
    this.add(
      'text',
      {
        x: left,
        y: base,
        'text-anchor': this.textAlign === 'center' ? 'middle' : 'start',
        style: `font: ${this.font}`,
        ...(width ? { textLength: width.toFixed(2), lengthAdjust: 'spacingAndGlyphs' } : {}),
      },
      'fill',
      this.fillStyle,
      text,
    );
  }
  toString() {
    const { width, height } = this,
      svg = shape('svg', { width, height, viewBox: `0 0 ${width} ${height}` }),
      defs = shape('defs');
    for (const { name, at: [[x1, y1], [x2, y2]], stops } of this.defs) {
      const gradient = shape('linearGradient', {
        id: name,
        gradientUnits: 'userSpaceOnUse',
        x1,
        y1,
        x2,
        y2,
      });
      for (const [offset, paint] of stops) {
        const [, channels, alpha] = /^rgba\((.+), ([\d.]+)\)$/.exec(paint);
        gradient.append(
          shape('stop', {
            offset: offset.toFixed(3),
            'stop-color': `rgb(${channels})`,
            'stop-opacity': alpha,
          }),
        );
      }
      defs.append(gradient);
    }
    svg.append(defs, ...this.body);
    return new XMLSerializer().serializeToString(svg);
  }
}
