// Draws charts as inline SVG. The SVG has no text, which would have to be measured; labels are HTML text beside it.

import { h, svg } from "./elements.js";

/** @typedef {{ name: string, value: number, label: string }} Part  the name determines the colour */

/**
 * A bar of parts. `scale` is the value of a full line. The SVG is as long as its parts, so that both of its ends are round.
 * @param {Part[]} parts
 * @param {number} scale
 * @param {string} [label]
 * @returns {HTMLElement}
 */
export function stackedBar(parts, scale, label) {
  const width = 1000;
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  const attributes = { viewBox: `0 0 ${width} 10`, preserveAspectRatio: "none" };
  const described = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
  const bar = svg("svg", { ...attributes, ...described });
  let x = 0;
  for (const part of parts) {
    if (part.value <= 0) continue;
    const length = (part.value / total) * width;
    bar.append(svg("rect", { class: `fill-${part.name}`, x, y: 0, width: Math.max(length, 2), height: 10 },
      svg("title", {}, `${part.label}: ${part.value}`)));
    x += length;
  }
  bar.style.width = `${Math.min(100, (total / scale) * 100)}%`;
  return h("span", { class: "bar" }, bar);
}

/**
 * Columns with labels below. Columns with an `onclick` are buttons.
 * @param {{ label: string, value: number, title: string, tone?: string, onclick?: () => void }[]} columns
 * @param {string} label
 * @returns {HTMLElement}
 */
export function histogram(columns, label) {
  const most = Math.max(1, ...columns.map((column) => column.value));
  const chart = h("div", { class: "histogram", role: "group", "aria-label": label });
  for (const column of columns) {
    const height = 100;
    const length = column.value === 0 ? 0 : Math.max(1.5, (column.value / most) * height);
    const tone = column.tone ?? "accent";
    const shape = svg("svg", { viewBox: `0 0 10 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: `fill-${tone}`, x: 0, y: height - length, width: 10, height: length }));
    const content = [h("span", { class: "value" }, column.value > 0 ? column.value : ""), shape,
      h("span", { class: "label" }, column.label)];
    const attributes = { class: "column", title: column.title };
    chart.append(column.onclick && column.value > 0
      ? h("button", { ...attributes, type: "button", onclick: column.onclick }, ...content)
      : h("div", attributes, ...content));
  }
  return chart;
}

/**
 * A quantile of sorted values.
 * @param {ArrayLike<number>} sorted
 * @param {number} part
 * @returns {number}
 */
export function quantile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
