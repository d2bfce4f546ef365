import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import MiniSearch from 'minisearch';
import { buildSite } from './build.ts';
import { listProblems, readLists } from './lists.ts';
import { readPages } from './page.ts';

let folder: string;
let docs: string;
let dist: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docs-site-'));
  docs = join(folder, 'docs');
  dist = join(folder, 'dist');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(pages: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(pages)) {
    await mkdir(dirname(join(docs, path)), { recursive: true });
    await writeFile(join(docs, path), text);
  }
}

const built = (path: string) => readFile(join(dist, path), 'utf8');

describe('buildSite', () => {
  it('converts links between pages to URLs, and shows the names of files that are not served', async () => {
    await write({
      'index.md': '# Start\n\nSee [tools](guides/tools.md#add-one), [the code](../services/x.ts) and <b>.\n',
      'guides/tools.md': '# Tools\n\nHow.\n\n## Add one\n\nBack to [start](../index.md).\n',
    });
    await buildSite({ docs, dist });
    const start = await built('index.html');
    expect(start).toContain('<a href="/docs/guides/tools#add-one">tools</a>');
    expect(start).toContain('<span class="file" title="services/x.ts">the code</span>');
    expect(start).toContain('&lt;b&gt;');
    const tools = await built('guides/tools.html');
    expect(tools).toContain('<h2 id="add-one">Add one</h2>');
    expect(tools).toContain('<a href="/docs/">start</a>');
  });

  it.each([
    ['a page', '[x](none.md)', 'docs/index.md:3: no page at none.md'],
    ['a heading', '[x](#none)', 'docs/index.md:3: no heading #none in docs/index.md'],
    ['an address that is not served', '[x](/none)', 'docs/index.md:3: nothing is served at /none'],
  ])('fails if a link leads to %s that does not exist', async (_, link, problem) => {
    await write({ 'index.md': `# Start\n\n${link}\n` });
    await expect(buildSite({ docs, dist })).rejects.toThrow(problem);
  });

  it('lists pages by folder, then by order, then by file name, and marks the current page', async () => {
    await write({
      'index.md': '# Start\n',
      'guides/b.md': '---\norder: 1\n---\n\n# First\n',
      'guides/a.md': '# Second\n',
      'guides/more/index.md': '# Third\n',
      'concepts/turns.md': '# Turns\n',
    });
    await buildSite({ docs, dist });
    const [sidebar = ''] = /<nav class="sidebar".*?<\/nav>/su.exec(await built('guides/a.html')) ?? [];
    const links = [...sidebar.matchAll(/<a href="([^"]+)"( aria-current="page")?>/gu)];
    expect(links.map(([, address]) => address)).toEqual([
      ...['/docs/', '/docs/concepts/turns', '/docs/guides/b', '/docs/guides/a', '/docs/guides/more/'],
    ]);
    expect(links.filter(([, , mark]) => mark).map(([, address]) => address)).toEqual(['/docs/guides/a']);
  });

  it('shows generated lists as tables, and includes them in the search index', async () => {
    const rows = [
      { variable: 'SIP_PORT', default: '5060', bounds: '', meaning: '`udp|tcp`' },
      { variable: 'PORT', default: '8080', bounds: '', meaning: 'REST' },
    ];
    await write({
      'index.md': '# Start\n\nList:\n\n```variables\nSIP_* NONE\n```\n\n```sh\nls\n```\n',
      'reference/generated/variables.json': JSON.stringify(rows),
    });
    await buildSite({ docs, dist });
    const start = await built('index.html');
    expect(start).toContain('<th>variable</th>\n<th>default</th>\n<th>meaning</th>');
    expect(start).toContain('<td><code>SIP_PORT</code></td>\n<td>5060</td>\n<td><code>udp|tcp</code></td>');
    expect(start).not.toContain('REST');
    expect(start).toContain('<code class="language-sh">');
    expect(await built('assets/search-index.json')).toContain('"5060"');
    const problems = listProblems(await readPages(docs), await readLists(docs));
    expect(problems.map(({ path, line, text }) => `${path}:${line}: ${text}`)).toEqual([
      'docs/index.md:5: no variables named NONE',
      'docs/reference/generated/variables.json:3: PORT must be in the list of one page',
    ]);
  });

  it('writes a search index that finds the section that contains a word', async () => {
    await write({ 'index.md': '# Start\n\nHello.\n\n## Leases\n\nA worker renews its lease.\n' });
    await buildSite({ docs, dist });
    const index = MiniSearch.loadJSON<{ id: string }>(await built('assets/search-index.json'), {
      fields: ['page', 'heading', 'text'],
      storeFields: ['page', 'heading', 'excerpt'],
    });
    expect(index.search('renew', { prefix: true })).toMatchObject([
      { id: '/docs/#leases', page: 'Start', heading: 'Leases', excerpt: 'A worker renews its lease.' },
    ]);
  });
});
