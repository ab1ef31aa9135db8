// What Node's URL takes for the same texts, as url_bench.cpp measures ours: nanoseconds a text, the best of the rounds.
//   node url_bench.mjs FILE_OF_LINES ROUNDS
import { readFileSync } from "node:fs";

const [file, rounds] = process.argv.slice(2);
const texts = readFileSync(file, "utf8").split("\n").slice(0, -1);
let best = Infinity;
let length = 0;
for (let round = 0; round < Number(rounds); ++round) {
  const start = process.hrtime.bigint();
  for (const text of texts) {
    try {
      length += new URL(text).href.length;
    } catch {
      // A refusal is an answer, too.
    }
  }
  best = Math.min(best, Number(process.hrtime.bigint() - start) / texts.length);
}
console.log(best.toFixed(0), length);
