// Selects and sorts the links that a view shows, and counts the links of each section. It needs one pass over all links,
// which is fast enough for each key press while searching among 100,000 links.

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./view_state.js").ViewState} ViewState */

/** @typedef {"health" | "link" | "reason" | "place" | "time" | "published"} Column */
/** @type {readonly Column[]} */
export const columns = ["health", "link", "reason", "place", "time", "published"];

/**
 * The words of a search, all of which must match. A text in quotes counts as one word.
 * @param {string} text
 * @returns {string[]}
 */
export function searchWords(text) {
  return [...text.toLowerCase().matchAll(/"([^"]+)"?|([^\s"]+)/g)].map((match) => (match[1] ?? match[2] ?? "").trim())
    .filter(Boolean);
}

/**
 * @param {Link} link
 * @returns {string}
 */
export function yearOf(link) {
  return /^\d{4}/.exec(link.published)?.[0] ?? "";
}

/**
 * @param {Link} link
 * @returns {string}
 */
function searchText(link) {
  const { text, title, url, shown, authors, site, file, headings, reason } = link;
  const address = shown === url ? url : `${url}\n${shown}`;
  return `${text}\n${title}\n${address}\n${authors.join("\n")}\n${site}\n${file}\n${headings.join("\n")}\n${reason.words}`
    .toLowerCase();
}

export class Selection {
  /** @param {Link[]} links */
  constructor(links) {
    this.links = links;
    /** @type {string[] | null} by the index of the link */
    this.searchTexts = null;
    /** @type {Map<string, Uint32Array>} */
    this.orders = new Map();
    /** @type {{ numbers: Set<number> | null }} set by the code that knows the groups */
    this.repeated = { numbers: null };
    /** @type {{ key: string, words: string[], found: Link[] }} the last search result */
    this.last = { key: "", words: [], found: [] };
  }

  /** Builds the searched texts once; if possible, before the first key press. */
  prepareSearch() {
    if (!this.searchTexts) {
      const size = this.links.reduce((most, link) => Math.max(most, link.index + 1), 0);
      this.searchTexts = new Array(size).fill("");
      for (const link of this.links) this.searchTexts[link.index] = searchText(link);
    }
    return this.searchTexts;
  }

  /**
   * The links that the state selects, in its order, and the number of links by section if no section or level were chosen.
   * @param {ViewState} state
   * @returns {{ chosen: Link[], bySection: Map<string, number> }}
   */
  select(state) {
    const found = this.find(state);
    const sections = state.section.length > 0 ? new Set(state.section) : null;
    const levels = state.level.length > 0 ? new Set(state.level) : null;
    /** @type {Map<string, number>} */
    const bySection = new Map();
    let section = "", count = 0;
    for (const link of found) {
      if (link.section !== section) {
        bySection.set(section, count);
        section = link.section;
        count = bySection.get(section) ?? 0;
      }
      ++count;
    }
    bySection.set(section, count);
    const isChosen = (/** @type {Link} */ link) => (!sections || sections.has(link.section)) && (!levels || levels.has(link.level));
    return { chosen: sections || levels ? found.filter(isChosen) : found, bySection };
  }

  /**
   * The links that pass all filters except those of sections and levels. If the user only added to the words, excluded links are not examined again.
   * @param {ViewState} state
   * @returns {Link[]}
   */
  find(state) {
    const { q, section, level, open, ...others } = state;
    const key = JSON.stringify(others);
    const words = searchWords(q);
    const narrows = this.last.key === key && this.last.words.every((word) => words.some((one) => one.includes(word)));
    const order = this.order(state.sort);
    const accepts = this.filter(state);
    let found = narrows ? this.last.found : order ? Array.from(order, (index) => this.links[index]) : this.links;
    if (!narrows && accepts) found = found.filter(accepts);
    const texts = words.length > 0 ? this.prepareSearch() : [];
    for (const word of words) found = found.filter((link) => texts[link.index].includes(word));
    this.last = { key, words, found };
    return found;
  }

  /**
   * All filters except words, sections and levels; null if there are none.
   * @param {ViewState} state
   * @returns {((link: Link) => boolean) | null}
   */
  filter(state) {
    /** @type {((link: Link) => boolean)[]} */
    const tests = [];
    if (state.host) tests.push((link) => link.host === state.host);
    if (state.file) tests.push((link) => link.file === state.file);
    if (state.cause) tests.push((link) => link.cause.name === state.cause);
    if (state.change) tests.push((link) => link.change === state.change);
    if (state.site) tests.push((link) => (link.site || link.host) === state.site);
    if (state.author) tests.push((link) => link.authors.includes(state.author));
    if (state.year) tests.push((link) => yearOf(link) === state.year);
    if (state.only === "repeated") tests.push((link) => this.repeated.numbers?.has(link.number) ?? false);
    if (state.only === "noted") tests.push((link) => link.noted);
    if (state.only === "relocated") tests.push((link) => link.relocated !== null);
    return tests.length === 0 ? null : (link) => tests.every((test) => test(link));
  }

  /**
   * The positions of all links in the order of a column. null for the order of the page, which begins with the links that
   * need attention.
   * @param {string} sort
   * @returns {Uint32Array | null}
   */
  order(sort) {
    if (sort === "" || sort === "health") return null;
    const known = this.orders.get(sort);
    if (known) return known;
    const descends = sort.startsWith("-");
    const keys = this.links.map(keyOf(sort.replace(/^-/, "")));
    const order = Uint32Array.from(this.links, (_, index) => index);
    order.sort((a, b) => {
      const one = keys[a], other = keys[b];
      // Unknown values come last in both directions.
      if (one === undefined || other === undefined) return one === other ? a - b : one === undefined ? 1 : -1;
      if (one === other) return a - b;
      return (one < other) === descends ? 1 : -1;
    });
    this.orders.set(sort, order);
    return order;
  }
}

/**
 * @param {string} column
 * @returns {(link: Link) => string | number | undefined}
 */
function keyOf(column) {
  switch (column) {
    case "link": return (link) => (link.text || link.title || link.shown).toLowerCase();
    case "reason": return (link) => link.reason.words;
    case "place": return (link) => link.number;
    case "time": return (link) => (link.milliseconds < 0 ? undefined : link.milliseconds);
    case "published": return (link) => link.published || undefined;
    default: return (link) => link.index;
  }
}
