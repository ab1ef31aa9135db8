// Reads the data that linkherd has written into the page. Rows of links are read at once, because filters and sorting
// need them. Details are read only when a link is shown.

/** @typedef {{ id: string, words: string }} Reason  `words` is an English text */
/** @typedef {{ name: string, advice: string, reason: string }} Cause */
/** @typedef {"error" | "warning" | "note" | "none"} Level */

/**
 * @typedef {object} Link
 * @property {number} index  position among all links: section by section, in list order
 * @property {number} position  position in the blocks of the page
 * @property {number} number  number of the link, in list order
 * @property {string} section
 * @property {Level} level
 * @property {string} health
 * @property {Reason} reason
 * @property {Cause} cause
 * @property {string} host
 * @property {string} file  file of the occurrence that is shown
 * @property {string} shownFile  the file without the folder that all absolute paths share
 * @property {number} line
 * @property {number} column
 * @property {number} places  number of occurrences
 * @property {string} url  the requested URL
 * @property {string} shown  the URL in readable form
 * @property {string} text  the text of the link in the list
 * @property {number} status  0: none
 * @property {number} milliseconds  duration of the last request with a response; -1: none
 * @property {string} title
 * @property {string[]} authors
 * @property {string} published  ISO 8601, as precise as the page states it
 * @property {string} site
 * @property {string[]} headings
 * @property {string} language
 * @property {number} role  0: neither; 1: the main link of an entry; 2: a link in running text
 * @property {boolean} noted  has facts, such as an archived repository
 * @property {number} expires  expiry of the certificate, in days since 1970; 0: unknown
 * @property {[string, string] | null} relocated  how well the new address of a dead page is proven, and the address
 * @property {string} change  change since the earlier run; empty: there is no earlier run, or the link is accepted
 * @property {string} previousHealth  health in the earlier run; empty: it did not have the link, or there is no earlier run
 */

/**
 * The data that only the panel of a link shows. Unknown members are absent.
 * @typedef {object} Detail
 * @property {string} [explained]
 * @property {string} [evidence]
 * @property {string} [rule]
 * @property {number} [confidence]
 * @property {string} [final_url]
 * @property {[string, string][]} [redirects]  status or kind, and target
 * @property {[number, string, number, string, string][]} [attempts]  seconds since 1970, URL, ms, status, failure
 * @property {number} [checked]  seconds since 1970, as are all times
 * @property {boolean} [from_store]
 * @property {number} [first_seen]
 * @property {number} [last_alive]
 * @property {number} [first_failed]
 * @property {number} [strikes]
 * @property {string} [vantage]
 * @property {[string, number, string, string][]} [vantages]  name, time, health, reason
 * @property {[number, string, number][]} [looks]  consecutive checks with the same health: time of the first, health, number; oldest first
 * @property {[number, number, number, string, string][]} [places]  the other occurrences: file, line, column, URL, text
 * @property {Record<string, [string, string, number]>} [metadata]  value (empty if the row has it), source, confidence in percent
 * @property {string[]} [facts]
 * @property {[string, string]} [relocated]  where linkherd found the new address, and what proves it
 * @property {[string, number]} [archived]  URL and time
 * @property {[string, string, string]} [accepted]  reason, last day, person
 * @property {[string, string, number]} [certificate]  subject, issuer, end
 * @property {string} [content_type]
 * @property {number} [bytes]
 * @property {string} [address]
 */

/**
 * Details as stored in the page: times are differences to the first time, and texts are indices into the tables.
 * @typedef {Omit<Detail, "evidence" | "rule" | "content_type" | "address" | "certificate" | "metadata"> & { evidence?: number | string,
 *   rule?: number | string, content_type?: number | string, address?: number | string, certificate?: [number | string, number | string, number], times: [number, number | null, number | null, number | null],
 *   metadata?: [number, number | string, number, string?][] }} WrittenDetail
 */

const metadataFields = ["title", "authors", "published", "language", "site_name", "modified", "description", "canonical"];

/** @typedef {{ layer: string, certain: boolean, shared: number, entries: [number, number, number, number][] }} Group */

/**
 * @typedef {object} Pace  a host whose requests were deliberately slowed down
 * @property {string} host
 * @property {number} total  ms; the minimum time for its links
 * @property {number} links
 * @property {number} interval  ms between two requests
 * @property {boolean} robots  its robots.txt asks for the interval
 * @property {number} paused  ms of pauses
 * @property {boolean} asked  the host named the time of the pauses
 * @property {number} status  of the response that caused the latest pause; 0: none or unknown
 */

