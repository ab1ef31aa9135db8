// Creates elements. Foreign text becomes only text nodes, and attribute values that are not interpreted. Nothing in the
// page parses markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
export function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === "number" ? String(child) : child);
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [attributes]  functions become event listeners: onclick
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Text of pages and lists, isolated so that its direction does not reorder the text around it.
 * @param {string} text
 * @param {string} [className]
 * @returns {HTMLElement}
 */
export function foreign(text, className) {
  return h("bdi", { class: className }, text);
}

/**
 * True if a link to this address can only open a page (http or https).
 * @param {string} url
 * @returns {boolean}
 */
export function isWebAddress(url) {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/**
 * A web link that opens in a new tab. Other schemes become plain text.
 * @param {string} url
 * @param {Child} content
 * @param {string} [className]
 * @returns {HTMLElement}
 */
export function externalLink(url, content, className) {
  if (!isWebAddress(url)) return h("span", { class: className }, content);
  return h("a", { class: className, href: url, target: "_blank", rel: "noopener noreferrer" }, content);
}

/**
 * An icon with one path in a box of 16 by 16.
 * @param {string} path
 * @returns {SVGElement}
 */
export function icon(path) {
  const shape = svg("path", { d: path, fill: "none", stroke: "currentColor", "stroke-width": 1.5,
    "stroke-linecap": "round", "stroke-linejoin": "round" });
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" }, shape);
}
