// The panel with everything that is known about one link.

import { append, externalLink, foreign, h } from "./elements.js";
import { nameOf, pill, shortAddress } from "./link_parts.js";
import { emptyState, writeState } from "./view_state.js";

/** @typedef {import("./report_data.js").Link} Link */
/** @typedef {import("./report_data.js").Detail} Detail */
/** @typedef {import("./report_data.js").Group} Group */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./elements.js").Child} Child */

const mostEntries = 20;

/**
 * @param {string} title
 * @param {...Child} content  without content, the part is left out
 * @returns {HTMLElement | null}
 */
function part(title, ...content) {
  const known = content.filter((child) => child !== null && child !== undefined && child !== false && child !== "");
  return known.length === 0 ? null : h("section", {}, h("h3", {}, title), ...known);
}

/**
 * @param {[string, Child][]} rows
 * @returns {HTMLElement | null}
 */
function facts(rows) {
  const known = rows.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false && value !== 0);
  if (known.length === 0) return null;
  const list = h("dl", {});
  for (const [name, value] of known) append(list, [h("dt", {}, name), h("dd", {}, value)]);
  return list;
}

/**
 * @param {App} app
 * @param {Link} link
 * @param {Detail} detail
 */
function found(app, link, detail) {
  const { language } = app;
  const advice = language.advice(link.cause.advice);
  const isSaid = detail.explained && detail.explained !== link.reason.words;
  const words = isSaid && language.name === "en" ? "" : language.reason(link.reason);
  return part(language.say("found"), h("p", { class: "verdict" }, words, words && isSaid && h("br"), isSaid && foreign(detail.explained ?? "")),
    advice && link.level !== "none" && h("p", { class: "advice" }, advice),
    facts([
      [language.say("evidence"), detail.evidence && foreign(detail.evidence)],
      [language.say("rule"), detail.rule && h("code", {}, detail.rule)],
      [language.say("confidence"), detail.confidence !== undefined && `${Math.round(detail.confidence * 100)}%`],
      [language.say("checkedAt"), detail.checked && language.minute(detail.checked) + (detail.from_store ? ` (${language.say("fromStore")})` : "")],
      [language.say("previously"), before(app, link)],
      [language.say("failingSince"), detail.first_failed && language.day(detail.first_failed)],
      [language.say("strikes"), detail.strikes && `${detail.strikes} / ${app.data.header.run.strikes || "?"}`],
      [language.say("lastAlive"), detail.last_alive && language.minute(detail.last_alive)],
      [language.say("firstSeen"), detail.first_seen && language.day(detail.first_seen)],
    ]));
}

/**
 * The result of the earlier run, if it differs.
 * @param {App} app
 * @param {Link} link
 */
function before(app, link) {
  const { language, data } = app;
  if (!data.header.since || link.previousHealth === link.health) return null;
  return link.previousHealth === "" ? language.say("notBefore") : language.sayOf("health", link.previousHealth);
}

/**
 * The redirect chain, from the address in the list to its end.
 * @param {App} app
 * @param {Link} link
 * @param {Detail} detail
 */
function wayThere(app, link, detail) {
  const { language } = app;
  const hops = detail.redirects ?? [];
  const isOtherwise = link.shown !== link.url && decoded(link.url) !== link.shown;
  if (hops.length === 0 && !isOtherwise) return null;
  const steps = [h("li", {}, externalLink(link.url, link.url), h("small", {}, language.say("requested")))];
  for (const [status, target] of hops) steps.push(h("li", {}, h("b", { class: "status" }, status), externalLink(target, foreign(target))));
  if (hops.length > 0 && link.status > 0) steps.push(h("li", { class: "end" }, h("b", { class: "status" }, link.status), language.say("endsAt")));
  return part(language.say("wayThere"), h("ol", { class: "chain" }, ...steps));
}

/** @param {string} url */
function decoded(url) {
  try {
    return decodeURI(url);
  } catch {
    return url;
  }
}

/**
 * @param {App} app
 * @param {Detail} detail
 */
function attempts(app, detail) {
  const { language } = app;
  const requests = detail.attempts ?? [];
  if (requests.length === 0) return null;
  const time = new Intl.DateTimeFormat(language.locale, { timeStyle: "medium" });
  const rows = requests.map(([at, url, milliseconds, status, failure]) => h("tr", {},
    h("td", { title: language.minute(at) }, time.format(at * 1000)),
    h("td", {}, status ? h("b", { class: "status" }, status) : "", failure && ` ${language.reason({ id: failure, words: failure.replaceAll("_", " ") })}`,
      h("div", { class: "address" }, foreign(shortAddress(url)))),
    h("td", { class: "number" }, language.duration(milliseconds))));
  const head = /** @type {const} */ (["attempt_at", "attempt_result", "attempt_took"]).map((key) => h("th", { scope: "col" }, language.say(key)));
  return part(language.say("attempts"), h("table", {}, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...rows)));
}