/**
 * @typedef {object} Header
 * @property {string} lang
 * @property {number} chunk  number of rows in a block
 * @property {string[]} columns
 * @property {string[]} sections
 * @property {string[]} healths
 * @property {Level[]} levels
 * @property {string[]} changes
 * @property {{ number: number, inputs: string, started: number, finished: number, seconds: number, state: string,
 *   vantage: string, strikes: number, pace: Pace[] }} run
 * @property {{ number: number, finished: number, removed: number, repeated: number } | null} since  the earlier run: links that this one
 *   does not have, and groups of repeated entries that it did not have; null: there is nothing to compare with
 * @property {number} now
 * @property {{ links: number, places: number, hosts: number, repeated: number, noted: number,
 *   pages: number, titles: number, authors: number, dates: number, from_browser: number }} counts
 * @property {{ exit_code: number, why: string, other: string }} outcome
 * @property {string} tally
 */

/**
 * @typedef {object} Tables
 * @property {string[]} hosts
 * @property {string[]} files
 * @property {string[]} shownFiles  the files without the folder that all absolute paths share
 * @property {[string, string][]} reasons
 * @property {[string, string, string][]} causes
 * @property {string[]} sites
 * @property {string[][]} headings
 * @property {string[]} languages
 * @property {string[]} evidence
 * @property {string[]} words
 * @property {[string, boolean, number, [number, number, number, number][]][]} groups
 */

export class ReportData {
  /** @param {Document} page */
  constructor(page) {
    this.page = page;
    /** @type {Header} */
    this.header = read(page, "report");
    /** @type {Tables} */
    this.tables = read(page, "tables");
    this.tables.shownFiles = withoutCommonFolder(this.tables.files);
    /** @type {Link[]} */
    this.links = readRows(page, this.header, this.tables);
    /** @type {Int32Array} */
    this.indexOfNumber = new Int32Array(this.header.counts.links);
    for (const link of this.links) this.indexOfNumber[link.number] = link.index;
    /** @type {Group[]} */
    this.groups = this.tables.groups.map(([layer, certain, shared, entries]) => ({ layer, certain, shared, entries }));
    /** @type {Map<number, number[]> | null} */
    this.groupsOfLinks = null;
    /** @type {Map<number, WrittenDetail[]>} */
    this.details = new Map();
  }

  /**
   * @param {Link} link
   * @returns {Detail}
   */
  detail(link) {
    const { chunk } = this.header;
    const block = Math.floor(link.position / chunk);
    let details = this.details.get(block);
    if (!details) {
      details = /** @type {WrittenDetail[]} */ (JSON.parse(this.page.querySelectorAll("script.details")[block]?.textContent ?? "[]"));
      const mostBlocks = 8;
      if (this.details.size >= mostBlocks) this.details.clear();
      this.details.set(block, details);
    }
    return this.read(details[link.position % chunk]);
  }

  /**
   * @param {WrittenDetail} written
   * @returns {Detail}
   */
  read(written) {
    const { tables } = this;
    /** @param {number | string} text @param {string[]} table */
    const text = (text, table) => (typeof text === "number" ? table[text] : text);
    const { evidence, rule, content_type, address, certificate, metadata, times, ...rest } = written;
    const [checked, ...others] = times;
    const [first_seen, last_alive, first_failed] = others.map((time) => (time === null ? 0 : checked + time));
    /** @type {Detail} */
    const detail = { ...rest, checked, first_seen, last_alive, first_failed };
    if (evidence !== undefined) detail.evidence = text(evidence, tables.evidence);
    if (rule !== undefined) detail.rule = text(rule, tables.words);
    if (content_type !== undefined) detail.content_type = text(content_type, tables.words);
    if (address !== undefined) detail.address = text(address, tables.words);
    if (certificate) detail.certificate = [text(certificate[0], tables.words), text(certificate[1], tables.words), certificate[2]];
    if (metadata) detail.metadata = Object.fromEntries(metadata.map(([field, source, percent, value]) =>
      [metadataFields[field], [value ?? "", text(source, tables.words), percent]]));
    return detail;
  }

