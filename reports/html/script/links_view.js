// The table of all links, which can be searched, filtered and sorted. Only the visible rows exist.

import { foreign, h } from "./elements.js";
import { activeFilters, searchField } from "./filter_bar.js";
import { baseName, dayOf, nameOf, otherAddress, pill, placeOf, printedTable, shortAddress } from "./link_parts.js";
import { detailPanel } from "./detail.js";
import { VirtualList } from "./virtual_list.js";
import { columns } from "./selection.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./app.js").App} App */

const rowHeight = 52;
const headHeight = 34;

export class LinksView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const { language } = app;
    this.search = searchField(app, "search");
    this.count = h("output", { class: "count", "aria-live": "polite" });
    this.chips = h("div", { class: "chips" });
    this.filters = h("div", { class: "filters" });
    this.head = h("div", { class: "row head", role: "row" });
    this.empty = h("p", { class: "empty", hidden: true }, language.say(app.data.links.length > 0 ? "noMatch" : "noLinks"));
    this.grid = h("div", { class: "grid", role: "grid", tabindex: "0", "aria-label": language.say("tableLabel"), "aria-colcount": columns.length },
      h("div", { class: "head-group", role: "rowgroup" }, this.head));
    this.side = h("div", { class: "side" });
    this.printed = h("div", { class: "printed" });
    this.element = h("div", { class: "links-view" },
      h("div", { class: "toolbar" }, h("div", { class: "line" }, this.search, this.count), this.chips, this.filters),
      h("div", { class: "split" }, h("div", { class: "main" }, this.grid, this.empty), this.side), this.printed);
    this.list = new VirtualList(this.grid, (index) => this.row(index), headHeight);
    this.list.canvas.setAttribute("role", "rowgroup");
    /** @type {Link[]} */
    this.chosen = [];
    this.selected = -1;
    /** @type {number} */
    this.shown = -1;
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  /** Updates the view after the state of the page has changed. */
  update() {
    const { app } = this;
    const { state, language } = app;
    if (this.search.value !== state.q) this.search.value = state.q;
    const { open, ...rest } = state;
    const key = JSON.stringify(rest);
    if (key !== this.key_) {
      this.key_ = key;
      const { chosen, bySection } = app.selection.select(state);
      this.chosen = chosen;
      this.grid.setAttribute("aria-rowcount", String(chosen.length + 1));
      this.count.textContent = language.say("shownOf", { n: chosen.length, all: app.data.links.length });
      this.empty.hidden = chosen.length > 0;
      this.grid.hidden = chosen.length === 0;
      this.renderChips(bySection);
      this.filters.replaceChildren(...activeFilters(app));
      this.renderHead();
      this.selected = open >= 0 ? chosen.findIndex((link) => link.number === open) : -1;
      this.list.reset(chosen.length, rowHeight);
      if (this.selected >= 0) this.list.show(this.selected);
    }
    this.showDetail(open);
  }

  key_ = "";

  /** @param {Map<string, number>} bySection */
  renderChips(bySection) {
    const { app } = this;
    const { state, language } = app;
    const chips = app.data.header.sections.filter((name) => app.sectionsWithLinks.has(name)).map((name) => {
      const isOn = state.section.includes(name);
      const section = isOn ? state.section.filter((one) => one !== name) : [...state.section, name];
      return h("button", { type: "button", class: "chip", "aria-pressed": String(isOn), title: language.sayOf("about", name),
        onclick: () => app.change({ section, level: [] }) }, h("i", { class: `dot bg-${name}` }), language.sayOf("section", name),
        h("b", {}, language.number(bySection.get(name) ?? 0)));
    });
    this.chips.replaceChildren(...chips);
  }

  renderHead() {
    const { app } = this;
    const sort = app.state.sort || "health";
    const cells = columns.map((column) => {
      const isSorted = sort === column || sort === `-${column}`;
      const direction = !isSorted ? "none" : sort.startsWith("-") ? "descending" : "ascending";
      const next = sort === column && column !== "health" ? `-${column}` : column === "health" ? "" : column;
      return h("div", { role: "columnheader", class: `cell ${column}`, "aria-sort": direction },
        h("button", { type: "button", onclick: () => app.change({ sort: next }) }, app.language.say(`col_${column}`),
          h("span", { class: "arrow", "aria-hidden": "true" }, direction === "ascending" ? "↑" : direction === "descending" ? "↓" : "")));
    });
    this.head.replaceChildren(...cells);
  }

  /**
   * @param {number} index
   * @returns {HTMLElement}
   */
  row(index) {
    const { app } = this;
    const link = this.chosen[index];
    const name = nameOf(link);
    const address = shortAddress(link.shown);
    const other = otherAddress(app, link);
    const reason = link.level === "none" && link.reason.id === "ok" ? "" : app.language.reason(link.reason);
    const why = other || reason;  // on narrow screens, which have no room for both
    return h("div", { role: "row", id: `row-${index}`, class: "row", "aria-rowindex": index + 2, "aria-selected": String(index === this.selected),
      onclick: () => this.open(index) },
      cell("health", pill(app, link.section)),
      cell("link", foreign(name, "name"), (other || name !== address) && foreign(other || address, "address"),
        h("span", { class: "narrow", title: link.file && `${link.file}:${link.line}` }, why && h("span", { class: "why" }, foreign(why)),
          link.file && h("span", { class: "spot" }, why && "· ", foreign(`${baseName(link.file)}:${link.line}`)))),
      cell("reason", reason),
      cell("place", placeOf(link), link.places > 1 && h("span", { class: "more" }, app.language.say("andPlaces", { n: link.places - 1 }))),
      cell("time", link.milliseconds < 0 ? "" : app.language.duration(link.milliseconds)),
      cell("published", dayOf(link.published)));
  }

  /** @param {number} index */
  open(index) {
    this.select(index);
    const link = this.chosen[index];
    if (link) this.app.change({ open: link.number });
  }

  /** @param {number} index */
  select(index) {
    if (this.chosen.length === 0) return;
    const next = Math.max(0, Math.min(this.chosen.length - 1, index));
    this.list.rows.get(this.selected)?.setAttribute("aria-selected", "false");
    this.selected = next;
    this.list.show(next);
    this.list.rows.get(next)?.setAttribute("aria-selected", "true");
    this.grid.setAttribute("aria-activedescendant", `row-${next}`);
    if (this.shown >= 0) this.app.change({ open: this.chosen[next].number }, "typing");
  }

  /** @param {number} number  number of a link; -1: none */
  showDetail(number) {
    if (number === this.shown) return;
    this.shown = number;
    const link = number >= 0 ? this.app.data.links[this.app.data.indexOfNumber[number]] : undefined;
    this.element.classList.toggle("with-detail", link !== undefined);
    if (!link) {
      this.side.replaceChildren();
      return;
    }
    const panel = detailPanel(this.app, link);
    this.side.replaceChildren(panel);
    const at = this.chosen[this.selected]?.number === number ? this.selected : this.chosen.indexOf(link);
    if (at >= 0 && at !== this.selected) this.select(at);
    else if (at >= 0) this.list.show(at);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const page = Math.max(1, Math.floor(this.list.seen() / rowHeight) - 1);
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowDown: () => this.select(this.selected + 1),
      ArrowUp: () => this.select(this.selected - 1),
      PageDown: () => this.select(this.selected + page),
      PageUp: () => this.select(this.selected - page),
      Home: () => this.select(0),
      End: () => this.select(this.chosen.length - 1),
      Enter: () => this.open(Math.max(0, this.selected)),
    };
    const action = keys[event.key];
    if (!action || event.target instanceof HTMLButtonElement || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }

  /** @param {number} step */
  move(step) {
    this.grid.focus({ preventScroll: true });
    this.select(this.selected + step);
  }

  /** @returns {Link | undefined} */
  current() {
    return this.chosen[this.selected];
  }

  /** A table of rows for printing, because nothing scrolls on paper. */
  print() {
    const { app } = this;
    this.printed.replaceChildren(printedTable(app, this.chosen));
  }

  afterPrint() {
    this.printed.replaceChildren();
  }

  close() {
    this.list.close();
  }
}

/**
 * @param {string} column
 * @param {...import("./elements.js").Child} content
 * @returns {HTMLElement}
 */
function cell(column, ...content) {
  return h("div", { role: "gridcell", class: `cell ${column}` }, ...content);
}
