// Creates the reports that the browser test opens, with the real program: reports on the planted sites after three
// checks, and a report on a list and pages with hostile texts.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const quick = ["--retry-as", "off", "--confirm-wait", "100ms", "--max-cache-age", "1h", "--timeout", "2s", "--host-request-interval", "1ms",
  "--max-retries", "1"];

/**
 * Runs linkherd and returns what it wrote to stderr. Accepts exit code 2 (broken links) and 4 (outage) too.
 * @param {string} program
 * @param {string} folder
 * @param {string[]} words
 */
export function linkherd(program, folder, words) {
  const result = spawnSync(program, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
  if (![0, 2, 4].includes(result.status ?? -1)) throw new Error(`linkherd ${words.join(" ")} ended with ${result.status}: ${result.stderr}`);
  return result.stderr;
}

/**
 * @param {string} program
 * @param {string} internet  the program linkherd_planted_internet
 * @param {string} seeds  the folder of the lists
 * @param {string} folder
 * @returns {Promise<{ html: string, chinese: string, json: any }>}
 */
export async function plantedReport(program, internet, seeds, folder) {
  const serving = spawn(internet, [], { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const chunks = [];
    for await (const chunk of serving.stdout) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const end = text.indexOf("\n\n");
    writeFileSync(join(folder, "planted.md"), text.slice(end + 2));
    cpSync(seeds, join(folder, "seeds"), { recursive: true });
    const options = text.slice(0, end).split("\n");
    for (const now of ["2026-11-20T10:00:00Z", "2026-11-21T12:00:00Z", "2026-11-23T09:00:00Z"]) {
      linkherd(program, folder, ["check", "--no-git", "--store", "store", "--now", now, ...options, ...quick, "--output", "html:report.html",
        "--output", "json:report.json", "seeds", "planted.md"]);
    }
    linkherd(program, folder, ["report", "--store", "store", "--output", "html:chinese.html", "--lang", "zh"]);
  } finally {
    serving.stdin.end();
  }
  return { html: join(folder, "report.html"), chinese: join(folder, "chinese.html"), json: JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) };
}

export const hostileTexts = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", "]]><svg onload=window.hacked=1>",
  "=cmd()|'/C calc'!A0", "\u001b]0;owned\u0007\u001b[31m", "\u202Eevil\u202D", "\u2028\u2029", "${window.hacked=1}{script}", "' onclick='window.hacked=1",
  "y".repeat(1_000_000)];

/**
 * Writes a report on a list with hostile texts and an archive with hostile pages.
 * @param {string} program
 * @param {string} folder
 * @returns {string}
 */
