// Parses a file of texts with Node's URL: the oracle of url_differential.cpp.
//   node url_oracle.mjs FILE_OF_TEXTS FILE_OF_ANSWERS
// FILE_OF_TEXTS contains, for each text, its length in bytes (32 bits, little-endian) and its UTF-8 bytes, then its
// base in the same format. The length 2^32 - 1 means that there is no base. FILE_OF_ANSWERS contains the hrefs in the
// same format; 2^32 - 1 means that the text is rejected.
import {readFileSync, writeFileSync} from 'node:fs';

const none = 0xffffffff;
const [textsFile, answersFile] = process.argv.slice(2);
const texts = readFileSync(textsFile);
const answers = [];
let at = 0;

function nextText() {
  const length = texts.readUInt32LE(at);
  at += 4;
  if (length === none) return undefined;
  at += length;
  return texts.toString('utf8', at - length, at);
}

function hrefOf(text, base) {
  try {
    return new URL(text, base).href;
  } catch {
    return undefined;
  }
}

while (at < texts.length) {
  const text = nextText();
  const href = hrefOf(text, nextText());
  const length = Buffer.alloc(4);
  length.writeUInt32LE(href === undefined ? none : Buffer.byteLength(href));
  answers.push(length);
  if (href !== undefined) answers.push(Buffer.from(href));
}
writeFileSync(answersFile, Buffer.concat(answers));
