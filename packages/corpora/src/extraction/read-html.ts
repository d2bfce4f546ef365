import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { isoDate, oneLine, type Block, type ExtractedText } from './extracted-text.ts';

/** Elements whose content is not part of the text. Forms are not among them: those of some servers have the whole page. */
const LEFT_OUT = new Set(
  'script style noscript template svg math iframe object canvas head nav footer aside button select dialog'.split(
    ' ',
  ),
);
/** Elements in which a button is text: it opens and closes what follows, as in lists of questions. */
const TOGGLED = new Set('h1 h2 h3 h4 h5 h6 dt summary'.split(' '));
const BLOCKS = new Set(
  (
    'address article blockquote body dd details div dl dt fieldset figcaption figure header hr li main ol p pre section ' +
    'summary table tbody thead tfoot tr ul caption'
  ).split(' '),
);
const PUBLISHED = ['article:published_time', 'date', 'dc.date', 'datepublished', 'dcterms.created'];
/** The directive that forbids both indexing and following, unlike the value in `max-image-preview:none`. */
const NONE = /(?<!:\s*)\bnone\b/iu;
const MAX_LINKS = 2000;
/** The URL of `<meta http-equiv="refresh">`: `0; url=/new`. */
const REFRESH_URL = /^[\s\d.]*[;,\s]\s*(?:url\s*=)?\s*["']?([^"']+)/iu;

type Step = { enter: Tree.Node } | { leave: Tree.Element };

/**
 * Extracts the text of a page with its headings, without navigation and controls, and all links, including those of the
 * navigation. Not recursive, because pages may be nested arbitrarily deep. `url`: the base URL of links.
 */
export function readHtml(html: string, url: string | null): ExtractedText {
  const page = new PageReader();
  const steps: Step[] = parse(html)
    .childNodes.map((node) => ({ enter: node }))
    .reverse();
  for (let step = steps.pop(); step; step = steps.pop()) {
    if ('leave' in step) {
      page.leave(step.leave);
      continue;
    }
    const node = step.enter;
    if ('tagName' in node) {
      page.enter(node);
      steps.push({ leave: node });
      for (let i = node.childNodes.length - 1; i >= 0; i -= 1) {
        const child = node.childNodes[i];
        if (child) steps.push({ enter: child });
      }
    } else if (node.nodeName === '#text') {
      page.text(node.value);
    }
  }
  return page.result(url);
}

class PageReader {
  readonly #blocks: Block[] = [];
  readonly #hrefs: string[] = [];
  readonly #meta = new Map<string, string>();
  #base: string | null = null;
  #language: string | null = null;
  #title = '';
  #words = '';
  #inTitle = false;
  /** Number of enclosing elements whose content is skipped. */
  #leftOut = 0;
  /** Number of enclosing elements in which a button is text. */
  #toggled = 0;
  #preformatted = 0;

  enter(element: Tree.Element): void {
    const { tagName } = element;
    if (tagName === 'html') this.#language ??= oneLine(attribute(element, 'lang'));
    if (tagName === 'base') this.#base ??= attribute(element, 'href') ?? null;
    if (tagName === 'meta') this.#readMeta(element);
    if (tagName === 'a') this.#readLink(element);
    if (tagName === 'title' && this.#title === '') this.#inTitle = true;
    if (TOGGLED.has(tagName)) this.#toggled += 1;
    if (this.#isLeftOut(tagName)) this.#leftOut += 1;
    if (isHeading(tagName) || BLOCKS.has(tagName)) this.#endBlock();
    if (tagName === 'pre') this.#preformatted += 1;
    if (tagName === 'br') this.text('\n');
    if (tagName === 'td' || tagName === 'th') this.text(' ');
    if (tagName === 'img') this.text(attribute(element, 'alt') ?? '');
  }

  leave({ tagName }: Tree.Element): void {
    if (tagName === 'title') this.#inTitle = false;
    if (this.#isLeftOut(tagName)) this.#leftOut -= 1;
    if (TOGGLED.has(tagName)) this.#toggled -= 1;
    if (isHeading(tagName)) this.#endBlock(Number(tagName.charAt(1)));
    else if (BLOCKS.has(tagName)) this.#endBlock();
    if (tagName === 'pre') this.#preformatted -= 1;
  }

  text(value: string): void {
    if (this.#inTitle) this.#title += value;
    else if (this.#leftOut === 0)
      this.#words += this.#preformatted > 0 || value === '\n' ? value : value.replace(/\s+/gu, ' ');
  }

  result(url: string | null): ExtractedText {
    this.#endBlock();
    const base = absolute(this.#base ?? '', url) ?? url;
    const links = this.#hrefs.map((href) => absolute(href, base)).filter((link) => link !== null);
    const robots = this.#meta.get('robots') ?? '';
    const firstHeading = this.#blocks.find((block) => block.kind === 'heading')?.text;
    return {
      title: oneLine(this.#title) ?? oneLine(this.#meta.get('og:title')) ?? firstHeading ?? null,
      language: this.#language ?? oneLine(this.#meta.get('content-language')),
      description: oneLine(this.#meta.get('description') ?? this.#meta.get('og:description')),
      published: isoDate(PUBLISHED.map((name) => this.#meta.get(name)).find((date) => date)),
      blocks: this.#blocks,
      links: /nofollow/iu.test(robots) || NONE.test(robots) ? [] : [...new Set(links)],
      noIndex: /noindex/iu.test(robots) || NONE.test(robots),
    };
  }

  #isLeftOut(tagName: string): boolean {
    return LEFT_OUT.has(tagName) && !(tagName === 'button' && this.#toggled > 0);
  }

  #readMeta(element: Tree.Element): void {
    const name =
      attribute(element, 'name') ?? attribute(element, 'property') ?? attribute(element, 'http-equiv');
    const content = attribute(element, 'content');
    if (name === undefined || content === undefined) return;
    const key = name.toLowerCase();
    if (key === 'refresh') this.#addLink(REFRESH_URL.exec(content)?.[1]);
    // All robots directives of a page apply.
    this.#meta.set(key, key === 'robots' ? `${this.#meta.get(key) ?? ''},${content}` : content);
  }

  #readLink(element: Tree.Element): void {
    const isNoFollow = /\bnofollow\b/iu.test(attribute(element, 'rel') ?? '');
    if (!isNoFollow) this.#addLink(attribute(element, 'href'));
  }

  #addLink(href: string | undefined): void {
    if (href !== undefined && this.#hrefs.length < MAX_LINKS) this.#hrefs.push(href);
  }

  #endBlock(level?: number): void {
    const text = this.#words
      .split('\n')
      .map((line) => (this.#preformatted > 0 ? line.trimEnd() : line.trim()))
      .join('\n')
      .replace(/\n{3,}/gu, '\n\n');
    this.#words = '';
    if (text.trim() === '') return;
    if (level === undefined) this.#blocks.push({ kind: 'text', text: text.trim() });
    else this.#blocks.push({ kind: 'heading', level, text: oneLine(text) ?? '' });
  }
}

function isHeading(tagName: string): boolean {
  return /^h[1-6]$/u.test(tagName);
}

function attribute(element: Tree.Element, name: string): string | undefined {
  return element.attrs.find((each) => each.name === name)?.value;
}

function absolute(href: string, base: string | null): string | null {
  return base !== null && URL.canParse(href, base) ? new URL(href, base).href : null;
}

const META_CHARSET = /<meta[^>]+charset\s*=\s*["']?\s*([\w:-]+)/iu;

/** The encoding that a page declares in its first bytes, unless they contradict it: this reads no declaration in UTF-16. */
export function htmlCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  const charset = META_CHARSET.exec(start)?.[1] ?? null;
  return charset !== null && /utf-?16|unicode|ucs-?2/iu.test(charset) ? null : charset;
}
