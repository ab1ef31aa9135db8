// Opens an HTML report in Chromium and prints timings as JSON: node html_report_bench.js FILE. Used by
// html_report_bench.py. Times are in milliseconds; repeated measurements have a median and a maximum.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../end_to_end/browser/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.LINKHERD_BROWSER ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const address = pathToFileURL(process.argv[2]).href;
/** @type {Record<string, number>} */
const figures = {};

for (const view of ["overview", "links", "catalogue"]) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const start = performance.now();
  await page.goto(`${address}#${view}`, { waitUntil: "commit" });
  await page.waitForSelector({ overview: "h1", links: ".canvas > .row", catalogue: ".entry" }[view]);
  figures[`${view}: from opening to use`] = performance.now() - start;
  await page.close();
}

const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`${address}#links`);
await page.waitForSelector(".canvas > .row");
// Measures the cost of a key press: handler and layout, from the input event until the next frame can be painted.
const times = await page.evaluate(async () => {
  const field = /** @type {HTMLInputElement} */ (document.querySelector(".search"));
  const settled = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  /** @type {Record<string, number[]>} */
  const all = { key: [], chip: [], sort: [], scroll: [] };
  const timed = async (/** @type {string} */ name, /** @type {() => void} */ action) => {
    await settled();
    const start = performance.now();
    action();
    document.body.getBoundingClientRect();
    all[name].push(performance.now() - start);
  };
  const type = (/** @type {string} */ text) => () => { field.value = text; field.dispatchEvent(new InputEvent("input", { bubbles: true })); };
  await new Promise((resolve) => setTimeout(resolve, 2500)); // until idle-time preparation has finished
  for (const text of ["attention kernel", "推理", "zzz nothing", "host-77 "]) {
    for (let end = 1; end <= text.length; ++end) await timed("key", type(text.slice(0, end)));
    await timed("key", type(""));
  }
  for (const button of document.querySelectorAll(".chip")) await timed("chip", () => /** @type {HTMLElement} */ (button).click());
  location.hash = "#links";
  await settled();
  for (const column of ["link", "time", "published"])
    await timed("sort", () => /** @type {HTMLElement} */ (document.querySelector(`.head .${column} button`)).click());
  const grid = /** @type {HTMLElement} */ (document.querySelector(".grid"));
  for (let i = 1; i <= 60; ++i) {
    const start = performance.now();
    grid.scrollTop = (grid.scrollHeight / 60) * i;
    await settled();
    all.scroll.push(performance.now() - start);
  }
  return all;
});
for (const [name, values] of Object.entries(times)) {
  values.sort((a, b) => a - b);
  figures[`${name}: median`] = values[values.length >> 1];
  figures[`${name}: longest`] = values.at(-1) ?? 0;
}
figures["memory of the page, MB"] = await page.evaluate(() => /** @type {any} */ (performance).memory.usedJSHeapSize / 1e6);
console.log(JSON.stringify(figures));
await browser.close();
