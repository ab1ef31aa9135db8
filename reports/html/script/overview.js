// The first view: the links that need attention, then a summary of all links.

import { append, foreign, h } from "./elements.js";
import { histogram, quantile, stackedBar } from "./charts.js";
import { fileName, nameOf, printedTable } from "./link_parts.js";
import { emptyState, writeState } from "./view_state.js";
import { needsYou } from "./report_data.js";
import { yearOf } from "./selection.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./view_state.js").ViewState} ViewState */

const secondsOfDay = 86400;
const mostRows = 8;
const mostOpened = 500;

/**
 * @template K
 * @param {Link[]} links
 * @param {(link: Link) => K | undefined} keyOf
 * @returns {Map<K, Link[]>}
 */
export function groupBy(links, keyOf) {
  /** @type {Map<K, Link[]>} */
  const groups = new Map();
  for (const link of links) {
    const key = keyOf(link);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(link);
    else groups.set(key, [link]);
  }
  return groups;
}

/**
 * The fragment of a view that shows some links.
 * @param {Partial<ViewState>} filters
 * @returns {string}
 */
function to(filters) {
  return writeState({ ...emptyState("links"), ...filters });
}

/**
 * @param {string} title
 * @param {string | null} about
 * @param {...import("./elements.js").Child} content
 * @returns {HTMLElement}
 */
function card(title, about, ...content) {
  return h("section", { class: "card" }, h("h2", {}, title), about && h("p", { class: "about" }, about), ...content);
}

/**
 * A column of cards; null without cards, so that the other column takes the whole width.
 * @param {...(HTMLElement | null)} cards
 */
function stack(...cards) {
  return cards.some(Boolean) ? h("div", { class: "stack" }, ...cards) : null;
}

/**
 * @param {App} app
 * @param {Link[]} links
 * @returns {import("./charts.js").Part[]}
 */
function partsBySection(app, links) {
  const groups = groupBy(links, (link) => link.section);
  return app.data.header.sections.filter((name) => groups.has(name)).map((name) => ({
    name, value: groups.get(name)?.length ?? 0, label: app.language.sayOf("section", name) }));
}

/** @param {App} app */
function hero(app) {
  const { header, links } = app.data;
  const { language } = app;
  const needing = links.filter(needsYou).length;
  const fine = links.filter((link) => link.section === "fine" && !needsYou(link)).length;
  const parts = partsBySection(app, links);
  const isOutage = header.run.state === "outage";
  const title = titleOf(app, needing, fine);
  const legend = parts.map((part) => h("a", { class: "key", href: to({ section: [part.name] }) },
    h("i", { class: `dot bg-${part.name}` }), part.label, h("b", {}, language.number(part.value))));
  const heading = needing === 0 ? h("h1", {}, title)
    : h("h1", {}, h("a", { href: to({ level: ["error", "warning"] }) }, title));
  return h("section", { class: needing > 0 ? "hero needing" : "hero" }, heading,
    isOutage && h("p", { class: "notice outage", role: "alert" }, language.say("networkDown")),
    h("p", { class: "about" }, links.length > 0 ? subline(app, fine) : language.say("noLinksAdvice")),
    links.length > 0 && stackedBar(parts, links.length, language.say("healthShares")),
    h("div", { class: "legend" }, ...legend), ending(app));
}

/**
 * The counts below the headline. Links to files have no host.
 * @param {App} app
 * @param {number} fine
 * @returns {string}
 */
function subline({ language, data }, fine) {
  const { places, hosts } = data.header.counts;
  return [language.say("fineCount", { n: fine }), language.say("place", { n: places }), hosts > 0 && language.say("host", { n: hosts })]
    .filter(Boolean).join(" · ");
}

/**
 * The headline. An outage is never good news.
 * @param {App} app
 * @param {number} needing
 * @param {number} fine
 * @returns {string}
 */
