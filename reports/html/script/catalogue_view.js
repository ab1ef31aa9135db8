// The catalogue: the entries of the lists, grouped by list, year, author or site.

import { append, externalLink, foreign, h } from "./elements.js";
import { activeFilters, searchField } from "./filter_bar.js";
import { dayOf, fileName, nameOf, pill, shortAddress } from "./link_parts.js";
import { needsYou } from "./report_data.js";
import { Selection, yearOf } from "./selection.js";
import { VirtualList } from "./virtual_list.js";
import { emptyState, writeState } from "./view_state.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./app.js").App} App */

/** @typedef {"list" | "year" | "author" | "site"} Grouping */
/** @type {readonly Grouping[]} */
const groupings = ["list", "year", "author", "site"];
const headHeight = 64;
const entryHeight = 88;
const groupHeight = 34;

/** @typedef {{ name: string, title: string, entries: Link[], start: number }} Group */
/** @typedef {{ group: Group } | { link: Link }} Item */

/**
 * Returns the groups of an entry. An entry with several authors is in several groups.
 * @param {Link} link
 * @param {Grouping} by
 * @returns {string[]}
 */
function groupsOf(link, by) {
  switch (by) {
    case "year": return [yearOf(link)];
    case "author": return link.authors.length > 0 ? link.authors : [""];
    case "site": return [link.site || link.host];
    default: return [`${link.file}\n${link.headings.join(" › ")}`];
  }
}

