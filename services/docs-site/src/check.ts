import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { brokenLinks } from './links.ts';
import { listProblems, readLists } from './lists.ts';
import { fileLinkProblems, mentionProblems } from './mentions.ts';
import { namedFileProblems } from './named-files.ts';
import { pageProblems } from './page-rules.ts';
import { readPages } from './page.ts';

/**
 * Checks the documentation in `npm test`: links, the form of the pages, and that they show every row of the generated
 * lists.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const pages = await readPages(join(root, 'docs'));
const problems = [
  ...brokenLinks(pages),
  ...pages.flatMap((page) => fileLinkProblems(root, `docs/${page.path}`, page)),
  ...mentionProblems(root, pages),
  ...namedFileProblems(root, pages),
  ...(await pageProblems(pages)),
  ...listProblems(pages, await readLists(join(root, 'docs'))),
];
for (const { path, line, text } of problems) process.stdout.write(`${path}:${line}: ${text}\n`);
process.stdout.write(`docs: ${pages.length} pages, ${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