function titleOf(app, needing, fine) {
  const { language } = app;
  const all = app.data.links.length;
  if (all === 0) return language.say("noLinks");
  if (needing > 0) return language.say("needYou", { n: needing, all });
  if (app.data.header.run.state === "outage") return language.say("nothingChecked");
  return language.say(fine === all ? "allFine" : "noneBroken", { all });
}

/**
 * How the run ended, if its links do not show it.
 * @param {App} app
 */
function ending(app) {
  const { outcome, run } = app.data.header;
  if (run.state === "outage") return null;  // the notice says this already
  const words = [outcome.other, run.state !== "complete" && app.language.say("unfinished")].filter(Boolean);
  if (words.length === 0) return null;
  return h("p", { class: "notice" }, words.join(" "), " ",
    h("span", { class: "muted" }, app.language.say("exitCode", { n: outcome.exit_code })));
}

/** @param {App} app */
function whatToDo(app) {
  const { language } = app;
  const needing = app.data.links.filter(needsYou);
  if (app.data.links.length === 0 || (needing.length === 0 && app.data.header.run.state === "outage")) return null;
  const causes = [...groupBy(needing, (link) => link.cause.name)].sort((a, b) => b[1].length - a[1].length);
  const most = causes.length > 0 ? causes[0][1].length : 1;
  const rows = causes.map(([name, links]) => {
    const { cause } = links[0];
    const advice = language.advice(cause.advice);
    return h("li", {}, h("a", { class: "bar-row", href: to({ cause: name, level: ["error", "warning"] }) },
      h("span", { class: "name" }, language.cause(cause), advice && h("small", {}, advice)),
      stackedBar(partsBySection(app, links), most), h("b", {}, language.number(links.length))));
  });
  return card(language.say("whatToDo"), null,
    rows.length > 0 ? h("ul", { class: "bars" }, ...rows) : h("p", { class: "empty" }, language.say("nothingToDo")));
}

/**
 * Counts with short explanations, for the sections that are not failures.
 * @param {App} app
 * @param {import("./texts_en.js").TextKey} title
 * @param {string[]} sections
 * @param {boolean} withPages  include facts about pages other than their health
 */
function tallies(app, title, sections, withPages) {
  const { language, data } = app;
  const groups = groupBy(data.links.filter((link) => !needsYou(link)), (link) => link.section);
  /** @param {string} name @param {string} about @param {number} count @param {string} href @param {string} tone */
  const row = (name, about, count, href, tone) => h("li", {}, h("a", { class: "tally", href }, h("i", { class: `dot bg-${tone}` }),
    h("span", { class: "name" }, name, h("small", {}, about)), h("b", {}, language.number(count))));
  const rows = sections.filter((name) => groups.has(name)).map((name) => row(language.sayOf("section", name),
    language.sayOf("about", name), groups.get(name)?.length ?? 0, to({ section: [name] }), name));
  if (withPages && data.header.counts.repeated > 0) rows.push(row(language.say("repeated"), language.say("repeatedWhat", { links: language.say("link", { n: app.selection.repeated.numbers?.size ?? 0 }) }),
    data.header.counts.repeated, to({ only: "repeated" }), "repeated"));
  if (withPages && data.header.counts.noted > 0) rows.push(row(language.say("noted"), language.say("about_noted"),
    data.header.counts.noted, to({ only: "noted" }), "noted"));
  return rows.length === 0 ? null : card(language.say(title), null, h("ul", { class: "bars" }, ...rows));
}

/**
 * The dead pages with a new address, best proven first.
 * @param {App} app
 */
