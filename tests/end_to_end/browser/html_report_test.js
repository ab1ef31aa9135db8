// Tests the HTML report in a real browser: node html_report_test.js LINKHERD PLANTED_INTERNET SEEDS FOLDER. Keeps
// screenshots in FOLDER/screenshots. Exits with 77, which ctest reports as skipped, if the browser or a package is
// missing.
import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { absoluteReport, changedReport, emptyFolder, emptyReport, hostileReport, longReport, outageReport, plantedReport } from "./reports.js";

const skipped = 77;
const [program, internet, seeds, folder] = process.argv.slice(2);
const browserPath = process.env.LINKHERD_BROWSER ?? "/usr/bin/chromium";
const require = createRequire(import.meta.url);
/** @type {typeof import("playwright-core")} */
let playwright;
let axe = "";
try {
  playwright = require("playwright-core");
  axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
} catch (error) {
  console.log(`skipped: ${error.message.split("\n")[0]}; npm ci in tests/end_to_end/browser installs it`);
  process.exit(skipped);
}
if (!existsSync(browserPath)) {
  console.log(`skipped: there is no ${browserPath}; Debian's package chromium has it`);
  process.exit(skipped);
}

emptyFolder(folder);
const screenshots = join(folder, "screenshots");
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {{ html: string, chinese: string, json: any }} */
let planted;
/** @type {{ html: string, json: any }} */
let changed;
/** @type {{ html: string, documents: string }} */
let absolute;
let hostile = "", long = "", outage = "", empty = "";

before(async () => {
  planted = await plantedReport(program, internet, seeds, folder);
  changed = changedReport(program, folder);
  absolute = absoluteReport(program, folder);
  hostile = hostileReport(program, folder);
  long = longReport(program, folder, 10_000);
  outage = outageReport(program, folder);
  empty = emptyReport(program, folder);
  // The sandbox of the browser needs rights that containers lack. It is off, because the test created all opened files.
  browser = await playwright.chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
});
after(async () => { await browser?.close(); });

/**
 * Opens a report and calls `look`. Fails if the page writes to the console or sends a request.
 * @param {string} file
 * @param {string} fragment
 * @param {(page: import("playwright-core").Page) => Promise<void>} look
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
async function withPage(file, fragment, look, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", colorScheme: "light", timezoneId: "UTC", ...options });
  try {
    const page = await context.newPage();
    const address = pathToFileURL(file).href;
    /** @type {string[]} */
    const unwanted = [];
    page.on("console", (message) => unwanted.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => unwanted.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => { unwanted.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
    page.on("request", (request) => { if (request.url().split("#")[0] !== address) unwanted.push(`request: ${request.url().slice(0, 200)}`); });
    await page.goto(address + fragment);
    await look(page);
    assert.deepEqual(unwanted, []);
  } finally {
    await context.close();
  }
}

/** @param {import("playwright-core").Page} page */
async function assertAccessible(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] }));
  const serious = violations.filter((/** @type {any} */ one) => one.impact === "serious" || one.impact === "critical");
  const told = serious.map((/** @type {any} */ one) => `${one.id}: ${one.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.html} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  assert.deepEqual(told, []);
}

/** Returns the number of links that the view claims to show. */
const shownLinks = async (/** @type {import("playwright-core").Page} */ page) =>
  Number(/[\d,]+/.exec(await page.locator(".count").innerText())?.[0].replaceAll(",", ""));
const names = (/** @type {import("playwright-core").Page} */ page) => page.locator(".canvas > .row .name").allInnerTexts();
/** Waits for these rows. When a view opens, the rows below the first ones appear a moment later. */
const shows = (/** @type {import("playwright-core").Page} */ page, /** @type {string[]} */ wanted) =>
  page.waitForFunction((rows) => JSON.stringify([...document.querySelectorAll(".canvas > .row .name")].map((name) => /** @type {HTMLElement} */ (name).innerText)) === rows, JSON.stringify(wanted));
const sections = () => planted.json.links.reduce((/** @type {Record<string, number>} */ all, /** @type {any} */ link) => ({ ...all, [link.section]: (all[link.section] ?? 0) + 1 }), {});

test("the overview has the counts of the other formats", async () => {
  const { broken, suspect, links } = planted.json.summary;
  await withPage(planted.html, "", async (page) => {
    assert.equal(await page.locator("h1").innerText(), `${broken + suspect} of ${links} links need attention`);
    const legend = await page.locator(".legend .key").evaluateAll((keys) => keys.map((key) => [new URLSearchParams(key.getAttribute("href")?.split("?")[1]).get("section"), Number(key.querySelector("b")?.textContent)]));
    assert.deepEqual(Object.fromEntries(legend), sections());
    assert.ok((await page.locator(".card").count()) >= 8);
    assert.ok((await page.locator("svg rect").count()) > 20);
    await page.locator("h1 a").click();
    await page.waitForSelector(".links-view");
    assert.equal(await shownLinks(page), broken + suspect);
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [language, locale] of [["en", "en-US"], ["zh", "zh-CN"]]) {
    test(`all views are accessible with ${colorScheme} colours in ${language}`, async () => {
      for (const [name, fragment] of [["overview", ""], ["links", "#links"], ["detail", "#links?level=error,warning&open=7"], ["catalogue", "#catalogue"], ["years", "#catalogue?by=year"]]) {
        await withPage(planted.html, fragment, async (page) => {
          assert.equal(await page.locator("html").getAttribute("lang"), language === "zh" ? "zh-CN" : "en-GB");
          await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${language}.png`), fullPage: name === "overview" });
          await assertAccessible(page);
        }, { colorScheme, locale });
      }
    });
  }
}