/**
 * The last checks, one mark per check.
 * @param {App} app
 * @param {Detail} detail
 */
function timeline(app, detail) {
  const looks = detail.looks ?? [];
  const total = looks.reduce((sum, [, , count]) => sum + count, 0);
  if (total < 2) return null;
  const { language } = app;
  const marks = looks.flatMap(([at, health, count]) => {
    const words = `${language.sayOf("health", health)}: ${language.say("historySentence", { n: count, since: language.minute(at) })}`;
    return Array.from({ length: count }, (_, i) => h("li", { class: `bg-${toneOf(health)}`, title: words }, i === 0 && h("span", { class: "unseen" }, words)));
  });
  return part(language.say("history"), h("ol", { class: "timeline" }, ...marks),
    h("p", { class: "muted" }, language.say("historySentence", { n: total, since: language.day(looks[0][0]) })));
}

/**
 * The section whose colour a health uses.
 * @param {string} health
 */
export function toneOf(health) {
  return health === "alive" ? "fine" : health === "redirected" ? "moved" : health;
}

/**
 * @param {App} app
 * @param {Link} link
 * @param {Detail} detail
 */
function places(app, link, detail) {
  const { language, data } = app;
  if (link.file === "") return null;
  /** @param {string} file @param {number} line @param {number} column @param {string} words @param {string} url */
  const row = (file, line, column, words, url) => h("li", {},
    h("a", { class: "mono", href: writeState({ ...emptyState("links"), file }) }, foreign(`${file}:${line}:${column}`)),
    words && h("div", {}, foreign(words)), url && h("div", { class: "address" }, foreign(url)));
  const others = (detail.places ?? []).map(([file, line, column, url, words]) => row(data.tables.files[file], line, column, words, url));
  const rest = link.places - 1 - others.length;
  return part(language.say("places"), link.headings.length > 0 && h("p", { class: "muted" }, foreign(link.headings.join(" › "))),
    h("ul", { class: "plain" }, row(link.file, link.line, link.column, "", ""), ...others),
    rest > 0 && h("p", { class: "muted" }, language.say("more", { n: rest })));
}

/**
 * @param {App} app
 * @param {Link} link
 * @param {Detail} detail
 */
function page(app, link, detail) {
  const { language } = app;
  /** @type {Record<string, string>} */
  const inRow = { title: link.title, authors: link.authors.join(", "), published: link.published, language: link.language, site_name: link.site };
  const names = ["title", "authors", "published", "modified", "site_name", "language", "description", "canonical"];
  /** @type {[string, Child][]} */
  const rows = names.map((name) => {
    const field = detail.metadata?.[name];
    const value = (field && field[0]) || inRow[name] || (field && name === "canonical" ? link.url : "");
    if (value === "") return [name, null];
    const source = field && field[1] ? language.say("saidBy", { source: field[1], confidence: `${field[2]}%` }) : "";
    const text = name === "canonical" ? externalLink(value, foreign(value)) : foreign(value);
    return [language.sayOf("meta", name), h("span", {}, text, source && h("small", {}, source))];
  });
  return part(language.say("metadata"), facts(rows));
}

/**
 * @param {App} app
 * @param {Link} link
 */
function duplicates(app, link) {
  const { language, data } = app;
  const groups = data.groupsOf(link).map((group) => group_(group));
  return part(language.say("duplicates"), ...groups);

  /** @param {Group} group */
  function group_(group) {
    const others = group.entries.filter(([number, file, line]) => number !== link.number || data.tables.files[file] !== link.file || line !== link.line);
    const rows = others.slice(0, mostEntries).map(([number, file, line, column]) => {
      const other = data.links[data.indexOfNumber[number]];
      const place = foreign(`${data.tables.files[file]}:${line}:${column}`, "mono");
      if (!other || other === link) return h("li", {}, place);
      return h("li", {}, h("a", { href: writeState({ ...app.state, open: number }) }, foreign(nameOf(other))), " ", place,
        h("div", { class: "address" }, foreign(other.shown)));
    });
    const words = group.shared > 0 ? language.say("parallel", { n: group.shared })
      : language.sayOf("layer", group.layer) + (group.certain ? "" : ` (${language.say("possibly")})`);
    return h("div", {}, h("p", { class: "muted" }, words), h("ul", { class: "plain" }, ...rows),
      others.length > mostEntries && h("p", { class: "muted" }, language.say("more", { n: others.length - mostEntries })));
  }
}

