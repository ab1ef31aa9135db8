// The state of the page, which is stored in the fragment of its address, so that every view can be shared:
// "#links?section=dead,insecure&q=guide&open=12".

/** @typedef {"overview" | "links" | "catalogue"} ViewName */

/**
 * @typedef {object} ViewState
 * @property {ViewName} view
 * @property {string} q  search text
 * @property {string[]} section  empty: all
 * @property {string[]} level  empty: all
 * @property {string} host
 * @property {string} file
 * @property {string} cause
 * @property {string} change
 * @property {string} site
 * @property {string} author
 * @property {string} year
 * @property {string} only  "repeated", "noted" or "relocated"
 * @property {string} sort  a column, with "-" before it for descending order
 * @property {string} by  grouping of the catalogue
 * @property {number} open  number of the link whose details are shown; -1: none
 */

/** @type {readonly ViewName[]} */
export const viewNames = ["overview", "links", "catalogue"];
const lists = /** @type {const} */ (["section", "level"]);
const texts = /** @type {const} */ (["q", "host", "file", "cause", "change", "site", "author", "year", "only", "sort", "by"]);

/**
 * @param {ViewName} view
 * @returns {ViewState}
 */
export function emptyState(view) {
  return { view, q: "", section: [], level: [], host: "", file: "", cause: "", change: "", site: "", author: "", year: "",
    only: "", sort: "", by: "", open: -1 };
}

/**
 * @param {string} fragment
 * @returns {ViewState}
 */
export function readState(fragment) {
  const [name, query] = fragment.replace(/^#/, "").split("?", 2);
  const state = emptyState(viewNames.find((view) => view === name) ?? "overview");
  const values = new URLSearchParams(query ?? "");
  for (const key of lists) state[key] = (values.get(key) ?? "").split(",").filter(Boolean);
  for (const key of texts) state[key] = values.get(key) ?? "";
  const open = values.get("open") ?? "";
  state.open = /^\d{1,9}$/.test(open) ? Number(open) : -1;
  return state;
}

/**
 * @param {ViewState} state
 * @returns {string}
 */
export function writeState(state) {
  const values = new URLSearchParams();
  for (const key of lists) if (state[key].length > 0) values.set(key, state[key].join(","));
  for (const key of texts) if (state[key] !== "") values.set(key, state[key]);
  if (state.open >= 0) values.set("open", String(state.open));
  const query = values.toString().replaceAll("%2C", ",").replaceAll("%2F", "/");
  return `#${state.view}${query === "" ? "" : `?${query}`}`;
}