export function hostileReport(program, folder) {
  const records = [], lines = ["# <script>window.hacked=1</script>\n"];
  const invalid = Buffer.from([0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]);
  for (const [number, text] of [...hostileTexts, ""].entries()) {
    const url = `http://hostile.herd/${number}`;
    const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    const title = text === "" ? invalid : Buffer.from(escaped);
    const page = Buffer.concat([Buffer.from("<html><head><title>"), title, Buffer.from(`</title><meta name="author" content="${escaped.slice(0, 90).replaceAll('"', "&quot;")}">` +
      `</head><body><h1>`), title, Buffer.from("</h1><p>Some words of a page that is there and says something to its readers.</p></body></html>")]);
    const answer = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: ${page.length}\r\n\r\n`), page]);
    records.push(Buffer.from(`WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: ${url}\r\nWARC-Date: 2026-11-20T10:00:00Z\r\n` +
      `WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-0000000000${String(number).padStart(2, "0")}>\r\n` +
      `Content-Type: application/http; msgtype=response\r\nContent-Length: ${answer.length}\r\n\r\n`), answer, Buffer.from("\r\n\r\n"));
    lines.push(`- [${text.slice(0, 2000).replaceAll("[", "\\[").replaceAll("]", "\\]").replaceAll("<", "\\<")} word](${url})\n`);
  }
  const schemes = ["javascript:window.hacked=1", "data:text/html,%3Cscript%3Ewindow.hacked=1%3C/script%3E", "vbscript:x", "file:///etc/passwd"];
  for (const scheme of schemes) lines.push(`- [a scheme that runs](<${scheme}>)\n`);
  writeFileSync(join(folder, "hostile.warc"), Buffer.concat(records));
  writeFileSync(join(folder, "hostile.md"), lines.join(""));
  linkherd(program, folder, ["check", "--no-store", "--offline", "--from-warc", "hostile.warc", "--scheme", "http", "--output", "html:hostile.html", "hostile.md"]);
  return join(folder, "hostile.html");
}

/**
 * Writes a report on many links to missing files.
 * @param {string} program
 * @param {string} folder
 * @param {number} links
 * @returns {string}
 */
export function longReport(program, folder, links) {
  const lines = Array.from({ length: links }, (_, i) => `- [entry ${i} of the list](files/number-${i}.md)\n`);
  writeFileSync(join(folder, "long.md"), lines.join(""));
  linkherd(program, folder, ["check", "--no-store", "--offline", "--output", "html:long.html", "long.md"]);
  return join(folder, "long.html");
}

/**
 * Writes a report on a list that was checked before. Since then, one file was removed, one is back and one is still
 * missing, and the list has one added and one removed link.
 * @param {string} program
 * @param {string} folder
 * @returns {{ html: string, json: any }}
 */
export function changedReport(program, folder) {
  const check = (/** @type {string[]} */ names, /** @type {string[]} */ files, /** @type {string} */ now) => {
    emptyFolder(join(folder, "changed"));
    for (const name of files) writeFileSync(join(folder, "changed", name), "# A file\n");
    writeFileSync(join(folder, "changed.md"), names.map((name) => `- [entry ${name}](changed/${name})\n`).join(""));
    linkherd(program, folder, ["check", "--store", "changed-store", "--now", now, "--output", "html:changed.html", "--output",
      "json:changed.json", "changed.md"]);
  };
  check(["goes.md", "comes.md", "never.md", "stays.md", "left.md"], ["goes.md", "stays.md", "left.md"], "2026-11-20T10:00:00Z");
  check(["goes.md", "comes.md", "never.md", "stays.md", "added.md"], ["comes.md", "stays.md", "added.md"], "2026-11-21T10:00:00Z");
  return { html: join(folder, "changed.html"), json: JSON.parse(readFileSync(join(folder, "changed.json"), "utf8")) };
}

/** @param {string} folder */
export function emptyFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/**
 * Writes a report on a run without a network: no DNS server answers.
 * @param {string} program
 * @param {string} folder
 * @returns {string}
 */
export function outageReport(program, folder) {
  const lines = Array.from({ length: 40 }, (_, number) => `- [page](https://host${number}.herd/)\n`);
  writeFileSync(join(folder, "outage.md"), lines.join(""));
  linkherd(program, folder, ["check", "--no-store", ...quick, "--dns-server", "127.0.0.1:9", "--output", "html:outage.html", "outage.md"]);
  return join(folder, "outage.html");
}

/**
 * Writes a report on two documents with absolute paths.
 * @param {string} program
 * @param {string} folder
 * @returns {{ html: string, documents: string }} `documents` is the folder of the documents
 */
export function absoluteReport(program, folder) {
  const documents = mkdtempSync(join(tmpdir(), "linkherd-test-"));
  try {
    for (const name of ["guides", "notes"]) {
      mkdirSync(join(documents, name));
      writeFileSync(join(documents, name, "page.md"), "- [missing](missing.md)\n");
    }
    linkherd(program, folder, ["check", "--no-store", "--offline", "--output", "html:absolute.html", documents]);
  } finally {
    rmSync(documents, { recursive: true });
  }
  return { html: join(folder, "absolute.html"), documents };
}

/**
 * Writes a report on a document without links.
 * @param {string} program
 * @param {string} folder
 * @returns {string}
 */
export function emptyReport(program, folder) {
  writeFileSync(join(folder, "empty.md"), "# A document without links\n");
  linkherd(program, folder, ["check", "--no-store", "--offline", "--output", "html:empty.html", "empty.md"]);
  return join(folder, "empty.html");
}