test("the picture of README.md is at most 150 kB", async () => {
  const picture = join(screenshots, "readme.png");
  await withPage(planted.html, "", async (page) => {
    await page.screenshot({ path: picture });
  }, { viewport: { width: 1200, height: 720 } });
  assert.ok(statSync(picture).size <= 150_000, `${statSync(picture).size} bytes`);
});

test("bars are as long as their links and round at both ends", async () => {
  await withPage(planted.html, "", async (page) => {
    const bars = await page.locator(".bars .bar").evaluateAll((all) => all.map((bar) => {
      const shape = /** @type {SVGElement} */ (bar.firstElementChild);
      const [track, drawn] = [bar.getBoundingClientRect(), shape.getBoundingClientRect()];
      const { borderRadius } = getComputedStyle(shape);
      return { starts: drawn.left - track.left, share: drawn.width / track.width, borderRadius };
    }));
    assert.ok(bars.length > 8);
    assert.ok(bars.every(({ starts, share, borderRadius }) => Math.abs(starts) < 1 && share > 0 && share <= 1.001 && borderRadius === "4px"));
    assert.ok(bars.some(({ share }) => share < 0.5));
  });
});

test("an empty report does not claim that all links are fine", async () => {
  await withPage(empty, "", async (page) => {
    assert.equal(await page.locator("h1").innerText(), "No links found");
    assert.equal(await page.locator(".card").count(), 0);
    assert.match(await page.locator(".hero .about").innerText(), /^Check the names of the inputs/);
  });
  await withPage(empty, "#links", async (page) => { assert.equal(await page.locator(".empty").innerText(), "No links found"); });
});

test("a report on files names no hosts, and its only card takes the whole width", async () => {
  await withPage(long, "", async (page) => {
    assert.equal(await page.locator(".hero .about").innerText(), "0 fine · 10,000 occurrences");
    const widths = await page.locator(".hero, .card").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().width));
    assert.deepEqual(widths, [widths[0], widths[0]]);
  });
});

test("absolute paths are shown without their common folder", async () => {
  await withPage(absolute.html, "", async (page) => {
    const files = await page.locator(".card", { hasText: "By file" }).locator(".place").evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("title")]));
    assert.deepEqual(files, ["guides/page.md", "notes/page.md"].map((name) => [name, join(absolute.documents, name)]));
  });
});

