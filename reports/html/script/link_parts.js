// The parts of a link that all views show in the same way.

import { foreign, h } from "./elements.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./app.js").App} App */

const mostPrinted = 1000;

/**
 * @param {App} app
 * @param {string} section
 * @returns {HTMLElement}
 */
export function pill(app, section) {
  return h("span", { class: `pill is-${section}` }, app.language.sayOf("section", section));
}

/**
 * The name of a link: its text in the list, else the title of the page, else its address.
 * @param {Link} link
 * @returns {string}
 */
export function nameOf(link) {
  return link.text || link.title || shortAddress(link.shown);
}

/**
 * An address without the parts that nobody reads.
 * @param {string} url
 * @returns {string}
 */
export function shortAddress(url) {
  const short = url.replace(/^https?:\/\/(www\.)?/i, "");
  return short.replace(/^([^/]+)\/$/, "$1");
}

/**
 * @param {string} file
 * @returns {string}
 */
export function baseName(file) {
  return file.slice(file.lastIndexOf("/") + 1);
}

/**
 * A file name. Its folder is shortened if there is no room for both.
 * @param {string} file
 * @param {string} [line]  shown after the name
 * @param {string} [title]
 * @returns {HTMLElement}
 */
export function fileName(file, line = "", title = file) {
  const base = baseName(file);
  const folder = file.slice(0, file.length - base.length);
  return h("span", { class: "place", title }, folder && foreign(folder, "folder"), foreign(`${base}${line}`, "base"));
}

/**
 * @param {Link} link
 * @returns {HTMLElement}
 */
export function placeOf(link) {
  if (link.file === "") return h("span", { class: "place" });
  return fileName(link.shownFile, `:${link.line}`, `${link.file}:${link.line}:${link.column}`);
}

/**
 * A table of links for printing, because nothing scrolls on paper.
 * @param {App} app
 * @param {Link[]} links
 * @returns {HTMLElement}
 */
export function printedTable(app, links) {
  const { language } = app;
  const rows = links.slice(0, mostPrinted).map((link) => h("tr", {}, h("td", {}, pill(app, link.section)),
    h("td", {}, (link.text || link.title) && foreign(nameOf(link), "name"), h("div", { class: "address" }, foreign(link.shown))),
    h("td", {}, language.reason(link.reason)), h("td", {}, foreign(`${link.shownFile}:${link.line}`))));
  const head = /** @type {const} */ (["col_health", "col_link", "col_reason", "col_place"]).map((key) => h("th", { scope: "col" }, language.say(key)));
  return h("div", {}, h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)),
    links.length > mostPrinted && h("p", {}, language.say("printedRows", { n: mostPrinted, all: links.length })));
}

/**
 * Another address that belongs to a link in this view: its new address, or the entry that it duplicates.
 * @param {App} app
 * @param {Link} link
 * @returns {string}
 */
export function otherAddress(app, link) {
  if (app.state.only === "repeated") {
    const entries = app.data.groupsOf(link).flatMap((group) => (group.shared > 0 ? [] : group.entries));
    const other = entries.find(([number, file, line]) => number !== link.number || app.data.tables.files[file] !== link.file || line !== link.line);
    if (!other) return "";
    const [number, file, line] = other;
    const place = `${app.data.tables.shownFiles[file]}:${line}`;
    return number === link.number ? `= ${place}` : `= ${shortAddress(app.data.links[app.data.indexOfNumber[number]].shown)} (${place})`;
  }
  if (link.section !== "moved") return "";
  const detail = app.data.detail(link);
  const target = detail.final_url || detail.redirects?.at(-1)?.[1] || "";
  return target ? `→ ${shortAddress(target)}` : "";
}

/**
 * The date part of an ISO 8601 date, with the same precision.
 * @param {string} date
 * @returns {string}
 */
export function dayOf(date) {
  return date.slice(0, 10);
}