function newAddresses(app) {
  const { language, data } = app;
  const levels = ["sure", "probably", "newer", "project", "possibly"];
  /** @type {{ link: Link, level: string, url: string }[]} */
  const found = [];
  for (const link of data.links) if (link.relocated) found.push({ link, level: link.relocated[0], url: link.relocated[1] });
  if (found.length === 0) return null;
  found.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
  const rows = found.slice(0, mostRows).map(({ link, level, url }) => h("li", {},
    h("a", { class: "tally", href: writeState({ ...emptyState("links"), only: "relocated", open: link.number }) },
      h("span", { class: "name" }, foreign(nameOf(link)), h("small", {}, `${language.sayOf("level", level)}: `, foreign(url))))));
  return card(language.say("newAddresses"), language.say("newAddressesWhat"), h("ul", { class: "bars" }, ...rows),
    h("p", {}, h("a", { class: "button", href: to({ only: "relocated" }) }, language.say("page", { n: found.length }))));
}

/**
 * Hosts or files, sorted by the number of links that need attention.
 * @param {App} app
 * @param {import("./texts_en.js").TextKey} title
 * @param {"host" | "file"} key
 */
function ranking(app, title, key) {
  const { language, data } = app;
  const groups = [...groupBy(data.links, (link) => link[key] || undefined)]
    .map(([name, links]) => ({ name, links, needing: links.filter(needsYou).length }))
    .sort((a, b) => b.needing - a.needing || b.links.length - a.links.length);
  if (groups.length < 2) return null;
  const rows = groups.slice(0, mostOpened).map(({ name, links, needing }) => h("li", {}, h("a", { class: "bar-row", href: to({ [key]: name }) },
    h("span", { class: "name" }, key === "file" ? fileName(links[0].shownFile, "", name) : foreign(name)), stackedBar(partsBySection(app, links), links.length),
    h("b", {}, needing > 0 && h("span", { class: "bad" }, `${language.number(needing)} / `), language.number(links.length)))));
  const list = h("ul", { class: "bars" }, ...rows.slice(0, mostRows));
  const rest = groups.length - mostRows;
  const more = rest > 0 && h("button", { type: "button", class: "plain-button", onclick: () => {
    append(list, rows.slice(mostRows));
    if (groups.length > rows.length) append(list, [h("li", { class: "muted" }, language.say("more", { n: groups.length - rows.length }))]);
    if (more) more.remove();
  } }, language.say("showMore", { n: rest }));
  return card(language.say(title), language.say(groups[0].needing > 0 ? "mostNeeding" : "mostLinks"), list, more);
}

/**
 * The differences between the links and the results of the earlier run.
 * @param {App} app
 */
function changes(app) {
  const { language, data } = app;
  const { since } = data.header;
  if (!since) return null;
  const groups = groupBy(data.links, (link) => (link.change === "same" ? undefined : link.change || undefined));
  const most = Math.max(...[...groups.values()].map((links) => links.length));
  const rows = data.header.changes.filter((name) => groups.has(name)).map((name) => {
    const links = groups.get(name) ?? [];
    return h("li", {}, h("a", { class: "bar-row", href: to({ change: name }) },
      h("span", { class: "name" }, language.sayOf("change", name), h("small", {}, language.sayOf("aboutChange", name))),
      stackedBar(partsBySection(app, links), most), h("b", {}, language.number(links.length))));
  });
  const others = [since.removed > 0 && language.say("removed", { n: since.removed }),
    since.repeated > 0 && language.say("newlyRepeated", { n: since.repeated })].filter(Boolean).join(" · ");
  return card(language.say("changes"), language.say("sinceRun", { run: since.number, time: language.minute(since.finished) }),
    rows.length > 0 ? h("ul", { class: "bars changes" }, ...rows) : h("p", { class: "empty" }, language.say("nothingChanged")),
    others && h("p", { class: "muted" }, others));
}