test("an outage claims no fine links", async () => {
  await withPage(outage, "", async (page) => {
    const words = await page.locator(".overview").innerText();
    assert.match(await page.locator("h1").innerText(), /^Nothing could be checked/);
    assert.match(await page.getByRole("alert").innerText(), /network seems to be down/);
    assert.ok(!/fine \(|No broken links|Nothing: no link/.test(words), words);
    await page.screenshot({ path: join(screenshots, "outage.png") });
    await assertAccessible(page);
  });
});

test("moved links show their new address and repeated ones the other entry", async () => {
  await withPage(planted.html, "#links?section=moved", async (page) => {
    assert.match(await page.locator(".canvas > .row .address").first().innerText(), /^→ /);
    await page.screenshot({ path: join(screenshots, "moved.png") });
  });
  await withPage(planted.html, "#links?only=repeated", async (page) => {
    for (const text of (await page.locator(".canvas > .row .address").allInnerTexts()).slice(0, 5)) assert.match(text, /^= [^/].*:\d+/);
    const links = await shownLinks(page);
    await page.locator(".tabs a").first().click();
    assert.match(await page.locator(".tally", { hasText: "Listed more than once" }).innerText(), new RegExp(`pages with several entries \\(${links} links\\)`));
    await page.screenshot({ path: join(screenshots, "repeated.png") });
  });
});

test("a section filter replaces the attention filter", async () => {
  await withPage(planted.html, "#links?level=error,warning", async (page) => {
    const chip = page.locator(".chip", { hasText: "Moved" });
    assert.equal(await chip.locator("b").innerText(), String(sections().moved));
    await chip.click();
    assert.equal(await shownLinks(page), sections().moved);
    assert.ok(await page.locator(".empty").isHidden());
  });
});

test("a ranking opens completely and print has the broken links", async () => {
  await withPage(planted.html, "", async (page) => {
    const more = page.getByRole("button", { name: /^Show \d+ more$/ }).first();
    const card = page.locator(".card", { has: more });
    const before_ = await card.locator("li").count();
    const title = await card.locator("h2").innerText();
    await more.click();
    assert.ok((await page.locator(".card", { hasText: title }).first().locator("li").count()) > before_);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator(".printed tbody tr").count(), planted.json.summary.broken);
    assert.equal(await page.locator(".printed h2").textContent(), "Broken links");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator(".printed tbody tr").count(), 0);
  });
});

