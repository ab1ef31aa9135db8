// What views show of a link in the same way.

import { foreign, h } from "./elements.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./app.js").App} App */

/**
 * @param {App} app
 * @param {string} section
 * @returns {HTMLElement}
 */
export function pill(app, section) {
  return h("span", { class: `pill is-${section}` }, app.language.sayOf("section", section));
}

/**
 * What to call a link: the words of the list, else the title of the page, else its address.
 * @param {Link} link
 * @returns {string}
 */
export function nameOf(link) {
  return link.text || link.title || shortAddress(link.shown);
}

/**
 * An address without what nobody reads.
 * @param {string} url
 * @returns {string}
 */
export function shortAddress(url) {
  const short = url.replace(/^https?:\/\/(www\.)?/i, "");
  return short.replace(/^([^/]+)\/$/, "$1");
}

/**
 * @param {Link} link
 * @returns {HTMLElement}
 */
export function placeOf(link) {
  if (link.file === "") return h("span", { class: "place" });
  const cut = link.file.lastIndexOf("/") + 1;
  return h("span", { class: "place", title: `${link.file}:${link.line}:${link.column}` },
    cut > 0 && foreign(link.file.slice(0, cut), "folder"), foreign(`${link.file.slice(cut)}:${link.line}`, "base"));
}

/**
 * The day of an ISO 8601 date, as precise as it is.
 * @param {string} date
 * @returns {string}
 */
export function dayOf(date) {
  return date.slice(0, 10);
}
