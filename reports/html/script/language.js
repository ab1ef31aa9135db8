// The language of the page: its texts, and the formats of numbers, dates and durations.

import { english } from "./texts_en.js";
import { chinese, chineseReasons, chineseCauses, chineseAdvice } from "./texts_zh.js";

/** @typedef {import("./texts_en.js").TextKey} TextKey */
/** @typedef {"en" | "zh"} LanguageName */

const secondsOfDay = 86400;

export class Language {
  /** @param {LanguageName} name */
  constructor(name) {
    this.name = name;
    this.texts = name === "zh" ? chinese : english;
    this.locale = name === "zh" ? "zh-CN" : "en-GB";
    this.numbers = new Intl.NumberFormat(this.locale);
    this.days = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium" });
    this.minutes = new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeStyle: "short" });
    this.collator = new Intl.Collator(this.locale, { numeric: true });
  }

  /**
   * @param {TextKey} key
   * @param {Record<string, string | number>} [values]  the number `n` selects singular or plural
   * @returns {string}
   */
  say(key, values = {}) {
    const forms = this.texts[key].split("|");
    const form = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
    return form.replace(/\{(\w+)\}/g, (_, name) => {
      const value = values[name];
      return typeof value === "number" && name !== "year" ? this.numbers.format(value) : String(value ?? "");
    });
  }

  /**
   * A text whose key is built from data. If there is no such text, the data's own word.
   * @param {string} prefix
   * @param {string} name
   * @returns {string}
   */
  sayOf(prefix, name) {
    const key = /** @type {TextKey} */ (`${prefix}_${name}`);
    return this.texts[key] ?? name;
  }

  /**
   * @param {import("./report_data.js").Reason} reason
   * @returns {string}
   */
  reason(reason) {
    if (this.name !== "zh") return reason.words;
    const status = /^http_(\d+)$/.exec(reason.id)?.[1];  // untranslated status phrases are English
    return chineseReasons[reason.id] || (status && `HTTP ${status}`) || reason.words;
  }

  /**
   * @param {import("./report_data.js").Cause} cause
   * @returns {string}
   */
  cause(cause) {
    return (this.name === "zh" && (chineseCauses[cause.name] || chineseReasons[cause.reason])) || cause.name;
  }

  /**
   * @param {string} advice
   * @returns {string}
   */
  advice(advice) {
    return (this.name === "zh" && chineseAdvice[advice]) || advice;
  }

  /**
   * @param {number} number
   * @returns {string}
   */
  number(number) {
    return this.numbers.format(number);
  }

  /**
   * @param {number} seconds  since 1970
   * @returns {string}
   */
  day(seconds) {
    return this.days.format(seconds * 1000);
  }

  /**
   * @param {number} seconds  since 1970
   * @returns {string}
   */
  minute(seconds) {
    return this.minutes.format(seconds * 1000);
  }

  /**
   * @param {number} milliseconds
   * @returns {string}
   */
  duration(milliseconds) {
    if (milliseconds < 0.5) return this.say("underMillisecond");
    if (milliseconds < 995) return this.say("milliseconds", { n: Math.round(milliseconds) });
    const seconds = milliseconds / 1000;
    if (seconds < 9.95) return this.say("seconds", { n: Math.round(seconds * 10) / 10 });
    if (seconds < 120) return this.say("seconds", { n: Math.round(seconds) });
    if (seconds < 7200) return this.say("minutes", { n: Math.round(seconds / 60) });
    return this.say("hours", { n: Math.round(seconds / 3600) });
  }

  /**
   * @param {number} day  since 1970
   * @param {number} now  seconds since 1970
   * @returns {string}
   */
  distance(day, now) {
    const days = day - Math.floor(now / secondsOfDay);
    if (days === 0) return this.say("today");
    return days > 0 ? this.say("inDays", { n: days }) : this.say("daysAgo", { n: -days });
  }
}

/**
 * The language that the report requests, else the browser's, else English.
 * @param {string} wanted  "en", "zh" or "auto"
 * @param {readonly string[]} preferred  languages of the browser
 * @returns {LanguageName}
 */
export function chosenLanguage(wanted, preferred) {
  if (wanted === "en" || wanted === "zh") return wanted;
  for (const tag of preferred) {
    if (/^zh\b/i.test(tag)) return "zh";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}