/**
 * The new address of a dead page.
 * @param {App} app
 * @param {Link} link
 * @param {Detail} detail
 */
function newAddress({ language }, link, detail) {
  if (!link.relocated || !detail.relocated) return null;
  const [level, url] = link.relocated;
  const [source, evidence] = detail.relocated;
  return part(language.say("newAddress"), h("p", {}, language.sayOf("level", level), h("br"), externalLink(url, foreign(url))),
    facts([[language.say("evidence"), evidence && foreign(evidence)], [language.say("foundBy"), language.sayOf("source", source)]]));
}

/**
 * @param {App} app
 * @param {Detail} detail
 */
function help(app, detail) {
  const { language } = app;
  const { archived, accepted } = detail;
  return [
    archived && part(language.say("archived"), h("p", {}, externalLink(archived[0], foreign(archived[0])),
      h("small", {}, language.say("archivedOn", { date: language.day(archived[1]) })))),
    accepted && part(language.say("accepted"), h("p", {}, foreign(accepted[0]), h("small", {},
      [language.say("acceptedUntil", { date: accepted[1] }), accepted[2] && language.say("acceptedBy", { name: accepted[2] })].filter(Boolean).join(" ")))),
    detail.facts && part(language.say("facts"), h("ul", { class: "plain" }, ...detail.facts.map((fact) => h("li", {}, foreign(fact))))),
    detail.vantages && part(language.say("vantages"), h("ul", { class: "plain" }, ...detail.vantages.map(([name, at, health, reason]) =>
      h("li", {}, h("b", {}, foreign(name)), ` ${language.sayOf("health", health)}: ${language.reason({ id: reason, words: reason })}, ${language.minute(at)}`)))),
  ];
}

/**
 * @param {App} app
 * @param {Detail} detail
 */
function technical(app, detail) {
  const { language } = app;
  const [subject, issuer, end] = detail.certificate ?? ["", "", 0];
  const bytes = detail.bytes ? `${language.number(detail.bytes)} B` : "";
  return part(language.say("technical"), facts([
    [language.say("contentType"), [detail.content_type, bytes].filter(Boolean).join(", ") && foreign([detail.content_type, bytes].filter(Boolean).join(", "))],
    [language.say("address"), detail.address && h("code", {}, detail.address)],
    [language.say("certificateEnds"), end > 0 && `${language.day(end)}${subject ? ` (${subject})` : ""}`],
    [language.say("issuer"), issuer && foreign(issuer)],
    ["", detail.vantage && language.say("fromVantage", { name: detail.vantage })],
  ]));
}

/**
 * @param {App} app
 * @param {Link} link
 * @returns {HTMLElement}
 */
export function detailPanel(app, link) {
  const { language } = app;
  const detail = app.data.detail(link);
  const close = h("button", { type: "button", class: "icon-button close", "aria-label": language.say("close"), title: `${language.say("close")} (Esc)`,
    onclick: () => app.change({ open: -1 }) }, "×");
  const panel = h("aside", { class: "detail", tabindex: "-1", "aria-label": language.say("detailLabel") });
  append(panel, [
    h("header", {}, h("div", { class: "top" }, pill(app, link.section), link.change && link.change !== "same" && h("span", { class: "muted" }, language.sayOf("change", link.change)), close),
      h("h2", {}, foreign(nameOf(link))), h("p", { class: "address" }, externalLink(link.url, foreign(link.shown))),
      h("div", { class: "actions" }, copyButton(app, link.url),
        link.host && h("a", { class: "button", href: writeState({ ...emptyState("links"), host: link.host }) }, language.say("openSite")))),
    found(app, link, detail), newAddress(app, link, detail), ...help(app, detail), wayThere(app, link, detail), timeline(app, detail), page(app, link, detail),
    places(app, link, detail), duplicates(app, link), attempts(app, detail), technical(app, detail),
  ]);
  return panel;
}

/**
 * @param {App} app
 * @param {string} text
 */
function copyButton(app, text) {
  const button = h("button", { type: "button", class: "button", onclick: async () => {
    if (!(await copyText(text))) return;
    button.textContent = app.language.say("copied");
  } }, app.language.say("copyAddress"));
  return button;
}

/**
 * @param {string} text
 * @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // not allowed here
  }
}
