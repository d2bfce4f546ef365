import MiniSearch from 'minisearch';
import { plainText, type Page } from './page.ts';
import { addressOf } from './render.ts';

interface Section {
  id: string;
  page: string;
  heading: string;
  text: string;
  /** Start of the text, shown in results. */
  excerpt: string;
}

const EXCERPT_CHARACTERS = 160;
/** Options for reading the index, repeated in browser/search.js. */
const OPTIONS = { fields: ['page', 'heading', 'text'], storeFields: ['page', 'heading', 'excerpt'] };

/** The search index of all pages as JSON, with one entry per section. */
export function searchIndexOf(pages: readonly Page[]): string {
  const index = new MiniSearch<Section>(OPTIONS);
  for (const page of pages) index.addAll(sectionsOf(page));
  return JSON.stringify(index);
}

function sectionsOf(page: Page): Section[] {
  const address = addressOf(page.path);
  const starts = page.tokens.flatMap(({ type }, i) => (type === 'heading_open' ? [i] : []));
  return starts.map((start, i) => {
    const { text: heading = '', slug = '' } = page.headings[i] ?? {};
    const text = page.tokens
      .slice(start + 3, starts[i + 1])
      .map((token) => (token.type === 'inline' ? plainText(token) : token.content))
      .filter((each) => each !== '')
      .join(' ');
    const id = i === 0 ? address : `${address}#${slug}`;
    return { id, page: page.title, heading, text, excerpt: text.slice(0, EXCERPT_CHARACTERS) };
  });
}
