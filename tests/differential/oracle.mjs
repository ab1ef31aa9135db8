// Prints the links that other readers find in documents: `node oracle.mjs < DOCUMENTS > ANSWERS`.
// Each line of DOCUMENTS is {"file", "format"}; each line of ANSWERS is {"file", "oracle", "links"} or {…, "error"}.
// Several oracles may answer for one file. A line that already has links only gets their hrefs. A line {"robots",
// "agent", "paths"} is answered with {"oracle", "allowed"}.
import {readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {convert} from '@asciidoctor/core';
import MarkdownIt from 'markdown-it';
import {micromark} from 'micromark';
import {gfm, gfmHtml} from 'micromark-extension-gfm';
import {parseFragment} from 'parse5';
import remarkGfm from 'remark-gfm';
import remarkMdx from 'remark-mdx';
import remarkParse from 'remark-parse';
import robotsParser from 'robots-parser';
import {unified} from 'unified';
import {parse as parseOrg} from 'uniorg-parse/lib/parser.js';

// The attributes of HTML that refer to another resource.
const attributes = {
  a: ['href'], area: ['href'], audio: ['src'], embed: ['src'], form: ['action'], frame: ['src'], iframe: ['src'], img: ['src', 'srcset'],
  input: ['src'], link: ['href'], object: ['data'], script: ['src'], source: ['src', 'srcset'], track: ['src'], video: ['src', 'poster'],
};

function candidates(srcset) {
  return srcset.split(/,\s+|,$/).map(candidate => candidate.trim().split(/\s+/)[0]).filter(Boolean);
}

function linksOfHtml(html) {
  const links = [];
  const visit = node => {
    for (const name of attributes[node.tagName] ?? []) {
      const value = node.attrs.find(attribute => attribute.name === name)?.value;
      if (value === undefined) continue;
      for (const url of name === 'srcset' ? candidates(value) : [value]) links.push({url, kind: `${node.tagName} ${name}`});
    }
    for (const child of node.content?.childNodes ?? node.childNodes ?? []) visit(child);
  };
  visit(parseFragment(html));
  return links;
}

const markdownIt = new MarkdownIt({html: true, linkify: true});
markdownIt.linkify.set({fuzzyLink: false});
markdownIt.validateLink = () => true;

function linksOfMarkdownIt(text) {
  const env = {};
  const links = linksOfHtml(markdownIt.render(text, env));
  for (const {href} of Object.values(env.references ?? {})) links.push({url: href, kind: 'definition'});
  return links;
}

function linksOfMicromark(text) {
  const html = micromark(text, {
    allowDangerousHtml: true, allowDangerousProtocol: true, extensions: [gfm()], htmlExtensions: [gfmHtml()],
  });
  return linksOfHtml(html.replaceAll('href="#user-content-fn', 'data-fn="'));
}

const mdx = unified().use(remarkParse).use(remarkGfm).use(remarkMdx);

function linksOfMdx(text) {
  const links = [];
  const visit = node => {
    if (['link', 'image', 'definition'].includes(node.type)) links.push({url: node.url, kind: node.type});
    for (const {name, value} of node.attributes ?? []) {
      if (name && typeof value === 'string' && ['href', 'src', 'to', 'poster'].includes(name)) links.push({url: value, kind: `JSX ${name}`});
    }
    for (const child of node.children ?? []) visit(child);
  };
  visit(mdx.parse(text.replace(/^---\n[^]*?\n---\n/, '')));
  return links;
}

async function linksOfAsciiDoc(text) {
  const html = await convert(text, {safe: 'secure', standalone: false, attributes: {relfilesuffix: '.adoc', 'skip-front-matter': ''}});
  return linksOfHtml(String(html));
}

function linksOfOrg(text) {
  const links = [];
  const visit = node => {
    if (node.type === 'link') links.push({url: node.rawLink, kind: `${node.format} ${node.linkType}`});
    for (const part of ['children', 'title', 'tag']) {
      for (const child of Array.isArray(node[part]) ? node[part] : []) visit(child);
    }
  };
  visit(parseOrg(text));
  return links;
}

const oracles = {
  markdown: {'markdown-it': linksOfMarkdownIt, 'micromark': linksOfMicromark},
  mdx: {'remark-mdx': linksOfMdx},
  asciidoc: {'asciidoctor.js': linksOfAsciiDoc},
  org: {'uniorg': linksOfOrg},
};

const base = 'https://base.invalid/folder/document';

function withHrefs(links) {
  return links.map(link => ({...link, href: URL.canParse(link.url, base) ? new URL(link.url, base).href : null}));
}

async function answer(question) {
  if (question.error !== undefined) return [question];
  if (question.links !== undefined) return [{...question, links: withHrefs(question.links)}];
  if (question.robots !== undefined) {
    const robots = robotsParser('https://robots.invalid/robots.txt', question.robots);
    const allowed = question.paths.map(path => robots.isAllowed(`https://robots.invalid${path}`, question.agent) ?? true);
    return [{oracle: 'robots-parser', allowed}];
  }
  const text = readFileSync(question.file, 'utf8').replace(/^\ufeff/, '');
  return Promise.all(Object.entries(oracles[question.format] ?? {}).map(async ([oracle, read]) => {
    try {
      return {file: question.file, oracle, links: withHrefs(await read(text))};
    } catch (error) {
      return {file: question.file, oracle, error: String(error.message ?? error)};
    }
  }));
}

for await (const line of createInterface({input: process.stdin})) {
  for (const each of await answer(JSON.parse(line))) console.log(JSON.stringify(each));
}