  /**
   * The groups of duplicates that contain a link.
   * @param {Link} link
   * @returns {Group[]}
   */
  groupsOf(link) {
    if (!this.groupsOfLinks) {
      this.groupsOfLinks = new Map();
      for (const [position, group] of this.groups.entries()) {
        for (const number of new Set(group.entries.map((entry) => entry[0]))) {
          const known = this.groupsOfLinks.get(number);
          if (known) known.push(position);
          else this.groupsOfLinks.set(number, [position]);
        }
      }
    }
    return (this.groupsOfLinks.get(link.number) ?? []).map((position) => this.groups[position]);
  }
}

/**
 * Absolute paths without the folder that they share. Unchanged if a shorter path would be the name of another file.
 * @param {string[]} files
 * @returns {string[]}
 */
function withoutCommonFolder(files) {
  const absolute = files.filter((file) => file.startsWith("/"));
  let folder = absolute[0] ?? "";
  for (const file of absolute) {
    while (!file.startsWith(folder) || !folder.endsWith("/")) folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  }
  if (folder.length < 2) return files;
  const shorter = files.map((file) => (file.startsWith("/") ? file.slice(folder.length) : file));
  return new Set(shorter).size === new Set(files).size ? shorter : files;
}

/**
 * @param {Document} page
 * @param {string} id
 * @returns {any}
 */
function read(page, id) {
  return JSON.parse(page.getElementById(id)?.textContent ?? "null");
}

/**
 * @param {Document} page
 * @param {Header} header
 * @param {Tables} tables
 * @returns {Link[]}
 */
function readRows(page, header, tables) {
  /** @type {Record<string, number>} */
  const at = Object.fromEntries(header.columns.map((name, position) => [name, position]));
  const reasons = tables.reasons.map(([id, words]) => ({ id, words }));
  const causes = tables.causes.map(([name, advice, reason]) => ({ name, advice, reason }));
  /** @type {string[]} */
  const noAuthors = [];
  /** @type {Link[]} */
  const links = [];
  for (const block of page.querySelectorAll("script.rows")) {
    for (const row of JSON.parse(block.textContent ?? "[]")) {
      links.push({
        index: 0,
        position: links.length,
        number: row[at.number],
        section: header.sections[row[at.section]],
        level: header.levels[row[at.level]],
        health: header.healths[row[at.health]],
        reason: reasons[row[at.reason]],
        cause: causes[row[at.cause]],
        host: tables.hosts[row[at.host]],
        file: tables.files[row[at.file]],
        shownFile: tables.shownFiles[row[at.file]],
        line: row[at.line],
        column: row[at.column],
        places: row[at.places],
        url: row[at.url],
        shown: row[at.shown] || row[at.url],
        text: row[at.text],
        status: row[at.status],
        milliseconds: row[at.milliseconds],
        title: row[at.title],
        authors: row[at.authors] || noAuthors,
        published: row[at.published],
        site: tables.sites[row[at.site]],
        headings: tables.headings[row[at.headings]],
        language: tables.languages[row[at.language]],
        role: row[at.role],
        noted: row[at.noted] === 1,
        relocated: row[at.relocated] || null,
        expires: row[at.expires],
        change: header.changes[row[at.change]] ?? "",
        previousHealth: header.healths[row[at.previous_health]] ?? "",
      });
    }
    block.remove(); // the text of the rows is no longer needed
  }
  return sorted(links, header.sections);
}

/**
 * Links by section, each section in list order.
 * @param {Link[]} links
 * @param {string[]} sections
 * @returns {Link[]}
 */
function sorted(links, sections) {
  /** @type {Link[]} */
  const byNumber = [];
  for (const link of links) byNumber[link.number] = link;
  /** @type {Map<string, Link[]>} */
  const bySection = new Map(sections.map((name) => [name, []]));
  for (const link of byNumber) if (link) bySection.get(link.section)?.push(link);
  const all = [...bySection.values()].flat();
  all.forEach((link, index) => { link.index = index; });
  return all;
}

/**
 * True if a link needs attention. All formats of linkherd use the same rule.
 * @param {Link} link
 * @returns {boolean}
 */
export function needsYou(link) {
  return link.level === "error" || link.level === "warning";
}

/**
 * The links of the catalogue: the main links of entries, and links in running text if a file has no entries.
 * @param {Link[]} links
 * @returns {Link[]}
 */
export function catalogueOf(links) {
  const withEntries = new Set(links.filter((link) => link.role === 1).map((link) => link.file));
  return links
    .filter((link) => link.host !== "" && (link.role === 1 || (link.role === 2 && !withEntries.has(link.file))))
    .sort((a, b) => a.number - b.number);
}
