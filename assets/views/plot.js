// Downloads of a plotly figure that gradio drew elsewhere on the page.
const plot = () =>
  document.querySelector(
    '#' + element.querySelector('[data-plot]').dataset.plot + ' .js-plotly-plot',
  );
const name = element.querySelector('[data-plot]').dataset.plot;
for (const format of ['png', 'svg']) {
  actions[format] = () =>
    plot() && Plotly.downloadImage(plot(), { format, filename: name, scale: 2 });
}
// what an axis writes at a place
const named = ({ tickvals, ticktext }, at) => ticktext?.[tickvals?.indexOf(at)] ?? at;
actions.csv = () => {
  if (!plot()) return;
  const rows = [['trace', 'x', 'y', 'z']];
  plot()._fullData.forEach((trace, t) => {
    const label = trace.name ?? t;
    if (trace.z) {
      const { xaxis, yaxis } = plot()._fullLayout;
      trace.z.forEach((line, i) =>
        line.forEach((z, j) =>
          rows.push([
            label,
            named(xaxis, trace.x?.[j] ?? j),
            named(yaxis, trace.y?.[i] ?? i),
            z ?? '',
          ])
        )
      );
    } else trace.y.forEach((y, i) => rows.push([label, trace.x?.[i] ?? i, y, '']));
  });
  saveTable(name, rows);
};