/** @param {App} app */
function ages(app) {
  const { language, data } = app;
  const years = groupBy(data.links, (link) => yearOf(link) || undefined);
  const { pages } = data.header.counts;
  if (years.size === 0) return null;
  const sorted = Float64Array.from([...years].flatMap(([year, links]) => links.map(() => Number(year)))).sort();
  const last = Math.max(quantile(sorted, 1), new Date(data.header.now * 1000).getUTCFullYear() - 1);
  const first = Math.max(quantile(sorted, 0), last - 14);
  const early = sorted.filter((year) => year < first).length;
  const columns = [];
  if (early > 0) columns.push({ label: `<${first}`, value: early, title: `${language.say("before", { year: first })}: ${early}` });
  for (let year = first; year <= last; ++year) {
    const value = years.get(String(year))?.length ?? 0;
    columns.push({ label: `’${String(year).slice(2)}`, value, title: `${year}: ${value}`,
      onclick: () => app.go({ ...emptyState("catalogue"), by: "year", year: String(year) }) });
  }
  return card(language.say("ages"), language.say("agesSentence", { n: sorted.length, all: Math.max(pages, sorted.length),
    year: quantile(sorted, 0.5) }), histogram(columns, language.say("ages")));
}

/** @param {App} app */
function certificates(app) {
  const { language, data } = app;
  const today = Math.floor(data.header.now / secondsOfDay);
  /** @type {Map<string, number>} */
  const ends = new Map();
  for (const link of data.links) {
    if (link.expires > 0 && link.host !== "") ends.set(link.host, Math.min(link.expires, ends.get(link.host) ?? Infinity));
  }
  if (ends.size === 0) return null;
  const hosts = [...ends].sort((a, b) => a[1] - b[1]);
  const bounds = [0, 14, 30, 90, 365, Infinity];
  const tones = ["dead", "suspect", "accepted", "accent", "accent", "accent"];
  const columns = bounds.map((bound, i) => {
    const from = i === 0 ? -Infinity : bounds[i - 1];
    const value = hosts.filter(([, end]) => end - today >= from && end - today < bound).length;
    const name = i === 0 ? language.say("certEnded")
      : bound === Infinity ? language.say("certLater") : language.say("certDays", { n: bound });
    const label = i === 0 ? name : bound === Infinity ? `≥ ${from}` : `< ${bound}`;
    return { label, value, title: `${name}: ${value}`, tone: tones[i] };
  });
  const soon = 90;
  const next = hosts.filter(([, end]) => end >= today && end < today + soon).slice(0, 5);
  const rows = next.map(([host, end]) => h("li", {}, h("a", { class: "tally", href: to({ host }) },
    h("span", { class: "name" }, foreign(host)), h("b", {}, language.distance(end, data.header.now)))));
  return card(language.say("certificates"), language.say("hostsByEnd"), histogram(columns, language.say("hostsByEnd")),
    rows.length > 0 && h("ul", { class: "bars compact" }, ...rows));
}

/** @param {App} app */
function times(app) {
  const { language, data } = app;
  const timed = data.links.filter((link) => link.milliseconds >= 0);
  if (timed.length === 0) return null;
  const sorted = Float64Array.from(timed, (link) => link.milliseconds).sort();
  const bounds = [100, 200, 500, 1000, 2000, 5000, 10000, Infinity];
  const columns = bounds.map((bound, i) => {
    const from = i === 0 ? 0 : bounds[i - 1];
    const value = sorted.filter((time) => time >= from && time < bound).length;
    const label = bound === Infinity ? `≥\u00a0${language.duration(from)}`
      : `<\u00a0${i > 0 && bound < 1000 ? bound : language.duration(bound)}`;
    return { label, value, title: `${language.duration(from)} – ${bound === Infinity ? "" : language.duration(bound)}: ${value}`,
      tone: from >= 5000 ? "suspect" : "accent" };
  });
  const hosts = [...groupBy(timed, (link) => link.host || undefined)].map(([host, links]) => ({
    host, half: quantile(Float64Array.from(links, (link) => link.milliseconds).sort(), 0.5) }));
  const slowest = hosts.sort((a, b) => b.half - a.half).slice(0, 5).filter(({ half }) => half >= 1000);
  const rows = slowest.map(({ host, half }) => h("li", {}, h("a", { class: "tally", href: to({ host, sort: "-time" }) },
    h("span", { class: "name" }, foreign(host)), h("b", {}, language.duration(half)))));
  return card(language.say("times"), language.say("timesSentence", { half: language.duration(quantile(sorted, 0.5)),
    most: language.duration(quantile(sorted, 0.95)) }), histogram(columns, language.say("times")),
    rows.length > 0 && h("h3", {}, language.say("slowest")), rows.length > 0 && h("ul", { class: "bars compact" }, ...rows),
    ...slowedDown(app));
}