export class CatalogueView {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    const { language } = app;
    this.search = searchField(app, "searchCatalogue");
    this.count = h("output", { class: "count", "aria-live": "polite" });
    this.tabs = h("div", { class: "segments", role: "group", "aria-label": language.say("groupBy") });
    this.filters = h("div", { class: "filters" });
    this.groupList = h("nav", { class: "groups", tabindex: "0", "aria-label": language.say("groupLabel") });
    this.entryList = h("div", { class: "entries", tabindex: "0", role: "region", "aria-label": language.say("entryLabel") });
    // Replaces the list of groups on narrow screens.
    this.groupChoice = h("select", { class: "group-choice", "aria-label": language.say("groupLabel"),
      onchange: () => this.show(this.groups[this.groupChoice.selectedIndex]) });
    this.empty = h("p", { class: "empty", hidden: true });
    this.printed = h("div", { class: "printed" });
    this.element = h("div", { class: "catalogue-view" },
      h("div", { class: "toolbar" }, h("div", { class: "line" }, this.search, this.tabs, this.count), this.groupChoice, this.filters),
      h("div", { class: "split" }, this.groupList, h("div", { class: "main" }, this.entryList, this.empty)), this.printed);
    this.selection = app.catalogueSelection;
    /** @type {Group[]} */
    this.groups = [];
    /** @type {Item[]} */
    this.items = [];
    this.groupRows = new VirtualList(this.groupList, (index) => this.groupRow(index));
    this.entryRows = new VirtualList(this.entryList, (index) => this.itemRow(index));
    this.current = -1;
    this.entryList.addEventListener("scroll", () => this.markGroup(), { passive: true });
    this.update();
  }

  /** @returns {Grouping} */
  grouping() {
    return groupings.find((name) => name === this.app.state.by) ?? "list";
  }

  update() {
    const { app } = this;
    const { state, language } = app;
    if (this.search.value !== state.q) this.search.value = state.q;
    const by = this.grouping();
    const { chosen } = this.selection.select(state);
    this.count.textContent = language.say("shownOf", { n: chosen.length, all: this.selection.links.length });
    this.tabs.replaceChildren(...groupings.map((name) => h("button", { type: "button", "aria-pressed": String(name === by),
      onclick: () => app.change({ by: name === "list" ? "" : name }) }, language.say(`by_${name}`))));
    this.filters.replaceChildren(...activeFilters(app));
    this.groups = this.grouped(chosen, by);
    this.items = [];
    for (const group of this.groups) {
      group.start = this.items.length;
      this.items.push({ group });
      for (const link of group.entries) this.items.push({ link });
    }
    const isEmpty = chosen.length === 0;
    this.empty.hidden = !isEmpty;
    this.empty.textContent = language.say(this.selection.links.length === 0 ? "catalogueEmpty" : "noMatch");
    this.entryList.hidden = isEmpty;
    this.groupList.hidden = isEmpty;
    const mostChoices = 2000;
    this.groupChoice.replaceChildren(...this.groups.slice(0, mostChoices).map((group) => h("option", {}, `${group.title} (${language.number(group.entries.length)})`)));
    this.groupChoice.hidden = isEmpty;
    this.current = -1;
    this.groupRows.reset(this.groups.length, groupHeight);
    this.entryRows.reset(this.items.length, entryHeight, (index) => ("group" in this.items[index] ? headHeight : entryHeight));
    if (!isEmpty) this.markGroup();
  }

  /**
   * @param {Link[]} links
   * @param {Grouping} by
   * @returns {Group[]}
   */
  grouped(links, by) {
    const { language } = this.app;
    /** @type {Map<string, Group>} */
    const groups = new Map();
    for (const link of links) {
      for (const name of groupsOf(link, by)) {
        const group = groups.get(name);
        if (group) group.entries.push(link);
        else groups.set(name, { name, title: this.titleOf(name, by, link), entries: [link], start: 0 });
      }
    }
    const all = [...groups.values()];
    if (by === "list") return all; // in list order
    const known = all.filter((group) => group.name !== "");
    if (by === "year") known.sort((a, b) => (a.name < b.name ? 1 : -1));
    else known.sort((a, b) => b.entries.length - a.entries.length || language.collator.compare(a.name, b.name));
    if (by === "year") for (const group of known) group.entries.sort((a, b) => (a.published < b.published ? 1 : a.published > b.published ? -1 : 0));
    return [...known, ...all.filter((group) => group.name === "")];
  }

  /**
   * @param {string} name
   * @param {Grouping} by
   * @param {Link} link
   * @returns {string}
   */
  titleOf(name, by, link) {
    const { language } = this.app;
    if (by === "year") return name || language.say("noYear");
    if (by === "author") return name || language.say("noAuthor");
    if (by === "site") return name;
    return link.headings.at(-1) || link.shownFile || language.say("noHeading");
  }

  /**
   * @param {number} index
   * @returns {HTMLElement}
   */
  groupRow(index) {
    const group = this.groups[index];
    return h("button", { type: "button", class: "group", "aria-current": index === this.current ? "true" : null, onclick: () => this.show(group) }, foreign(group.title, "name"),
      h("b", {}, this.app.language.number(group.entries.length)));
  }

  /** Marks the group whose entries are at the top of the viewport. */
  markGroup() {
    const first = this.entryRows.indexAt(this.entryList.scrollTop * this.entryRows.ratio() + 1);
    let current = this.current;
    if (!this.groups[current] || this.groups[current].start > first) current = 0;
    while (current + 1 < this.groups.length && this.groups[current + 1].start <= first) ++current;
    if (current === this.current) return;
    this.groupRows.rows.get(this.current)?.removeAttribute("aria-current");
    this.current = current;
    this.groupRows.rows.get(current)?.setAttribute("aria-current", "true");
    this.groupRows.show(current);
    this.groupChoice.selectedIndex = current;
  }

  /** @param {Group} group */
  show(group) {
    this.entryList.scrollTop = this.entryRows.top(group.start) / this.entryRows.ratio();
    this.entryRows.update();
  }

  /**
   * @param {number} index
   * @returns {HTMLElement}
   */
  itemRow(index) {
    const item = this.items[index];
    if ("link" in item) return this.entryRow(item.link);
    const { group } = item;
    const { file, shownFile, headings } = group.entries[0];
    const above = headings.slice(0, -1).join(" › ");
    return h("div", { class: "entry-head" }, h("h2", {}, foreign(group.title), h("small", {}, this.app.language.number(group.entries.length))),
      this.grouping() === "list" && h("p", { class: "muted entry-path" }, fileName(shownFile, "", file), above && h("span", {}, "› ", foreign(above))));
  }

  /**
   * @param {Link} link
   * @returns {HTMLElement}
   */
  entryRow(link) {
    const { app } = this;
    const title = link.title || nameOf(link);
    const isGone = link.section === "dead";
    const details = writeState({ ...emptyState("links"), open: link.number });
    const byline = [link.authors.length > 0 && foreign(link.authors.join(", "), "authors"), link.published && h("time", {}, dayOf(link.published)),
      foreign(link.site || link.host, "site")].filter(Boolean);
    const listed = link.text && link.text !== title ? [h("span", { class: "muted" }, `${app.language.say("listCallsIt")} `), foreign(link.text)] : [];
    const row = h("article", { class: isGone ? "entry gone" : "entry" },
      h("div", { class: "title" }, externalLink(link.url, foreign(title)), needsYou(link) && pill(app, link.section)),
      h("div", { class: "byline" }));
    append(/** @type {Element} */ (row.lastElementChild), byline.flatMap((part, i) => (i === 0 ? [part] : [h("span", { class: "sep" }, "·"), part])));
    append(row, [h("div", { class: "listed" }, ...(listed.length > 0 ? listed : [foreign(shortAddress(link.shown), "address")]),
      h("a", { class: "about-link", href: details, "aria-label": `${app.language.say("detailLabel")}: ${title}` }, "ⓘ"))]);
    return row;
  }

  print() {
    const mostPrinted = 1000;
    const { language } = this.app;
    const items = this.items.slice(0, mostPrinted).map((_, index) => this.itemRow(index));
    this.printed.replaceChildren(...items);
    if (this.items.length > mostPrinted)
      this.printed.append(h("p", {}, language.say("printedRows", { n: mostPrinted, all: this.items.length })));
  }

  afterPrint() {
    this.printed.replaceChildren();
  }

  close() {
    this.groupRows.close();
    this.entryRows.close();
  }
}

/**
 * @param {Link[]} links
 * @returns {Selection}
 */
export function catalogueSelection(links) {
  return new Selection(links);
}
