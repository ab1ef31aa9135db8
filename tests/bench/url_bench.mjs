// Measures Node's URL on the texts of url_bench.cpp in the same way: nanoseconds per text in the best round.
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
      // A rejected text counts too.
    }
  }
  best = Math.min(best, Number(process.hrtime.bigint() - start) / texts.length);
}
console.log(best.toFixed(0), length);
