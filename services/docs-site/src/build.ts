import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenLinks } from './links.ts';
import { readLists, withTables } from './lists.ts';
import { navigationOf } from './navigation.ts';
import { readPages } from './page.ts';
import { renderNotFound, renderPage } from './render.ts';
import { searchIndexOf } from './search-index.ts';

/** Files for the browser besides the pages. */
const BROWSER = fileURLToPath(new URL('../browser', import.meta.url));
const MINISEARCH = fileURLToPath(import.meta.resolve('minisearch'));

/** Builds the site from the pages in `docs` into `dist`, which it empties first. Throws if a link is broken. */
export async function buildSite({ docs, dist }: { docs: string; dist: string }): Promise<void> {
  const lists = await readLists(docs);
  const pages = await readPages(docs, (source) => withTables(source, lists));
  const broken = brokenLinks(pages);
  if (broken.length > 0) {
    const lines = broken.map(({ path, line, text }) => `${path}:${line}: ${text}`);
    throw new Error(`broken links:\n${lines.join('\n')}`);
  }
  const navigation = navigationOf(pages);
  const files = new Map(
    pages.map((page) => [page.path.replace(/\.md$/u, '.html'), renderPage(page, navigation)]),
  );
  files.set('404.html', renderNotFound(navigation));
  files.set('assets/search-index.json', searchIndexOf(pages));
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'assets'), { recursive: true });
  for (const [path, content] of files) {
    await mkdir(dirname(join(dist, path)), { recursive: true });
    await writeFile(join(dist, path), content);
  }
  for (const name of await readdir(BROWSER)) await copyFile(join(BROWSER, name), join(dist, 'assets', name));
  await copyFile(MINISEARCH, join(dist, 'assets/minisearch.js'));
}