/**
 * The hosts that linkherd slowed down on purpose, and why.
 * @param {App} app
 */
function slowedDown({ language, data }) {
  const { pace } = data.header.run;
  if (pace.length === 0) return [];
  const rows = pace.map((bound) => h("li", {}, h("a", { class: "tally", href: to({ host: bound.host }) },
    h("span", { class: "name" }, foreign(bound.host), h("small", {}, reasonOfPace(language, bound))),
    h("b", {}, language.duration(bound.total)))));
  return [h("h3", {}, language.say("slowedDown")), h("ul", { class: "bars compact" }, ...rows)];
}

/**
 * @param {import("./language.js").Language} language
 * @param {import("./report_data.js").Pace} bound
 * @returns {string}
 */
function reasonOfPace(language, bound) {
  const second = 1000;
  const reasons = [];
  if (bound.paused > 0) {
    const words = language.say(bound.asked ? "paceAsked" : "paceRefused", { time: language.duration(bound.paused) });
    reasons.push(bound.status > 0 ? `${bound.status}: ${words}` : words);
  }
  if (bound.total - bound.paused >= second) {
    reasons.push(language.say(bound.robots ? "paceRobots" : "paceInterval",
      { links: language.say("link", { n: bound.links }), time: language.duration(bound.interval) }));
  }
  return reasons.join(" · ");
}

/** @param {App} app */
function pages(app) {
  const { language, data } = app;
  const { titles, authors, dates, pages: all } = data.header.counts;
  if (all === 0) return null;
  return card(language.say("pages"),
    language.say("pagesSentence", { titles, authors, dates, pages: language.say("page", { n: all }) }),
    h("p", {}, h("a", { class: "button", href: "#catalogue" }, language.say("browse"))));
}

/** @param {App} app */
function runLine(app) {
  const { run, counts } = app.data.header;
  const { language } = app;
  const parts = [run.number > 0 && language.say("ofRun", { n: run.number }), language.minute(run.finished || run.started),
    run.seconds >= 0 && language.say("lasted", { time: language.duration(run.seconds * 1000) }),
    run.vantage && language.say("fromVantage", { name: run.vantage }),
    counts.from_browser > 0 && language.say("fromBrowser", { pages: language.say("page", { n: counts.from_browser }) })];
  return h("p", { class: "run" }, foreign(run.inputs, "inputs"), h("span", {}, parts.filter(Boolean).join(" · ")));
}

/**
 * @param {App} app
 * @returns {HTMLElement}
 */
export function overview(app) {
  const view = h("div", { class: "overview" });
  append(view, [runLine(app), hero(app),
    h("div", { class: "columns lead" }, whatToDo(app), stack(
      newAddresses(app), changes(app), tallies(app, "worthALook", ["moved"], true),
      tallies(app, "notYourFault", ["blocked", "unreachable", "deferred"], false),
      tallies(app, "leftOut", ["accepted", "skipped"], false))),
    h("div", { class: "columns" }, stack(ranking(app, "byHost", "host"), ages(app), certificates(app)),
      stack(ranking(app, "byFile", "file"), times(app), pages(app)))]);
  append(view, [h("div", { class: "printed" })]);
  return view;
}

/**
 * The broken links for printing, below the overview.
 * @param {App} app
 * @param {Element} view
 */
export function printOverview(app, view) {
  const broken = app.data.links.filter((link) => link.level === "error");
  if (broken.length === 0) return;
  view.querySelector(".printed")?.replaceChildren(h("h2", {}, app.language.say("brokenLinks")), printedTable(app, broken));
}
