// The page: its head, the view that its address selects, the keyboard, and the state that survives a change of language.

import { append, h, icon } from "./elements.js";
import { CatalogueView } from "./catalogue_view.js";
import { Language, chosenLanguage } from "./language.js";
import { LinksView } from "./links_view.js";
import { overview, printOverview } from "./overview.js";
import { ReportData, catalogueOf } from "./report_data.js";
import { Selection } from "./selection.js";
import { emptyState, readState, viewNames, writeState } from "./view_state.js";

/** @typedef {import("./view_state.js").ViewState} ViewState */
/** @typedef {import("./view_state.js").ViewName} ViewName */

const sun = "M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1M11 8a3 3 0 1 1-6 0a3 3 0 0 1 6 0";

export class App {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.data = new ReportData(document);
    this.sectionsWithLinks = new Set(this.data.links.map((link) => link.section));
    this.selection = new Selection(this.data.links);
    this.catalogueSelection = new Selection(catalogueOf(this.data.links));
    const repeated = new Set(this.data.groups.filter((group) => group.shared === 0).flatMap((group) => group.entries.map((entry) => entry[0])));
    this.selection.repeated.numbers = repeated;
    this.catalogueSelection.repeated.numbers = repeated;
    this.language = new Language(chosenLanguage(this.data.header.lang, navigator.languages));
    this.state = readState(location.hash);
    /** @type {Map<ViewName, string>} last state of each view */
    this.lastFragments = new Map();
    /** @type {LinksView | CatalogueView | null} */
    this.view = null;
    /** @type {ViewName | null} */
    this.shownView = null;
    this.main = h("main", {});
    window.addEventListener("hashchange", () => this.show(readState(location.hash)));
    window.addEventListener("beforeprint", () => (this.view ? this.view.print() : printOverview(this, this.main)));
    window.addEventListener("afterprint", () => (this.view ? this.view.afterPrint() : this.main.querySelector(".printed")?.replaceChildren()));
    document.addEventListener("keydown", (event) => this.key(event));
    this.render();
    whenIdle(() => this.selection.prepareSearch());
  }

  /** Renders everything again, in the current language. */
  render() {
    const { language, data } = this;
    document.documentElement.lang = language.locale;
    document.title = `${language.say("title")}: ${data.header.tally}`;
    this.view?.close();
    this.view = null;
    this.shownView = null;
    this.tabs = h("nav", { class: "tabs", "aria-label": language.say("title") });
    this.root.replaceChildren();
    append(this.root, [h("header", { class: "top-bar" }, h("a", { class: "brand", href: "#overview" }, h("b", {}, "linkherd"), h("span", {}, language.say("title"))),
      this.tabs, h("div", { class: "tools" }, ...this.tools())), this.main, this.helpDialog()]);
    this.show(this.state);
  }

  tools() {
    const { language } = this;
    const theme = h("button", { type: "button", class: "icon-button theme", "aria-label": language.say("theme"), title: language.say("theme"),
      onclick: () => switchTheme() }, icon(sun));
    const other = h("button", { type: "button", class: "icon-button language", lang: language.name === "zh" ? "en" : "zh-CN",
      "aria-label": language.say("languageLabel"), title: language.say("languageLabel"), onclick: () => this.switchLanguage() }, language.say("language"));
    const help = h("button", { type: "button", class: "icon-button help", "aria-label": language.say("help"), title: `${language.say("help")} (?)`,
      onclick: () => this.dialog?.showModal() }, "?");
    return [other, theme, help];
  }

  switchLanguage() {
    this.language = new Language(this.language.name === "zh" ? "en" : "zh");
    this.render();
    /** @type {HTMLElement | null} */ (this.root.querySelector("button.language"))?.focus();
  }

  /**
   * Goes to another view. The browser's "back" button leaves it again.
   * @param {ViewState} state
   */
  go(state) {
    history.pushState(null, "", writeState(state));
    this.show(state);
  }

  /**
   * Changes the state of the view. While the user types, no entry is added to the browser's history.
   * @param {Partial<ViewState>} changes
   * @param {"typing"} [how]
   */
  change(changes, how) {
    const state = { ...this.state, ...changes };
    if (how !== "typing") return this.go(state);
    history.replaceState(null, "", writeState(state));
    this.show(state);
  }

  /** @param {ViewState} state */
  show(state) {
    this.state = state;
    this.lastFragments.set(state.view, writeState({ ...state, open: -1 }));
    if (this.shownView !== state.view) {
      this.shownView = state.view;
      this.view?.close();
      this.view = null;
      this.main.className = `view-${state.view}`;
      if (state.view === "overview") {
        this.main.replaceChildren(overview(this));
        window.scrollTo(0, 0);
      } else {
        this.main.replaceChildren();
        this.view = state.view === "links" ? new LinksView(this) : new CatalogueView(this);
        this.main.append(this.view.element);
      }
      this.view?.update();
    } else {
      this.view?.update();
    }
    this.renderTabs();
  }

  renderTabs() {
    const { language, state } = this;
    this.tabs?.replaceChildren(...viewNames.map((name) => h("a", { href: name === "overview" ? "#overview" : (this.lastFragments.get(name) ?? `#${name}`),
      "aria-current": name === state.view ? "page" : null }, language.say(name))));
  }

  helpDialog() {
    const { language } = this;
    /** @type {[string, import("./texts_en.js").TextKey][]} */
    const keys = [["/", "key_search"], ["↑ ↓  j k", "key_move"], ["Enter", "key_open"], ["o", "key_visit"], ["Esc", "key_close"],
      ["1 2 3", "key_views"], ["?", "key_help"]];
    const list = h("dl", { class: "keys" });
    for (const [name, text] of keys) append(list, [h("dt", {}, ...name.split(" ").filter(Boolean).map((one) => h("kbd", {}, one))), h("dd", {}, language.say(text))]);
    this.dialog = h("dialog", { class: "help", "aria-label": language.say("helpTitle") }, h("h2", {}, language.say("helpTitle")), list,
      h("form", { method: "dialog" }, h("button", { class: "button" }, language.say("close"))));
    return this.dialog;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.dialog?.open) return;
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "Escape") return this.escape(event.target);
    if (isTyping) {
      if ((event.key === "ArrowDown" || event.key === "Enter") && this.view instanceof LinksView) {
        event.preventDefault();
        this.view.move(1);
      }
      return;
    }
    const action = this.actions()[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @returns {Record<string, () => void>} */
  actions() {
    const links = this.view instanceof LinksView ? this.view : null;
    return {
      "/": () => this.focusSearch(),
      "?": () => this.dialog?.showModal(),
      "1": () => this.go(emptyState("overview")),
      "2": () => this.go(readState(this.lastFragments.get("links") ?? "#links")),
      "3": () => this.go(readState(this.lastFragments.get("catalogue") ?? "#catalogue")),
      ...(links && {
        j: () => links.move(1),
        k: () => links.move(-1),
        o: () => this.root.querySelector(".detail header .address a")?.dispatchEvent(new MouseEvent("click")),
      }),
    };
  }

  focusSearch() {
    if (!this.view) this.go(emptyState("links"));
    this.view?.search.focus();
    this.view?.search.select();
  }

  /** @param {EventTarget | null} target */
  escape(target) {
    if (this.state.open >= 0) {
      this.change({ open: -1 });
      if (this.view instanceof LinksView) this.view.grid.focus({ preventScroll: true });
    } else if (this.state.q !== "") {
      this.change({ q: "" });
    } else if (target instanceof HTMLElement) {
      target.blur();
    }
  }
}

/** Switches from the current theme (of the system, or chosen by the user) to the other one. */
function switchTheme() {
  const style = document.documentElement.style;
  const isDark = style.colorScheme ? style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  style.colorScheme = isDark ? "light" : "dark";
}

/** @param {() => void} task */
function whenIdle(task) {
  if ("requestIdleCallback" in window) window.requestIdleCallback(task, { timeout: 2000 });
  else setTimeout(task, 200);
}