test("links are searched and filtered and sorted and the URL keeps the selection", async () => {
  const dead = sections().dead;
  await withPage(planted.html, "#links", async (page) => {
    assert.equal(await shownLinks(page), planted.json.links.length);
    await page.keyboard.press("/");
    await page.keyboard.type("ZHIHU 知乎");
    const both = planted.json.links.filter((/** @type {any} */ link) => /zhihu/i.test(JSON.stringify(link)) && JSON.stringify(link).includes("知乎")).length;
    const found = await shownLinks(page);
    assert.ok(found > 0 && found <= both);
    assert.match(page.url(), /#links\?q=ZHIHU\+/);
    await page.keyboard.press("Escape");
    assert.equal(await shownLinks(page), planted.json.links.length);
    await page.locator(".chip", { hasText: "Dead" }).click();
    assert.equal(await shownLinks(page), dead);
    assert.match(page.url(), /#links\?section=dead$/);
    await page.locator(".chip", { hasText: "Moved" }).click();
    assert.equal(await shownLinks(page), dead + sections().moved);
    await page.goBack();
    assert.equal(await shownLinks(page), dead);
    await page.locator(".chip", { hasText: "Dead" }).click();
    await page.getByRole("columnheader", { name: "Link" }).getByRole("button").click();
    const sorted = await names(page);
    assert.deepEqual(sorted, [...sorted].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    assert.equal(await page.getByRole("columnheader", { name: "Link" }).getAttribute("aria-sort"), "ascending");
    await page.getByRole("columnheader", { name: "Time" }).getByRole("button").click();
    await page.getByRole("columnheader", { name: "Time" }).getByRole("button").click();
    assert.match(await page.locator(".canvas > .row .time").first().innerText(), /^\d/);
    const first = await names(page);
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await shows(page, first);
  });
});

test("the keyboard moves through the links and opens the details of one", async () => {
  await withPage(planted.html, "#links?section=dead", async (page) => {
    for (let step = 0; step < 3; ++step) await page.keyboard.press("j");
    assert.equal(await page.locator('.row[aria-selected="true"]').getAttribute("aria-rowindex"), "4");
    await page.keyboard.press("k");  // the second row; the first one is a missing file, which has no snapshots
    await page.keyboard.press("Enter");
    const detail = page.locator(".detail");
    assert.match(await detail.innerText(), /Result[\s\S]*Last checks[\s\S]*3 checks since 20 Nov 2026/);
    assert.equal(await detail.locator(".timeline li").count(), 3);
    const before_ = await detail.locator("h2").innerText();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await detail.locator("h2").first().innerText(), before_);
    await page.keyboard.press("End");
    assert.equal(await page.locator('.row[aria-selected="true"]').getAttribute("aria-rowindex"), String(sections().dead + 1));
    await page.keyboard.press("Escape");
    assert.equal(await detail.count(), 0);
    await page.keyboard.press("?");
    assert.ok(await page.locator("dialog.help").isVisible());
    await page.keyboard.press("Escape");
    await page.keyboard.press("3");
    await page.waitForSelector(".catalogue-view");
  });
});

test("the details of a link show its redirects and page and other occurrences", async () => {
  const number = planted.json.links.findIndex((/** @type {any} */ link) => link.section === "moved" && link.metadata.title);
  const link = planted.json.links[number];
  await withPage(planted.html, `#links?open=${number}`, async (page) => {
    const text = await page.locator(".detail").innerText();
    for (const hop of link.redirects) assert.ok(text.includes(String(hop.status)), text);
    assert.ok(!text.includes("Failing since"), text);
    assert.ok(text.includes(link.metadata.title), text);
    assert.ok(text.includes(`${link.occurrences[0].file}:${link.occurrences[0].line}`), text);
    for (const author of link.metadata.authors) assert.ok(text.includes(author), text);
  });
  const again = planted.json.links.findIndex((/** @type {any} */ one) => one.duplicates.length > 0 && one.duplicates[0].with[0]?.url !== one.url);
  const other = planted.json.links[again].duplicates[0].with[0];
  await withPage(planted.html, `#links?open=${again}`, async (page) => {
    assert.match(await page.locator(".detail").innerText(), new RegExp(`also listed[\\s\\S]*${other.file.replaceAll(".", "\\.")}:${other.line}`));
  });
});

test("changes since the earlier run have the counts of the other formats and lead to their links", async () => {
  const { since, removed, repeated, same, ...counts } = changed.json.changes;
  const known = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  assert.deepEqual(known, { new: 1, recovered: 1, still: 1, added: 1 });
  await withPage(changed.html, "", async (page) => {
    const rows = await page.locator(".changes a").evaluateAll((links) => links.map((link) => [new URLSearchParams(link.getAttribute("href")?.split("?")[1]).get("change"), Number(link.querySelector("b")?.textContent)]));
    assert.deepEqual(Object.fromEntries(rows), known);
    const card = page.locator(".card", { has: page.locator(".changes") });
    assert.match(await card.innerText(), /since run 1 from 20 Nov 2026[\s\S]*1 link is no longer in your files/);
    await page.screenshot({ path: join(screenshots, "changes.png"), fullPage: true });
    await assertAccessible(page);
    await page.locator(".changes a").first().click();
    await page.waitForSelector(".links-view");
    assert.deepEqual(await names(page), ["entry goes.md"]);
    assert.match(await page.locator(".filters").innerText(), /Newly broken/);
    await page.locator(".canvas > .row").click();
    assert.match(await page.locator(".detail").innerText(), /Newly broken[\s\S]*Previously\s+alive/);
  });
  await withPage(changed.html, "#links?change=recovered", async (page) => {
    assert.match(await page.locator(".filters").innerText(), /变化.*恢复正常/s);
    assert.deepEqual(await names(page), ["entry comes.md"]);
  }, { locale: "zh-CN" });
  await withPage(long, "", async (page) => { assert.equal(await page.locator(".changes").count(), 0); });
});

test("the catalogue can be browsed by list and year and author and site", async () => {
  await withPage(planted.html, "#catalogue", async (page) => {
    assert.ok((await shownLinks(page)) > 200);
    await page.getByRole("button", { name: "Year" }).click();
    const groups = await page.locator(".groups .name").allInnerTexts();
    assert.deepEqual(groups.slice(0, -1), [...groups.slice(0, -1)].sort().reverse());
    assert.equal(groups.at(-1), "No date");
    await page.locator(".group").nth(2).click();
    await page.waitForFunction((year) => document.querySelector('.group[aria-current="true"] .name')?.textContent === year, groups[2]);
    await page.getByRole("button", { name: "Author" }).click();
    const author = await page.locator(".groups .name").first().innerText();
    await page.keyboard.press("/");
    await page.keyboard.type(`"${author}"`);
    const searched = (/** @type {any} */ { description, ...place }) => place;  // the page has no descriptions
    const named = planted.json.links.filter((/** @type {any} */ { url, metadata, occurrences }) => JSON.stringify([url, metadata.title, metadata.authors,
      metadata.site_name, occurrences.map(searched)]).includes(author));
    assert.equal(await shownLinks(page), named.length);
    assert.match(page.url(), /by=author/);
    await page.getByRole("button", { name: "Site" }).click();
    assert.ok((await page.locator(".entry").count()) > 0);
    await page.locator(".about-link").first().click();
    await page.waitForSelector(".detail");
  });
});

test("language and theme follow the browser and can be switched", async () => {
  const paper = (/** @type {import("playwright-core").Page} */ page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await withPage(planted.html, "", async (page) => {
    assert.match(await page.locator("h1").innerText(), /个链接中有/);
    const dark = await paper(page);
    await page.locator("button.theme").click();
    assert.notEqual(await paper(page), dark);
    await page.locator("button.language").click();
    assert.match(await page.locator("h1").innerText(), /need attention/);
  }, { locale: "zh-CN", colorScheme: "dark" });
  await withPage(planted.chinese, "", async (page) => {
    assert.match(await page.locator("h1").innerText(), /个链接中有/);
  }, { locale: "en-US" });
});

test("hostile texts are shown and execute nothing", async () => {
  for (const fragment of ["", "#links", "#links?open=0", "#links?open=1", "#links?open=5", "#links?open=9", "#links?open=10", "#catalogue", "#catalogue?by=author", "#catalogue?by=year"]) {
    await withPage(hostile, fragment, async (page) => {
      const state = await page.evaluate(() => ({
        hacked: /** @type {any} */ (window).hacked,
        scripts: document.querySelectorAll("script:not([type])").length,
        foreign: document.querySelectorAll("#app img, #app iframe, #app object, #app [onclick], #app [onload], #app [onerror]").length,
        targets: [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href") ?? "").filter((href) => !/^(#|https?:)/.test(href)),
        width: document.documentElement.scrollWidth,
      }));
      assert.deepEqual(state, { hacked: undefined, scripts: 1, foreign: 0, targets: [], width: 1280 });
      if (fragment === "#links") {
        assert.ok((await names(page)).some((name) => name.includes("</script><script>window.hacked=1</script>")));
        await page.locator(".search").fill("a scheme that runs");
        assert.equal(await shownLinks(page), 4);
        await page.screenshot({ path: join(screenshots, "hostile.png") });
      }
    });
  }
});

test("invalid fragments of the URL show some view", async () => {
  for (const fragment of ["#x", "#links?open=999999999", "#links?section=nothing&sort=no&q=%E0%A4%A", "#catalogue?by=x&year=%3Cscript%3E", "#links?open=-1&open=x"])
    await withPage(planted.html, fragment, async (page) => { assert.ok(await page.locator("main > *").count()); });
});

test("a report of 10000 links renders only visible rows and reaches the last one", async () => {
  await withPage(long, "#links", async (page) => {
    assert.equal(await shownLinks(page), 10_000);
    assert.ok((await page.locator(".canvas > .row").count()) < 60);
    await page.locator(".grid").focus();
    await page.keyboard.press("End");
    assert.equal((await names(page)).at(-1), "entry 9999 of the list");
    await page.locator(".grid").evaluate((rows) => { rows.scrollTop = rows.scrollHeight / 2; });
    await page.waitForFunction(() => [...document.querySelectorAll(".canvas > .row .name")].some((name) => name.textContent === "entry 5000 of the list"));
    await page.locator(".search").fill('"entry 777"');
    assert.equal(await shownLinks(page), 11);
  });
});

test("print has the overview and the selected rows", async () => {
  await withPage(planted.html, "#links?section=dead", async (page) => {
    const dead = sections().dead;
    await page.evaluate(() => { /** @type {any} */ (window).rows = -1; window.addEventListener("beforeprint", () => { /** @type {any} */ (window).rows = document.querySelectorAll(".printed tbody tr").length; }); });
    const pdf = await page.pdf({ path: join(screenshots, "links.pdf"), format: "A4", printBackground: true });
    assert.ok(pdf.length > 1000);
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).rows), dead);
    assert.equal(await page.locator(".printed tr").count(), 0);
  });
  await withPage(planted.html, "", async (page) => {
    await page.evaluate(() => { window.addEventListener("beforeprint", () => { /** @type {any} */ (window).rows = document.querySelectorAll(".printed tbody tr").length; }); });
    await page.pdf({ path: join(screenshots, "overview.pdf"), format: "A4", printBackground: true });
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).rows), planted.json.summary.broken);
  });
});

test("a narrow screen shows all views without horizontal scrolling", async () => {
  for (const [name, fragment] of [["overview", ""], ["links", "#links"], ["moved", "#links?section=moved"], ["detail", "#links?open=3"], ["catalogue", "#catalogue"]]) {
    await withPage(planted.html, fragment, async (page) => {
      await page.screenshot({ path: join(screenshots, `${name}-narrow.png`) });
      if (name === "moved") assert.match(await page.locator(".row .narrow .why").first().innerText(), /^→ /);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
      if (name === "links") {
        const place = page.locator(".row .narrow", { hasText: "bookmarks.txt:" }).first();
        assert.match(await place.textContent() ?? "", /· bookmarks\.txt:\d+$/);
        assert.match(await place.getAttribute("title") ?? "", /seeds\/bookmarks\.txt:\d+$/);
      }
      if (name !== "detail") return;
      await page.locator(".detail .close").click({ timeout: 5000 }); // fails if another element covers it
      assert.equal(await page.locator(".detail").count(), 0);
    }, { viewport: { width: 390, height: 800 } });
  }
});
