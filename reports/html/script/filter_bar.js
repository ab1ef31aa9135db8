// The search field and the active filters, for the links and the catalogue.

import { foreign, h } from "./elements.js";
import { emptyState } from "./view_state.js";

/** @typedef {import("./app.js").App} App */
/** @typedef {import("./view_state.js").ViewState} ViewState */

const named = /** @type {const} */ (["host", "file", "cause", "change", "site", "author", "year"]);

/**
 * @param {App} app
 * @param {import("./texts_en.js").TextKey} label
 * @returns {HTMLInputElement}
 */
export function searchField(app, label) {
  const words = app.language.say(label);
  return h("input", { type: "search", class: "search", value: app.state.q, placeholder: `${words}  ( / )`, "aria-label": words,
    autocomplete: "off", spellcheck: "false", oninput: (/** @type {InputEvent} */ event) => {
      app.change({ q: /** @type {HTMLInputElement} */ (event.target).value }, "typing");
    } });
}

/**
 * The active filters, each with a button that removes it.
 * @param {App} app
 * @returns {HTMLElement[]}
 */
export function activeFilters(app) {
  const { language, state } = app;
  /** @type {HTMLElement[]} */
  const buttons = [];
  /** @param {string} name @param {string} value @param {Partial<ViewState>} without */
  const add = (name, value, without) => {
    const label = language.say("removeFilter", { name: `${name} ${value}` });
    buttons.push(h("button", { type: "button", class: "filter", "aria-label": label, onclick: () => app.change(without) },
      value ? `${name}: ` : name, foreign(value), h("span", { class: "remove", "aria-hidden": "true" }, "×")));
  };
  if (state.level.length > 0) add(language.say("filter_level"), "", { level: [] });
  for (const key of named) {
    if (state[key] === "") continue;
    add(language.say(`filter_${key}`), valueInWords(app, key, state[key]), { [key]: "" });
  }
  if (state.only !== "") add(language.sayOf("filter", state.only), "", { only: "" });
  if (buttons.length + state.section.length + (state.q ? 1 : 0) > 1) {
    const { view, by, sort } = state;
    buttons.push(h("button", { type: "button", class: "plain-button", onclick: () => app.go({ ...emptyState(view), by, sort }) },
      language.say("clearAll")));
  }
  return buttons;
}

/**
 * @param {App} app
 * @param {typeof named[number]} key
 * @param {string} value
 * @returns {string}
 */
function valueInWords(app, key, value) {
  if (key === "change") return app.language.sayOf("change", value);
  if (key !== "cause") return value;
  const link = app.data.links.find((one) => one.cause.name === value);
  return link ? app.language.cause(link.cause) : value;
}
